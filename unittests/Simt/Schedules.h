//===- Schedules.h - One kernel under many schedules ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which subgroups run is a schedule's. What a right program
// computes does not depend on it, nor, in most tests, what is wrong with one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SIMT_SCHEDULES_H
#define DISTAFF_UNITTESTS_SIMT_SCHEDULES_H

#include "Kernel.h"
#include "gtest/gtest.h"

namespace distaff::simt::kernel_test {

/// A workgroup of so many lanes.
inline Options launch(int64_t subgroupSize, int64_t lanes,
                      uint64_t schedule = 0) {
  Options options;
  options.subgroupSize = subgroupSize;
  options.workgroupSize = {lanes, 1, 1};
  options.schedule = schedule;
  return options;
}

/// What `run` returns for schedule 0; the test fails where one of the first
/// `count` schedules gives something else.
template <typename Run> auto underSchedules(uint64_t count, const Run &run) {
  auto first = run(0);
  for (uint64_t schedule = 1; schedule < count; ++schedule)
    EXPECT_EQ(run(schedule), first) << "schedule " << schedule;
  return first;
}

} // namespace distaff::simt::kernel_test

#endif // DISTAFF_UNITTESTS_SIMT_SCHEDULES_H

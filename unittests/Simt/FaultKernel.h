//===- FaultKernel.h - Kernels that the machine refuses ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test gives what 8 threads do with workgroup memory and gets the fault that
// this is, the same under every schedule:
//
//   EXPECT_EQ(faultInOfFaults(std::string(store) + loadMirror), "race");
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SIMT_FAULTKERNEL_H
#define DISTAFF_UNITTESTS_SIMT_FAULTKERNEL_H

#include "Schedules.h"
#include "gtest/gtest.h"

namespace distaff::simt::kernel_test {

/// 8 threads, %m in workgroup memory, %v = thread id as i32.
inline std::string kernelOfFaults(StringRef body) {
  return (R"(
    gpu.module @m { gpu.func @f(%out: memref<8xi32>) {
      %id = gpu.thread_id x
      %v = arith.index_cast %id : index to i32
      %m = memref.alloc() : memref<8xi32, #gpu.address_space<workgroup>>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c7 = arith.constant 7 : index
      %mirror = arith.subi %c7, %id : index
)" + body +
          "\ngpu.return\n} }")
      .str();
}

/// The first line of the error under every schedule, which must not matter.
inline std::string faultInOfFaults(StringRef body, int64_t subgroup = 4) {
  std::string first;
  for (uint64_t schedule = 0; schedule < 6; ++schedule) {
    std::string fault =
        faultOf(kernelOfFaults(body), {array("i32", {8}, Values(8, 0))},
                launch(subgroup, 8, schedule));
    if (schedule == 0)
      first = fault;
    EXPECT_EQ(fault, first) << "schedule " << schedule;
  }
  return first;
}

inline const char *const store =
    "memref.store %v, %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>\n";
inline const char *const loadMirror =
    "%r = memref.load %m[%mirror] : memref<8xi32, "
    "#gpu.address_space<workgroup>>\n"
    "memref.store %r, %out[%id] : memref<8xi32>\n";
inline const char *const barrier = "gpu.barrier\n";

} // namespace distaff::simt::kernel_test

#endif // DISTAFF_UNITTESTS_SIMT_FAULTKERNEL_H

//===- Counts.h - How many results were compared ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results by op, by type and by device, for benchmark/results/scalars.md.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SCALARS_COUNTS_H
#define DISTAFF_UNITTESTS_SCALARS_COUNTS_H

#include "Definitions.h"
#include "Devices.h"

#include <map>

namespace distaff::scalars {

class Counts {
public:
  void add(const ScalarOp &op, const Device &device, size_t results);

  /// A table of devices, and one whose rows are ops and whose columns are the
  /// types of the first operand; expressions of several ops are one row.
  std::string asMarkdown() const;

private:
  std::map<std::string, size_t> byDevice;
  std::map<std::string, std::map<std::string, size_t>> byOp;
};

} // namespace distaff::scalars

#endif // DISTAFF_UNITTESTS_SCALARS_COUNTS_H

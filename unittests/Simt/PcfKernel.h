//===- PcfKernel.h - Kernels with pcf in them -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SIMT_PCFKERNEL_H
#define DISTAFF_UNITTESTS_SIMT_PCFKERNEL_H

#include "Schedules.h"

namespace distaff::simt::kernel_test {

/// Names of scopes, and !I for a vector of one integer.
inline const std::string pcfAliases = R"(
  #seq = #pcf.sequential
  #wg = #iree_codegen.workgroup_scope
  #wgl = #iree_codegen.workgroup_scope<linearize>
  #sg = #iree_gpu.subgroup_scope
  #ln = #iree_gpu.lane_scope
  !I = vector<1xi32>
)";

inline Argument index(int64_t value) {
  return array("index", {}, {double(value)});
}

/// So many random integers.
inline Argument integers(int64_t count) {
  return randomArray("i32", {count}, 11, -99, 99);
}

/// Whole numbers from -3 to 3, whose sums are exact in any order.
Argument wholeNumbers(ArrayRef<int64_t> shape, unsigned seed);

/// A function of the specification's samples, with the aliases before it:
/// test/Dialect/PCF/samples-CHAPTER.mlir.
std::string sampleOf(StringRef chapter, StringRef function);

/// Of four subgroups of 8 lanes, with the arguments `init` and `n`: the result,
/// or the fault, under every schedule.
Values valuesOfFour(const std::string &source, Argument init, int64_t n = 0);
std::string faultOfFour(const std::string &source, Argument init,
                        int64_t n = 0);

} // namespace distaff::simt::kernel_test

#endif // DISTAFF_UNITTESTS_SIMT_PCFKERNEL_H

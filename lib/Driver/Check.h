//===- Check.h - Comparing a run with the reference -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run passes when every element is within twice its bound of the float64
// evaluation of the kernel as written; integers must be equal. The reference
// decides nothing where its largest bound is over 2 % of the largest magnitude,
// the rounding to the output's own type not counted (6 % in f8E4M3FN), or where
// a data-dependent choice lay inside the bound for more than 1 % of the
// elements.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_CHECK_H
#define DISTAFF_LIB_DRIVER_CHECK_H

#include "Arguments.h"

namespace distaff {

/// How one array of a run compares with its estimates.
struct Comparison {
  enum class Verdict { Agrees, Undecided, Differs };
  Verdict verdict = Verdict::Agrees;
  double largestError = 0; ///< of the decided elements
  double largestBound = 0;
  int64_t undecided = 0;
  int64_t elements = 0;
  std::string detail; ///< the worst element, or why nothing is decided
};

Comparison compare(const ParameterShape &parameter, const simt::Array &array,
                   const simt::EstimateArray &estimates);

/// The reference of every output of a kernel as written.
class Reference {
public:
  simt::Outcome evaluate(func::FuncOp kernel, const KernelArguments &arguments,
                         const simt::Options &options);

  /// Compares all outputs and prints one line to stdout:
  /// "distribute      max error 1.19e-07  bound 7.9e-06  ok".
  ExitCode check(StringRef stage, const KernelArguments &arguments,
                 const ParameterValues &outcome) const;

private:
  SmallVector<simt::EstimateArray> estimates; ///< per parameter; may be empty
  bool addsFloats = false; ///< so that its inputs may have exact sums
};

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_CHECK_H

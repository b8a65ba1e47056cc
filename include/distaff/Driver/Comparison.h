//===- Comparison.h - Comparison of a run with its reference ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run passes when every element is within twice its bound of the float64
// evaluation of the kernel as written; integers must be equal. The reference
// decides nothing if its largest bound is over 2 % of the largest magnitude,
// the rounding to the output's own type not counted (6 % in f8E4M3FN), or if a
// data-dependent choice lay inside the bound for more than 1 % of the elements.
//
// Example: with the estimate 1.0 and the bound 0.001, 1.0015 agrees and 1.0025
// differs; with the bound 0.03, 1.05 is undecided.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_COMPARISON_H
#define DISTAFF_DRIVER_COMPARISON_H

#include <cstdint>
#include <string>

namespace distaff {

/// The result of comparing the arrays of a run with their estimates.
struct Comparison {
  enum class Verdict { Agrees, Undecided, Differs };
  Verdict verdict = Verdict::Agrees;
  double largestError = 0; ///< largest error of the decided elements
  double largestBound = 0;
  int64_t undecided = 0; ///< number of undecided elements
  int64_t elements = 0;
  std::string detail; ///< the worst element, or why nothing is decided
};

/// The comparison of all outputs of a kernel after a stage.
struct StageCheck {
  std::string stage; ///< "input", a stage's name, or "cuda:0"
  Comparison outputs;
  /// Whether inputs with exact sums would decide a comparison that is
  /// undecided.
  bool exactSumsMayDecide = false;
};

} // namespace distaff

#endif // DISTAFF_DRIVER_COMPARISON_H

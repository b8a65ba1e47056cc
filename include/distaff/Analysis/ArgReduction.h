//===- ArgReduction.h - Where the largest element is ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op with two results, the best element along one loop and a number that
// says which one it is:
//
//   ^bb0(%x: f32, %best: f32, %place: i32):
//     %beats = arith.cmpf ogt, %x, %best : f32
//     %0 = arith.select %beats, %x, %best : f32
//     %1 = arith.select %beats, %i, %place : i32
//     linalg.yield %0, %1 : f32, i32
//
// The comparison is ordered, so that a NaN never wins, and strict for integers.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ARGREDUCTION_H
#define DISTAFF_ANALYSIS_ARGREDUCTION_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

struct ArgReduction {
  unsigned loop = 0;      // that is reduced
  Operation *compare;     // of `candidate` and the best so far
  Value candidate, place; // in the body, independent of the results
  bool candidateIsLhs = true;
};

/// Matches an op against the form above.
std::optional<ArgReduction> matchArgReduction(Operation *op);

/// A number of that type that never wins the comparison.
TypedAttr neverBest(const ArgReduction &reduction);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ARGREDUCTION_H

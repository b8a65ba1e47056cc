//===- ArgReduction.h - Match argmin and argmax -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches an op with two results: the best element along one loop, and a number
// that identifies this element:
//
//   ^bb0(%x: f32, %best: f32, %place: i32):
//     %beats = arith.cmpf ogt, %x, %best : f32
//     %0 = arith.select %beats, %x, %best : f32
//     %1 = arith.select %beats, %i, %place : i32
//     linalg.yield %0, %1 : f32, i32
//
// The comparison may have its operands or its selects reversed, may be one of
// several conditions on the new element, may be strict or not and, for floats,
// ordered or not. The value may also be combined by an op (`maximumf`, as
// exporters write it), which treats a NaN differently from the comparison.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_ARGREDUCTION_H
#define DISTAFF_ANALYSIS_LINALG_ARGREDUCTION_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

/// Describes the comparison by which a new element beats the best one so far.
struct ArgPredicate {
  bool isLarger = true;     // or smaller
  bool isStrict = true;     // of equal elements the first one stays
  bool isUnordered = false; // floats: a NaN beats all, and all beat a NaN
  bool isUnsigned = false;  // integers

  bool operator==(const ArgPredicate &) const = default;
  arith::CmpFPredicate ofFloats() const;
  arith::CmpIPredicate ofIntegers() const;
};

struct ArgReduction {
  unsigned loop = 0; // the reduced loop
  ArgPredicate predicate;
  Value candidate, place; // in the body, independent of the results
  /// The conditions for a candidate to count, independent of the results.
  SmallVector<Value, 2> conditions;
  /// The op that combines floats where that is not a select by the comparison;
  /// else null.
  Operation *combiner = nullptr;
};

/// Matches an op against the form above.
std::optional<ArgReduction> matchArgReduction(Operation *op);

/// Returns a number of the element type that never wins the comparison, or
/// nullopt if every number may win, e.g. if the last of equal elements is
/// found.
std::optional<TypedAttr> neverBest(const ArgReduction &reduction);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_ARGREDUCTION_H

//===- IndexTerms.h - Index arithmetic as linear terms ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a guard still holds one iteration later, and whether two slices may
// overlap, are questions about integers. This file reads index arithmetic as
// sums of variables times numbers, with `mod` and `floordiv` by numbers, and
// uses MLIR's integer relations to decide whether a list of constraints has a
// solution.
//
// Example: with the loop variable `%k` as d0 and `%n` as d1,
//
//   %k1 = arith.addi %k, %c1      d0 + 1
//   %nxt = arith.remui %k1, %c2   (d0 + 1) mod 2
//   %more = arith.cmpi ult, %k1, %n   d1 - (d0 + 1) - 1 >= 0
//
// A value that is no such term is a variable of its own; of minima and maxima
// it is known that they are not negative, or no more than a number. Answers err
// on the side of "there may be a solution". Two assumptions are made: index
// arithmetic does not overflow, and a value of type index without known bounds
// (an argument, an extent) is not negative, as a signed number or not.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_INDEXTERMS_H
#define DISTAFF_LIB_PCF_ORDER_INDEXTERMS_H

#include "distaff/LLVM.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace distaff::pcf {

/// Describes a constraint `term >= 0`, or `term == 0`.
struct IndexConstraint {
  AffineExpr term;
  bool isEquality = false;
};

class IndexTerms {
public:
  explicit IndexTerms(MLIRContext *context) : context(context) {}

  /// Returns the value as a term; a new variable if it is not index arithmetic.
  AffineExpr of(Value value);
  AffineExpr of(OpFoldResult value);
  AffineExpr constant(int64_t value) {
    return getAffineConstantExpr(value, context);
  }

  /// Binds `value` to `term`, whatever computes it.
  void bind(Value value, AffineExpr term) { known[value] = term; }

  /// Adds a variable that no value has.
  AffineExpr addVariable(bool isNonNegative);
  unsigned getNumVariables() const { return nonNegative.size(); }

  /// Returns whether the form of a term alone proves that it is not negative.
  bool isNonNegative(AffineExpr term) const;

  /// Adds the constraints that follow if `condition` equals `isTrue`. Returns
  /// false if not all that follows can be expressed, or nothing.
  bool addCondition(Value condition, bool isTrue,
                    SmallVectorImpl<IndexConstraint> &constraints);

  /// Returns whether no values of the variables satisfy the constraints. With
  /// `withCopies` the constraints may use the copies of the variables, too.
  bool haveNoSolution(ArrayRef<IndexConstraint> constraints,
                      bool withCopies = false) const;

  /// Returns the copy of a variable, and a term in which copies replace the
  /// variables for which `isCopied` holds.
  AffineExpr withCopies(AffineExpr term,
                        function_ref<bool(unsigned)> isCopied) const;

  /// Returns the value that a variable stands for; null if it has none.
  Value getValueOf(unsigned variable) const { return values[variable]; }

private:
  AffineExpr compute(Value value);
  bool isCount(Value value);
  SmallVector<AffineExpr> getChoices(Operation *op);
  AffineExpr addVariableFor(Value value);

  MLIRContext *context;
  llvm::DenseMap<Value, AffineExpr> known;
  SmallVector<bool> nonNegative;
  SmallVector<Value> values;
  /// The upper bound of each variable, if it is known.
  SmallVector<std::optional<int64_t>> limits;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_INDEXTERMS_H

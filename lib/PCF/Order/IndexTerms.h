//===- IndexTerms.h - Index arithmetic as linear terms ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a guard still holds one iteration later, and whether two slices can
// meet, are questions about integers. This file reads index arithmetic as sums
// of variables times numbers, with `mod` and `floordiv` by numbers, and asks
// MLIR's integer relations whether a list of constraints has a solution.
//
// Example: with the loop variable `%k` as d0 and `%n` as d1,
//
//   %k1 = arith.addi %k, %c1      d0 + 1
//   %nxt = arith.remui %k1, %c2   (d0 + 1) mod 2
//   %more = arith.cmpi ult, %k1, %n   d1 - (d0 + 1) - 1 >= 0
//
// What is no such term is a variable of its own; of minima and maxima it is
// known that they are not negative, or no more than a number. Answers err on
// the side of "there may be a solution". Two assumptions are made: index
// arithmetic does not overflow, and a value of type index that nothing is known
// of (an argument, an extent) is not negative, as a signed number or not.
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

/// `term >= 0`, or `term == 0`.
struct IndexConstraint {
  AffineExpr term;
  bool isEquality = false;
};

class IndexTerms {
public:
  explicit IndexTerms(MLIRContext *context) : context(context) {}

  /// The value as a term; a new variable if it is not index arithmetic.
  AffineExpr of(Value value);
  AffineExpr of(OpFoldResult value);
  AffineExpr constant(int64_t value) {
    return getAffineConstantExpr(value, context);
  }

  /// Makes `value` stand for `term`, whatever computes it.
  void bind(Value value, AffineExpr term) { known[value] = term; }

  /// A variable that no value has.
  AffineExpr addVariable(bool isNonNegative);
  unsigned getNumVariables() const { return nonNegative.size(); }

  /// Whether the form of a term alone says that it is not negative.
  bool isNonNegative(AffineExpr term) const;

  /// Adds what follows if `condition` is `isTrue`. False: not all that follows
  /// can be said, or nothing.
  bool addCondition(Value condition, bool isTrue,
                    SmallVectorImpl<IndexConstraint> &constraints);

  /// Whether no values of the variables meet the constraints.
  /// `shift` more variables, copies of the first ones, may be used.
  bool haveNoSolution(ArrayRef<IndexConstraint> constraints,
                      bool withCopies = false) const;

  /// The copy of a variable, and a term with copies for the variables that
  /// `isCopied` is true of.
  AffineExpr withCopies(AffineExpr term,
                        function_ref<bool(unsigned)> isCopied) const;

  /// The value that a variable stands for; null if it has none.
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
  /// What a variable is at most, as far as that is known.
  SmallVector<std::optional<int64_t>> limits;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_INDEXTERMS_H

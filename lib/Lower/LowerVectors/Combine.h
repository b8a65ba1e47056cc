//===- Combine.h - Combining and multiplying registers ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions work on scalars and on native vector chunks alike.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERVECTORS_COMBINE_H
#define DISTAFF_LIB_LOWER_LOWERVECTORS_COMBINE_H

#include "ScalarRegisters.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff::registers {

/// Returns whether values of an element type are combined in the source's
/// order, each step rounded; without a kind, by logsumexp.
inline bool keepsOrder(std::optional<vector::CombiningKind> kind, Type element,
                       bool strictFp) {
  bool isRounded = !kind || *kind == vector::CombiningKind::ADD ||
                   *kind == vector::CombiningKind::MUL;
  return strictFp && isRounded && isa<FloatType>(element);
}

/// Combines registers of one type by one kind.
struct Combiner {
  OpBuilder &builder;
  Location loc;
  vector::CombiningKind kind;
  arith::FastMathFlagsAttr fastmath;
  bool strictFp = false;
  /// Whether a sum may fuse a product into it before it is rounded.
  bool fusesProducts = false;
  /// Whether one instruction combines two f32.
  bool packsSingles = false;

  Value combine(Value lhs, Value rhs) const;
  /// Returns the combination of all values as a balanced tree.
  /// \pre values is not empty
  Value tree(ArrayRef<Value> values) const;
  /// Returns the combination of all values with an accumulator, which may be
  /// null.
  Value reduce(ArrayRef<Value> values, Value accumulator) const;

private:
  arith::MulFOp fusedProduct(Value value) const;
  Value pairedTree(ArrayRef<Value> values) const;
};

/// Returns lhs * rhs in that element type.
Value multiply(const Combiner &combiner, Value lhs, Value rhs, Type element);

/// Returns the accumulator combined with lhs * rhs, in the accumulator's type.
Value accumulate(const Combiner &combiner, Value lhs, Value rhs,
                 Value accumulator);

/// Returns the combination of a chunk's elements: the largest power of two of
/// them by a butterfly of halves, and the rest recursively.
Value reducePiece(Value piece, const Combiner &combiner, Lowering &lowering);

/// A product of a semiring; `bit`, unless null, is the mask that enables it.
struct Term {
  Value product, bit;
};

/// Returns log(exp(accumulator) + the sum of exp(products)), of scalars or of
/// chunks.
Value logSumExp(ArrayRef<Term> terms, Value accumulator, Location loc,
                Lowering &lowering);

/// Lowers reductions and contractions to scalar arithmetic.
LogicalResult lowerMultiReductionByElements(vector::MultiDimReductionOp op,
                                            Lowering &lowering);
LogicalResult lowerContractByElements(vector::ContractionOp op,
                                      Lowering &lowering);
LogicalResult lowerContractByElements(core::ContractOp op, Lowering &lowering);

} // namespace distaff::registers

#endif // DISTAFF_LIB_LOWER_LOWERVECTORS_COMBINE_H

//===- Combine.h - Combining and multiplying registers ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of scalars and of pieces alike.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERVECTORS_COMBINE_H
#define DISTAFF_LIB_LOWER_LOWERVECTORS_COMBINE_H

#include "ScalarRegisters.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff::registers {

/// Whether values of an element type are combined in the source's order, each
/// step rounded; without a kind, by logsumexp.
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
  /// Whether a sum may take a product that is added before it is rounded.
  bool fusesProducts = false;
  /// Whether two f32 are combined by one instruction.
  bool packsSingles = false;

  Value combine(Value lhs, Value rhs) const;
  /// \pre values is not empty
  Value tree(ArrayRef<Value> values) const;
  /// All values with an accumulator, which may be null.
  Value reduce(ArrayRef<Value> values, Value accumulator) const;

private:
  arith::MulFOp fusedProduct(Value value) const;
  Value pairedTree(ArrayRef<Value> values) const;
};

/// lhs * rhs in that element type.
Value multiply(const Combiner &combiner, Value lhs, Value rhs, Type element);

/// accumulator combined with lhs * rhs, in the accumulator's type.
Value accumulate(const Combiner &combiner, Value lhs, Value rhs,
                 Value accumulator);

/// The combination of a piece's elements: of as many as are a power of two
/// halves by halves, and what is behind these by itself.
Value reducePiece(Value piece, const Combiner &combiner, Lowering &lowering);

/// A product of a semiring's; `bit`, unless null, says whether it counts.
struct Term {
  Value product, bit;
};

/// log(exp(accumulator) + the sum of exp(products)), of scalars or of pieces.
Value logSumExp(ArrayRef<Term> terms, Value accumulator, Location loc,
                Lowering &lowering);

/// Reductions and contractions as scalar arithmetic.
LogicalResult lowerMultiReductionByElements(vector::MultiDimReductionOp op,
                                            Lowering &lowering);
LogicalResult lowerContractByElements(vector::ContractionOp op,
                                      Lowering &lowering);
LogicalResult lowerContractByElements(core::ContractOp op, Lowering &lowering);

} // namespace distaff::registers

#endif // DISTAFF_LIB_LOWER_LOWERVECTORS_COMBINE_H

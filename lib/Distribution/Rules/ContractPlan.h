//===- ContractPlan.h - A lane's part of a contraction ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans a contraction, with any product, for one lane: each dim of the
// iteration space is iterated over the lane's indices in it, in their order,
// which all operands that have the dim share, however they number their
// registers.
//
//   k of 16 over 4 lanes, 2 and 2 registers:  the lane's space has k = 4
//
// The lane and subgroup digits of the reduced dims are the plan's reach.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_CONTRACTPLAN_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_CONTRACTPLAN_H

#include "../Exchange/LaneExchange.h"

namespace distaff {

/// Describes a contraction before distribution.
struct Contraction {
  Operation *op;
  SmallVector<AffineMap> maps; // lhs, rhs, result
  SmallVector<bool> isReduction;
  OpOperand *lhs, *rhs;
  Value result;
  vector::CombiningKind kind;
};

struct ContractPlan {
  Operation *op;
  SmallVector<AffineMap> maps;
  SmallVector<bool> isReduction;
  const Placement *operands[3] = {}; // lhs, rhs, result; no result: a scalar
  SmallVector<int64_t> local;        // indices of a lane, by iteration dim
  Reach reach;
  vector::CombiningKind kind;
  Type element, combined;
  bool inOrder; // strictly, as the iteration space
};

/// Fails, with a refusal, where operands split a common dim differently.
FailureOr<ContractPlan> planContract(const Contraction &contraction,
                                     Distributor &out);

/// Describes a lane's part of an operand as an array over its own indices: one
/// dim per dim of the operand, in the order of the index.
struct LocalOperand {
  SmallVector<int64_t> shape;
  SmallVector<int64_t> registers; // of the placement, in that array's order
};

LocalOperand localOperand(const ContractPlan &plan, AffineMap map,
                          const Placement *placement);

/// Returns `value`, of the placement's shape, as the array.
Value toLocal(OpBuilder &b, Location loc, Value value,
              const LocalOperand &local);

/// Returns the array, or its one element, as a value of the placement's shape.
Value fromLocal(OpBuilder &b, Location loc, Value array,
                const LocalOperand &local, const Placement *placement);

/// Returns the operand's element at each point of the local space.
Value atEveryPoint(OpBuilder &b, const ContractPlan &plan, Value value,
                   AffineMap map, const Placement *placement);

/// Emits the product of two elements in the plan's `combined` type.
using EmitProduct = function_ref<Value(OpBuilder &b, Value lhs, Value rhs)>;

/// Accumulates products one by one in the row-major order of the reduced dims,
/// starting from `initial`; `mask` may be null.
Value contractInOrder(OpBuilder &b, const ContractPlan &plan, Value lhs,
                      Value rhs, Value mask, const Placement *maskPlacement,
                      Value initial, EmitProduct product, Distributor &out);

/// Records the lane and subgroup exchanges of the contraction.
void recordContraction(const ContractPlan &plan, const Distributor &out);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_CONTRACTPLAN_H

//===- DistributeOuterProduct.cpp - vector.outerproduct -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element (m, n) takes lhs at m and rhs at n, both of which its lane holds:
// each operand is broadcast over the result's registers, then multiplied and
// combined. A scalar rhs multiplies every element of lhs. Where a mask is false
// the accumulator stays.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "Rules.h"
#include "distaff/Layout/Conversion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

/// Returns for each register of the result that of an operand that has its dims
/// `dims`; refuses where lanes would have to exchange data.
static FailureOr<SmallVector<int64_t>>
planOperand(vector::OuterProductOp op, const Placement *operand,
            const Placement &result, ArrayRef<int64_t> dims, Distributor &out) {
  auto sources = registerSource(operand->layout, result.layout,
                                DimMap(result.rank(), llvm::to_vector(dims)),
                                out.hardware());
  if (sources)
    return *sources;
  return out.refuseOwnMistake(
      op,
      "would have to move data between lanes: an operand is laid "
      "out as " +
          toString(operand->layout) + ", the result as " +
          toString(result.layout),
      operand);
}

static Value multiply(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(lhs.getType())))
    return arith::MulFOp::create(b, loc, lhs, rhs);
  return arith::MulIOp::create(b, loc, lhs, rhs);
}

LogicalResult distaff::distribute(vector::OuterProductOp op, OpOperand *mask,
                                  Distributor &out) {
  const Placement *result = out.placementOf(op.getResult());
  bool axpy = !isa<VectorType>(op.getRhs().getType());
  FailureOr<SmallVector<int64_t>> lhsOf =
      planOperand(op, out.placementOf(op.getLhsMutable()), *result, 0, out);
  FailureOr<SmallVector<int64_t>> rhsOf = SmallVector<int64_t>();
  if (!axpy)
    rhsOf =
        planOperand(op, out.placementOf(op.getRhsMutable()), *result, 1, out);
  if (failed(lhsOf) || failed(rhsOf))
    return failure();

  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = result->shape();
  Value lhs =
      renameRegisters(b, loc, out.get(b, op.getLhsMutable()), *lhsOf, shape);
  Value rhs =
      axpy ? vector::BroadcastOp::create(b, loc, lhs.getType(), op.getRhs())
                 .getResult()
           : renameRegisters(b, loc, out.get(b, op.getRhsMutable()), *rhsOf,
                             shape);
  Value value = multiply(b, loc, lhs, rhs);
  if (op.getAcc()) {
    Value acc = out.get(b, op.getAccMutable()[0]);
    value = combine(b, loc, op.getKind(), value, acc);
    if (mask)
      value = arith::SelectOp::create(b, loc, out.get(b, *mask), value, acc);
  }
  out.replace(op, value);
  return success();
}

//===- DistributeContract.cpp - vector.contract without an instruction ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane contracts its own elements: each dim of the iteration space is
// iterated over the lane's indices in it, in their order, which all operands
// that have the dim share, however they number their registers. K dims that are
// split over lanes and subgroups are combined as in a reduction, and the
// accumulator comes last, once (VX-89). Where the order of a sum of floats must
// be kept, the accumulator comes first and adds one product after the other,
// each rounded (OrderedReduction.h, VX-87).
//
// DistributeMma.cpp handles contractions whose operands are laid out for an MMA
// instruction.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "ContractPlan.h"
#include "Rules.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using vector::CombiningKind;

static Value emitLocal(OpBuilder &b, const ContractPlan &plan, Value lhs,
                       Value rhs, Value accumulator) {
  auto op = cast<vector::ContractionOp>(plan.op);
  Location loc = op.getLoc();
  SmallVector<LocalOperand> operands;
  for (auto [map, placement] : llvm::zip_equal(plan.maps, plan.operands))
    operands.push_back(localOperand(plan, map, placement));
  accumulator = toLocal(b, loc, accumulator, operands[2]);
  // vector.contract has no result of rank 0.
  if (operands[2].shape.empty())
    accumulator = toScalars(b, loc, accumulator).front();
  Value result = vector::ContractionOp::create(
      b, loc, toLocal(b, loc, lhs, operands[0]),
      toLocal(b, loc, rhs, operands[1]), accumulator, op.getIndexingMaps(),
      op.getIteratorTypes(), plan.kind);
  return fromLocal(b, loc, result, operands[2], plan.operands[2]);
}

//===----------------------------------------------------------------------===//
// Masked contractions
//
// A mask has a bit per product. A lane computes all its products, replaces
// those masked out by the identity, and reduces (VX-88, W8).
//===----------------------------------------------------------------------===//

static Value multiply(OpBuilder &b, Location loc, Value lhs, Value rhs,
                      Type element) {
  auto promote = [&](Value value) -> Value {
    if (isa<FloatType>(element))
      return convertFloat(b, loc, value, element);
    auto type = cast<VectorType>(value.getType());
    if (type.getElementType() == element)
      return value;
    return arith::ExtSIOp::create(b, loc, type.clone(element), value);
  };
  lhs = promote(lhs);
  rhs = promote(rhs);
  if (isa<FloatType>(element))
    return arith::MulFOp::create(b, loc, lhs, rhs);
  return arith::MulIOp::create(b, loc, lhs, rhs);
}

/// Returns the products, masked and reduced over this lane's registers, in the
/// result's form.
static Value emitMaskedLocal(OpBuilder &b, const ContractPlan &plan, Value lhs,
                             Value rhs, Value mask,
                             const Placement *maskPlacement) {
  Location loc = plan.op->getLoc();
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(plan.local.size(), b.getContext());
  Value product = multiply(
      b, loc, atEveryPoint(b, plan, lhs, plan.maps[0], plan.operands[0]),
      atEveryPoint(b, plan, rhs, plan.maps[1], plan.operands[1]),
      plan.combined);
  TypedAttr identity = identityOf(plan.kind, plan.combined);
  product = arith::SelectOp::create(
      b, loc, atEveryPoint(b, plan, mask, all, maskPlacement), product,
      splat(b, loc, product.getType(), identity));

  // The remaining dims come in the order of the iteration space.
  SmallVector<int64_t> kept, keptDims;
  for (auto [dim, size] : llvm::enumerate(plan.local))
    if (!plan.isReduction[dim]) {
      kept.push_back(size);
      keptDims.push_back(dim);
    }
  Type type = plan.combined;
  if (!kept.empty())
    type = VectorType::get(kept, plan.combined);
  Value sum = vector::MultiDimReductionOp::create(b, loc, product,
                                                  splat(b, loc, type, identity),
                                                  plan.isReduction, plan.kind);
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : plan.maps[2].getResults())
    permutation.push_back(
        llvm::find(keptDims, cast<AffineDimExpr>(expr).getPosition()) -
        keptDims.begin());
  if (!kept.empty())
    sum = vector::TransposeOp::create(b, loc, sum, permutation);
  return fromLocal(b, loc, sum,
                   localOperand(plan, plan.maps[2], plan.operands[2]),
                   plan.operands[2]);
}

LogicalResult distaff::distribute(vector::ContractionOp op, OpOperand *mask,
                                  Distributor &out) {
  if (iree::MmaLayoutAttr kind = out.mmaKindOf(op)) {
    if (out.options.strictFp && !isInteger(kind.getRow()->c))
      return out.refuse(op, "is laid out for " + kind.getName().str() +
                                ", which adds floats in an order of its own; "
                                "strict-fp keeps the order of the source");
    if (mask)
      return out.refuseOwnMistake(
          op, "is masked, and no layout of a mask fits all fragments");
    return distributeToMma(op, kind, out);
  }
  FailureOr<ContractPlan> plan = planContract(
      {op, op.getIndexingMapsArray(),
       llvm::map_to_vector(op.getIteratorTypes(), vector::isReductionIterator),
       &op.getLhsMutable(), &op.getRhsMutable(), op.getResult(), op.getKind()},
      out);
  if (failed(plan))
    return failure();
  const Placement *maskPlacement = mask ? out.placementOf(*mask) : nullptr;
  recordContraction(*plan, out);

  OpBuilder b(op);
  Location loc = op.getLoc();
  Value lhs = out.get(b, op.getLhsMutable());
  Value rhs = out.get(b, op.getRhsMutable());
  Value initial =
      convertFloat(b, loc, out.get(b, op.getAccMutable()), plan->combined);
  auto product = [&](OpBuilder &b, Value lhs, Value rhs) {
    return multiply(b, loc, lhs, rhs, plan->combined);
  };
  Value result;
  if (plan->inOrder && (mask || plan->reach.leavesLane())) {
    result =
        contractInOrder(b, *plan, lhs, rhs, mask ? out.get(b, *mask) : Value(),
                        maskPlacement, initial, product, out);
  } else if (mask) {
    Value partial =
        emitMaskedLocal(b, *plan, lhs, rhs, out.get(b, *mask), maskPlacement);
    partial = reduceAcross(b, loc, plan->kind, partial, plan->reach, out);
    result = combine(b, loc, plan->kind, partial, initial);
  } else if (plan->reach.leavesLane()) {
    Value identity = splat(b, loc, initial.getType(),
                           identityOf(op.getKind(), plan->combined));
    Value partial = emitLocal(b, *plan, lhs, rhs, identity);
    partial = reduceAcross(b, loc, op.getKind(), partial, plan->reach, out);
    result = combine(b, loc, op.getKind(), partial, initial);
  } else {
    result = emitLocal(b, *plan, lhs, rhs, initial);
  }
  out.replace(op, convertFloat(b, loc, result, plan->element));
  return success();
}

//===- DistributeSemiring.cpp - Contractions over any semiring ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// distaff.contract is distributed like vector.contract: a lane contracts its
// own elements, K dims that are split are combined as in a reduction, and the
// accumulator comes last, once (VX-124). A lane's part is a distaff.contract of
// its own, which lower-vectors lowers.
//
// logsumexp is not a combining kind of lane reductions. A lane's sum l becomes
// (largest, sum of the others relative to it):
//
//   m = max over lanes of l;   s = sum over lanes of exp(l - m);   m + log s
//
// with 0 for m where m is infinite: then no scaling is possible.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "ContractPlan.h"
#include "Rules.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;
using core::CombineKind;
using vector::CombiningKind;

/// Returns this lane's products, combined with `accumulator`.
static Value emitLocal(OpBuilder &b, const ContractPlan &plan,
                       ArrayRef<Value> factors, Value mask,
                       const Placement *maskPlacement, Value accumulator) {
  auto op = cast<core::ContractOp>(plan.op);
  Location loc = op.getLoc();
  LocalOperand lhs = localOperand(plan, plan.maps[0], plan.operands[0]);
  LocalOperand rhs = localOperand(plan, plan.maps[1], plan.operands[1]);
  LocalOperand result = localOperand(plan, plan.maps[2], plan.operands[2]);
  accumulator = toLocal(b, loc, accumulator, result);
  if (result.shape.empty())
    accumulator = toScalars(b, loc, accumulator).front();
  if (mask) {
    AffineMap all =
        AffineMap::getMultiDimIdentityMap(plan.local.size(), b.getContext());
    mask = toLocal(b, loc, mask, localOperand(plan, all, maskPlacement));
  }
  auto local = core::ContractOp::create(
      b, loc, toLocal(b, loc, factors[0], lhs),
      toLocal(b, loc, factors[1], rhs), accumulator, mask, op.getCombine(),
      op.getIndexingMaps(), op.getIteratorTypes());
  IRMapping mapping;
  op.getProduct().cloneInto(&local.getProduct(), mapping);
  if (plan.combined != plan.element) {
    Operation *yield = local.getProduct().front().getTerminator();
    OpBuilder inside(yield);
    yield->setOperand(
        0, convertFloat(inside, loc, yield->getOperand(0), plan.combined));
  }
  return fromLocal(b, loc, local.getResult(), result, plan.operands[2]);
}

/// Returns a splat of `value` in the type of `like`.
static Value constantLike(OpBuilder &b, Location loc, Value like,
                          const APFloat &value) {
  return splat(b, loc, like.getType(),
               b.getFloatAttr(getElementTypeOrSelf(like.getType()), value));
}

static Value reduceLogSumExp(OpBuilder &b, const ContractPlan &plan,
                             Value partial, Value initial, Distributor &out) {
  Location loc = plan.op->getLoc();
  const llvm::fltSemantics &type =
      cast<FloatType>(plan.combined).getFloatSemantics();
  Value largest =
      reduceAcross(b, loc, CombiningKind::MAXIMUMF, partial, plan.reach, out);
  largest = combine(b, loc, CombiningKind::MAXIMUMF, largest, initial);
  Value magnitude = math::AbsFOp::create(b, loc, largest);
  Value isFinite = arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::OLT, magnitude,
      constantLike(b, loc, largest, APFloat::getInf(type)));
  Value shift = arith::SelectOp::create(
      b, loc, isFinite, largest,
      constantLike(b, loc, largest, APFloat::getZero(type)));
  auto scaled = [&](Value value) -> Value {
    return math::ExpOp::create(b, loc,
                               arith::SubFOp::create(b, loc, value, shift));
  };
  Value sum = reduceAcross(b, loc, CombiningKind::ADD, scaled(partial),
                           plan.reach, out);
  sum = combine(b, loc, CombiningKind::ADD, sum, scaled(initial));
  return arith::AddFOp::create(b, loc, shift, math::LogOp::create(b, loc, sum));
}

static TypedAttr identityOfSum(CombineKind kind, Type type) {
  if (std::optional<CombiningKind> known = core::toCombiningKind(kind))
    return identityOf(*known, type);
  return identityOf(CombiningKind::MAXIMUMF, type); // of logsumexp: -inf
}

LogicalResult distaff::distribute(core::ContractOp op, Distributor &out) {
  std::optional<CombiningKind> kind = op.getCombiningKind();
  if (!kind && out.options.strictFp)
    return out.refuse(op, "adds exponentials relative to the largest, which is "
                          "no order of the source; strict-fp keeps that order");
  FailureOr<ContractPlan> plan =
      planContract({op, op.getMaps(), op.getReduced(), &op.getLhsMutable(),
                    &op.getRhsMutable(), op.getResult(),
                    kind.value_or(CombiningKind::MAXIMUMF)},
                   out);
  if (failed(plan))
    return failure();
  // A sum of exponentials is computed in at least f32.
  if (!kind && plan->combined.getIntOrFloatBitWidth() < 32)
    plan->combined = Float32Type::get(op.getContext());
  MutableOperandRange masks = op.getMaskMutable();
  OpOperand *mask = masks.empty() ? nullptr : &masks[0];
  const Placement *maskPlacement = mask ? out.placementOf(*mask) : nullptr;
  recordContraction(*plan, out);

  OpBuilder b(op);
  Location loc = op.getLoc();
  Value factors[] = {out.get(b, op.getLhsMutable()),
                     out.get(b, op.getRhsMutable())};
  Value bits = mask ? out.get(b, *mask) : Value();
  Value initial =
      convertFloat(b, loc, out.get(b, op.getAccMutable()), plan->combined);
  auto product = [&](OpBuilder &b, Value lhs, Value rhs) {
    return convertFloat(b, loc, op.emitProduct(b, lhs, rhs), plan->combined);
  };
  Value result;
  if (!plan->reach.leavesLane()) {
    result = emitLocal(b, *plan, factors, bits, maskPlacement, initial);
  } else if (plan->inOrder) {
    result = contractInOrder(b, *plan, factors[0], factors[1], bits,
                             maskPlacement, initial, product, out);
  } else {
    Value identity = splat(b, loc, initial.getType(),
                           identityOfSum(op.getCombine(), plan->combined));
    Value partial = emitLocal(b, *plan, factors, bits, maskPlacement, identity);
    if (kind) {
      partial = reduceAcross(b, loc, *kind, partial, plan->reach, out);
      result = combine(b, loc, *kind, partial, initial);
    } else {
      result = reduceLogSumExp(b, *plan, partial, initial, out);
    }
  }
  out.replace(op, convertFloat(b, loc, result, plan->element));
  return success();
}

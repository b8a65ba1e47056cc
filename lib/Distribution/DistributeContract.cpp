//===- DistributeContract.cpp - vector.contract without an instruction ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane contracts what it holds: each dim of the iteration space is iterated
// over its register digits, which all operands that have it share. What K dims
// are split over lanes and subgroups is combined as in a reduction, and the
// accumulator comes last, once (VX-89).
//
// Contractions whose operands are laid out for an MMA instruction go to
// DistributeMma.cpp.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "LaneExchange.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace distaff;
using vector::CombiningKind;

namespace {
/// The dims of the lane's own iteration space: per dim of the whole one the
/// sizes of its register digits, or one dim of size 1.
struct LocalSpace {
  SmallVector<SmallVector<int64_t>> sizes; // by iteration dim
  SmallVector<int64_t> firstDim;
  int64_t numDims = 0;
};

struct ContractPlan {
  vector::ContractionOp op;
  SmallVector<AffineMap> maps;
  SmallVector<bool> isReduction;
  const Placement *operands[3] = {}; // lhs, rhs, result; no result: a scalar
  LocalSpace local;
  Reach reach;
  CombiningKind kind;
  Type element, combined;
};
} // namespace

static SmallVector<int64_t> registerSizes(const Placement &placement,
                                          int64_t dim) {
  SmallVector<int64_t> sizes;
  for (const Digit &digit : placement.layout.digits(dim))
    if (digit.axis == Axis::Register)
      sizes.push_back(digit.size);
  if (sizes.empty())
    sizes.push_back(1);
  return sizes;
}

/// Calls `visit` with the first operand that has each iteration dim, and the
/// dim's position in it.
static void
forEachDim(const ContractPlan &plan,
           function_ref<void(int64_t, const Placement &, int64_t)> visit) {
  for (int64_t dim = 0, e = plan.maps[0].getNumDims(); dim < e; ++dim)
    for (int64_t at : {0, 1})
      if (auto position = plan.maps[at].getResultPosition(
              getAffineDimExpr(dim, plan.maps[at].getContext()))) {
        visit(dim, *plan.operands[at], *position);
        break;
      }
}

static Reach reachOf(const ContractPlan &plan) {
  Reach reach;
  forEachDim(plan, [&](int64_t dim, const Placement &placement, int64_t at) {
    for (const Digit &digit : placement.layout.digits(at)) {
      if (digit.axis == Axis::Register)
        continue;
      bool isLane = digit.axis == Axis::Lane;
      (isLane ? reach.lanes : reach.subgroups).push_back(digit);
      if (plan.isReduction[dim])
        (isLane ? reach.reducedLanes : reach.reducedSubgroups).push_back(digit);
    }
  });
  reach.result = plan.operands[2];
  return reach;
}

static LocalSpace localSpaceOf(const ContractPlan &plan) {
  LocalSpace local;
  local.sizes.resize(plan.maps[0].getNumDims());
  forEachDim(plan, [&](int64_t dim, const Placement &placement, int64_t at) {
    local.sizes[dim] = registerSizes(placement, at);
  });
  for (ArrayRef<int64_t> sizes : local.sizes) {
    local.firstDim.push_back(local.numDims);
    local.numDims += sizes.size();
  }
  return local;
}

static DimMap toDimMap(AffineMap map) {
  DimMap result(map.getNumDims(), {});
  for (AffineExpr expr : map.getResults())
    result.results.push_back(cast<AffineDimExpr>(expr).getPosition());
  return result;
}

static FailureOr<ContractPlan> planContract(vector::ContractionOp op,
                                            Distributor &out) {
  ContractPlan plan;
  plan.op = op;
  plan.kind = op.getKind();
  plan.maps = op.getIndexingMapsArray();
  for (Attribute type : op.getIteratorTypes())
    plan.isReduction.push_back(vector::isReductionIterator(type));
  plan.operands[0] = out.placementOf(op.getLhsMutable());
  plan.operands[1] = out.placementOf(op.getRhsMutable());
  plan.operands[2] = out.placementOf(op.getResult());
  if (!plan.operands[0] || !plan.operands[1] ||
      (isa<VectorType>(op.getResultType()) && !plan.operands[2]))
    return out.refuse(op, "has a vector without a layout");

  llvm::SmallBitVector shared(plan.maps[0].getNumDims(), true);
  if (!Layout::agreeOn({plan.operands[0]->layout, plan.operands[1]->layout},
                       {toDimMap(plan.maps[0]), toDimMap(plan.maps[1])},
                       shared))
    return out.refuse(op,
                      "has operands that split a common dim differently: lhs " +
                          toString(plan.operands[0]->layout) + ", rhs " +
                          toString(plan.operands[1]->layout),
                      plan.operands[1]);
  plan.reach = reachOf(plan);
  plan.local = localSpaceOf(plan);
  plan.element = getElementTypeOrSelf(op.getResultType());
  plan.combined = typeToCombineIn(plan.kind, plan.element);
  if (plan.reach.leavesLane() &&
      failed(out.requireShared(op, "data of other threads")))
    return failure();
  if (out.options.strictFp && dependsOnOrder(plan.kind, plan.element))
    return out.refuse(op, "would combine floats in another order than written, "
                          "which strict-fp forbids");
  return plan;
}

/// An operand of the local contraction: its registers as local dims, in the
/// operand's own order, and the map that says which.
struct LocalOperand {
  SmallVector<int64_t> shape;
  AffineMap map;
};

static LocalOperand localOperand(const ContractPlan &plan, AffineMap map,
                                 const Placement *placement) {
  MLIRContext *context = map.getContext();
  LocalOperand local;
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> used(plan.local.sizes.size(), 0);
  if (placement) {
    // Registers of one dim come in the order of its digits, outermost first.
    SmallVector<RegisterDim> registers;
    for (const RegisterDim &r : placement->registers)
      if (r.size > 1)
        registers.push_back(r);
    for (const RegisterDim &r : registers) {
      int64_t dim = cast<AffineDimExpr>(map.getResult(r.dim)).getPosition();
      int64_t ordinal =
          llvm::count_if(registers, [&](const RegisterDim &other) {
            return other.dim == r.dim && other.weight > r.weight;
          });
      exprs.push_back(
          getAffineDimExpr(plan.local.firstDim[dim] + ordinal, context));
      local.shape.push_back(r.size);
      ++used[dim];
    }
    for (AffineExpr result : map.getResults()) {
      int64_t dim = cast<AffineDimExpr>(result).getPosition();
      if (used[dim])
        continue;
      exprs.push_back(getAffineDimExpr(plan.local.firstDim[dim], context));
      local.shape.push_back(1);
    }
  }
  local.map = AffineMap::get(plan.local.numDims, 0, exprs, context);
  return local;
}

static Value emitLocal(OpBuilder &b, const ContractPlan &plan, Value lhs,
                       Value rhs, Value accumulator) {
  Location loc = plan.op->getLoc();
  LocalOperand operands[3];
  SmallVector<AffineMap> maps;
  for (int at = 0; at < 3; ++at) {
    operands[at] = localOperand(plan, plan.maps[at], plan.operands[at]);
    maps.push_back(operands[at].map);
  }
  SmallVector<Attribute> iterators;
  for (auto [sizes, reduced] :
       llvm::zip_equal(plan.local.sizes, plan.isReduction))
    iterators.append(sizes.size(),
                     vector::IteratorTypeAttr::get(
                         b.getContext(), reduced
                                             ? vector::IteratorType::reduction
                                             : vector::IteratorType::parallel));
  lhs = reshapeRegisters(b, loc, lhs, operands[0].shape);
  rhs = reshapeRegisters(b, loc, rhs, operands[1].shape);
  Type type = accumulator.getType();
  bool scalar = operands[2].shape.empty();
  if (scalar)
    accumulator = toScalars(b, loc, accumulator).front();
  else
    accumulator = reshapeRegisters(b, loc, accumulator, operands[2].shape);
  Value result = vector::ContractionOp::create(
      b, loc, lhs, rhs, accumulator, b.getAffineMapArrayAttr(maps),
      b.getArrayAttr(iterators), plan.kind);
  if (auto vectorType = dyn_cast<VectorType>(type))
    return scalar ? fromScalars(b, loc, result, type)
                  : reshapeRegisters(b, loc, result, vectorType.getShape());
  return result;
}

//===----------------------------------------------------------------------===//
// Masked contractions
//
// A mask has a bit per product. A lane multiplies all that it holds, takes the
// identity for products masked out, and reduces (VX-88, W8).
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> localShape(const ContractPlan &plan) {
  SmallVector<int64_t> shape;
  for (ArrayRef<int64_t> sizes : plan.local.sizes)
    llvm::append_range(shape, sizes);
  return shape;
}

/// The operand's element at each point of the local space.
static Value atEveryPoint(OpBuilder &b, const ContractPlan &plan, Value value,
                          const LocalOperand &operand) {
  SmallVector<int64_t> strides(plan.local.numDims, 0);
  SmallVector<int64_t> own = computeStrides(operand.shape);
  for (auto [expr, stride] : llvm::zip_equal(operand.map.getResults(), own))
    strides[cast<AffineDimExpr>(expr).getPosition()] = stride;
  SmallVector<int64_t> shape = localShape(plan),
                       pointStrides = computeStrides(shape);
  SmallVector<int64_t> sourceOf(computeProduct(shape));
  for (auto [at, source] : llvm::enumerate(sourceOf))
    source = linearize(delinearize(at, pointStrides), strides);
  return renameRegisters(b, plan.op->getLoc(), value, sourceOf, shape);
}

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

/// Products, masked and reduced over this lane's registers, as the result's.
static Value emitMaskedLocal(OpBuilder &b, const ContractPlan &plan, Value lhs,
                             Value rhs, Value mask,
                             const Placement *maskPlacement) {
  Location loc = plan.op->getLoc();
  AffineMap all = AffineMap::getMultiDimIdentityMap(plan.maps[0].getNumDims(),
                                                    b.getContext());
  auto spread = [&](Value value, AffineMap map, const Placement *placement) {
    return atEveryPoint(b, plan, value, localOperand(plan, map, placement));
  };
  Value product =
      multiply(b, loc, spread(lhs, plan.maps[0], plan.operands[0]),
               spread(rhs, plan.maps[1], plan.operands[1]), plan.combined);
  TypedAttr identity = identityOf(plan.kind, plan.combined);
  product =
      arith::SelectOp::create(b, loc, spread(mask, all, maskPlacement), product,
                              splat(b, loc, product.getType(), identity));

  SmallVector<bool> reduced;
  SmallVector<int64_t> kept;
  SmallVector<int64_t> keptDims;
  for (auto [dim, sizes] : llvm::enumerate(plan.local.sizes)) {
    reduced.append(sizes.size(), plan.isReduction[dim]);
    if (plan.isReduction[dim])
      continue;
    llvm::append_range(kept, sizes);
    for (size_t at = 0; at < sizes.size(); ++at)
      keptDims.push_back(plan.local.firstDim[dim] + at);
  }
  Type type = plan.combined;
  if (!kept.empty())
    type = VectorType::get(kept, plan.combined);
  Value sum = vector::MultiDimReductionOp::create(
      b, loc, product, splat(b, loc, type, identity), reduced, plan.kind);
  if (kept.empty())
    return plan.operands[2]
               ? fromScalars(b, loc, sum, plan.operands[2]->type(plan.combined))
               : sum;

  LocalOperand result = localOperand(plan, plan.maps[2], plan.operands[2]);
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : result.map.getResults())
    permutation.push_back(
        llvm::find(keptDims, cast<AffineDimExpr>(expr).getPosition()) -
        keptDims.begin());
  sum = vector::TransposeOp::create(b, loc, sum, permutation);
  return reshapeRegisters(b, loc, sum, plan.operands[2]->shape());
}

LogicalResult distaff::distribute(vector::ContractionOp op, OpOperand *mask,
                                  Distributor &out) {
  if (compat::MmaLayoutAttr kind = out.mmaKindOf(op)) {
    if (mask)
      return out.refuse(op, "is masked, which MMA instructions are not");
    return distributeToMma(op, kind, out);
  }
  FailureOr<ContractPlan> plan = planContract(op, out);
  if (failed(plan))
    return failure();
  const Placement *maskPlacement = mask ? out.placementOf(*mask) : nullptr;
  if (mask && !maskPlacement)
    return out.refuse(op, "has a mask without a layout");

  OpBuilder b(op);
  Location loc = op.getLoc();
  Value lhs = out.get(b, op.getLhsMutable());
  Value rhs = out.get(b, op.getRhsMutable());
  Value initial =
      convertFloat(b, loc, out.get(b, op.getAccMutable()), plan->combined);
  Value result;
  if (mask) {
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

//===- DistributeContract.cpp - vector.contract without an instruction ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane contracts what it holds: each dim of the iteration space is iterated
// over the indices that the lane has of it, in their order, which all operands
// that have the dim share, however they number their registers. What K dims
// are split over lanes and subgroups is combined as in a reduction, and the
// accumulator comes last, once (VX-89). Where the order of a sum of floats must
// be kept, the accumulator comes first and takes in one product after the
// other, each rounded (Relay.h, VX-87).
//
// Contractions whose operands are laid out for an MMA instruction go to
// DistributeMma.cpp.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "Records.h"
#include "Relay.h"
#include "Rules.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <map>

using namespace distaff;
using vector::CombiningKind;

namespace {
struct ContractPlan {
  vector::ContractionOp op;
  SmallVector<AffineMap> maps;
  SmallVector<bool> isReduction;
  const Placement *operands[3] = {}; // lhs, rhs, result; no result: a scalar
  SmallVector<int64_t> local; // how many indices a lane has, by iteration dim
  Reach reach;
  CombiningKind kind;
  Type element, combined;
  bool inOrder; // of the iteration space, for all to see
};
} // namespace

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

static SmallVector<int64_t> localSpaceOf(const ContractPlan &plan) {
  SmallVector<int64_t> sizes(plan.maps[0].getNumDims(), 1);
  forEachDim(plan, [&](int64_t dim, const Placement &placement, int64_t at) {
    for (const Digit &digit : placement.layout.digits(at))
      if (digit.axis == Axis::Register)
        sizes[dim] *= digit.size;
  });
  return sizes;
}

static DimMap toDimMap(AffineMap map) {
  DimMap result(map.getNumDims(), {});
  for (AffineExpr expr : map.getResults())
    result.results.push_back(cast<AffineDimExpr>(expr).getPosition());
  return result;
}

/// True if both split every dim that they share over the same hardware, in the
/// same order; how they number their registers does not matter.
static bool splitAlike(const Placement &a, AffineMap mapA, const Placement &b,
                       AffineMap mapB) {
  for (int64_t dim = 0, e = mapA.getNumDims(); dim < e; ++dim) {
    if (!mapA.isFunctionOfDim(dim) || !mapB.isFunctionOfDim(dim))
      continue;
    auto along = [&](const Placement &placement, AffineMap map) {
      return Layout::recombine({placement.layout}, {toDimMap(map)},
                               DimMap(e, {dim}));
    };
    std::optional<Layout> onA = along(a, mapA), onB = along(b, mapB);
    if (!onA || !onB || !onA->equivalent(*onB))
      return false;
  }
  return true;
}

/// The operands that split a common dim differently, if there are some.
static std::optional<std::pair<int, int>>
findDisagreement(const ContractPlan &plan) {
  for (auto [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)})
    if (plan.operands[a] && plan.operands[b] &&
        !splitAlike(*plan.operands[a], plan.maps[a], *plan.operands[b],
                    plan.maps[b]))
      return std::pair(a, b);
  return std::nullopt;
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

  if (auto pair = findDisagreement(plan)) {
    StringRef names[] = {"lhs", "rhs", "acc"};
    auto [a, b] = *pair;
    return out.refuse(
        op,
        "has operands that split a common dim differently: " + names[a] + " " +
            toString(plan.operands[a]->layout) + ", " + names[b] + " " +
            toString(plan.operands[b]->layout),
        plan.operands[b]);
  }
  plan.reach = reachOf(plan);
  plan.local = localSpaceOf(plan);
  plan.element = getElementTypeOrSelf(op.getResultType());
  plan.combined = typeToCombineIn(plan.kind, plan.element);
  if (failed(requireReach(op, plan.reach, out)))
    return failure();
  plan.inOrder =
      out.options.strictFp && dependsOnOrder(plan.kind, plan.element);
  return plan;
}

/// A lane's part of an operand as an array over its own indices: one dim per
/// dim of the operand, in the order of the index.
struct LocalOperand {
  SmallVector<int64_t> shape;
  SmallVector<int64_t> registers; // of the placement, in that array's order
};

static LocalOperand localOperand(const ContractPlan &plan, AffineMap map,
                                 const Placement *placement) {
  LocalOperand local;
  if (!placement)
    return local;
  for (AffineExpr result : map.getResults())
    local.shape.push_back(
        plan.local[cast<AffineDimExpr>(result).getPosition()]);
  // Indices compare as the places in the array do.
  std::map<SmallVector<int64_t>, int64_t> registerAt;
  for (int64_t reg = 0; reg < placement->numRegisters(); ++reg)
    registerAt.insert({placement->offsetOf(reg), reg});
  for (auto &[index, reg] : registerAt)
    local.registers.push_back(reg);
  return local;
}

/// `value`, of the placement's shape, as the array.
static Value toLocal(OpBuilder &b, Location loc, Value value,
                     const LocalOperand &local) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return renameRegisters(b, loc, value, local.registers, local.shape);
}

/// The array, or its one element, as a value of the placement's shape.
static Value fromLocal(OpBuilder &b, Location loc, Value array,
                       const LocalOperand &local, const Placement *placement) {
  if (!placement)
    return array;
  if (!isa<VectorType>(array.getType()))
    return fromScalars(b, loc, array, placement->type(array.getType()));
  SmallVector<int64_t> sourceOf(local.registers.size());
  for (auto [at, reg] : llvm::enumerate(local.registers))
    sourceOf[reg] = at;
  return renameRegisters(b, loc, array, sourceOf, placement->shape());
}

static Value emitLocal(OpBuilder &b, const ContractPlan &plan, Value lhs,
                       Value rhs, Value accumulator) {
  vector::ContractionOp op = plan.op;
  Location loc = op.getLoc();
  SmallVector<LocalOperand> operands;
  for (auto [map, placement] : llvm::zip_equal(plan.maps, plan.operands))
    operands.push_back(localOperand(plan, map, placement));
  accumulator = toLocal(b, loc, accumulator, operands[2]);
  // A contraction has no result of rank 0.
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
// A mask has a bit per product. A lane multiplies all that it holds, takes the
// identity for products masked out, and reduces (VX-88, W8).
//===----------------------------------------------------------------------===//

/// The operand's element at each point of the local space.
static Value atEveryPoint(OpBuilder &b, const ContractPlan &plan, Value value,
                          AffineMap map, const Placement *placement) {
  LocalOperand operand = localOperand(plan, map, placement);
  SmallVector<int64_t> strides(plan.local.size(), 0);
  SmallVector<int64_t> own = computeStrides(operand.shape);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), own))
    strides[cast<AffineDimExpr>(expr).getPosition()] = stride;
  SmallVector<int64_t> pointStrides = computeStrides(plan.local);
  SmallVector<int64_t> sourceOf(computeProduct(plan.local));
  for (auto [at, source] : llvm::enumerate(sourceOf))
    source =
        operand.registers[linearize(delinearize(at, pointStrides), strides)];
  return renameRegisters(b, plan.op->getLoc(), value, sourceOf, plan.local);
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

  // What is kept comes in the order of the iteration space.
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

//===----------------------------------------------------------------------===//
// In order
//===----------------------------------------------------------------------===//

/// Products one by one in the row-major order of the reduced dims, starting
/// from `initial`; `mask` may be null.
static Value contractInOrder(OpBuilder &b, const ContractPlan &plan, Value lhs,
                             Value rhs, Value mask,
                             const Placement *maskPlacement, Value initial,
                             Distributor &out) {
  Location loc = plan.op->getLoc();
  int64_t dims = plan.maps[0].getNumDims();
  Relay relay{plan.reach, {}, dims};
  forEachDim(plan, [&](int64_t dim, const Placement &placement, int64_t at) {
    if (plan.isReduction[dim])
      appendDigits(relay, dim, placement, at);
  });
  struct Held {
    SmallVector<Value> elements;
    RegisterMap registers;
    AffineMap map;

    Value at(ArrayRef<int64_t> point) const {
      SmallVector<int64_t> index =
          llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
            return point[cast<AffineDimExpr>(expr).getPosition()];
          });
      return elements[registers.at(index)];
    }
  };
  auto hold = [&](Value value, const Placement &placement, AffineMap map) {
    return Held{toScalars(b, loc, value), RegisterMap(placement), map};
  };
  Held left = hold(lhs, *plan.operands[0], plan.maps[0]);
  Held right = hold(rhs, *plan.operands[1], plan.maps[1]);
  std::optional<Held> bits;
  if (mask)
    bits = hold(mask, *maskPlacement,
                AffineMap::getMultiDimIdentityMap(dims, b.getContext()));
  TypedAttr identity = identityOf(plan.kind, plan.combined);

  auto step = [&](OpBuilder &b, ArrayRef<int64_t> offset, RelayState &state) {
    for (auto [reg, sum] : llvm::enumerate(state.passed.front())) {
      SmallVector<int64_t> point(offset);
      if (plan.operands[2])
        for (auto [expr, at] : llvm::zip_equal(plan.maps[2].getResults(),
                                               plan.operands[2]->offsetOf(reg)))
          point[cast<AffineDimExpr>(expr).getPosition()] = at;
      Value product =
          multiply(b, loc, left.at(point), right.at(point), plan.combined);
      if (bits)
        product =
            arith::SelectOp::create(b, loc, bits->at(point), product,
                                    splat(b, loc, plan.combined, identity));
      sum = combine(b, loc, plan.kind, sum, product);
    }
  };
  RelayState state;
  state.passed.push_back(toScalars(b, loc, initial));
  runRelay(b, loc, relay, state, step, out);
  return fromScalars(b, loc, state.passed.front(), initial.getType());
}

/// What leaves the lane.
static void record(const ContractPlan &plan, const Distributor &out) {
  if (!plan.reach.leavesLane())
    return;
  int64_t folded = 1;
  for (auto [isReduced, size] : llvm::zip_equal(plan.isReduction, plan.local))
    folded *= isReduced ? size : 1;
  std::optional<int64_t> rounds;
  if (!plan.inOrder)
    rounds = roundsOf(plan.reach, out.options.subgroupSize);
  recordReduction(plan.op, stringifyCombiningKind(plan.kind), {}, folded,
                  plan.reach, rounds, out);
}

LogicalResult distaff::distribute(vector::ContractionOp op, OpOperand *mask,
                                  Distributor &out) {
  if (compat::MmaLayoutAttr kind = out.mmaKindOf(op)) {
    if (out.options.strictFp && !isInteger(kind.getRow()->c))
      return out.refuse(op, "is laid out for " + kind.getName().str() +
                                ", which adds floats in an order of its own; "
                                "strict-fp keeps the order of the source");
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
  record(*plan, out);

  OpBuilder b(op);
  Location loc = op.getLoc();
  Value lhs = out.get(b, op.getLhsMutable());
  Value rhs = out.get(b, op.getRhsMutable());
  Value initial =
      convertFloat(b, loc, out.get(b, op.getAccMutable()), plan->combined);
  Value result;
  if (plan->inOrder && (mask || plan->reach.leavesLane())) {
    result =
        contractInOrder(b, *plan, lhs, rhs, mask ? out.get(b, *mask) : Value(),
                        maskPlacement, initial, out);
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

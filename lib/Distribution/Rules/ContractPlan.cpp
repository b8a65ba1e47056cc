//===- ContractPlan.cpp - A lane's part of a contraction ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ContractPlan.h"
#include "../Exchange/OrderedReduction.h"
#include "../Records.h"
#include "Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <map>

using namespace distaff;
using vector::CombiningKind;

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

static Reach reachOfContraction(const ContractPlan &plan) {
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

/// Returns whether both split every dim that they share over the same hardware,
/// in the same order; register numbers do not matter.
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

/// Returns the operands that split a common dim differently, if there are any.
static std::optional<std::pair<int, int>>
findDisagreement(const ContractPlan &plan) {
  for (auto [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)})
    if (plan.operands[a] && plan.operands[b] &&
        !splitAlike(*plan.operands[a], plan.maps[a], *plan.operands[b],
                    plan.maps[b]))
      return std::pair(a, b);
  return std::nullopt;
}

FailureOr<ContractPlan> distaff::planContract(const Contraction &contraction,
                                              Distributor &out) {
  Operation *op = contraction.op;
  ContractPlan plan;
  plan.op = op;
  plan.kind = contraction.kind;
  plan.maps = contraction.maps;
  plan.isReduction = contraction.isReduction;
  Type resultType = contraction.result.getType();
  plan.operands[0] = out.placementOf(*contraction.lhs);
  plan.operands[1] = out.placementOf(*contraction.rhs);
  plan.operands[2] = out.placementOf(contraction.result);
  if (auto pair = findDisagreement(plan)) {
    StringRef names[] = {"lhs", "rhs", "acc"};
    auto [a, b] = *pair;
    return out.refuseOwnMistake(
        op,
        "has operands that split a common dim differently: " + names[a] + " " +
            toString(plan.operands[a]->layout) + ", " + names[b] + " " +
            toString(plan.operands[b]->layout),
        plan.operands[b]);
  }
  plan.reach = reachOfContraction(plan);
  plan.local = localSpaceOf(plan);
  plan.element = getElementTypeOrSelf(resultType);
  plan.combined = typeToCombineIn(plan.kind, plan.element);
  if (failed(requireReach(op, plan.reach, out)))
    return failure();
  plan.inOrder =
      out.options.strictFp && dependsOnOrder(plan.kind, plan.element);
  return plan;
}

LocalOperand distaff::localOperand(const ContractPlan &plan, AffineMap map,
                                   const Placement *placement) {
  LocalOperand local;
  if (!placement)
    return local;
  for (AffineExpr result : map.getResults())
    local.shape.push_back(
        plan.local[cast<AffineDimExpr>(result).getPosition()]);
  // Indices are sorted as the places in the array are.
  std::map<SmallVector<int64_t>, int64_t> registerAt;
  for (int64_t reg = 0; reg < placement->numRegisters(); ++reg)
    registerAt.insert({placement->offsetOf(reg), reg});
  for (auto &[index, reg] : registerAt)
    local.registers.push_back(reg);
  assert(int64_t(local.registers.size()) == llvm::product_of(local.shape) &&
         "a lane's part of an operand is an array of its registers");
  return local;
}

Value distaff::toLocal(OpBuilder &b, Location loc, Value value,
                       const LocalOperand &local) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return renameRegisters(b, loc, value, local.registers, local.shape);
}

Value distaff::fromLocal(OpBuilder &b, Location loc, Value array,
                         const LocalOperand &local,
                         const Placement *placement) {
  if (!placement)
    return array;
  if (!isa<VectorType>(array.getType()))
    return fromScalars(b, loc, array, placement->type(array.getType()));
  SmallVector<int64_t> sourceOf(local.registers.size());
  for (auto [at, reg] : llvm::enumerate(local.registers))
    sourceOf[reg] = at;
  return renameRegisters(b, loc, array, sourceOf, placement->shape());
}

Value distaff::atEveryPoint(OpBuilder &b, const ContractPlan &plan, Value value,
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

//===----------------------------------------------------------------------===//
// Ordered contraction
//===----------------------------------------------------------------------===//

Value distaff::contractInOrder(OpBuilder &b, const ContractPlan &plan,
                               Value lhs, Value rhs, Value mask,
                               const Placement *maskPlacement, Value initial,
                               EmitProduct product, Distributor &out) {
  Location loc = plan.op->getLoc();
  int64_t dims = plan.maps[0].getNumDims();
  OrderedReduction reduction{plan.reach, {}, dims};
  forEachDim(plan, [&](int64_t dim, const Placement &placement, int64_t at) {
    if (plan.isReduction[dim])
      appendDigits(reduction, dim, placement, at);
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

  auto step = [&](OpBuilder &b, ArrayRef<int64_t> offset,
                  OrderedReductionState &state) {
    for (auto [reg, sum] : llvm::enumerate(state.passed.front())) {
      SmallVector<int64_t> point(offset);
      if (plan.operands[2])
        for (auto [expr, at] : llvm::zip_equal(plan.maps[2].getResults(),
                                               plan.operands[2]->offsetOf(reg)))
          point[cast<AffineDimExpr>(expr).getPosition()] = at;
      Value term = product(b, left.at(point), right.at(point));
      if (bits)
        term = arith::SelectOp::create(b, loc, bits->at(point), term,
                                       splat(b, loc, plan.combined, identity));
      sum = combine(b, loc, plan.kind, sum, term);
    }
  };
  OrderedReductionState state;
  state.passed.push_back(toScalars(b, loc, initial));
  runOrderedReduction(b, loc, reduction, state, step, out);
  return fromScalars(b, loc, state.passed.front(), initial.getType());
}

void distaff::recordContraction(const ContractPlan &plan,
                                const Distributor &out) {
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

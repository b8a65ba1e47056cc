//===- DistributeMma.cpp - vector.contract by an MMA instruction ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands that are laid out for an instruction hold, per lane, its fragments:
// repeated over batches, their registers numbered by the layout. The
// contraction becomes one `inner_tiled` over the batches, on fragments in the
// instruction's own order (specification 8.4, VX-99, VX-100).
//
// A fragment's register is found by what it holds. Along a dim that the
// instruction spans with extent F, a register at index i of lane 0 is in batch
// i / F, at i % F within it:
//
//   acc 32x16 for m16n8k16   registers at rows 0 8 16 24, columns 0 1 8 9
//   batches 2x2              fragment 2x2: rows 0 8, columns 0 1
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "LaneExchange.h"
#include "Records.h"
#include "Rules.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <map>

using namespace distaff;
using vector::CombiningKind;

namespace {
/// One operand of inner_tiled.
struct FragmentView {
  AffineMap map;
  SmallVector<int64_t> shape;     // batches, then the fragment's shape
  SmallVector<int64_t> registers; // of the placement, in that order
  SmallVector<SmallVector<int64_t>> starts; // of the batches, by operand dim
};

struct MmaPlan {
  vector::ContractionOp op;
  compat::MmaLayoutAttr kind;
  FragmentView lhs, rhs, acc; // of the instruction's A, B and C
  bool swapped = false;       // A is the contraction's rhs
  const Placement *result;
  Reach reach; // what of K is split over subgroups
};
} // namespace

/// The iteration dims that an instruction spans: the last of each kind.
struct MmaDims {
  int64_t m = -1, n = -1, k = -1;
};

static MmaDims dimsOf(AffineMap a, AffineMap b, AffineMap c) {
  MmaDims dims;
  auto has = [](AffineMap map, int64_t dim) {
    return map.getResultPosition(getAffineDimExpr(dim, map.getContext()))
        .has_value();
  };
  for (int64_t dim = 0, e = a.getNumDims(); dim < e; ++dim) {
    if (has(a, dim) && has(b, dim) && !has(c, dim))
      dims.k = dim;
    if (has(a, dim) && !has(b, dim) && has(c, dim))
      dims.m = dim;
    if (!has(a, dim) && has(b, dim) && has(c, dim))
      dims.n = dim;
  }
  return dims;
}

/// True if lane `l` holds, in the placement's register 0, what it holds in the
/// fragment's, for every lane.
static bool lanesFit(const Placement &placement, const Layout &fragment,
                     ArrayRef<int64_t> positions, int64_t lanes) {
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<int64_t> expected(placement.rank(), 0);
    for (auto [at, index] :
         llvm::zip_equal(positions, fragment.indexOf({0, lane, 0})))
      expected[at] = index;
    if (placement.layout.indexOf({0, lane, 0}) != expected)
      return false;
  }
  return true;
}

/// Views an operand as batches of `fragment`, whose dims are the iteration dims
/// `dim0` and `dim1`. Empty, if its layout is not the fragment's.
static std::optional<FragmentView>
viewAs(const Fragment &fragment, int64_t dim0, int64_t dim1, AffineMap map,
       const Placement &placement, int64_t lanes) {
  auto positionOf = [&](int64_t dim) -> int64_t {
    return *map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
  };
  SmallVector<int64_t> positions{positionOf(dim0), positionOf(dim1)};
  SmallVector<int64_t> extents(placement.rank(), 1);
  extents[positions[0]] = fragment.extent(0);
  extents[positions[1]] = fragment.extent(1);
  Layout whole = layoutOf(fragment);
  if (!lanesFit(placement, whole, positions, lanes))
    return std::nullopt;

  std::map<SmallVector<int64_t>, int64_t> registerAt;
  SmallVector<std::map<int64_t, int64_t>> batches(placement.rank());
  for (int64_t reg = 0; reg < placement.numRegisters(); ++reg) {
    SmallVector<int64_t> index = placement.offsetOf(reg);
    registerAt[index] = reg;
    for (auto [dim, i] : llvm::enumerate(index))
      batches[dim][i / extents[dim]] = 0;
  }
  FragmentView view;
  view.map = map;
  for (auto &batch : batches) {
    view.shape.push_back(batch.size());
    view.starts.push_back(llvm::to_vector(llvm::make_first_range(batch)));
  }
  SmallVector<int64_t> batchStrides = computeStrides(view.shape);
  int64_t numBatches = computeProduct(view.shape);
  view.shape.append({fragment.shape[0], fragment.shape[1]});
  for (int64_t at = 0; at < numBatches; ++at) {
    SmallVector<int64_t> start;
    for (auto [dim, b] : llvm::enumerate(delinearize(at, batchStrides)))
      start.push_back(std::next(batches[dim].begin(), b)->first * extents[dim]);
    for (int64_t reg = 0; reg < fragment.numRegisters(); ++reg) {
      SmallVector<int64_t> index(start);
      for (auto [dim, i] :
           llvm::zip_equal(positions, whole.indexOf({0, 0, reg})))
        index[dim] += i;
      auto found = registerAt.find(index);
      if (found == registerAt.end())
        return std::nullopt;
      view.registers.push_back(found->second);
    }
  }
  if (int64_t(view.registers.size()) != placement.numRegisters())
    return std::nullopt;
  return view;
}

/// True if two operands give each subgroup the same batches of every dim that
/// they share.
static bool splitAlike(const Placement &a, const FragmentView &viewA,
                       const Placement &b, const FragmentView &viewB,
                       int64_t numSubgroups) {
  for (auto [atA, expr] : llvm::enumerate(viewA.map.getResults())) {
    auto atB = viewB.map.getResultPosition(expr);
    if (!atB)
      continue;
    if (viewA.starts[atA] != viewB.starts[*atB])
      return false;
    for (int64_t subgroup = 0; subgroup < numSubgroups; ++subgroup)
      if (a.layout.indexOf({subgroup, 0, 0})[atA] !=
          b.layout.indexOf({subgroup, 0, 0})[*atB])
        return false;
  }
  return true;
}

static Reach reachOf(const Placement &lhs, AffineMap map,
                     ArrayRef<AffineMap> maps, const Placement &rhs,
                     const Placement &result) {
  Reach reach;
  for (auto [at, expr] : llvm::enumerate(map.getResults()))
    if (!maps[2].getResultPosition(expr))
      for (const Digit &digit : lhs.layout.digits(at))
        if (digit.axis == Axis::Subgroup)
          reach.reducedSubgroups.push_back(digit);
  reach.lanes = result.digitsOn(Axis::Lane);
  reach.subgroups = result.digitsOn(Axis::Subgroup);
  llvm::append_range(reach.subgroups, reach.reducedSubgroups);
  reach.result = &result;
  return reach;
}

namespace {
/// Reads the operands of a contraction as fragments of an instruction.
struct OperandFit {
  vector::ContractionOp op;
  const MmaRow &row;
  Distributor &out;

  LogicalResult view(const Fragment &fragment, int64_t dim0, int64_t dim1,
                     AffineMap map, const Placement &placement, StringRef what,
                     FragmentView &into) const {
    auto found = viewAs(fragment, dim0, dim1, map, placement, row.subgroupSize);
    if (!found)
      return out.refuse(op,
                        what + " is laid out as " + toString(placement.layout) +
                            ", which is no repetition of a fragment of '" +
                            row.name + "', " + toString(layoutOf(fragment)),
                        &placement);
    into = std::move(*found);
    return success();
  }
};
} // namespace

static FailureOr<MmaPlan> planMma(vector::ContractionOp op,
                                  compat::MmaLayoutAttr kind,
                                  Distributor &out) {
  const MmaRow &row = *kind.getRow();
  const Placement *lhs = out.placementOf(op.getLhsMutable());
  const Placement *rhs = out.placementOf(op.getRhsMutable());
  const Placement *acc = out.placementOf(op.getResult());
  if (!lhs || !rhs || !acc)
    return out.refuse(op, "has a vector without a layout");
  if (op.getKind() != CombiningKind::ADD)
    return out.refuse(op, "does not add, which is all that '" +
                              Twine(row.name) + "' does");

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  MmaPlan plan{op, kind, {}, {}, {}, kind.getColMajor(), acc, {}};
  if (plan.swapped) {
    std::swap(lhs, rhs);
    std::swap(maps[0], maps[1]);
  }
  MmaDims dims = dimsOf(maps[0], maps[1], maps[2]);
  if (dims.m < 0 || dims.n < 0 || dims.k < 0)
    return out.refuse(
        op, "is no matrix product: a row, column or inner dim is missing");

  StringRef names[] = {plan.swapped ? "rhs" : "lhs",
                       plan.swapped ? "lhs" : "rhs"};
  OperandFit fit{op, row, out};
  if (failed(fit.view(row.fragmentA, dims.m, dims.k, maps[0], *lhs, names[0],
                      plan.lhs)) ||
      failed(fit.view(row.fragmentB, dims.k, dims.n, maps[1], *rhs, names[1],
                      plan.rhs)) ||
      failed(fit.view(row.fragmentC, dims.m, dims.n, maps[2], *acc, "acc",
                      plan.acc)))
    return failure();
  int64_t numSubgroups = out.hardware().subgroups;
  if (!splitAlike(*lhs, plan.lhs, *rhs, plan.rhs, numSubgroups) ||
      !splitAlike(*lhs, plan.lhs, *acc, plan.acc, numSubgroups) ||
      !splitAlike(*rhs, plan.rhs, *acc, plan.acc, numSubgroups))
    return out.refuse(op,
                      "has operands that split a common dim over subgroups or "
                      "batches differently: " +
                          names[0] + " " + toString(lhs->layout) + ", " +
                          names[1] + " " + toString(rhs->layout) + ", acc " +
                          toString(acc->layout),
                      rhs);
  if (failed(out.requireShared(op, "an MMA instruction")))
    return failure();
  plan.reach = reachOf(*lhs, maps[0], maps, *rhs, *acc);
  return plan;
}

static Type typeOf(ScalarKind kind, MLIRContext *context) {
  switch (kind) {
  case ScalarKind::F16:
    return Float16Type::get(context);
  case ScalarKind::BF16:
    return BFloat16Type::get(context);
  case ScalarKind::F32:
    return Float32Type::get(context);
  }
  llvm_unreachable("all kinds are listed");
}

/// `value` in the instruction's operand type: the instruction extends, so what
/// has been extended is taken as it was before. Null if it never was.
static Value withoutExtension(Value value, Type wanted) {
  if (getElementTypeOrSelf(value.getType()) == wanted)
    return value;
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  if (extension && getElementTypeOrSelf(extension.getIn().getType()) == wanted)
    return extension.getIn();
  return nullptr;
}

LogicalResult distaff::distributeToMma(vector::ContractionOp op,
                                       compat::MmaLayoutAttr kind,
                                       Distributor &out) {
  FailureOr<MmaPlan> plan = planMma(op, kind, out);
  if (failed(plan))
    return failure();
  const MmaRow &row = *kind.getRow();
  OpBuilder b(op);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  OpOperand &first = plan->swapped ? op.getRhsMutable() : op.getLhsMutable();
  OpOperand &second = plan->swapped ? op.getLhsMutable() : op.getRhsMutable();
  Value lhs = withoutExtension(out.get(b, first), typeOf(row.a, context));
  Value rhs = withoutExtension(out.get(b, second), typeOf(row.b, context));
  Value initial = out.get(b, op.getAccMutable());
  Type element = getElementTypeOrSelf(initial.getType());
  if (!lhs || !rhs || element != typeOf(row.c, context))
    return out.refuse(op, "has operand types that '" + Twine(row.name) +
                              "' does not take");

  bool splitK = !plan->reach.reducedSubgroups.empty();
  Value acc = splitK ? splat(b, loc, initial.getType(),
                             identityOf(CombiningKind::ADD, element))
                     : initial;
  auto view = [&](Value value, const FragmentView &as) {
    return renameRegisters(b, loc, value, as.registers, as.shape);
  };
  auto instruction = compat::MmaLayoutAttr::get(context, kind.getName());
  Value tiled = compat::InnerTiledOp::create(
      b, loc, ValueRange{view(lhs, plan->lhs), view(rhs, plan->rhs)},
      view(acc, plan->acc), {plan->lhs.map, plan->rhs.map, plan->acc.map},
      instruction);

  SmallVector<int64_t> back(plan->acc.registers.size());
  for (auto [at, reg] : llvm::enumerate(plan->acc.registers))
    back[reg] = at;
  Value result = renameRegisters(b, loc, tiled, back, plan->result->shape());
  if (splitK) {
    recordReduction(op, stringifyCombiningKind(CombiningKind::ADD), {},
                    /*elementsPerLane=*/1, plan->reach, /*rounds=*/0, out);
    result = reduceAcross(b, loc, CombiningKind::ADD, result, plan->reach, out);
    result = combine(b, loc, CombiningKind::ADD, result, initial);
  }
  out.replace(op, result);
  return success();
}

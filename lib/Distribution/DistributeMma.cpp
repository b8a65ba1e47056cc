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
// A fragment's register is found by what it holds. Along a dim, the indices
// that lane 0 holds, in order, fill batch after batch of what it holds in a
// fragment:
//
//   acc 32x16 for m16n8k16   registers at rows 0 8 16 24, columns 0 1 8 9
//   batches 2x2              fragment 2x2: rows 0 8, columns 0 1
//
// Which row, column or k is which does not matter to the product as long as all
// operands agree (VX-101): a dim is named by a table, (batch, index of the
// fragment) -> index, which has to be a bijection and the same in the operands
// that share the dim.
//
//   A and B of k32, K in pairs   lane 1 holds k = 2 3 10 11 18 19 26 27, which
//   an accumulator has of n      are the fragment's 4 5 6 7 20 21 22 23
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "LaneExchange.h"
#include "Records.h"
#include "Rules.h"
#include "distaff/Analysis/Multiplicand.h"
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
  /// By dim of the operand: the index in subgroup 0 that is the fragment's
  /// index i of batch b, at b * (the fragment's extent) + i.
  SmallVector<SmallVector<int64_t>> names;
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
  int64_t m = -1, n = -1, k = -1, batch = -1;
};

static bool hasDim(AffineMap map, int64_t dim) {
  return map.getResultPosition(getAffineDimExpr(dim, map.getContext()))
      .has_value();
}

static MmaDims dimsOf(AffineMap a, AffineMap b, AffineMap c) {
  MmaDims dims;
  for (int64_t dim = 0, e = a.getNumDims(); dim < e; ++dim) {
    bool inA = hasDim(a, dim), inB = hasDim(b, dim), inC = hasDim(c, dim);
    if (inA && inB)
      (inC ? dims.batch : dims.k) = dim;
    else if (inA && inC)
      dims.m = dim;
    else if (inB && inC)
      dims.n = dim;
  }
  return dims;
}

namespace {
/// Views an operand as batches of a fragment.
class FragmentMatch {
public:
  /// `dims` are the iteration dims that the fragment's run over.
  FragmentMatch(const Fragment &fragment, ArrayRef<int64_t> dims, AffineMap map,
                const Placement &placement, int64_t lanes)
      : fragment(fragment), whole(layoutOf(fragment)), map(map),
        placement(placement), lanes(lanes), at(placement.rank(), -1),
        held(placement.rank()) {
    for (auto [own, dim] : llvm::enumerate(dims))
      at[*map.getResultPosition(getAffineDimExpr(dim, map.getContext()))] = own;
  }

  /// Empty, if the layout is not the fragment's, nor with other names.
  std::optional<FragmentView> view();

private:
  int64_t extentAt(int64_t dim) const {
    return at[dim] < 0 ? 1 : whole.shape()[at[dim]];
  }
  int64_t fragmentIndex(int64_t dim, int64_t lane, int64_t reg) const {
    return at[dim] < 0 ? 0 : whole.indexOf({0, lane, reg})[at[dim]];
  }
  bool findHeld();
  std::optional<SmallVector<int64_t>> nameDim(int64_t dim) const;
  std::optional<SmallVector<int64_t>> orderRegisters(ArrayRef<int64_t> batches);

  const Fragment &fragment;
  Layout whole;
  AffineMap map;
  const Placement &placement;
  int64_t lanes;
  SmallVector<int64_t> at; // dim of the fragment by dim of the operand, or -1
  /// What lane 0 holds along each dim, and in which registers: of the
  /// placement all, of the fragment by index.
  struct Held {
    std::map<int64_t, int64_t> indices;
    std::map<int64_t, int64_t> ofFragment;
  };
  SmallVector<Held> held;
  std::map<SmallVector<int64_t>, int64_t> registerAt;
};
} // namespace

/// False if the registers of lane 0 are no whole number of fragments.
bool FragmentMatch::findHeld() {
  for (int64_t reg = 0; reg < placement.numRegisters(); ++reg) {
    SmallVector<int64_t> index = placement.offsetOf(reg);
    for (auto [dim, i] : llvm::enumerate(index))
      held[dim].indices.insert({i, reg});
    registerAt[index] = reg;
  }
  int64_t batches = 1;
  for (auto [dim, one] : llvm::enumerate(held)) {
    for (int64_t reg = 0; reg < fragment.numRegisters(); ++reg)
      one.ofFragment.insert({fragmentIndex(dim, 0, reg), reg});
    if (one.indices.size() % one.ofFragment.size() != 0)
      return false;
    batches *= one.indices.size() / one.ofFragment.size();
  }
  return int64_t(registerAt.size()) == placement.numRegisters() &&
         batches * fragment.numRegisters() == placement.numRegisters();
}

/// The table of one dim, if all lanes agree on it. Indices are sums of what the
/// subgroup, the lane and the register give, so that one register of each index
/// speaks for all.
std::optional<SmallVector<int64_t>> FragmentMatch::nameDim(int64_t dim) const {
  const Held &one = held[dim];
  int64_t extent = extentAt(dim), perBatch = one.ofFragment.size();
  SmallVector<int64_t> names(one.indices.size() / perBatch * extent, -1);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    auto index = one.indices.begin();
    for (int64_t batch = 0; index != one.indices.end(); ++batch)
      for (auto [first, reg] : one.ofFragment) {
        int64_t actual =
            placement.layout.indexOf({0, lane, index->second})[dim];
        int64_t &name = names[batch * extent + fragmentIndex(dim, lane, reg)];
        if (name >= 0 && name != actual)
          return std::nullopt;
        name = actual;
        ++index;
      }
  }
  SmallVector<int64_t> sorted(names);
  llvm::sort(sorted);
  if (sorted.front() < 0 ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return std::nullopt;
  return names;
}

/// The placement's registers, batch by batch in the fragment's order.
std::optional<SmallVector<int64_t>>
FragmentMatch::orderRegisters(ArrayRef<int64_t> batches) {
  SmallVector<SmallVector<int64_t>> indices;
  SmallVector<std::map<int64_t, int64_t>> rank(held.size());
  for (auto [dim, one] : llvm::enumerate(held)) {
    indices.push_back(llvm::to_vector(llvm::make_first_range(one.indices)));
    for (auto [i, entry] : llvm::enumerate(one.ofFragment))
      rank[dim][entry.first] = i;
  }
  SmallVector<int64_t> strides = computeStrides(batches), registers;
  for (int64_t number = 0; number < computeProduct(batches); ++number) {
    SmallVector<int64_t> batch = delinearize(number, strides);
    for (int64_t reg = 0; reg < fragment.numRegisters(); ++reg) {
      SmallVector<int64_t> index;
      for (auto [dim, one] : llvm::enumerate(held))
        index.push_back(indices[dim][batch[dim] * one.ofFragment.size() +
                                     rank[dim][fragmentIndex(dim, 0, reg)]]);
      auto found = registerAt.find(index);
      if (found == registerAt.end())
        return std::nullopt;
      registers.push_back(found->second);
    }
  }
  return registers;
}

std::optional<FragmentView> FragmentMatch::view() {
  if (!findHeld())
    return std::nullopt;
  FragmentView view;
  view.map = map;
  for (auto [dim, one] : llvm::enumerate(held)) {
    std::optional<SmallVector<int64_t>> names = nameDim(dim);
    if (!names)
      return std::nullopt;
    view.names.push_back(std::move(*names));
    view.shape.push_back(one.indices.size() / one.ofFragment.size());
  }
  std::optional<SmallVector<int64_t>> registers = orderRegisters(view.shape);
  if (!registers)
    return std::nullopt;
  view.registers = std::move(*registers);
  view.shape.append({fragment.shape[0], fragment.shape[1]});
  return view;
}

/// True if two operands name every dim that they share alike, in each subgroup.
static bool namedAlike(const Placement &a, const FragmentView &viewA,
                       const Placement &b, const FragmentView &viewB,
                       int64_t numSubgroups) {
  for (auto [atA, expr] : llvm::enumerate(viewA.map.getResults())) {
    auto atB = viewB.map.getResultPosition(expr);
    if (!atB)
      continue;
    if (viewA.names[atA] != viewB.names[*atB])
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

  LogicalResult view(const Fragment &fragment, const MmaDims &dims,
                     int64_t dim0, int64_t dim1, AffineMap map,
                     const Placement &placement, StringRef what,
                     FragmentView &into) const {
    SmallVector<int64_t> own{dim0, dim1};
    if (row.blocks > 1)
      own.insert(own.begin(), dims.batch);
    std::optional<FragmentView> found =
        FragmentMatch(fragment, own, map, placement, row.subgroupSize).view();
    if (!found)
      return out.refuse(op,
                        what + " is laid out as " + toString(placement.layout) +
                            ", which is no repetition of a fragment of '" +
                            row.name + "', " + toString(layoutOf(fragment)) +
                            ", not even with its indices renamed",
                        &placement);
    into = std::move(*found);
    return success();
  }
};
} // namespace

static constexpr StringLiteral withoutInstruction =
    "; leave the mma_kind of its operands away to multiply without one";

static FailureOr<MmaPlan> planMma(vector::ContractionOp op,
                                  compat::MmaLayoutAttr kind,
                                  Distributor &out) {
  const MmaRow &row = *kind.getRow();
  const Placement *lhs = out.placementOf(op.getLhsMutable());
  const Placement *rhs = out.placementOf(op.getRhsMutable());
  const Placement *acc = out.placementOf(op.getResult());
  if (op.getKind() != CombiningKind::ADD)
    return out.refuse(op, "combines by " +
                              stringifyCombiningKind(op.getKind()) + ", and '" +
                              row.name + "' adds" + withoutInstruction);

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  MmaPlan plan{op, kind, {}, {}, {}, kind.getColMajor(), acc, {}};
  if (plan.swapped) {
    std::swap(lhs, rhs);
    std::swap(maps[0], maps[1]);
  }
  MmaDims dims = dimsOf(maps[0], maps[1], maps[2]);
  if (dims.m < 0 || dims.n < 0 || dims.k < 0)
    return out.refuse(op, Twine("is no matrix product: a row, column or inner "
                                "dim is missing") +
                              withoutInstruction);
  if (row.blocks > 1 && dims.batch < 0)
    return out.refuse(op, "has no batch dim, and '" + Twine(row.name) +
                              "' multiplies " + Twine(row.blocks) + " blocks" +
                              withoutInstruction);

  StringRef names[] = {plan.swapped ? "rhs" : "lhs",
                       plan.swapped ? "lhs" : "rhs"};
  OperandFit fit{op, row, out};
  if (failed(fit.view(row.fragmentA, dims, dims.m, dims.k, maps[0], *lhs,
                      names[0], plan.lhs)) ||
      failed(fit.view(row.fragmentB, dims, dims.k, dims.n, maps[1], *rhs,
                      names[1], plan.rhs)) ||
      failed(fit.view(row.fragmentC, dims, dims.m, dims.n, maps[2], *acc, "acc",
                      plan.acc)))
    return failure();
  int64_t numSubgroups = out.hardware().subgroups;
  if (!namedAlike(*lhs, plan.lhs, *rhs, plan.rhs, numSubgroups) ||
      !namedAlike(*lhs, plan.lhs, *acc, plan.acc, numSubgroups) ||
      !namedAlike(*rhs, plan.rhs, *acc, plan.acc, numSubgroups))
    return out.refuse(op,
                      "has operands that split a common dim over subgroups or "
                      "batches differently, or name its indices so: " +
                          names[0] + " " + toString(lhs->layout) + ", " +
                          names[1] + " " + toString(rhs->layout) + ", acc " +
                          toString(acc->layout),
                      rhs);
  if (failed(out.requireShared(op, "an MMA instruction")))
    return failure();
  plan.reach = reachOf(*lhs, maps[0], maps, *rhs, *acc);
  return plan;
}

/// `value` in the instruction's operand type: the instruction extends, so what
/// has been extended is taken as it was before. Null if it never was.
static Value multiplicandOf(Value value, ScalarKind kind, bool mayDropBits) {
  Multiplicand factor = Multiplicand::get(value);
  if (factor.is(kind, mayDropBits))
    return factor.source;
  return factor.extended().is(kind, mayDropBits) ? value : Value();
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
  bool dropsBits = mayDropBits(op);
  Value lhs = multiplicandOf(out.get(b, first), row.a, dropsBits);
  Value rhs = multiplicandOf(out.get(b, second), row.b, dropsBits);
  Value initial = out.get(b, op.getAccMutable());
  Type element = getElementTypeOrSelf(initial.getType());
  if (!lhs || !rhs || element != elementTypeOf(row.c, context))
    return out.refuse(op, "has operand types that '" + Twine(row.name) +
                              "' does not take" + withoutInstruction);

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

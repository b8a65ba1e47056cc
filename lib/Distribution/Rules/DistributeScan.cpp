//===- DistributeScan.cpp - vector.scan (prefix sum) ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan handles the digits of its dim from the innermost outwards. After each
// digit, every register holds the prefix within the block that the digits so
// far span, and every lane has the block's total:
//
//   register digit   later blocks are combined with the earlier ones' totals
//   lane digit       totals are scanned over the digit's lanes, and each block
//                    is combined with the total of the lanes before it
//   subgroup digit   the same through workgroup memory
//
// so order is kept for any order of the digits (specification 6.4, W26). An
// exclusive scan starts from identities instead of the elements, and combines
// the initial value at the end; an inclusive one ignores it.
//
// Blocks are a reassociation. Strict floats, and subgroup digits that are not
// outermost, are scanned element by element instead (OrderedReduction.h).
//
// If lanes are distributed later (DistributionOptions::keepsBlocks), the block
// of a subgroup is scanned as a vector, and combined with the totals of the
// subgroups before it (PCF-195).
//
//===----------------------------------------------------------------------===//
#include "../Exchange/BlockExchange.h"
#include "../Exchange/OrderedReduction.h"
#include "../Records.h"
#include "Combine.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <map>

using namespace distaff;
using vector::CombiningKind;

namespace {
struct ScanPlan {
  vector::ScanOp op;
  CombiningKind kind;
  const Placement *source, *reduced; // reduced: without the scanned dim
  int64_t dim;
  Reach reach;
  bool inOrder = false; // element by element
};

/// Holds the registers of one block, the total of the block, and, in an
/// exclusive scan (else null), the prefix of its last element.
struct ScanBlock {
  SmallVector<int64_t> registers;
  Value total, last;
};

class Scan {
public:
  Scan(OpBuilder &b, const ScanPlan &plan, Distributor &out)
      : b(b), plan(plan), out(out), loc(plan.op->getLoc()) {}

  /// The prefixes by register; filled by run.
  SmallVector<Value> prefixes;
  /// Scans the elements and returns the blocks that remain: one per register of
  /// the reduced placement, by the offset of its kept dims.
  std::map<SmallVector<int64_t>, ScanBlock> run(ArrayRef<Value> elements,
                                                bool inclusive);

private:
  Value combined(Value lhs, Value rhs) {
    return combine(b, loc, plan.kind, lhs, rhs);
  }
  Value identity() {
    Type type = prefixes.front().getType();
    return splat(b, loc, type, identityOf(plan.kind, type));
  }
  void takeIn(ScanBlock &block, Value before) {
    for (int64_t reg : block.registers)
      prefixes[reg] = combined(before, prefixes[reg]);
    if (block.last)
      block.last = combined(before, block.last);
  }
  ScanBlock joinRegisters(MutableArrayRef<ScanBlock> blocks);
  void joinLanes(ArrayRef<ScanBlock *> blocks, const Digit &digit);
  void joinSubgroups(MutableArrayRef<ScanBlock *> blocks);

  OpBuilder &b;
  const ScanPlan &plan;
  Distributor &out;
  Location loc;
};
} // namespace

ScanBlock Scan::joinRegisters(MutableArrayRef<ScanBlock> blocks) {
  ScanBlock whole = blocks.front();
  for (ScanBlock &block : blocks.drop_front()) {
    takeIn(block, whole.total);
    whole.registers.append(block.registers);
    whole.total = combined(whole.total, block.total);
    whole.last = block.last;
  }
  return whole;
}

void Scan::joinLanes(ArrayRef<ScanBlock *> blocks, const Digit &digit) {
  auto from = [&](ArrayRef<Value> values, Value lane) {
    return shuffleFrom(b, loc, values, lane, out.options.subgroupSize);
  };
  Value own = out.ids.digit(digit, plan.reach.lanes);
  Value first = out.ids.canonical(plan.reach.lanes, digit);
  // Fetches from the digit value `distance` lower; `exists` is whether there is
  // one.
  Value exists;
  auto below = [&](ArrayRef<Value> values, int64_t distance) {
    Value limit = out.ids.constant(distance);
    exists =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, own, limit);
    Value lower = arith::SubIOp::create(b, loc, own, limit);
    Value at = arith::SelectOp::create(b, loc, exists, lower, own);
    return from(values, out.ids.step(b, loc, first, at, digit.stride));
  };
  SmallVector<Value> totals = llvm::map_to_vector(
      blocks, [](const ScanBlock *block) { return block->total; });
  for (int64_t distance = 1; distance < digit.size; distance *= 2)
    for (auto [total, lower] : llvm::zip_equal(totals, below(totals, distance)))
      total = arith::SelectOp::create(b, loc, exists, combined(lower, total),
                                      total);
  for (auto [block, before] : llvm::zip_equal(blocks, below(totals, 1)))
    takeIn(*block, arith::SelectOp::create(b, loc, exists, before, identity()));
  Value top = out.ids.offset(b, loc, first, (digit.size - 1) * digit.stride);
  for (auto [block, total] : llvm::zip_equal(blocks, from(totals, top)))
    block->total = total;
  if (!blocks.front()->last)
    return;
  SmallVector<Value> lasts = llvm::map_to_vector(
      blocks, [](const ScanBlock *block) { return block->last; });
  for (auto [block, last] : llvm::zip_equal(blocks, from(lasts, top)))
    block->last = last;
}

void Scan::joinSubgroups(MutableArrayRef<ScanBlock *> blocks) {
  auto share = [&](Value ScanBlock::*field) {
    SmallVector<Value> scalars = llvm::map_to_vector(
        blocks, [&](ScanBlock *block) { return block->*field; });
    return scalars.front()
               ? shareAcrossSubgroups(b, loc, scalars, plan.reach, out)
               : SmallVector<SmallVector<Value>>();
  };
  auto totals = share(&ScanBlock::total), lasts = share(&ScanBlock::last);
  Value slot =
      out.ids.number(plan.reach.reducedSubgroups, plan.reach.subgroups);
  for (auto [at, block] : llvm::enumerate(blocks)) {
    Value sum = totals.front()[at], before = identity();
    Value last = lasts.empty() ? Value() : lasts.front()[at];
    for (size_t s = 1; s < totals.size(); ++s) {
      Value behind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                           slot, out.ids.constant(s));
      before = arith::SelectOp::create(b, loc, behind, sum, before);
      if (last)
        last = combined(sum, lasts[s][at]);
      sum = combined(sum, totals[s][at]);
    }
    block->last = nullptr; // computed from the slots instead
    takeIn(*block, before);
    block->total = sum;
    block->last = last;
  }
}

std::map<SmallVector<int64_t>, ScanBlock> Scan::run(ArrayRef<Value> elements,
                                                    bool inclusive) {
  prefixes.assign(elements.begin(), elements.end());
  if (!inclusive)
    prefixes.assign(elements.size(), identity());
  // Blocks by the kept offsets, then by the offset in the scanned dim.
  std::map<SmallVector<int64_t>, std::map<int64_t, ScanBlock>> blocks;
  for (auto [reg, element] : llvm::enumerate(elements)) {
    SmallVector<int64_t> kept = plan.source->offsetOf(reg);
    int64_t at = kept[plan.dim];
    kept.erase(kept.begin() + plan.dim);
    blocks[kept][at] = {
        {int64_t(reg)}, element, inclusive ? Value() : prefixes[reg]};
  }

  std::map<SmallVector<int64_t>, ScanBlock> joined;
  int64_t span = 1;
  for (const Digit &digit :
       llvm::reverse(plan.source->layout.digits(plan.dim))) {
    if (digit.axis == Axis::Register) {
      for (auto &[kept, row] : blocks) {
        std::map<int64_t, ScanBlock> wider;
        SmallVector<ScanBlock> pending;
        for (auto &[at, block] : row) {
          pending.push_back(block);
          if (int64_t(pending.size()) < digit.size)
            continue;
          wider[at - (digit.size - 1) * span] = joinRegisters(pending);
          pending.clear();
        }
        row = std::move(wider);
      }
    } else if (digit.axis == Axis::Lane) {
      SmallVector<ScanBlock *> all;
      for (auto &[kept, row] : blocks)
        for (auto &[at, block] : row)
          all.push_back(&block);
      joinLanes(all, digit);
    } else {
      SmallVector<ScanBlock *> all;
      for (int64_t reg = 0; reg < plan.reduced->numRegisters(); ++reg)
        all.push_back(&blocks.at(plan.reduced->offsetOf(reg)).begin()->second);
      joinSubgroups(all);
    }
    span *= digit.size;
  }
  for (auto &[kept, row] : blocks)
    joined[kept] = row.begin()->second;
  return joined;
}

static FailureOr<ScanPlan> planScan(vector::ScanOp op, Distributor &out) {
  ScanPlan plan;
  plan.op = op;
  plan.kind = op.getKind();
  plan.source = out.placementOf(op.getSourceMutable());
  plan.reduced = out.placementOf(op.getAccumulatedValue());
  plan.dim = op.getReductionDim();
  SmallVector<bool> dims(plan.source->rank(), false);
  dims[plan.dim] = true;
  plan.reach = reachOf(*plan.source, dims, plan.reduced);
  if (failed(requireReach(op, plan.reach, out)))
    return failure();
  // Subgroups exchange whole blocks: all other digits must lie below theirs.
  ArrayRef<Digit> digits = plan.source->layout.digits(plan.dim);
  plan.inOrder =
      llvm::any_of(digits.drop_front(digits.empty() ? 0 : 1),
                   [](const Digit &d) { return d.axis == Axis::Subgroup; });
  Type element = op.getSourceType().getElementType();
  plan.inOrder |= out.options.strictFp && dependsOnOrder(plan.kind, element);
  return plan;
}

namespace {
/// The results by register of the source and of the reduced placement.
struct ScanResult {
  SmallVector<Value> prefixes, accumulated;
};
} // namespace

static ScanResult scanInBlocks(OpBuilder &b, const ScanPlan &plan,
                               ArrayRef<Value> elements,
                               ArrayRef<Value> initial, Distributor &out) {
  vector::ScanOp op = plan.op;
  Scan scan(b, plan, out);
  bool inclusive = op.getInclusive();
  auto blocks = scan.run(elements, inclusive);
  ScanResult result;
  for (auto [reg, value] : llvm::enumerate(initial)) {
    ScanBlock &block = blocks.at(plan.reduced->offsetOf(reg));
    if (inclusive) {
      result.accumulated.push_back(block.total);
      continue;
    }
    for (int64_t from : block.registers)
      scan.prefixes[from] =
          combine(b, op.getLoc(), plan.kind, value, scan.prefixes[from]);
    result.accumulated.push_back(
        combine(b, op.getLoc(), plan.kind, value, block.last));
  }
  result.prefixes = std::move(scan.prefixes);
  return result;
}

/// Scans element by element. An exclusive scan's last result is the prefix of
/// the last element, so it is passed on with the sum that the next element
/// starts from.
static ScanResult scanInOrder(OpBuilder &b, const ScanPlan &plan,
                              ArrayRef<Value> elements, ArrayRef<Value> initial,
                              Distributor &out) {
  vector::ScanOp op = plan.op;
  Location loc = op.getLoc();
  bool inclusive = op.getInclusive();
  RegisterMap registers(*plan.source);
  SmallVector<bool> dims(plan.source->rank(), false);
  dims[plan.dim] = true;

  Type type = elements.front().getType();
  Value identity = splat(b, loc, type, identityOf(plan.kind, type));
  OrderedReductionState state;
  state.passed.emplace_back(initial);
  if (inclusive)
    state.passed.front().assign(initial.size(), identity);
  else
    state.passed.push_back(state.passed.front());
  state.kept.assign(elements.size(), identity);
  auto step = [&](OpBuilder &b, ArrayRef<int64_t> offset,
                  OrderedReductionState &state) {
    for (auto [reg, sum] : llvm::enumerate(state.passed.front())) {
      SmallVector<int64_t> index = plan.reduced->offsetOf(reg);
      index.insert(index.begin() + plan.dim, offset[plan.dim]);
      int64_t from = registers.at(index);
      Value before = sum;
      sum = combine(b, loc, plan.kind, sum, elements[from]);
      state.kept[from] = inclusive ? sum : before;
      if (!inclusive)
        state.passed.back()[reg] = before;
    }
  };
  runOrderedReduction(b, loc,
                      orderedReductionAlong(*plan.source, dims, plan.reach),
                      state, step, out);
  return {state.kept, state.passed.back()};
}

//===----------------------------------------------------------------------===//
// Blocks of subgroups
//===----------------------------------------------------------------------===//

/// Repeats a vector along a dim that it lacks.
static Value repeatAlong(OpBuilder &b, Location loc, Value value,
                         VectorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape()), order;
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin(), type.getDimSize(dim));
  value = vector::BroadcastOp::create(
      b, loc, VectorType::get(shape, type.getElementType()), value);
  if (dim == 0)
    return value;
  for (int64_t at : llvm::seq<int64_t>(0, type.getRank()))
    order.push_back(at < dim ? at + 1 : at == dim ? 0 : at);
  return vector::TransposeOp::create(b, loc, value, order);
}

/// Combines all elements of a block, with the type of `identity`.
static Value totalOf(OpBuilder &b, const ScanPlan &plan, Value block,
                     Value identity) {
  Location loc = plan.op->getLoc();
  SmallVector<bool> reduced(plan.source->rank(), false);
  reduced[plan.dim] = true;
  if (plan.source->rank() > 1)
    return vector::MultiDimReductionOp::create(b, loc, block, identity, reduced,
                                               plan.kind);
  // A reduced row is a scalar, not a vector without dims.
  Type type = identity.getType();
  Value none = arith::ConstantOp::create(
      b, loc, identityOf(plan.kind, getElementTypeOrSelf(type)));
  Value total = vector::MultiDimReductionOp::create(b, loc, block, none,
                                                    reduced, plan.kind);
  return vector::BroadcastOp::create(b, loc, type, total);
}

/// Returns, for each subgroup, `before` combined with the `totals` of all
/// subgroups before it. `before` becomes the value for the last subgroup, and
/// `sum` that of all subgroups.
static Value sumOfBefore(OpBuilder &b, const ScanPlan &plan,
                         ArrayRef<Value> totals, Value &before, Value &sum,
                         Distributor &out) {
  Location loc = plan.op->getLoc();
  Value slot =
      out.ids.number(plan.reach.reducedSubgroups, plan.reach.subgroups);
  Value own = before;
  sum = combine(b, loc, plan.kind, before, totals.front());
  for (auto [s, total] : llvm::drop_begin(llvm::enumerate(totals))) {
    Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                           slot, out.ids.constant(s));
    before = sum;
    own = arith::SelectOp::create(b, loc, isBehind, before, own);
    sum = combine(b, loc, plan.kind, sum, total);
  }
  return own;
}

/// Replaces the op by a scan of each subgroup's block, which is distributed
/// over lanes later.
static void scanBlocks(const ScanPlan &plan, Distributor &out) {
  vector::ScanOp op = plan.op;
  OpBuilder b(op);
  Location loc = op.getLoc();
  bool inclusive = op.getInclusive();
  bool isSplit = !plan.reach.reducedSubgroups.empty();
  Type element = op.getSourceType().getElementType();
  Type combined = typeToCombineIn(plan.kind, element);
  auto get = [&](OpOperand &operand) {
    return convertFloat(b, loc, out.get(b, operand), combined);
  };
  Value source = get(op.getSourceMutable());
  Value initial = get(op.getInitialValueMutable());
  Value identity =
      splat(b, loc, initial.getType(), identityOf(plan.kind, combined));
  auto scan =
      vector::ScanOp::create(b, loc, plan.kind, source,
                             isSplit ? identity : initial, plan.dim, inclusive);
  Value prefixes = scan.getDest(), last = scan.getAccumulatedValue();
  if (isSplit) {
    Value total = inclusive ? last : totalOf(b, plan, source, identity);
    Value before = inclusive ? identity : initial, sum;
    Value own = sumOfBefore(
        b, plan, shareBlocks(b, loc, total, plan.reach, out), before, sum, out);
    auto type = cast<VectorType>(prefixes.getType());
    prefixes = combine(b, loc, plan.kind,
                       repeatAlong(b, loc, own, type, plan.dim), prefixes);
    last = inclusive
               ? sum
               : combine(b, loc, plan.kind, before,
                         shareBlocks(b, loc, last, plan.reach, out).back());
  }
  out.replace(op, {convertFloat(b, loc, prefixes, element),
                   convertFloat(b, loc, last, element)});
}

LogicalResult distaff::distribute(vector::ScanOp op, Distributor &out) {
  FailureOr<ScanPlan> plan = planScan(op, out);
  if (failed(plan))
    return failure();
  recordScan(op, plan->reach, plan->inOrder, out);
  if (out.options.keepsBlocks &&
      (!plan->inOrder || plan->reach.reducedSubgroups.empty())) {
    scanBlocks(*plan, out);
    return success();
  }
  OpBuilder b(op);
  Location loc = op.getLoc();
  // Combines, as reductions do, in a type that has the identity.
  Type element = op.getSourceType().getElementType();
  Type combined = typeToCombineIn(plan->kind, element);
  auto scalarsOf = [&](OpOperand &operand) {
    return toScalars(b, loc,
                     convertFloat(b, loc, out.get(b, operand), combined));
  };
  SmallVector<Value> elements = scalarsOf(op.getSourceMutable());
  SmallVector<Value> initial = scalarsOf(op.getInitialValueMutable());
  ScanResult result = (plan->inOrder ? scanInOrder : scanInBlocks)(
      b, *plan, elements, initial, out);
  auto whole = [&](ArrayRef<Value> scalars, const Placement &placement) {
    Value value = fromScalars(b, loc, scalars, placement.type(combined));
    return convertFloat(b, loc, value, element);
  };
  out.replace(op, {whole(result.prefixes, *plan->source),
                   whole(result.accumulated, *plan->reduced)});
  return success();
}

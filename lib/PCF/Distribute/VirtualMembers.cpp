//===- VirtualMembers.cpp - Cyclic execution of virtual members -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VirtualMembers.h"
#include "CollectiveOps.h"

#include "../Order/MovedOps.h"
#include "Rounds.h"
#include "WorkerGrids.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Number of virtual members
//===----------------------------------------------------------------------===//

namespace {
/// The phases, and the numbers of virtual members, by the names of groups.
using PayloadGroups = llvm::MapVector<Attribute, SmallVector<RunClusterOp>>;
using GroupCounts = llvm::MapVector<Attribute, int64_t>;
} // namespace

/// Returns the name of a phase's group. Groups of one name are one group.
static Attribute getGroupName(RunClusterOp phase) {
  auto cluster = dyn_cast<ClusterType>(phase.getGroupType());
  return cluster ? Attribute(cluster.getId()) : Attribute();
}

static bool hasShapedPayload(RunClusterOp phase) {
  auto isShaped = [](Type type) { return isa<ShapedType>(type); };
  return llvm::any_of(TypeRange(phase.getPayloadArgs()), isShaped) ||
         llvm::any_of(phase.getYield().getOperandTypes(), isShaped);
}

/// Returns the number of boxes of a product's result in its configuration; 0
/// without one.
static int64_t countBoxes(linalg::LinalgOp op) {
  auto config = op->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  SmallVector<int64_t> tiles =
      config ? config.getInts("subgroup") : SmallVector<int64_t>();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (tiles.size() != extents.size())
    return 0;
  int64_t boxes = 1;
  for (auto [extent, tile] : llvm::zip_equal(extents, tiles))
    if (tile > 0 && extent > 0 && extent % tile == 0)
      boxes *= extent / tile;
  return boxes;
}

/// Returns the number of boxes of all products in phases: none if they differ,
/// 0 without a product.
static std::optional<int64_t> countBoxes(ArrayRef<RunClusterOp> phases) {
  int64_t boxes = 0;
  bool areOne = true;
  for (RunClusterOp phase : phases)
    phase->walk([&](linalg::LinalgOp op) {
      int64_t count = countBoxes(op);
      areOne &= !count || !boxes || count == boxes;
      boxes = count ? count : boxes;
    });
  return areOne ? std::optional(boxes) : std::nullopt;
}

/// Returns the maximum number of bytes of a group's payload at one time.
static int64_t countPayloadBytes(ArrayRef<RunClusterOp> phases) {
  int64_t most = 0;
  for (RunClusterOp phase : phases)
    for (TypeRange types : {TypeRange(phase.getPayloadArgs()),
                            TypeRange(phase.getYield().getOperandTypes())}) {
      int64_t bytes = 0;
      for (Type type : types)
        if (auto shaped = dyn_cast<ShapedType>(type);
            shaped && shaped.hasStaticShape() &&
            shaped.getElementType().isIntOrFloat())
          bytes +=
              shaped.getNumElements() * shaped.getElementTypeBitWidth() / 8;
      most = std::max(most, bytes);
    }
  return most;
}

/// Returns the number of virtual members for payload of no product: so many
/// that a lane holds at most half of what it can address.
static int64_t countForPayload(ArrayRef<RunClusterOp> phases, int64_t launched,
                               int64_t lanes) {
  constexpr int64_t bytesPerLane = 512;
  int64_t bytes = countPayloadBytes(phases), members = launched;
  while (bytes > members * lanes * bytesPerLane)
    members *= 2;
  return members;
}

/// Returns whether phases that are distributed to `boxes` members need virtual
/// ones.
static bool needsTurns(std::optional<int64_t> members, int64_t boxes) {
  return !members || (boxes > 0 && *members % boxes != 0);
}

//===----------------------------------------------------------------------===//
// Real members
//===----------------------------------------------------------------------===//

/// Computes the number of members of a phase's group, at least 1, from values
/// for its ranges.
static Value makeNumMembers(OpBuilder &builder, RunClusterOp phase,
                            ValueRange ranges, int64_t launched) {
  Location loc = phase.getLoc();
  auto cluster = dyn_cast<ClusterType>(phase.getGroupType());
  if (!cluster)
    return arith::ConstantIndexOp::create(builder, loc, launched);
  AffineExpr count = cluster.getUpperBound(0) - cluster.getLowerBound(0);
  count = count.replaceSymbols({builder.getAffineConstantExpr(launched)});
  Value members = getValueOrCreateConstantIndexOp(
      builder, loc,
      affine::makeComposedFoldedAffineApply(
          builder, loc, AffineMap::get(ranges.size(), 0, count),
          getAsOpFoldResult(ranges)));
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  return builder.createOrFold<arith::MaxSIOp>(loc, members, one);
}

/// Computes the number of iterations in which `members` cover the virtual
/// members.
static Value makeNumTurns(OpBuilder &builder, Location loc, Value members,
                          int64_t virtualMembers) {
  Value all = arith::ConstantIndexOp::create(builder, loc, virtualMembers);
  return builder.createOrFold<arith::CeilDivUIOp>(loc, all, members);
}

WorkerGrid VirtualMembers::getGrid(RunClusterOp phase) const {
  WorkerGrid grid = getWorkerGrid(phase);
  if (auto it = phases.find(phase); it != phases.end())
    grid.counts = {
        Builder(phase.getContext()).getIndexAttr(it->second.virtualMembers)};
  return grid;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// Rematerializes the values of a group's ranges at the insertion point, from
/// values outside of the executor; none if that is not possible.
static std::optional<SmallVector<Value>>
makeRanges(SharedExecutorOp executor, RunClusterOp phase, OpBuilder &builder) {
  auto isThere = [&](Value value) {
    return !executor.getExecute().isAncestor(value.getParentRegion());
  };
  llvm::SetVector<Operation *> ops;
  for (Value range : phase.getRanges())
    if (!collectOps(range, isThere, ops))
      return std::nullopt;
  IRMapping mapping;
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  return llvm::map_to_vector(phase.getRanges(), [&](Value range) {
    return mapping.lookupOrDefault(range);
  });
}

static void warnNoRounds(RunClusterOp phase, const RoundsObstacle &obstacle) {
  InFlightDiagnostic warning = phase.emitWarning()
                               << "members hold all of this phase's payload: "
                                  "they are too many boxes for one turn, and "
                                  "the code cannot run in rounds";
  warning.attachNote(obstacle.op->getLoc())
      << "'" << obstacle.op->getName() << "' " << obstacle.why;
}

/// Returns the phases with payload, by group.
static PayloadGroups collectGroups(SharedExecutorOp executor) {
  PayloadGroups groups;
  for (RunClusterOp phase : collectPhases(executor))
    if (hasShapedPayload(phase))
      groups[getGroupName(phase)].push_back(phase);
  return groups;
}

/// Returns the numbers of virtual members of the groups that need some for
/// their payload.
static GroupCounts countVirtualMembers(SharedExecutorOp executor,
                                       const PayloadGroups &groups,
                                       int64_t launched) {
  int64_t lanes = 1;
  if (isa<iree::SubgroupScopeAttr>(executor.getScope()))
    lanes = getLaunchCount(executor,
                           iree::LaneScopeAttr::get(executor.getContext()))
                .value_or(1);
  GroupCounts counts;
  for (const auto &[name, phases] : groups) {
    std::optional<int64_t> real = getWorkerGrid(phases.front()).getNumMembers();
    std::optional<int64_t> boxes = countBoxes(phases);
    if (boxes && (!real || *boxes) && needsTurns(real, *boxes))
      counts[name] = *boxes ? *boxes : countForPayload(phases, launched, lanes);
  }
  return counts;
}

/// Computes the number of rounds at the insertion point. Returns null and sets
/// `late` to a phase of the group whose size is not known there.
static Value makeNumRounds(SharedExecutorOp executor,
                           const PayloadGroups &groups,
                           const GroupCounts &counts, int64_t launched,
                           RewriterBase &rewriter, RunClusterOp &late) {
  Value rounds = arith::ConstantIndexOp::create(rewriter, executor.getLoc(), 1);
  for (auto [name, count] : counts) {
    RunClusterOp phase = groups.find(name)->second.front();
    std::optional<SmallVector<Value>> ranges =
        makeRanges(executor, phase, rewriter);
    if (!ranges) {
      late = phase;
      return {};
    }
    Value turns =
        makeNumTurns(rewriter, phase.getLoc(),
                     makeNumMembers(rewriter, phase, *ranges, launched), count);
    rounds =
        rewriter.createOrFold<arith::MaxUIOp>(phase.getLoc(), rounds, turns);
  }
  return rounds;
}

void VirtualMembers::prepareRounds(SharedExecutorOp executor,
                                   RewriterBase &rewriter) {
  PayloadGroups groups = collectGroups(executor);
  GroupCounts counts = countVirtualMembers(executor, groups, launched);
  if (counts.empty())
    return;
  auto partsOf = [&](RunClusterOp phase) {
    auto it = counts.find(getGroupName(phase));
    return hasShapedPayload(phase) && it != counts.end() ? it->second : 0;
  };
  if (std::optional<RoundsObstacle> obstacle =
          findObstacle(executor, partsOf, launched))
    return warnNoRounds(groups[counts.front().first].front(), *obstacle);
  // The rounds begin after the last op that computes their number.
  Block &block = executor.getExecute().front();
  rewriter.setInsertionPointToStart(&block);
  RunClusterOp late;
  Value rounds =
      makeNumRounds(executor, groups, counts, launched, rewriter, late);
  if (!rounds)
    return warnNoRounds(late, {late, "has bounds that are known late"});
  Operation *last = &*std::prev(rewriter.getInsertionPoint());
  Value round =
      isOneInteger(getAsOpFoldResult(rounds))
          ? arith::ConstantIndexOp::create(rewriter, executor.getLoc(), 0)
                .getResult()
          : runInRounds(executor, last, rounds, rewriter);
  for (auto [name, count] : counts)
    for (RunClusterOp phase : groups[name]) {
      separateCopies(phase, rewriter);
      phases[phase] = {count, round};
    }
}

/// Records phases without payload: their iterations are a loop.
void VirtualMembers::prepareCopies(SharedExecutorOp executor, RewriterBase &) {
  for (RunClusterOp phase : collectPhases(executor)) {
    std::optional<int64_t> boxes = countBoxes(phase);
    if (phase.getResult() || hasShapedPayload(phase) || !boxes ||
        !needsTurns(getWorkerGrid(phase).getNumMembers(), *boxes))
      continue;
    phases[phase] = {*boxes ? *boxes : launched, Value()};
  }
}

void VirtualMembers::prepare(SharedExecutorOp executor,
                             RewriterBase &rewriter) {
  auto scope = cast<ScopeAttrInterface>(executor.getScope());
  std::optional<int64_t> count = getLaunchCount(executor, executor.getScope());
  if (scope.getNativeNumProcessorIds() != 1 || !count || *count <= 0)
    return;
  launched = *count;
  OpBuilder::InsertionGuard guard(rewriter);
  prepareRounds(executor, rewriter);
  prepareCopies(executor, rewriter);
}

//===----------------------------------------------------------------------===//
// Code of a real member
//===----------------------------------------------------------------------===//

/// Moves ops into a branch that is taken if `condition` holds.
static void runOnlyIf(ArrayRef<Operation *> ops, Value condition,
                      RewriterBase &rewriter) {
  if (ops.empty())
    return;
  OpBuilder::InsertionGuard restore(rewriter);
  rewriter.setInsertionPoint(ops.front());
  auto branch = scf::IfOp::create(rewriter, ops.front()->getLoc(), condition);
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, branch.thenBlock()->getTerminator());
}

void VirtualMembers::realize(RunClusterOp phase, RunThreadOp thread,
                             RewriterBase &rewriter) {
  auto it = phases.find(phase);
  if (it == phases.end())
    return;
  auto [count, round] = it->second;
  OpBuilder::InsertionGuard restore(rewriter);
  Location loc = phase.getLoc();
  rewriter.setInsertionPoint(thread);
  Value members = makeNumMembers(rewriter, phase, phase.getRanges(), launched);
  Value turn = round;
  if (!turn) {
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value turns = makeNumTurns(rewriter, loc, members, count);
    auto loop = scf::ForOp::create(rewriter, loc, zero, turns, one);
    rewriter.moveOpBefore(thread, loop.getBody()->getTerminator());
    turn = loop.getInductionVar();
  }
  Block &body = thread.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  rewriter.setInsertionPointToStart(&body);
  Value id = thread.getIds().front();
  Value begin = arith::MulIOp::create(rewriter, loc, turn, members);
  Value number = arith::AddIOp::create(rewriter, loc, begin, id);
  Value all = arith::ConstantIndexOp::create(rewriter, loc, count);
  Value exists = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                       number, all);
  Value own = number;
  if (round) {
    // A member without a part computes its first one again, or the last one if
    // it has none at all, and does not write.
    Value last = arith::ConstantIndexOp::create(rewriter, loc, count - 1);
    Value first = arith::MinUIOp::create(rewriter, loc, id, last);
    own = arith::SelectOp::create(rewriter, loc, exists, number, first);
  }
  rewriter.replaceUsesWithIf(id, own, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != number.getDefiningOp() && !isa<arith::MinUIOp>(user);
  });
  if (!round)
    return runOnlyIf(ops, exists, rewriter);
  SmallVector<Operation *> writes;
  thread->walk([&](WriteSliceOp write) { writes.push_back(write); });
  for (Operation *write : writes)
    runOnlyIf(write, exists, rewriter);
}

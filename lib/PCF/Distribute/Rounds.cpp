//===- Rounds.cpp - Running an executor's code in rounds ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rounds.h"

#include "../Order/PhaseRaces.h"
#include "../Order/PhaseSlices.h"
#include "../Order/RefAccess.h"
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Computation on payload, and copies, of a phase
//===----------------------------------------------------------------------===//

/// Returns the ops of the phase that `roots` are computed by, themselves
/// included, with the branches around them.
static llvm::SetVector<Operation *> collectNeeded(RunClusterOp phase,
                                                  ArrayRef<Operation *> roots) {
  llvm::SetVector<Operation *> needed(roots.begin(), roots.end());
  for (size_t i = 0; i < needed.size(); ++i) {
    auto add = [&](Operation *op) {
      if (op && phase->isProperAncestor(op))
        needed.insert(op);
    };
    add(needed[i]->getParentOp());
    for (Value operand : needed[i]->getOperands())
      add(operand.getDefiningOp());
  }
  return needed;
}

static bool takesPayload(RunClusterOp phase,
                         const llvm::SetVector<Operation *> &ops) {
  return llvm::any_of(ops, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return llvm::is_contained(phase.getPayloadArgs(), operand);
    });
  });
}

/// Returns the writes of a phase that do not depend on payload.
static SmallVector<WriteSliceOp> collectCopies(RunClusterOp phase) {
  return llvm::filter_to_vector(
      PhaseSlices::of(phase).writes, [&](WriteSliceOp write) {
        return !takesPayload(phase, collectNeeded(phase, write.getOperation()));
      });
}

/// Returns the roots of the rest of a phase: its yield, and the other writes.
static SmallVector<Operation *> collectRest(RunClusterOp phase,
                                            ArrayRef<WriteSliceOp> copies) {
  SmallVector<Operation *> rest{phase.getYield()};
  for (WriteSliceOp write : PhaseSlices::of(phase).writes)
    if (!llvm::is_contained(copies, write))
      rest.push_back(write);
  return rest;
}

/// Returns whether two accesses, one of which writes, may overlap.
static bool mayMeet(Operation *a, Operation *b) {
  auto refOf = [](Operation *op) -> Value {
    if (auto write = dyn_cast<WriteSliceOp>(op))
      return write.getDest();
    return cast<ReadSliceOp>(op).getSource();
  };
  bool writes = isa<WriteSliceOp>(a) || isa<WriteSliceOp>(b);
  return writes &&
         !areAccessesApart(cast<OffsetSizeAndStrideOpInterface>(a), refOf(a),
                           cast<OffsetSizeAndStrideOpInterface>(b), refOf(b));
}

/// Returns an access of the copies that may overlap one of the rest, so that
/// their order matters.
static Operation *findMeeting(RunClusterOp phase) {
  SmallVector<WriteSliceOp> copies = collectCopies(phase);
  SmallVector<Operation *> roots(copies.begin(), copies.end());
  auto isAccess = llvm::IsaPred<ReadSliceOp, WriteSliceOp>;
  auto ofCopies = llvm::filter_to_vector(collectNeeded(phase, roots), isAccess);
  auto ofRest = llvm::filter_to_vector(
      collectNeeded(phase, collectRest(phase, copies)), isAccess);
  for (Operation *copy : ofCopies)
    for (Operation *other : ofRest)
      if (mayMeet(copy, other))
        return copy;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Obstacles
//===----------------------------------------------------------------------===//

namespace {
/// Describes an access of a phase.
struct RoundAccess {
  RunClusterOp phase;
  Operation *op;
  Value ref;
  /// True for a write that depends on payload of which only a part exists per
  /// round.
  bool isPart = false;
  /// True if every member has a part of the phase's payload.
  bool isShared = false;
};
} // namespace

bool pcf::areEqualSlices(ReadSliceOp read, WriteSliceOp write) {
  return getViewedRef(read.getSource()) == read.getSource() &&
         read.getSource() == write.getDest() &&
         isEqualConstantIntOrValueArray(read.getMixedOffsets(),
                                        write.getMixedOffsets()) &&
         isEqualConstantIntOrValueArray(read.getMixedSizes(),
                                        write.getMixedSizes()) &&
         isEqualConstantIntOrValueArray(read.getMixedStrides(),
                                        write.getMixedStrides());
}

/// Returns whether a read is the initial value of the elements that a write
/// writes: the read is yielded as payload, the written value is payload of the
/// same class, so that members have the same parts of it, and the slices are
/// equal.
static bool isInitialValue(const RoundAccess &read, const RoundAccess &write) {
  auto from = cast<ReadSliceOp>(read.op);
  auto to = cast<WriteSliceOp>(write.op);
  auto argument = dyn_cast<BlockArgument>(to.getSource());
  RunClusterOp end = write.phase;
  if (!read.isShared || !areEqualSlices(from, to) || !argument ||
      !llvm::is_contained(end.getPayloadArgs(), argument) ||
      !from.getResult().hasOneUse() ||
      !isa<ClusterYieldOp>(*from.getResult().user_begin()))
    return false;
  FailureOr<PayloadClasses> classes =
      PayloadClasses::compute(from->getParentOfType<SharedExecutorOp>());
  return succeeded(classes) &&
         classes->of(*from.getResult().use_begin()) == classes->of(argument);
}

/// Returns whether the memory is the executor's own, so that it is not used
/// after the executor.
static bool isOwn(Value ref) {
  auto argument = dyn_cast<BlockArgument>(getViewedRef(ref));
  return (argument && getAllocation(argument)) ||
         getViewedRef(ref).getDefiningOp<AllocOp>();
}

static std::optional<RoundsObstacle>
findObstacleInMemory(ArrayRef<RoundAccess> accesses) {
  for (const RoundAccess &write : accesses) {
    if (!isa<WriteSliceOp>(write.op) || (!write.isPart && isOwn(write.ref)))
      continue;
    for (const RoundAccess &other : accesses) {
      if (other.op == write.op || !mayAlias(write.ref, other.ref))
        continue;
      bool isRead = isa<ReadSliceOp>(other.op);
      if (!isRead && other.isPart == write.isPart)
        continue;
      if (isRead && write.isPart && isInitialValue(other, write))
        continue;
      return RoundsObstacle{
          other.op, std::string(isRead ? "reads" : "writes") +
                        " memory that another part of the payload writes"};
    }
  }
  return std::nullopt;
}

/// Returns whether an op outside of phases does the same in every round.
static bool isRepeatable(Operation *op) {
  return isa<RunClusterOp, TileGroupOp, BarrierOp, FenceOp, ReturnOp>(op) ||
         isa_and_nonnull<scf::SCFDialect>(op->getDialect()) ||
         op->hasTrait<mlir::OpTrait::IsTerminator>() || isMemoryEffectFree(op);
}

std::optional<RoundsObstacle>
pcf::findObstacle(SharedExecutorOp executor,
                  function_ref<int64_t(RunClusterOp)> partsOf,
                  int64_t members) {
  std::optional<RoundsObstacle> obstacle;
  SmallVector<RoundAccess> accesses;
  auto visit = [&](Operation *op) {
    auto phase = dyn_cast<RunClusterOp>(op);
    if (!phase) {
      if (!isRepeatable(op))
        obstacle = {op, "is outside of phases"};
      return obstacle ? WalkResult::interrupt() : WalkResult::advance();
    }
    PhaseSlices memory = PhaseSlices::of(phase);
    if (memory.unknown)
      obstacle = {memory.unknown, "accesses memory in ways that are not known"};
    SmallVector<WriteSliceOp> copies = collectCopies(phase);
    bool isPart = partsOf(phase) > 0, isShared = partsOf(phase) >= members;
    for (ReadSliceOp read : memory.reads)
      accesses.push_back({phase, read, read.getSource(), false, isShared});
    for (WriteSliceOp write : memory.writes)
      accesses.push_back({phase, write, write.getDest(),
                          isPart && !llvm::is_contained(copies, write),
                          isShared});
    if (Operation *meeting = isPart && !obstacle ? findMeeting(phase) : nullptr)
      obstacle = {meeting, "is in one phase with an access of payload to the "
                           "same memory"};
    return obstacle ? WalkResult::interrupt() : WalkResult::skip();
  };
  executor.getExecute().walk<WalkOrder::PreOrder>(visit);
  return obstacle ? obstacle : findObstacleInMemory(accesses);
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// Returns the handle of the phase's group without payload.
static Value getBareHandle(RunClusterOp phase) {
  auto cluster = dyn_cast<ClusterType>(phase.getGroupType());
  if (!cluster)
    return phase->getParentOfType<SharedExecutorOp>().getThreadgroup();
  for (auto group = phase->getParentOfType<TileGroupOp>(); group;
       group = group->getParentOfType<TileGroupOp>())
    for (BlockArgument handle : group.getClusters())
      if (cast<ClusterType>(handle.getType()).getId() == cluster.getId())
        return handle;
  llvm_unreachable("a cluster is defined around its phases");
}

static void eraseDead(Block &block, RewriterBase &rewriter) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDead(inner, rewriter);
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  }
}

RunClusterOp pcf::separateCopies(RunClusterOp phase, RewriterBase &rewriter) {
  SmallVector<WriteSliceOp> copies = collectCopies(phase);
  if (copies.empty())
    return {};
  SmallVector<Operation *> roots(copies.begin(), copies.end());
  llvm::SetVector<Operation *> needed = collectNeeded(phase, roots);
  rewriter.setInsertionPoint(phase);
  auto copying = RunClusterOp::create(rewriter, phase.getLoc(), Type(),
                                      getBareHandle(phase), phase.getRanges());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&copying.getBody().front());
  IRMapping mapping;
  for (Operation &op : phase.getBody().front().without_terminator())
    if (needed.contains(&op))
      rewriter.clone(op, mapping);
  // Erase the other writes in clones of branches.
  for (Operation *op : needed)
    if (op->getNumRegions())
      op->walk([&](Operation *inner) {
        Operation *clone = mapping.lookupOrNull(inner);
        if (clone && isa<WriteSliceOp>(inner) && !needed.contains(inner))
          rewriter.eraseOp(clone);
      });
  ClusterYieldOp::create(rewriter, phase.getYield().getLoc(), ValueRange());
  eraseDead(copying.getBody().front(), rewriter);
  for (WriteSliceOp copy : copies)
    rewriter.eraseOp(copy);
  eraseDead(phase.getBody().front(), rewriter);
  return copying;
}

/// Returns the memory that the executor's code writes.
static SmallVector<Value> collectWritten(SharedExecutorOp executor) {
  llvm::SetVector<Value> refs;
  executor.getExecute().walk([&](WriteSliceOp write) {
    Value ref = getViewedRef(write.getDest());
    if (ref.getParentRegion() == &executor.getExecute())
      refs.insert(ref);
  });
  return refs.takeVector();
}

Value pcf::runInRounds(SharedExecutorOp executor, Operation *after,
                       Value rounds, RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = executor.getLoc();
  Block &block = executor.getExecute().front();
  rewriter.setInsertionPointAfter(after);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ForOp::create(rewriter, loc, zero, rounds, one);
  Operation *yield = loop.getBody()->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           std::next(Block::iterator(loop)), std::prev(block.end()))))
    rewriter.moveOpBefore(&op, yield);
  rewriter.setInsertionPoint(yield);
  BarrierOp::create(rewriter, loc, executor.getScope(),
                    /*clusters=*/ValueRange(), /*ranges=*/ValueRange(),
                    collectWritten(executor));
  return loop.getInductionVar();
}

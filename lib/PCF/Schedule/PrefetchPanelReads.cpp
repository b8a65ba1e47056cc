//===- PrefetchPanelReads.cpp - Prefetching reads of shared memory --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases M and C of ping-pong (7.2 of the pcf specification) separate
// memory and computation: the first yields what it reads of panels as payload,
// and the second, after a barrier, computes with it. A further barrier orders
// more, and the reads stay between the barriers that they were between, so no
// order has to be proved.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Form/Panels.h"
#include "../Order/MovedOps.h"
#include "../Order/PhaseSlices.h"
#include "../Order/RefAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_PCFPREFETCHPANELREADS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Describes a phase that will be split in two.
struct ReadingPhase {
  RunClusterOp phase;
  /// The barrier whose copy is inserted between the two.
  BarrierOp barrier;
  SmallVector<ReadSliceOp> reads;
  /// The ops that compute the offsets of the reads.
  SetVector<Operation *> places;
};
} // namespace

static InFlightDiagnostic refuseReads(Operation *where, const Twine &why) {
  return where->emitError() << "cannot separate reads: " << why;
}

/// Returns the last barrier of all workers in the block of a loop; null without
/// one.
static BarrierOp getLastBarrier(scf::ForOp loop) {
  for (Operation &op : llvm::reverse(*loop.getBody()))
    if (auto barrier = dyn_cast<BarrierOp>(op);
        barrier && barrier.getClusters().empty() &&
        llvm::all_of(barrier.getRefs(), [&](Value ref) {
          return loop.isDefinedOutsideOfLoop(ref);
        }))
      return barrier;
  return BarrierOp();
}

/// Returns whether an op of a phase is outside of branches and loops in it.
static bool isInBody(Operation *op, RunClusterOp phase) {
  return op->getBlock() == &phase.getBody().front();
}

static bool isRead(ReadSliceOp read, RunClusterOp phase,
                   SharedExecutorOp executor) {
  return isInBody(read, phase) && isPanel(read.getSource(), executor) &&
         isa<RankedTensorType>(read.getType());
}

/// Plans the reads that move. A phase that writes a panel is rejected: the
/// order of its reads and writes would change.
static LogicalResult planReads(ReadingPhase &plan, SharedExecutorOp executor) {
  pcf::PhaseSlices memory = pcf::PhaseSlices::of(plan.phase);
  if (memory.unknown)
    return refuseReads(memory.unknown,
                       "what " + memory.unknown->getName().getStringRef() +
                           " does to memory is not known");
  for (ReadSliceOp read : memory.reads)
    if (isRead(read, plan.phase, executor))
      plan.reads.push_back(read);
  if (plan.reads.empty())
    return success();
  for (WriteSliceOp write : memory.writes)
    for (ReadSliceOp read : plan.reads)
      if (mayAlias(write.getDest(), read.getSource())) {
        InFlightDiagnostic error = refuseReads(
            write, "the phase writes memory of which it reads a panel");
        error.attachNote(read.getLoc()) << "the read";
        return error;
      }
  auto isThere = [&](Value value) {
    Block *block = value.getParentBlock();
    return !plan.phase->isAncestor(block->getParentOp()) ||
           llvm::is_contained(plan.phase.getPayloadArgs(), value);
  };
  for (ReadSliceOp read : plan.reads)
    for (Value operand : read->getOperands())
      if (!collectOps(operand, isThere, plan.places))
        return refuseReads(read,
                           "where it reads is computed from what the phase "
                           "reads");
  return success();
}

/// Returns whether a phase reads vectors of a panel.
static bool readsVectors(SharedExecutorOp executor) {
  return executor.getExecute()
      .walk([&](ReadSliceOp read) {
        return isPanel(read.getSource(), executor) &&
                       isa<VectorType>(read.getType())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static FailureOr<SmallVector<ReadingPhase>>
planExecutor(SharedExecutorOp executor) {
  SmallVector<ReadingPhase> plans;
  bool hasPhases = false;
  WalkResult result =
      executor.getExecute().walk([&](Operation *op) -> WalkResult {
        if (isa<TileGroupOp>(op))
          return refuseReads(op, "its group is partitioned already");
        if (isa<RunThreadOp>(op))
          return refuseReads(op, "it is distributed already");
        auto phase = dyn_cast<RunClusterOp>(op);
        auto loop =
            phase ? dyn_cast<scf::ForOp>(phase->getParentOp()) : scf::ForOp();
        hasPhases |= static_cast<bool>(phase);
        if (!loop || !phase.getResult())
          return WalkResult::advance();
        ReadingPhase plan{phase, getLastBarrier(loop), {}, {}};
        if (!plan.barrier)
          return WalkResult::advance();
        if (failed(planReads(plan, executor)))
          return WalkResult::interrupt();
        if (!plan.reads.empty())
          plans.push_back(std::move(plan));
        return WalkResult::advance();
      });
  if (result.wasInterrupted())
    return failure();
  if (plans.empty() && readsVectors(executor))
    return refuseReads(executor,
                       "its phases are on vectors, which are not split into "
                       "halves");
  if (plans.empty() && hasPhases)
    return refuseReads(executor,
                       "no phase with payload, in a loop with a barrier, "
                       "reads a panel");
  return plans;
}

/// Returns the payload that the phase computes with, besides the reads.
static SmallVector<BlockArgument> getNeeded(const ReadingPhase &plan) {
  RunClusterOp phase = plan.phase;
  SmallVector<BlockArgument> needed;
  for (BlockArgument argument : phase.getPayloadArgs())
    if (llvm::any_of(argument.getUsers(), [&](Operation *user) {
          return !plan.places.contains(user) &&
                 !llvm::is_contained(plan.reads, user);
        }))
      needed.push_back(argument);
  return needed;
}

/// Emits a phase that reads, and yields the needed payload and the results of
/// the reads.
static RunClusterOp emitReads(const ReadingPhase &plan,
                              ArrayRef<BlockArgument> needed,
                              RewriterBase &rewriter) {
  RunClusterOp phase = plan.phase;
  SmallVector<Type> types;
  for (BlockArgument argument : needed)
    types.push_back(argument.getType());
  for (ReadSliceOp read : plan.reads)
    types.push_back(read.getType());
  rewriter.setInsertionPoint(phase);
  Type handle = withPayload(phase.getResult().getType(), types,
                            /*isPrivate=*/false);
  auto reads = RunClusterOp::create(rewriter, phase.getLoc(), handle,
                                    phase.getSources(), phase.getRanges());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&reads.getBody().front());
  IRMapping mapping;
  mapping.map(phase.getPayloadArgs(), reads.getPayloadArgs());
  for (Operation *op : plan.places)
    rewriter.clone(*op, mapping);
  SmallVector<Value> yields;
  for (BlockArgument argument : needed)
    yields.push_back(mapping.lookup(argument));
  for (ReadSliceOp read : plan.reads)
    yields.push_back(
        rewriter.clone(*read.getOperation(), mapping)->getResult(0));
  ClusterYieldOp::create(rewriter, phase.getYield().getLoc(), yields);
  return reads;
}

static void emit(const ReadingPhase &plan, RewriterBase &rewriter) {
  RunClusterOp phase = plan.phase;
  SmallVector<BlockArgument> needed = getNeeded(plan);
  RunClusterOp reads = emitReads(plan, needed, rewriter);
  rewriter.setInsertionPoint(phase);
  rewriter.clone(*BarrierOp(plan.barrier).getOperation());
  auto rest = RunClusterOp::create(rewriter, phase.getLoc(),
                                   phase.getResult().getType(),
                                   reads.getResult(), phase.getRanges());
  rest->setDiscardableAttrs(phase->getDiscardableAttrDictionary());
  IRMapping mapping;
  for (auto [argument, handed] :
       llvm::zip(needed, rest.getPayloadArgs().take_front(needed.size())))
    mapping.map(argument, handed);
  for (auto [read, handed] :
       llvm::zip(plan.reads, rest.getPayloadArgs().drop_front(needed.size())))
    mapping.map(ReadSliceOp(read).getResult(), handed);
  rewriter.setInsertionPointToStart(&rest.getBody().front());
  for (Operation &op : phase.getBody().front())
    if (!llvm::is_contained(plan.reads, &op))
      rewriter.clone(op, mapping);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(rest.getBody().front())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  rewriter.replaceOp(phase, rest);
}

namespace {
struct PrefetchPanelReads final
    : distaff::impl::PCFPrefetchPanelReadsBase<PrefetchPanelReads> {
  void runOnOperation() override {
    SmallVector<ReadingPhase> plans;
    WalkResult result = getOperation()->walk([&](SharedExecutorOp executor) {
      FailureOr<SmallVector<ReadingPhase>> phases = planExecutor(executor);
      if (failed(phases))
        return WalkResult::interrupt();
      llvm::append_range(plans, std::move(*phases));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (const ReadingPhase &plan : plans)
      emit(plan, rewriter);
  }
};
} // namespace

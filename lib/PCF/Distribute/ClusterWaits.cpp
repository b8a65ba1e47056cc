//===- ClusterWaits.cpp - Splitting phases at barriers --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ClusterWaits.h"

#include "WaitsInLoops.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Splits one phase into two, at a barrier of its body.
class WaitSplit {
public:
  WaitSplit(RunThreadOp phase, BarrierOp wait, RewriterBase &rewriter)
      : phase(phase), wait(wait),
        cluster(lookupCluster(phase,
                              cast<ClusterType>(phase.getGroupType()).getId())),
        rewriter(rewriter) {}

  /// Returns the two phases, with a barrier between them if one is given; the
  /// second alone if nothing is done before.
  PhaseHalves emit(std::optional<ClusterBarrier> barrier);

private:
  bool isBeforeWait(Value value);
  void collectCrossing();
  RunThreadOp makePhase(Type result, ValueRange sources);
  RunThreadOp emitHead();
  void emitBarrier(ClusterBarrier barrier);
  void fillHead(RunThreadOp head);
  void fillTail(RunThreadOp tail);

  RunThreadOp phase;
  BarrierOp wait;
  /// The handle of the cluster itself, without payload.
  Value cluster;
  RewriterBase &rewriter;
  /// The values that the second phase takes as payload, and the ops that it
  /// rematerializes, in order.
  llvm::SetVector<Value> carried;
  SmallVector<Operation *> remade;
};
} // namespace

/// Returns the ops before the wait that can be rematerialized after it: they
/// compute numbers, views of memory, and vectors that hold no data, such as
/// masks and indices.
static llvm::SetVector<Operation *> collectRemakeable(BarrierOp wait) {
  llvm::SetVector<Operation *> found;
  for (Operation &op : *wait->getBlock()) {
    if (&op == wait)
      break;
    auto holdsData = [&](Value operand) {
      Operation *maker = operand.getDefiningOp();
      bool isRemakeable =
          maker && (found.contains(maker) ||
                    maker->hasTrait<mlir::OpTrait::ConstantLike>());
      return isa<VectorType>(operand.getType()) && !isRemakeable;
    };
    if (isPure(&op) && op.getNumRegions() == 0 &&
        llvm::none_of(op.getOperands(), holdsData))
      found.insert(&op);
  }
  return found;
}

/// Returns whether an op defines how a product takes its operand: by which
/// instruction, and of which type. The op must be in one phase with the
/// product.
static bool isOfProduct(Operation *op) {
  auto anchor = dyn_cast<vector_ext::ToLayoutOp>(op);
  return anchor ? bool(anchor.getMmaKindAttr()) : isExactExtension(op);
}

/// Returns whether a value is computed by the phase before the wait, or is its
/// payload.
bool WaitSplit::isBeforeWait(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return llvm::is_contained(phase.getPayloadArgs(), argument);
  Operation *op = value.getDefiningOp();
  return op->getBlock() == wait->getBlock() && op->isBeforeInBlock(wait);
}

void WaitSplit::collectCrossing() {
  llvm::SetVector<Operation *> remakeable = collectRemakeable(wait);
  SmallVector<Value> pending;
  for (Operation *op = wait->getNextNode(); op; op = op->getNextNode())
    op->walk([&](Operation *user) {
      llvm::append_range(pending, user->getOperands());
    });
  llvm::SmallPtrSet<Operation *, 16> makers;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!isBeforeWait(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !(remakeable.contains(op) || isOfProduct(op)))
      carried.insert(value);
    else if (makers.insert(op).second)
      llvm::append_range(pending, op->getOperands());
  }
  // Definitions come before their uses.
  for (Operation &op : *wait->getBlock())
    if (makers.contains(&op))
      remade.push_back(&op);
}

RunThreadOp WaitSplit::makePhase(Type result, ValueRange sources) {
  auto made = RunThreadOp::create(rewriter, phase.getLoc(), result, sources,
                                  phase.getRanges());
  made->setDiscardableAttrs(phase->getDiscardableAttrDictionary());
  return made;
}

RunThreadOp WaitSplit::emitHead() {
  SmallVector<Type> types(TypeRange(carried.getArrayRef()));
  Type result = types.empty() ? Type()
                              : withPayload(phase.getGroupType(), types,
                                            /*isPrivate=*/true);
  return makePhase(result, phase.getSources());
}

void WaitSplit::emitBarrier(ClusterBarrier barrier) {
  SmallVector<Value> clusters, ranges;
  if (barrier == ClusterBarrier::OfCluster) {
    clusters.push_back(cluster);
    llvm::append_range(ranges, phase.getRanges());
  }
  BarrierOp::create(rewriter, wait.getLoc(), wait.getScope(), clusters, ranges,
                    wait.getRefs());
}

void WaitSplit::fillTail(RunThreadOp tail) {
  Block *from = wait->getBlock(), *to = &tail.getBody().front();
  to->getOperations().splice(to->end(), from->getOperations(),
                             std::next(wait->getIterator()), from->end());
  IRMapping mapping;
  mapping.map(phase.getIds(), tail.getIds());
  mapping.map(carried.getArrayRef(), tail.getPayloadArgs());
  rewriter.setInsertionPointToStart(to);
  for (auto [value, there] : llvm::zip_equal(carried, tail.getPayloadArgs()))
    if (auto anchor = value.getDefiningOp<vector_ext::ToLayoutOp>()) {
      // No other op of the phase may define the layout.
      IRMapping converted;
      converted.map(anchor.getInput(), there);
      mapping.map(value, rewriter.clone(*anchor, converted)->getResult(0));
    }
  for (Operation *op : remade)
    rewriter.clone(*op, mapping);
  for (auto [value, there] : mapping.getValueMap())
    rewriter.replaceUsesWithIf(value, there, [&](OpOperand &use) {
      return tail->isProperAncestor(use.getOwner());
    });
}

void WaitSplit::fillHead(RunThreadOp head) {
  Block *from = wait->getBlock(), *to = &head.getBody().front();
  rewriter.setInsertionPoint(wait);
  ClusterYieldOp::create(rewriter, head.getLoc(), carried.getArrayRef());
  rewriter.eraseOp(wait);
  to->getOperations().splice(to->end(), from->getOperations());
  for (auto [argument, there] :
       llvm::zip_equal(from->getArguments(), to->getArguments()))
    rewriter.replaceAllUsesWith(argument, there);
}

/// Returns whether a phase does nothing before a wait, so that the barrier may
/// stand before it.
static bool beginsWith(RunThreadOp phase, BarrierOp wait) {
  Block &body = phase.getBody().front();
  return std::all_of(body.begin(), wait->getIterator(),
                     [](Operation &op) { return isPure(&op); });
}

PhaseHalves WaitSplit::emit(std::optional<ClusterBarrier> barrier) {
  OpBuilder::InsertionGuard restore(rewriter);
  rewriter.setInsertionPoint(phase);
  if (beginsWith(phase, wait)) {
    if (barrier)
      emitBarrier(*barrier);
    rewriter.eraseOp(wait);
    return {RunThreadOp(), phase};
  }
  collectCrossing();
  RunThreadOp head = emitHead();
  if (barrier)
    emitBarrier(*barrier);
  Type result = phase.getResult() ? phase.getResult().getType() : Type();
  RunThreadOp tail =
      makePhase(result, head.getResult() ? Value(head.getResult()) : cluster);
  fillTail(tail);
  fillHead(head);
  if (phase.getResult())
    rewriter.replaceAllUsesWith(phase.getResult(), tail.getResult());
  rewriter.eraseOp(phase);
  return {head, tail};
}

PhaseHalves pcf::splitBefore(RunThreadOp phase, Operation *op,
                             RewriterBase &rewriter) {
  OpBuilder::InsertionGuard restore(rewriter);
  rewriter.setInsertionPoint(op);
  auto here = BarrierOp::create(rewriter, op->getLoc(), phase.getScope(),
                                /*clusters=*/ValueRange(),
                                /*ranges=*/ValueRange(), /*refs=*/ValueRange());
  return WaitSplit(phase, here, rewriter).emit(std::nullopt);
}

/// Returns whether all workers reach an op: it is in no group that a cluster is
/// split into.
static bool isMetByAll(Operation *op) {
  for (auto group = op->getParentOfType<TileGroupOp>(); group;
       group = group->getParentOfType<TileGroupOp>())
    if (isa<ClusterType>(group.getSource().getType()))
      return false;
  return true;
}

/// Returns the first barrier of a phase at which its members wait; null without
/// one.
static BarrierOp findWait(RunThreadOp phase) {
  BarrierOp found;
  phase.getBody().walk([&](BarrierOp wait) {
    if (wait.getScope() != phase.getScope())
      return WalkResult::advance();
    found = wait;
    return WalkResult::interrupt();
  });
  return found;
}

FailureOr<RunThreadOp> pcf::splitAtWaits(RunThreadOp phase,
                                         ClusterBarrier barrier,
                                         RewriterBase &rewriter) {
  while (BarrierOp wait = findWait(phase)) {
    if (barrier == ClusterBarrier::OfAll && !isMetByAll(phase))
      return phase.emitError(
          "cannot distribute this phase: members of a part of a cluster need "
          "what others hold, and the target has no barrier of some subgroups; "
          "split the workgroup once");
    Operation *around = phase.getBody().front().findAncestorOpInBlock(*wait);
    if (around == wait) {
      phase = WaitSplit(phase, wait, rewriter).emit(barrier).tail;
      continue;
    }
    FailureOr<RunThreadOp> tail = splitAround(phase, around, barrier, rewriter);
    if (failed(tail))
      return failure();
    phase = *tail;
  }
  return phase;
}

LogicalResult pcf::waitWithAll(SharedExecutorOp executor,
                               RewriterBase &rewriter) {
  SmallVector<BarrierOp> some;
  executor.getExecute().walk([&](BarrierOp wait) {
    if (!wait.getClusters().empty() && wait.getScope() == executor.getScope())
      some.push_back(wait);
  });
  for (BarrierOp wait : some)
    if (!isMetByAll(wait))
      return wait.emitOpError(
          "is among parts of a cluster, and the target has no barrier of some "
          "subgroups; split the workgroup once, so that all subgroups can wait "
          "here");
  OpBuilder::InsertionGuard restore(rewriter);
  for (BarrierOp wait : some) {
    rewriter.setInsertionPoint(wait);
    BarrierOp::create(rewriter, wait.getLoc(), wait.getScope(),
                      /*clusters=*/ValueRange(), /*ranges=*/ValueRange(),
                      wait.getRefs());
    rewriter.eraseOp(wait);
  }
  return success();
}

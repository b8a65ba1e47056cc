//===- Relayout.cpp - Layout conversions between phases -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Relayout.h"

#include "TensorMemory.h"
#include "WorkerGrids.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Emits the conversion of fields of one handle.
class RelayoutEmitter {
public:
  RelayoutEmitter(RunClusterOp like, const PayloadClasses &classes,
                  unsigned cls, const ClassDistribution &to,
                  DistributionAttrInterface way, RewriterBase &rewriter)
      : like(like), classes(classes), cls(cls), to(to), way(way),
        rewriter(rewriter) {}

  /// Returns the handle with the fields of the class converted, at the
  /// insertion point.
  FailureOr<Value> run(Value handle);

private:
  bool isMoved(Value handle, unsigned index) const {
    return classes.of(PayloadField{handle, index}) == cls;
  }
  RunClusterOp makePhase(Value handle, bool yields);
  Value runInside(Value handle);
  FailureOr<Value> runThroughMemory(Value handle);
  void addBarrier(ValueRange panels);
  bool repeats();

  RunClusterOp like;
  const PayloadClasses &classes;
  unsigned cls;
  const ClassDistribution &to;
  DistributionAttrInterface way;
  RewriterBase &rewriter;
};
} // namespace

RunClusterOp RelayoutEmitter::makePhase(Value handle, bool yields) {
  return RunClusterOp::create(rewriter, like.getLoc(),
                              yields ? handle.getType() : Type(), handle,
                              like.getRanges());
}

/// Emits one phase if the distribution can move values in it; null otherwise.
Value RelayoutEmitter::runInside(Value handle) {
  RunClusterOp phase = makePhase(handle, /*yields=*/true);
  WorkerGrid grid = getWorkerGrid(like);
  rewriter.setInsertionPointToStart(&phase.getBody().front());
  SmallVector<Value> yielded;
  for (auto [index, argument] : llvm::enumerate(phase.getPayloadArgs())) {
    yielded.push_back(argument);
    if (isMoved(handle, index))
      yielded.back() = way.relay(like, grid, argument, to, rewriter);
    if (yielded.back())
      continue;
    rewriter.setInsertionPointAfter(phase);
    rewriter.eraseOp(phase);
    return {};
  }
  ClusterYieldOp::create(rewriter, like.getLoc(), yielded);
  rewriter.setInsertionPointAfter(phase);
  return phase.getResult();
}

/// Adds a barrier of the workers of the group alone.
void RelayoutEmitter::addBarrier(ValueRange panels) {
  SmallVector<Value> clusters, ranges;
  if (auto cluster = dyn_cast<ClusterType>(like.getGroupType())) {
    clusters.push_back(lookupCluster(like, cluster.getId()));
    llvm::append_range(ranges, like.getRanges());
  }
  BarrierOp::create(rewriter, like.getLoc(), like.getScope(), clusters, ranges,
                    panels);
}

/// Returns whether the phase runs more than once.
bool RelayoutEmitter::repeats() {
  for (Operation *op = like->getParentOp(); op; op = op->getParentOp())
    if (isa<LoopLikeOpInterface, LoopOp>(op))
      return true;
  return false;
}

FailureOr<Value> RelayoutEmitter::runThroughMemory(Value handle) {
  auto executor = like->getParentOfType<SharedExecutorOp>();
  auto type = cast<ShapedType>(classes.sharedType(cls));
  OpBuilder::InsertPoint here = rewriter.saveInsertionPoint();
  SmallVector<std::optional<TensorMemory>> memories;
  SmallVector<Value> refs;
  for (unsigned index : llvm::seq(getPayload(handle.getType()).size())) {
    memories.emplace_back();
    if (!isMoved(handle, index))
      continue;
    if (type.hasStaticShape())
      memories.back() = TensorMemory::allocate(executor, type, rewriter);
    if (!memories.back())
      return like.emitError()
             << "cannot relay a value of type " << type << " to "
             << to.perWorker
             << ": that needs memory of a static size, which scope "
             << like.getScope() << " is to allocate";
    refs.push_back(memories.back()->ref);
  }
  rewriter.restoreInsertionPoint(here);
  if (repeats()) // The panels of the previous iteration have been read.
    addBarrier(refs);

  RunClusterOp write = makePhase(handle, /*yields=*/false);
  addBarrier(refs);
  RunClusterOp read = makePhase(handle, /*yields=*/true);
  rewriter.setInsertionPointToStart(&write.getBody().front());
  for (auto [argument, memory] :
       llvm::zip_equal(write.getPayloadArgs(), memories))
    if (memory)
      memory->write(argument, like.getLoc(), rewriter);
  ClusterYieldOp::create(rewriter, like.getLoc());

  rewriter.setInsertionPointToStart(&read.getBody().front());
  SmallVector<Value> yielded;
  for (auto [argument, memory] :
       llvm::zip_equal(read.getPayloadArgs(), memories))
    yielded.push_back(memory ? memory->read(type, like.getLoc(), rewriter)
                             : Value(argument));
  ClusterYieldOp::create(rewriter, like.getLoc(), yielded);
  rewriter.setInsertionPointAfter(read);
  return read.getResult();
}

FailureOr<Value> RelayoutEmitter::run(Value handle) {
  if (Value relayed = runInside(handle))
    return relayed;
  return runThroughMemory(handle);
}

LogicalResult pcf::insertRelayout(const ClassConflict &conflict,
                                  const PayloadClasses &classes,
                                  DistributionAttrInterface way,
                                  RewriterBase &rewriter) {
  RunClusterOp phase = conflict.phase;
  auto hasField = [&](Value handle) {
    for (unsigned index : llvm::seq(getPayload(handle.getType()).size()))
      if (classes.of(PayloadField{handle, index}) == conflict.cls)
        return true;
    return false;
  };
  for (OpOperand &source : phase.getSourcesMutable()) {
    if (!hasField(source.get()))
      continue;
    rewriter.setInsertionPoint(phase);
    FailureOr<Value> relayed = RelayoutEmitter(phase, classes, conflict.cls,
                                               conflict.needed, way, rewriter)
                                   .run(source.get());
    if (failed(relayed))
      return failure();
    rewriter.modifyOpInPlace(phase, [&] { source.set(*relayed); });
  }
  Value result = phase.getResult();
  if (!result || !hasField(result))
    return success();
  SmallVector<OpOperand *> uses = llvm::map_to_vector(
      result.getUses(), [](OpOperand &use) { return &use; });
  rewriter.setInsertionPointAfter(phase);
  FailureOr<Value> relayed = RelayoutEmitter(phase, classes, conflict.cls,
                                             conflict.fixed, way, rewriter)
                                 .run(result);
  if (failed(relayed))
    return failure();
  for (OpOperand *use : uses)
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(*relayed); });
  return success();
}

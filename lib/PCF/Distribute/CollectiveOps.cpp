//===- CollectiveOps.cpp - Collective ops outside of phases ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CollectiveOps.h"

#include "CarriedValues.h"
#include "TiledBody.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::pcf;

static bool mentionsShaped(Operation *op) {
  auto isShaped = llvm::IsaPred<TensorType, VectorType>;
  return llvm::any_of(op->getOperandTypes(), isShaped) ||
         llvm::any_of(op->getResultTypes(), isShaped);
}

/// Returns whether the op only orders the workers' accesses.
static bool isOrder(Operation *op) {
  return isa<BarrierOp, FenceOp, iree::FenceOp, iree::LaneBarrierOp,
             iree::GlobalSubgroupBarrierOp>(op);
}

bool pcf::isUniformLoad(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && load.getMemRef().getDefiningOp<GetMemrefOp>();
}

bool pcf::isCollectiveOp(Operation *op) {
  if (handsOnValues(op) || isOrder(op) || isUniformLoad(op) ||
      isa<RefOwnerOpInterface, TileGroupOp, RunClusterOp, RunThreadOp, AllocOp,
          memref::AllocOp, tensor::DimOp>(op) ||
      op->hasTrait<mlir::OpTrait::IsTerminator>())
    return false;
  // Every phase that uses such a value rematerializes it.
  if (op->getNumResults() == 1 && isRemade(op->getResult(0)))
    return false;
  return mentionsShaped(op) || !isMemoryEffectFree(op);
}

void pcf::walkCollectiveCode(Region &region,
                             llvm::function_ref<void(Operation *)> visit) {
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    return isCollectiveOp(op) ||
                   isa<RunClusterOp, RunThreadOp, RefOwnerOpInterface>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
}

bool pcf::hasCollectiveOps(SharedExecutorOp executor) {
  bool found = false;
  walkCollectiveCode(executor.getExecute(),
                     [&](Operation *op) { found |= isCollectiveOp(op); });
  return found;
}

SmallVector<RunClusterOp> pcf::collectPhases(SharedExecutorOp executor) {
  SmallVector<RunClusterOp> phases;
  executor.getExecute().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto phase = dyn_cast<RunClusterOp>(op))
      phases.push_back(phase);
    return isa<SharedExecutorOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  return phases;
}

SmallVector<SharedExecutorOp> pcf::collectUnformed(Operation *root,
                                                   Attribute scope) {
  SmallVector<SharedExecutorOp> executors;
  root->walk([&](SharedExecutorOp executor) {
    if ((!scope || executor.getScope() == scope) && hasCollectiveOps(executor))
      executors.push_back(executor);
  });
  return executors;
}

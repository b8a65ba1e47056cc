//===- Synchronization.cpp - Barriers and fences of a vendor --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The neutral ops of iree_gpu become instructions here and not earlier, so that
// no pass can merge two barriers between which other subgroups wait.
//
// NVIDIA: a barrier orders the memory accesses of all lanes that wait at it
// (PTX ISA, "bar, barrier"), so a fence beside it is dropped; lanes of a
// subgroup wait by bar.warp.sync, which orders them too. AMD: s_barrier orders
// nothing, lanes are in lock step, and before gfx1250 there is one barrier;
// gfx12 separates the arrival from the wait.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using namespace distaff::iree;

/// Returns whether a barrier follows a release, or precedes an acquire, with
/// only fences in between.
static bool isBesideBarrier(iree::FenceOp fence) {
  bool isRelease = fence.getKind() == pcf::FenceKind::release;
  Operation *op = fence;
  do
    op = isRelease ? op->getNextNode() : op->getPrevNode();
  while (isa_and_nonnull<iree::FenceOp>(op));
  return isa_and_nonnull<GlobalSubgroupBarrierOp>(op) ||
         (fence.getLevel() == FenceLevel::subgroup &&
          isa_and_nonnull<LaneBarrierOp>(op));
}

static void lowerFence(iree::FenceOp fence, OpBuilder &builder,
                       const SyncEmission &emission) {
  StringRef scope = emission.fenceScope(fence.getLevel());
  bool isNeeded =
      !scope.empty() && !(emission.barriersOrder && isBesideBarrier(fence));
  if (isNeeded)
    LLVM::FenceOp::create(builder, fence.getLoc(),
                          fence.getKind() == pcf::FenceKind::release
                              ? LLVM::AtomicOrdering::release
                              : LLVM::AtomicOrdering::acquire,
                          scope);
}

static LogicalResult lowerBarrier(GlobalSubgroupBarrierOp barrier,
                                  OpBuilder &builder, const Target &target,
                                  const SyncEmission &emission) {
  Location loc = barrier.getLoc();
  if (!barrier.getId()) {
    emission.barrier(builder, loc, Value(), Value());
    return success();
  }
  if (!target.barriers.named)
    return barrier.emitOpError("target has no named barriers: ")
           << target.name
           << " has one barrier, for all of a workgroup; wait at that one, "
              "where every subgroup comes by equally often";
  Type i32 = builder.getI32Type();
  Value id = arith::ConstantIntOp::create(builder, loc, i32, *barrier.getId());
  std::optional<int64_t> known = getConstantIntValue(barrier.getThreads());
  if (known && (*known <= 0 || *known % target.subgroupSize))
    return barrier.emitOpError("waits for ")
           << *known << " threads, which are not whole subgroups of "
           << target.subgroupSize;
  Value threads =
      arith::IndexCastUIOp::create(builder, loc, i32, barrier.getThreads());
  emission.barrier(builder, loc, id, threads);
  return success();
}

LogicalResult distaff::lowerSynchronization(func::FuncOp kernel,
                                            const Target &target,
                                            const SyncEmission &emission) {
  SmallVector<iree::FenceOp> fences;
  SmallVector<Operation *> barriers;
  kernel.walk([&](Operation *op) {
    if (auto fence = dyn_cast<iree::FenceOp>(op))
      fences.push_back(fence);
    else if (isa<GlobalSubgroupBarrierOp, LaneBarrierOp>(op))
      barriers.push_back(op);
  });
  OpBuilder builder(kernel.getContext());
  // Fences look at adjacent ops, so all stay until all are converted.
  for (iree::FenceOp fence : fences) {
    builder.setInsertionPoint(fence);
    lowerFence(fence, builder, emission);
  }
  for (Operation *op : barriers) {
    builder.setInsertionPoint(op);
    if (auto barrier = dyn_cast<GlobalSubgroupBarrierOp>(op)) {
      if (failed(lowerBarrier(barrier, builder, target, emission)))
        return failure();
    } else {
      emission.laneBarrier(builder, op->getLoc());
    }
  }
  for (iree::FenceOp fence : fences)
    fence.erase();
  for (Operation *op : barriers)
    op->erase();
  return success();
}

//===- LaunchIds.cpp - Ids and sizes of the launch ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroup and subgroup sizes are constants of the kernel, so `gpu.block_dim`
// is a number, and the subgroup's id is the linear thread id divided by one. A
// lane's global id is its id in the workgroup plus the lanes of the workgroups
// before. Ids in the workgroup carry its sizes as bounds: without them a
// convolution of 32 gathered elements per lane compared each position with an
// extent of 108, though 28 positions are always or never below it, and spilled
// 51 scalar registers.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;

/// Returns workgroup * size + thread, along one dim.
static Value globalId(OpBuilder &builder, Location loc, gpu::Dimension dim,
                      int64_t size) {
  Value group = gpu::BlockIdOp::create(builder, loc, dim);
  if (size == 1)
    return group;
  Value first = arith::MulIOp::create(
      builder, loc, group, arith::ConstantIndexOp::create(builder, loc, size));
  return arith::AddIOp::create(builder, loc, first,
                               gpu::ThreadIdOp::create(builder, loc, dim));
}

/// Returns the id of the subgroup that contains a lane.
static Value subgroupId(OpBuilder &builder, Location loc, LaunchSizes sizes,
                        UniformEmission uniform) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (sizes.numLanes() <= *sizes.subgroup)
    return constant(0);
  Value id = arith::DivUIOp::create(
      builder, loc, linearLaneId(builder, loc, *sizes.workgroup),
      constant(*sizes.subgroup));
  if (!uniform)
    return id;
  Value number =
      arith::IndexCastUIOp::create(builder, loc, builder.getI32Type(), id);
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      uniform(builder, loc, number));
}

LogicalResult distaff::lowerLaunchIds(func::FuncOp kernel,
                                      UniformEmission uniform) {
  LaunchSizes sizes = launchSizesOf(kernel);
  const std::array<int64_t, 3> &size = *sizes.workgroup;
  OpBuilder builder(kernel.getContext());
  auto replace = [&](Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  auto constant = [&](Operation *op, int64_t value) {
    return arith::ConstantIndexOp::create(builder, op->getLoc(), value);
  };

  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    builder.setInsertionPoint(op);
    if (auto dim = dyn_cast<gpu::BlockDimOp>(op)) {
      replace(op, constant(op, size[unsigned(dim.getDimension())]));
      return WalkResult::skip();
    }
    if (auto id = dyn_cast<gpu::GlobalIdOp>(op)) {
      replace(op, globalId(builder, op->getLoc(), id.getDimension(),
                           size[unsigned(id.getDimension())]));
      return WalkResult::skip();
    }
    if (!isa<gpu::SubgroupIdOp, gpu::NumSubgroupsOp, gpu::SubgroupSizeOp>(op))
      return WalkResult::advance();
    if (!sizes.subgroup)
      return op->emitOpError("needs the subgroup_size of translation_info");
    if (isa<gpu::SubgroupSizeOp>(op))
      replace(op, constant(op, *sizes.subgroup));
    else if (isa<gpu::NumSubgroupsOp>(op))
      replace(op, constant(
                      op, llvm::divideCeil(sizes.numLanes(), *sizes.subgroup)));
    else
      replace(op, subgroupId(builder, op->getLoc(), sizes, uniform));
    return WalkResult::skip();
  });
  // LLVM's intrinsics for ids are declared for workgroups of any size (VX-298).
  kernel.walk([&](gpu::ThreadIdOp id) {
    id.setUpperBoundAttr(
        builder.getIndexAttr(size[unsigned(id.getDimension())]));
  });
  return failure(walk.wasInterrupted());
}

//===- MemberSync.cpp - Synchronization of members ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Distribution/Sync/MemberSync.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;

void WorkgroupSync::wait(OpBuilder &b, Location loc) const {
  gpu::BarrierOp::create(b, loc);
}

// The gpu dialect has neither a split barrier (arrive without wait) nor a
// fence.
LogicalResult WorkgroupSync::arrive(OpBuilder &, Location) const {
  return failure();
}

LogicalResult WorkgroupSync::fence(OpBuilder &, Location) const {
  return failure();
}

bool WorkgroupSync::isWait(Operation *op) const {
  return isa<gpu::BarrierOp>(op);
}

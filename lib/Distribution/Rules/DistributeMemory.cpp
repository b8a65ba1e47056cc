//===- DistributeMemory.cpp - Scalar accesses of the source ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread computes a scalar of the undistributed program. All may load it;
// only one may store it.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

using namespace distaff;

static MemoryAccess accessOf(Value memref, ValueRange position, bool writes,
                             Distributor &out) {
  MemoryBox box;
  for (Value index : position)
    box.add(index, 1, out.motions);
  return {memref, writes, out.hazards.newGroup(), std::move(box),
          /*isOrdered=*/true};
}

LogicalResult distaff::distribute(memref::LoadOp op, Distributor &out) {
  out.hazards.record(op, accessOf(op.getMemRef(), op.getIndices(), false, out));
  return success();
}

LogicalResult distaff::distribute(memref::StoreOp op, Distributor &out) {
  // A thread id in the address or value means that each of the source's own
  // threads stores here.
  bool uniform = llvm::all_of(op->getOperands(), [&](Value operand) {
    return out.uniformity.isUniform(operand);
  });
  OpBuilder b(op);
  Value one = uniform && !out.uniformity.divergentParent(op)
                  ? out.ids.isCanonical(ArrayRef<Digit>{}, ArrayRef<Digit>{})
                  : Value();
  Operation *emitted =
      emitGuarded(b, op.getLoc(), one, [&](OpBuilder &b) { b.clone(*op); });
  out.hazards.record(emitted,
                     accessOf(op.getMemRef(), op.getIndices(), true, out));
  op->erase();
  return success();
}

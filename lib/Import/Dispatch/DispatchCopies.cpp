//===- DispatchCopies.cpp - Copies between bindings as tensors ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IREE bufferizes a dispatch that only copies before it configures the
// dispatch:
//
//   linalg.generic ... ins(%a : memref<4x8xf32>) outs(%part : memref<4x8xf32>)
//
// where the buffers are bindings or views of them. As loads and stores of
// tensors it is like every other dispatch.
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;
using namespace distaff::dispatch;

/// Returns whether an op reads and writes whole buffers, and may do so as
/// tensors.
static bool isOnBuffers(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return isa<memref::CopyOp>(op) ||
         (linalgOp && linalgOp.hasPureBufferSemantics());
}

static bool usesMemRefs(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    return isa<BaseMemRefType>(operand.getType());
  });
}

static bool makesBuffer(Operation *op) {
  return op->getNumResults() == 1 &&
         isa<MemRefType>(op->getResult(0).getType()) && isMemoryEffectFree(op);
}

static Value loadTensor(OpBuilder &b, Location loc, Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return buffer;
  return iree::LoadFromBufferOp::create(
      b, loc, RankedTensorType::get(type.getShape(), type.getElementType()),
      buffer);
}

static void raiseCopy(memref::CopyOp copy) {
  OpBuilder b(copy);
  Value tensor = loadTensor(b, copy.getLoc(), copy.getSource());
  iree::StoreToBufferOp::create(b, copy.getLoc(), tensor, copy.getTarget());
  copy.erase();
}

static void raiseLinalg(linalg::LinalgOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    return loadTensor(b, loc, operand);
  });
  auto inits =
      llvm::map_to_vector(op.getDpsInitsMutable(), [&](OpOperand &init) {
        return operands[init.getOperandNumber()];
      });
  Operation *raised =
      clone(b, op.getOperation(), ValueRange(inits).getTypes(), operands);
  for (auto [result, init] :
       llvm::zip_equal(raised->getResults(), op.getDpsInits()))
    iree::StoreToBufferOp::create(b, loc, result, init);
  op.erase();
}

void distaff::raiseCopies(func::FuncOp function) {
  SmallVector<Operation *> ops;
  WalkResult walked = function.walk([&](Operation *op) {
    if (!usesMemRefs(op) || makesBuffer(op))
      return WalkResult::advance();
    ops.push_back(op);
    return isOnBuffers(op) && op->getParentOp() == function
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  bool ownsMemory =
      function.walk([](memref::AllocOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (walked.wasInterrupted() || ownsMemory)
    return;
  for (Operation *op : ops)
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      raiseCopy(copy);
    else
      raiseLinalg(cast<linalg::LinalgOp>(op));
}

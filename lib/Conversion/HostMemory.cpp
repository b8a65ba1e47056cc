//===- HostMemory.cpp - Where kernels of a CPU keep what they allocate ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   memref.alloca   the stack, at the start of the function: one for all
//                   workgroups of a range
//   memref.alloc    the heap, by aligned_alloc (VX-197): of a size that is
//                   known at the start of the function, too, else where it
//                   stands; freed where the block that it is in ends
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "distaff/CheckedSize.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;

/// Of a cache's line, and of the widest vectors.
static constexpr int64_t hostAlignment = 64;

static LogicalResult placeOnStack(memref::AllocaOp op, func::FuncOp kernel,
                                  int64_t &taken) {
  MemRefType type = op.getType();
  if (!type.hasStaticShape())
    return op->emitOpError("has a size that only a launch knows; a CPU's "
                           "workgroup has memory on the stack");
  taken = saturatingSum(
      taken, saturatingProduct(type.getNumElements(),
                               bytesInMemory(type.getElementType())));
  if (taken > hostWorkgroupBytes)
    return op->emitOpError("of ")
           << type << " is more than a workgroup of a CPU has: "
           << (hostWorkgroupBytes >> 10)
           << " KiB of stack for all that it allocates";
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.front());
  Value memory = memref::AllocaOp::create(b, op->getLoc(), type, ValueRange(),
                                          b.getI64IntegerAttr(hostAlignment));
  op.replaceAllUsesWith(memory);
  op.erase();
  return success();
}

/// Whether there is memory at an address, or nothing that needs any.
static Value isThere(OpBuilder &b, memref::AllocOp op) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op.getMemref());
  Value isThere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, address, zero);
  for (Value extent : op.getDynamicSizes()) {
    Value isEmpty =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, extent, zero);
    isThere = arith::OrIOp::create(b, loc, isThere, isEmpty);
  }
  return isThere;
}

static void placeOnHeap(memref::AllocOp op, func::FuncOp kernel) {
  if (op.getType().hasStaticShape())
    op->moveBefore(&kernel.front().front());
  op.setAlignment(hostAlignment);
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  std::string message = "no memory is left for a ";
  llvm::raw_string_ostream(message)
      << op.getType() << " of kernel '" << kernel.getName() << "'";
  cf::AssertOp::create(b, loc, isThere(b, op), message);
  b.setInsertionPoint(op->getBlock()->getTerminator());
  memref::DeallocOp::create(b, loc, op.getMemref());
}

LogicalResult distaff::placeHostMemory(func::FuncOp kernel) {
  kernel.walk([](memref::DeallocOp op) { op.erase(); });
  SmallVector<memref::AllocOp> onHeap;
  kernel.walk([&](memref::AllocOp op) { onHeap.push_back(op); });
  for (memref::AllocOp op : onHeap)
    placeOnHeap(op, kernel);
  SmallVector<memref::AllocaOp> onStack;
  kernel.walk([&](memref::AllocaOp op) { onStack.push_back(op); });
  int64_t taken = 0;
  for (memref::AllocaOp op : onStack)
    if (failed(placeOnStack(op, kernel, taken)))
      return failure();
  return success();
}

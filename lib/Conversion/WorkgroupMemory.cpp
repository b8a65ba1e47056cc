//===- WorkgroupMemory.cpp - Workgroup memory as globals ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation is one uninitialised global of the workgroup space, aligned
// for the widest access. Their sum must fit into what a kernel can declare.
// Private allocations stay where they are, aligned alike.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;

template <typename Op> static int64_t alignmentOf(Op alloc) {
  return int64_t(
      std::max(kPromisedAlignment, alloc.getAlignment().value_or(1)));
}

static int64_t bytesOf(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  int64_t bits = type.getElementType().isIndex()
                     ? 64
                     : int64_t(type.getElementTypeBitWidth());
  return llvm::alignTo(type.getNumElements() * llvm::divideCeil(bits, 8),
                       alignmentOf(alloc));
}

static void placeInGlobal(memref::AllocOp alloc, func::FuncOp kernel,
                          int64_t number) {
  OpBuilder builder(kernel);
  std::string name = (kernel.getName() + "__workgroup_" + Twine(number)).str();
  memref::GlobalOp::create(builder, alloc.getLoc(), name,
                           builder.getStringAttr("private"), alloc.getType(),
                           /*initial_value=*/builder.getUnitAttr(),
                           /*constant=*/false,
                           builder.getI64IntegerAttr(alignmentOf(alloc)));
  builder.setInsertionPoint(alloc);
  Value memory = memref::GetGlobalOp::create(builder, alloc.getLoc(),
                                             alloc.getType(), name);
  alloc.replaceAllUsesWith(memory);
  alloc.erase();
}

LogicalResult distaff::placeWorkgroupMemory(func::FuncOp kernel,
                                            const Target &target) {
  SmallVector<memref::AllocOp> allocs;
  int64_t bytes = 0;
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      dealloc.erase(); // workgroup memory lives as long as the workgroup
      return WalkResult::skip();
    }
    if (auto alloca = dyn_cast<memref::AllocaOp>(op))
      alloca.setAlignment(alignmentOf(alloca));
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc)
      return WalkResult::advance();
    if (!alloc.getType().hasStaticShape() ||
        !alloc.getType().getLayout().isIdentity())
      return op->emitOpError("of workgroup memory needs a static shape and no "
                             "layout");
    allocs.push_back(alloc);
    bytes += bytesOf(alloc);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (bytes > target.sharedMemoryBytes)
    return kernel.emitOpError("needs ")
           << bytes << " bytes of workgroup memory, " << target.name << " has "
           << target.sharedMemoryBytes;
  for (auto [number, alloc] : llvm::enumerate(allocs))
    placeInGlobal(alloc, kernel, number);
  return success();
}

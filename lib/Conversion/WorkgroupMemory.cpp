//===- WorkgroupMemory.cpp - Workgroup memory as globals ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are laid out one after the other, each aligned for the widest access.
// As long as they fit what a kernel can declare each is one uninitialised
// global of the workgroup space. Above that they are parts of one array that
// the launch allocates:
//
//   memref.global @k__workgroup : memref<0xi8>
//   memref.view %workgroup[0]                  the first buffer
//   memref.view %workgroup[32768]              the second
//
// Private allocations stay where they are, aligned alike.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/WorkgroupMemory.h"
#include "ConvertToLLVM.h"
#include "distaff/Conversion/KernelABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;

static bool areDynamic(const OwnBuffers &buffers, const Target &target) {
  return buffers.bytes > target.sharedMemoryBytes;
}

static void placeInGlobal(memref::AllocOp alloc, func::FuncOp kernel,
                          int64_t number, const Target &target) {
  OpBuilder builder(kernel);
  std::string name = (kernel.getName() + "__workgroup_" + Twine(number)).str();
  memref::GlobalOp::create(builder, alloc.getLoc(), name,
                           builder.getStringAttr("private"), alloc.getType(),
                           /*initial_value=*/builder.getUnitAttr(),
                           /*constant=*/false,
                           builder.getI64IntegerAttr(workgroupAlignmentOf(
                               alloc, target.workgroupAlignment())));
  builder.setInsertionPoint(alloc);
  Value memory = memref::GetGlobalOp::create(builder, alloc.getLoc(),
                                             alloc.getType(), name);
  alloc.replaceAllUsesWith(memory);
  alloc.erase();
}

/// The array is declared elsewhere, and of no size that the kernel knows.
static void placeInDynamic(const OwnBuffers &buffers, func::FuncOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  std::string name = (kernel.getName() + "__workgroup").str();
  auto type =
      MemRefType::get({0}, builder.getI8Type(), MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(kernel.getContext(),
                                                 gpu::AddressSpace::Workgroup));
  memref::GlobalOp::create(builder, loc, name, /*sym_visibility=*/StringAttr(),
                           type, /*initial_value=*/Attribute(),
                           /*constant=*/false,
                           builder.getI64IntegerAttr(buffers.alignment));
  builder.setInsertionPointToStart(&kernel.front());
  Value memory = memref::GetGlobalOp::create(builder, loc, type, name);
  for (auto [number, offset] : llvm::enumerate(buffers.offsets)) {
    memref::AllocOp alloc = buffers.allocs[number];
    Value at = arith::ConstantIndexOp::create(builder, alloc.getLoc(), offset);
    Value buffer = memref::ViewOp::create(builder, alloc.getLoc(),
                                          alloc.getType(), memory, at,
                                          /*sizes=*/ValueRange());
    alloc.replaceAllUsesWith(buffer);
    alloc.erase();
  }
}

int64_t distaff::dynamicWorkgroupMemory(FunctionOpInterface kernel,
                                        const Target &target) {
  OwnBuffers buffers(kernel, target.workgroupAlignment());
  return areDynamic(buffers, target) ? buffers.bytes : 0;
}

/// Deallocations go: workgroup memory lives as long as the workgroup.
static LogicalResult checkAllocations(func::FuncOp kernel,
                                      const Target &target) {
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      dealloc.erase();
      return WalkResult::skip();
    }
    if (auto alloca = dyn_cast<memref::AllocaOp>(op))
      alloca.setAlignment(
          std::max<int64_t>(target.globalMemory.baseAlignmentBytes,
                            alloca.getAlignment().value_or(1)));
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (alloc && (!alloc.getType().hasStaticShape() ||
                  !alloc.getType().getLayout().isIdentity()))
      return op->emitOpError("of workgroup memory needs a static shape and no "
                             "layout");
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult distaff::placeWorkgroupMemory(func::FuncOp kernel,
                                            const Target &target) {
  if (failed(checkAllocations(kernel, target)))
    return failure();
  OwnBuffers buffers(kernel, target.workgroupAlignment());
  if (buffers.bytes > target.dynamicSharedMemoryBytes) {
    InFlightDiagnostic error = kernel.emitOpError("needs ")
                               << buffers.bytes
                               << " bytes of workgroup memory, " << target.name
                               << " has " << target.dynamicSharedMemoryBytes
                               << "; make the kernel's buffers smaller";
    for (memref::AllocOp alloc : ArrayRef(buffers.allocs).take_front(3))
      error.attachNote(alloc.getLoc()) << "allocates " << alloc.getType();
    return error;
  }
  if (areDynamic(buffers, target)) {
    placeInDynamic(buffers, kernel);
    return success();
  }
  for (auto [number, alloc] : llvm::enumerate(buffers.allocs))
    placeInGlobal(alloc, kernel, number, target);
  return success();
}

//===- WorkgroupMemory.cpp - Workgroup memory as globals ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are laid out one after the other, each aligned for the widest access.
// If they fit what a kernel can declare, each is one uninitialised global of
// the workgroup space. Otherwise they are parts of one array that the launch
// allocates:
//
//   memref.global @k__workgroup : memref<0xi8>
//   memref.view %workgroup[0]                  the first buffer
//   memref.view %workgroup[32768]              the second
//
// Private allocations stay where they are, aligned alike. Arguments in
// workgroup memory become the first allocations.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/ToLLVM/KernelABI.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;

static bool areDynamic(const OwnBuffers &buffers, const Target &target) {
  return buffers.bytes > target.sharedMemoryBytes;
}

/// Returns the name of the array of one buffer, and that of all.
static std::string nameOfBuffer(StringRef kernel, int64_t number) {
  return (kernel + "__workgroup_" + Twine(number)).str();
}
static std::string nameOfAll(StringRef kernel) {
  return (kernel + "__workgroup").str();
}

static void placeInGlobal(memref::AllocOp alloc, func::FuncOp kernel,
                          int64_t number, const Target &target) {
  OpBuilder builder(kernel);
  std::string name = nameOfBuffer(kernel.getName(), number);
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

/// Places buffers in the array that is declared elsewhere, with a size that is
/// not known to the kernel.
static void placeInDynamic(const OwnBuffers &buffers, func::FuncOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  std::string name = nameOfAll(kernel.getName());
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
  assert(buffers.arguments.empty() && "arguments have become allocations");
  for (auto [number, offset] : llvm::enumerate(buffers.offsets)) {
    memref::AllocOp alloc = buffers.allocs[number];
    builder.setInsertionPoint(alloc);
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

std::vector<WorkgroupArgument>
distaff::workgroupArguments(FunctionOpInterface kernel, const Target &target) {
  OwnBuffers buffers(kernel, target.workgroupAlignment());
  std::string symbol = emittedSymbol(kernel.getName());
  std::vector<WorkgroupArgument> result;
  for (auto [at, number] : llvm::enumerate(buffers.arguments)) {
    WorkgroupArgument &argument = result.emplace_back();
    argument.number = number;
    bool inOne = areDynamic(buffers, target);
    argument.symbol = inOne ? nameOfAll(symbol) : nameOfBuffer(symbol, at);
    argument.offset = inOne ? buffers.offsets[at] : 0;
    auto type = cast<MemRefType>(kernel.getArgumentTypes()[number]);
    argument.bytes = workgroupBytesOf(type);
    argument.elementBytes = bytesInMemory(type.getElementType());
    auto [strides, offset] = type.getStridesAndOffset();
    argument.strides.assign(strides.begin(), strides.end());
    argument.alignment =
        workgroupAlignmentOf(kernel, number, target.workgroupAlignment());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Returns the error in an argument in workgroup memory.
static std::optional<StringRef> whyNotAllocated(func::FuncOp kernel,
                                                unsigned number,
                                                MemRefType type,
                                                const Target &target) {
  if (!type.hasStaticShape())
    return "lies in workgroup memory, of which a kernel declares how much it "
           "takes; give it static extents";
  if (!hasApartRows(type))
    return "lies in workgroup memory, and is not row-major from offset 0, with "
           "nothing or something between rows; take the whole buffer and a "
           "memref.subview of it";
  if (kernel.getArgAttr(number, kResultAttrName) ||
      kernel.getArgAttr(number, kWorkspaceAttrName))
    return "lies in workgroup memory, which ends with the workgroup: it is no "
           "result and no workspace of a launch";
  if (workgroupAlignmentOf(kernel, number, 1) > target.dynamicSharedMemoryBytes)
    return "lies in workgroup memory, and its llvm.align is more than the "
           "target has of that; ask for less";
  return std::nullopt;
}

LogicalResult distaff::allocateWorkgroupArguments(func::FuncOp kernel,
                                                  const Target &target) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.front());
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      continue;
    if (std::optional<StringRef> why =
            whyNotAllocated(kernel, number, type, target))
      return kernel.emitOpError("argument ")
             << number << " of type " << type << " " << *why;
    argument.replaceAllUsesWith(allocateLike(
        builder, argument.getLoc(), type,
        workgroupAlignmentOf(kernel, number, target.workgroupAlignment())));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// Checks allocations, and erases deallocations: workgroup memory lives as long
/// as the workgroup.
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
  if (failed(verifyWorkgroupMemory(kernel, target)))
    return failure();
  OwnBuffers buffers(kernel, target.workgroupAlignment());
  if (areDynamic(buffers, target)) {
    placeInDynamic(buffers, kernel);
    return success();
  }
  for (auto [number, alloc] : llvm::enumerate(buffers.allocs))
    placeInGlobal(alloc, kernel, number, target);
  return success();
}

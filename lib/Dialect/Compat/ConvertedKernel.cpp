//===- ConvertedKernel.cpp - Kernels in the LLVM dialect ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A converted kernel takes what a launch passes, in the order of the kernel
// ABI. Nothing of that says what the author's arguments were, so they are
// written beside it: `iree.abi.type` and the number of the argument, of the
// result or the mark of a workspace. What has no type is an extent.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Compat/ConvertedKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace distaff {

using Role = KernelParameter::Role;

/// Of NVIDIA's and AMD's dialects; whoever calls a kernel has one or the other.
static constexpr llvm::StringLiteral kernelMarks[] = {"nvvm.kernel",
                                                      "rocdl.kernel"};
static constexpr llvm::StringLiteral sizeMarks[] = {
    "nvvm.reqntid", "rocdl.reqd_work_group_size"};

bool isConvertedKernel(Operation *op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function && !function.isExternal() &&
         llvm::any_of(kernelMarks,
                      [&](StringRef mark) { return op->hasAttr(mark); });
}

DenseI32ArrayAttr convertedBlockSize(Operation *kernel) {
  for (StringRef mark : sizeMarks)
    if (auto sizes = kernel->getAttrOfType<DenseI32ArrayAttr>(mark))
      return sizes;
  return nullptr;
}

DenseI32ArrayAttr convertedGridSize(Operation *kernel) {
  return kernel->getAttrOfType<DenseI32ArrayAttr>(kGridSizeAttrName);
}

Type passedType(FunctionOpInterface kernel, unsigned position) {
  if (isConvertedKernel(kernel))
    if (auto type = dyn_cast_or_null<TypeAttr>(
            kernel.getArgAttr(position, kPassedTypeAttrName)))
      return type.getValue();
  return kernel.getArgumentTypes()[position];
}

bool isPassedExtent(FunctionOpInterface kernel, unsigned position) {
  return isConvertedKernel(kernel) &&
         !kernel.getArgAttr(position, kPassedTypeAttrName);
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

void markConvertedKernel(FunctionOpInterface kernel,
                         const KernelSignature &signature) {
  Builder builder(kernel.getContext());
  unsigned position = 0;
  auto mark = [&](const KernelParameter &parameter) {
    kernel.setArgAttr(position, kPassedTypeAttrName,
                      TypeAttr::get(parameter.type));
    switch (parameter.role) {
    case Role::Argument:
      kernel.setArgAttr(position, kInputAttrName,
                        builder.getIndexAttr(parameter.number));
      break;
    case Role::Result:
      kernel.setArgAttr(position, kResultAttrName,
                        builder.getIndexAttr(parameter.number));
      if (parameter.extents)
        kernel.setArgAttr(position, kExtentsAttrName,
                          AffineMapAttr::get(parameter.extents));
      break;
    case Role::Workspace:
      kernel.setArgAttr(position, kWorkspaceAttrName, builder.getUnitAttr());
      break;
    }
    ++position;
  };
  llvm::for_each(signature.pointers(), mark);
  llvm::for_each(signature.scalars(), mark);
}

void eraseConvertedMarks(FunctionOpInterface kernel) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    for (StringRef mark : {kPassedTypeAttrName, kInputAttrName, kResultAttrName,
                           kExtentsAttrName, kWorkspaceAttrName})
      kernel.removeArgAttr(i, StringAttr::get(kernel.getContext(), mark));
  kernel->removeAttr(kGridSizeAttrName);
  kernel->removeAttr(kWorkgroupBytesAttrName);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static LogicalResult verifyExtent(FunctionOpInterface kernel, unsigned position,
                                  unsigned &extents) {
  Type type = kernel.getArgumentTypes()[position];
  if (!type.isInteger(64))
    return kernel.emitOpError("argument ")
           << position << " of type " << type << " does not say by `"
           << kPassedTypeAttrName << "` what the kernel's author passes";
  ++extents;
  return success();
}

static LogicalResult verifyPassed(FunctionOpInterface kernel, unsigned position,
                                  unsigned extents) {
  Type type = kernel.getArgumentTypes()[position],
       passed = passedType(kernel, position);
  auto refuse = [&](const Twine &why) {
    return kernel.emitOpError("argument ")
           << position << " of type " << type << " has `" << kPassedTypeAttrName
           << "` = " << passed << ", " << why;
  };
  if (extents)
    return refuse("and extents are passed last");
  bool isPointer = isa<LLVM::LLVMPointerType>(type);
  if (isPointer != isa<MemRefType>(passed))
    return refuse("and pointers are passed to memrefs");
  bool isMarked = kernel.getArgAttr(position, kInputAttrName) ||
                  kernel.getArgAttr(position, kResultAttrName) ||
                  kernel.getArgAttr(position, kWorkspaceAttrName);
  return isMarked ? success()
                  : refuse("and neither the number of an argument nor that of "
                           "a result, nor the mark of a workspace");
}

LogicalResult verifyConvertedKernel(FunctionOpInterface kernel) {
  DenseI32ArrayAttr sizes = convertedBlockSize(kernel);
  if (!sizes || sizes.size() != 3 ||
      llvm::any_of(sizes.asArrayRef(), [](int32_t size) { return size < 1; }))
    return kernel.emitOpError(
        "does not say by nvvm.reqntid or rocdl.reqd_work_group_size how many "
        "lanes its workgroups have along x, y and z");
  unsigned extents = 0;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (failed(isPassedExtent(kernel, i) ? verifyExtent(kernel, i, extents)
                                         : verifyPassed(kernel, i, extents)))
      return failure();
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  for (auto [number, argument] : llvm::enumerate(signature->arguments))
    if (argument.number != number)
      return kernel.emitOpError("has no argument ")
             << number << ", and an argument " << argument.number;
  if (signature->dynamicExtents().size() != extents)
    return kernel.emitOpError("takes ")
           << extents << " extents, its arguments have "
           << signature->dynamicExtents().size();
  return success();
}

} // namespace distaff

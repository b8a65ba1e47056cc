//===- ConvertedKernel.cpp - Kernels in the LLVM dialect ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A converted kernel takes the parameters of a launch, in the order of the
// kernel ABI. Its types do not determine the author's arguments, so attributes
// have these: `iree.abi.type` and the number of the argument or of the result,
// or the mark of a workspace. A parameter without a type is an extent.
//
//===----------------------------------------------------------------------===//
#include "distaff/Kernel/ConvertedKernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace distaff {

using Role = KernelParameter::Role;

/// The marks of NVIDIA's and AMD's dialects; a kernel has one of them.
static constexpr llvm::StringLiteral kernelMarks[] = {"nvvm.kernel",
                                                      "rocdl.kernel"};
static constexpr llvm::StringLiteral sizeMarks[] = {
    "nvvm.reqntid", "rocdl.reqd_work_group_size"};

/// Workgroup memory of one workgroup, more than any GPU has.
static constexpr int64_t mostWorkgroupBytes = int64_t(1) << 30;

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
// ABI attributes
//===----------------------------------------------------------------------===//

void markConvertedKernel(FunctionOpInterface kernel,
                         const KernelSignature &signature) {
  Builder builder(kernel.getContext());
  unsigned position = 0;
  auto mark = [&](const KernelParameter &parameter) {
    kernel.setArgAttr(position, kPassedTypeAttrName,
                      TypeAttr::get(parameter.type));
    if (parameter.isUnpacked)
      kernel.setArgAttr(position, kUnpackedAttrName, builder.getUnitAttr());
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
    for (StringRef mark :
         {kPassedTypeAttrName, kInputAttrName, kResultAttrName,
          kExtentsAttrName, kWorkspaceAttrName, kUnpackedAttrName})
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

unsigned passedWidth(unsigned width) {
  return width == 1 ? 1 : std::max<unsigned>(8, llvm::PowerOf2Ceil(width));
}

bool isPackedElement(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  return integer && (integer.getWidth() == 2 || integer.getWidth() == 4);
}

bool straddlesBytes(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  return integer && integer.getWidth() > 1 && integer.getWidth() < 8 &&
         !isPackedElement(elementType);
}

bool KernelParameter::isPacked() const {
  auto memref = dyn_cast<MemRefType>(type);
  return isPointer() && isPackedElement(getElementTypeOrSelf(type)) &&
         !(memref && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref)) &&
         !isUnpacked && role != Role::Workspace;
}

bool isPackedArgument(FunctionOpInterface kernel, unsigned position) {
  Type type = passedType(kernel, position);
  if (!isa<MemRefType>(type))
    return false;
  KernelParameter parameter{kernel.getArgAttr(position, kWorkspaceAttrName)
                                ? KernelParameter::Role::Workspace
                                : KernelParameter::Role::Argument,
                            type, position, position};
  parameter.isUnpacked = bool(kernel.getArgAttr(position, kUnpackedAttrName));
  return parameter.isPacked();
}

/// Returns whether a launch passes a number of one type as another: indices in
/// 64 bits, integers of other widths in a wider one, and floats that LLVM lacks
/// by their bits.
static bool isPassedAs(Type author, Type held) {
  if (author.isIndex())
    return held.isInteger(64);
  if (auto integer = dyn_cast<IntegerType>(author))
    return held.isInteger(passedWidth(integer.getWidth()));
  if (author == held)
    return author.isIntOrFloat();
  return isa<FloatType>(author) &&
         held.isInteger(author.getIntOrFloatBitWidth());
}

/// Returns whether a pointer is in the address space of a memref.
static bool isSpaceOf(LLVM::LLVMPointerType pointer, MemRefType memref) {
  unsigned space = pointer.getAddressSpace();
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref) ? space == 3
                                                                 : space <= 1;
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
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  auto memref = dyn_cast<MemRefType>(passed);
  if (bool(pointer) != bool(memref))
    return refuse("and pointers are passed to memrefs");
  if (pointer && !isSpaceOf(pointer, memref))
    return refuse("which is in another address space");
  if (!pointer && !isPassedAs(passed, type))
    return refuse("which is another type of number");
  bool isMarked = kernel.getArgAttr(position, kInputAttrName) ||
                  kernel.getArgAttr(position, kResultAttrName) ||
                  kernel.getArgAttr(position, kWorkspaceAttrName);
  return isMarked ? success()
                  : refuse("and neither the number of an argument nor that of "
                           "a result, nor the mark of a workspace");
}

static bool areSizes(DenseI32ArrayAttr sizes, int32_t least = 1) {
  return sizes && sizes.size() == 3 &&
         llvm::all_of(sizes.asArrayRef(),
                      [&](int32_t size) { return size >= least; });
}

/// Verifies attributes of the launch other than the workgroup's size.
static LogicalResult verifyLaunch(FunctionOpInterface kernel) {
  SmallVector<Attribute, 2> said;
  for (StringRef mark : sizeMarks)
    if (Attribute sizes = kernel->getAttr(mark))
      said.push_back(sizes);
  if (said.size() > 1 && said.front() != said.back())
    return kernel.emitOpError("has workgroups of two sizes, ")
           << said.front() << " and " << said.back();
  if (Attribute grid = kernel->getAttr(kGridSizeAttrName);
      grid && !areSizes(dyn_cast<DenseI32ArrayAttr>(grid), /*least=*/0))
    return kernel.emitOpError("has `")
           << kGridSizeAttrName << "` = " << grid
           << ", needed an array of 3 i32 that are not negative, the "
              "workgroups along x, y and z";
  Attribute bytes = kernel->getAttr(kWorkgroupBytesAttrName);
  auto number = dyn_cast_or_null<IntegerAttr>(bytes);
  if (bytes && (!number || number.getValue().getSignificantBits() > 64 ||
                number.getInt() < 0 || number.getInt() > mostWorkgroupBytes))
    return kernel.emitOpError("has `")
           << kWorkgroupBytesAttrName << "` = " << bytes
           << ", needed a number of bytes from 0 to " << mostWorkgroupBytes;
  return success();
}

/// Verifies that an alignment is a power of two, as LLVM requires.
static LogicalResult verifyAlignment(FunctionOpInterface kernel,
                                     unsigned position) {
  Attribute promised =
      kernel.getArgAttr(position, LLVM::LLVMDialect::getAlignAttrName());
  auto number = dyn_cast_or_null<IntegerAttr>(promised);
  if (!promised || (number && number.getValue().isPowerOf2()))
    return success();
  return kernel.emitOpError("argument ")
         << position << " has `" << LLVM::LLVMDialect::getAlignAttrName()
         << "` = " << promised << ", needed a power of two";
}

LogicalResult verifyConvertedKernel(FunctionOpInterface kernel) {
  DenseI32ArrayAttr sizes = convertedBlockSize(kernel);
  if (!areSizes(sizes))
    return kernel.emitOpError(
        "does not say by nvvm.reqntid or rocdl.reqd_work_group_size how many "
        "lanes its workgroups have along x, y and z");
  if (failed(verifyLaunch(kernel)))
    return failure();
  unsigned extents = 0;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (failed(verifyAlignment(kernel, i)) ||
        failed(isPassedExtent(kernel, i) ? verifyExtent(kernel, i, extents)
                                         : verifyPassed(kernel, i, extents)))
      return failure();
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  if (signature->dynamicExtents().size() != extents)
    return kernel.emitOpError("takes ")
           << extents << " extents, its arguments have "
           << signature->dynamicExtents().size();
  return success();
}

} // namespace distaff

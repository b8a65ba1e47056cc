//===- WorkgroupMemory.cpp - Workgroup memory of a kernel -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

int64_t distaff::workgroupAlignmentOf(memref::AllocOp alloc,
                                      int64_t alignment) {
  return std::max(alignment, int64_t(alloc.getAlignment().value_or(1)));
}

int64_t distaff::workgroupBytesOf(MemRefType type) {
  assert(type.hasStaticShape() && "a buffer of workgroup memory is static");
  return elementsSpannedBy(type) * bytesInMemory(type.getElementType());
}

int64_t distaff::elementsSpannedBy(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset, last = 0;
  if (type.getNumElements() == 0)
    return 0;
  if (type.getLayout().isIdentity() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return type.getNumElements();
  for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides))
    last += (extent - 1) * stride;
  return last + 1;
}

bool distaff::hasApartRows(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset, spanned = 1;
  if (type.getLayout().isIdentity())
    return true;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return false;
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip_equal(type.getShape(), strides))) {
    if (ShapedType::isDynamic(stride) || stride < spanned)
      return false;
    spanned += (std::max<int64_t>(extent, 1) - 1) * stride;
  }
  return true;
}

Value distaff::allocateLike(OpBuilder &b, Location loc, MemRefType type,
                            int64_t alignment) {
  assert(hasApartRows(type) && "no two elements share bytes");
  bool isDense = type.getLayout().isIdentity();
  auto held = isDense ? type
                      : MemRefType::get({elementsSpannedBy(type)},
                                        type.getElementType(), AffineMap(),
                                        type.getMemorySpace());
  auto alloc = memref::AllocOp::create(b, loc, held);
  alloc.setAlignment(alignment);
  if (isDense)
    return alloc;
  auto [strides, offset] = type.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(b, loc, type, alloc, offset,
                                           type.getShape(), strides);
}

int64_t distaff::workgroupAlignmentOf(FunctionOpInterface function,
                                      unsigned argument, int64_t alignment) {
  auto asked = function.getArgAttrOfType<IntegerAttr>(
      argument, LLVM::LLVMDialect::getAlignAttrName());
  return asked && asked.getInt() > 0 &&
                 llvm::isPowerOf2_64(uint64_t(asked.getInt()))
             ? std::max(alignment, asked.getInt())
             : alignment;
}

bool distaff::isOwnBuffer(FunctionOpInterface function, unsigned argument) {
  auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[argument]);
  return type && type.hasStaticShape() &&
         gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

OwnBuffers::OwnBuffers(FunctionOpInterface function, int64_t least)
    : alignment(least) {
  assert(llvm::isPowerOf2_64(least) && "buffers begin at powers of two");
  auto place = [&](MemRefType type, int64_t aligned) {
    offsets.push_back(llvm::alignTo(bytes, aligned));
    bytes = llvm::alignTo(offsets.back() + workgroupBytesOf(type), least);
    alignment = std::max(alignment, aligned);
  };
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isOwnBuffer(function, number))
      continue;
    arguments.push_back(number);
    place(cast<MemRefType>(type),
          workgroupAlignmentOf(function, number, least));
  }
  function->walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape() ||
        !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      return;
    allocs.push_back(alloc);
    place(type, workgroupAlignmentOf(alloc, least));
  });
}

int64_t distaff::workgroupMemoryOf(FunctionOpInterface function,
                                   int64_t alignment) {
  return OwnBuffers(function, alignment).bytes;
}

/// Returns the bytes of workgroup memory that an allocation of a scope takes.
static int64_t panelBytes(pcf::AllocOp alloc) {
  auto type = cast<pcf::SRefType>(alloc.getType());
  auto scope = cast<pcf::ScopeAttrInterface>(type.getScope());
  FailureOr<Attribute> space = scope.getAllocMemSpace(alloc.getContext());
  auto known = succeeded(space)
                   ? dyn_cast_or_null<gpu::AddressSpaceAttr>(*space)
                   : gpu::AddressSpaceAttr();
  if (!known || known.getValue() != gpu::AddressSpace::Workgroup ||
      !type.hasStaticShape())
    return 0;
  return saturatingProduct(ShapedType::getNumElements(type.getShape()),
                           bytesInMemory(type.getElementType()));
}

int64_t distaff::workgroupMemoryWithPanels(FunctionOpInterface function,
                                           int64_t alignment) {
  int64_t bytes = workgroupMemoryOf(function, alignment);
  function->walk([&](pcf::AllocOp alloc) {
    bytes = saturatingSum(bytes, llvm::alignTo(panelBytes(alloc), alignment));
  });
  return bytes;
}

int64_t distaff::workgroupMemoryLeft(FunctionOpInterface function,
                                     int64_t limit, int64_t alignment) {
  int64_t left = limit - workgroupMemoryOf(function, alignment);
  return std::max<int64_t>(1, left - left % alignment);
}

LogicalResult distaff::verifyWorkgroupMemory(FunctionOpInterface kernel,
                                             const Target &target) {
  OwnBuffers buffers(kernel, target.workgroupAlignment());
  if (buffers.bytes <= target.dynamicSharedMemoryBytes)
    return success();
  InFlightDiagnostic error = kernel->emitError("the kernel needs ")
                             << buffers.bytes << " bytes of workgroup memory, "
                             << target.name << " has "
                             << target.dynamicSharedMemoryBytes
                             << "; make the kernel's buffers smaller";
  for (memref::AllocOp alloc : ArrayRef(buffers.allocs).take_front(3))
    error.attachNote(alloc.getLoc()) << "allocates " << alloc.getType();
  return error;
}

std::string WorkgroupArgument::describeRows() const {
  if (strides.size() < 2)
    return "";
  std::string names, sum;
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    std::string name = strides.size() <= 4 ? std::string(1, "ijkl"[dim])
                                           : "i" + std::to_string(dim);
    names += (dim ? ", " : "") + name;
    sum +=
        (dim ? " + " : "") + std::to_string(stride * elementBytes) + " " + name;
  }
  return ", element (" + names + ") at byte " + sum;
}

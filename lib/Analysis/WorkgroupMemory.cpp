//===- WorkgroupMemory.cpp - How much a kernel takes of it ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/WorkgroupMemory.h"
#include "distaff/Analysis/AccessWidth.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

int64_t distaff::workgroupAlignmentOf(memref::AllocOp alloc,
                                      int64_t alignment) {
  return std::max(alignment, int64_t(alloc.getAlignment().value_or(1)));
}

int64_t distaff::workgroupBytesOf(MemRefType type) {
  return type.getNumElements() * bytesInMemory(type.getElementType());
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

int64_t distaff::workgroupMemoryLeft(FunctionOpInterface function,
                                     int64_t limit, int64_t alignment) {
  int64_t left = limit - workgroupMemoryOf(function, alignment);
  return std::max<int64_t>(1, left - left % alignment);
}

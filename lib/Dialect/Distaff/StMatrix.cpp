//===- StMatrix.cpp - distaff.stmatrix ------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;
using namespace distaff::core;

LogicalResult StMatrixOp::verify() {
  auto memory = cast<MemRefType>(getMemref().getType());
  Type element = memory.getElementType();
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory))
    return emitOpError("stores into workgroup memory, got ") << memory;
  if (int64_t(getIndices().size()) != memory.getRank())
    return emitOpError("needs one index per dimension of the memref, ")
           << memory.getRank() << ", got " << getIndices().size();
  size_t tiles = getWords().size();
  if (tiles != 1 && tiles != 2 && tiles != 4)
    return emitOpError("stores 1, 2 or 4 tiles, got ") << tiles;
  for (Type type : getWords().getTypes()) {
    auto word = cast<VectorType>(type);
    if (word.getElementType() != element)
      return emitOpError("stores elements of ") << word << " into " << memory;
    if (!element.isIntOrFloat() ||
        word.getNumElements() * element.getIntOrFloatBitWidth() != 32)
      return emitOpError("stores words of 32 bits, got ") << word;
  }
  if (getTranspose() && element.getIntOrFloatBitWidth() != 16)
    return emitOpError("transposes elements of 16 bits, got ") << element;
  return success();
}

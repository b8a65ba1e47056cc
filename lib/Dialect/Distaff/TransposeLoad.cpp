//===- TransposeLoad.cpp - distaff.global_transpose_load ------------------===//
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

LogicalResult GlobalTransposeLoadOp::verify() {
  auto memory = cast<MemRefType>(getMemref().getType());
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory))
    return emitOpError("loads from global memory, got ") << memory;
  if (int64_t(getIndices().size()) != memory.getRank())
    return emitOpError("needs one index per dimension of the memref, ")
           << memory.getRank() << ", got " << getIndices().size();
  VectorType result = getResult().getType();
  Type element = memory.getElementType();
  if (result.getNumElements() != 8 || result.getElementType() != element ||
      !element.isIntOrFloat() || element.getIntOrFloatBitWidth() != 16)
    return emitOpError("loads 8 elements of 16 bits, those of the memref, got ")
           << result << " of " << memory;
  return success();
}

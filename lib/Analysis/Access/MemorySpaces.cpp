//===- MemorySpaces.cpp - Memory spaces of a kernel's memrefs -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/MemorySpaces.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;

static LogicalResult verifyType(Operation *op, Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  Attribute space = memref ? memref.getMemorySpace() : Attribute();
  if (!space || isa<gpu::AddressSpaceAttr>(space))
    return success();
  InFlightDiagnostic error = op->emitOpError("has a memref of type ")
                             << type << ", whose memory space " << space;
  if (isa<vector_ext::VectorLayoutInterface>(space))
    return error << " is a layout of registers; lay out what is read of it, by "
                    "a to_layout";
  return error << " no kernel has; write #gpu.address_space<workgroup> for "
                  "memory of the workgroup, and none for arrays of the launch";
}

/// Verifies the types of an op's results, of its regions' arguments and, for a
/// function, those of its signature.
static LogicalResult verifyOp(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op);
      function && function.isExternal())
    llvm::append_range(types, function.getArgumentTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  for (Type type : types)
    if (failed(verifyType(op, type)))
      return failure();
  return success();
}

LogicalResult distaff::verifyMemorySpaces(Operation *root) {
  return failure(root->walk<WalkOrder::PreOrder>(
                         [](Operation *op) { return WalkResult(verifyOp(op)); })
                     .wasInterrupted());
}

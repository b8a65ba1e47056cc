//===- PackedMemory.cpp - Memory whose elements share bytes ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/PackedMemory.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

/// Returns the memref under any views.
static Value sourceOf(Value memref) {
  while (Operation *maker = memref.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(maker))
      memref = view.getViewSource();
    else if (auto transposed = dyn_cast<memref::TransposeOp>(maker))
      memref = transposed.getIn();
    else
      break;
  }
  return memref;
}

bool distaff::isPackedMemory(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || !isPackedElement(type.getElementType()))
    return false;
  auto argument = dyn_cast<BlockArgument>(sourceOf(memref));
  return argument && isFunctionArgument(argument) &&
         isPackedArgument(
             cast<FunctionOpInterface>(argument.getOwner()->getParentOp()),
             argument.getArgNumber());
}

/// Returns whether a vector at `memref[indices]` has whole bytes. An alignment
/// of just 1 gives no information.
static bool isOfWholeBytes(Value memref, ValueRange indices, VectorType vector,
                           std::optional<uint64_t> alignment) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t perByte = 8 / type.getElementTypeBitWidth();
  if (vector.getRank() != 1 || vector.getNumElements() % perByte != 0 ||
      !type.isLastDimUnitStride())
    return false;
  return alignment.value_or(1) > 1 || beginsOnByte(memref, indices);
}

bool distaff::movesWholeBytes(Operation *access) {
  return llvm::TypeSwitch<Operation *, bool>(access)
      .Case([](memref::StoreOp op) {
        auto type = cast<MemRefType>(sourceOf(op.getMemRef()).getType());
        return type.hasStaticShape() && type.getNumElements() == 1;
      })
      .Case<vector::LoadOp, vector::StoreOp>([](auto op) {
        return isOfWholeBytes(op.getBase(), op.getIndices(), op.getVectorType(),
                              op.getAlignment());
      })
      .Default([](Operation *) { return false; });
}

LogicalResult distaff::checkPackedStore(Operation *store) {
  if (movesWholeBytes(store))
    return success();
  // The stored value is the first operand of either op.
  Type element = getElementTypeOrSelf(store->getOperand(0).getType());
  unsigned perByte = 8 / element.getIntOrFloatBitWidth();
  return store->emitOpError("writes to an array of ")
         << element << ", of which " << perByte
         << " share a byte, and is not known to write whole bytes, without "
            "which lanes race; return a tensor, or write vectors whose rows "
            "begin and end with a byte, and of which a lane holds "
         << perByte << " neighbours or a multiple";
}

LogicalResult distaff::checkPackedStores(FunctionOpInterface kernel) {
  WalkResult result = kernel->walk([](Operation *op) {
    return isa<memref::StoreOp, vector::StoreOp>(op) &&
                   isPackedMemory(op->getOperand(1)) &&
                   failed(checkPackedStore(op))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===- EmptyTensors.cpp - Tensors without elements ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InputLegality.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;

void distaff::dropEmptyReductions(RewriterBase &rewriter, func::FuncOp kernel) {
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>())) {
    if (!op.hasPureTensorSemantics())
      continue;
    bool isEmpty = false;
    for (auto [extent, type] :
         llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      isEmpty |= extent == 0 && type == utils::IteratorType::reduction;
    if (isEmpty)
      rewriter.replaceOp(op, op.getDpsInits());
  }
}

/// Returns the tensor.empty that defines a tensor's size; null where there is
/// none.
static tensor::EmptyOp findShape(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return empty;
    if (auto written = dyn_cast<DestinationStyleOpInterface>(op))
      tensor = written.getTiedOpOperand(cast<OpResult>(tensor))->get();
    else if (OpTrait::hasElementwiseMappableTraits(op) ||
             isa<tensor::CastOp>(op))
      tensor = op->getOperand(op->getNumOperands() - 1); // not a condition
    else
      return {};
  }
  return {};
}

void distaff::dropEmptyResults(RewriterBase &rewriter, func::FuncOp kernel) {
  for (OpOperand &returned :
       kernel.getBody().front().getTerminator()->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(returned.get().getType());
    if (!type || !hasNoElements(type))
      continue;
    tensor::EmptyOp shape = findShape(returned.get());
    if (!shape && !type.hasStaticShape())
      continue;
    rewriter.setInsertionPoint(returned.getOwner());
    Location loc = kernel.getLoc();
    SmallVector<OpFoldResult> sizes =
        type.hasStaticShape()
            ? getAsIndexOpFoldResult(rewriter.getContext(), type.getShape())
            : shape.getMixedSizes();
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    returned.set(rewriter.createOrFold<tensor::CastOp>(loc, type, empty));
  }
}

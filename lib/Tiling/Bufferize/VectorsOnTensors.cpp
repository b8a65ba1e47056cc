//===- VectorsOnTensors.cpp - Kernels with vectors on tensors -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VectorsOnTensors.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

static bool hasTensors(Operation *op) {
  return llvm::any_of(
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
      llvm::IsaPred<TensorType>);
}

bool distaff::isOfVectorsOnTensors(func::FuncOp kernel) {
  if (!llvm::all_of(kernel.getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  bool accesses = false;
  WalkResult walked = kernel.walk([&](Operation *op) {
    if (!hasTensors(op))
      return WalkResult::advance();
    if (isa<vector::TransferReadOp, vector::TransferWriteOp, vector::GatherOp,
            vector_ext::TransferGatherOp, vector_ext::TransferScatterOp>(op)) {
      accesses = true;
      return WalkResult::advance();
    }
    bool carries = isa<ToLayoutOp, tensor::EmptyOp, tensor::DimOp, scf::ForOp,
                       scf::IfOp, scf::YieldOp, func::ReturnOp>(op);
    return carries ? WalkResult::advance() : WalkResult::interrupt();
  });
  return accesses && !walked.wasInterrupted();
}

/// Returns the layout of the vector that a transfer moves to or from a tensor
/// with `layout`; null if the vector has another shape.
static VectorLayoutInterface layoutOfMoved(VectorTransferOpInterface transfer,
                                           VectorLayoutInterface layout) {
  AffineMap map = transfer.getPermutationMap();
  if (map.getNumDims() != map.getNumResults() || !map.isPermutation())
    return {};
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : map.getResults())
    permutation.push_back(cast<AffineDimExpr>(expr).getPosition());
  VectorLayoutInterface moved = layout.permute(permutation);
  SmallVector<int64_t> shape = moved.getLayout().shape();
  return transfer.getVectorType().getShape() == ArrayRef(shape)
             ? moved
             : VectorLayoutInterface();
}

static ToLayoutOp layOut(OpBuilder &b, ToLayoutOp op, Value vector,
                         VectorLayoutInterface layout) {
  return ToLayoutOp::create(b, op.getLoc(), vector.getType(), vector, layout,
                            op.getSharedMemoryConversionAttr(),
                            op.getMmaKindAttr());
}

/// \returns whether a vector got the layout.
static bool layOutRead(ToLayoutOp op, vector::TransferReadOp read) {
  VectorLayoutInterface layout = layoutOfMoved(read, op.getLayout());
  if (!layout)
    return false;
  OpBuilder b(read->getContext());
  b.setInsertionPointAfter(read);
  ToLayoutOp anchor = layOut(b, op, read.getResult(), layout);
  read.getResult().replaceAllUsesExcept(anchor.getOutput(), anchor);
  return true;
}

static bool layOutWritten(ToLayoutOp op) {
  auto write = op.getInput().getDefiningOp<vector::TransferWriteOp>();
  VectorLayoutInterface layout =
      write ? layoutOfMoved(write, op.getLayout()) : VectorLayoutInterface();
  if (!layout)
    return false;
  OpBuilder b(write);
  write.getValueToStoreMutable().set(
      layOut(b, op, write.getValueToStore(), layout).getOutput());
  return true;
}

LogicalResult distaff::layOutVectorsOfTensors(func::FuncOp kernel) {
  SmallVector<ToLayoutOp> anchors;
  kernel.walk([&](ToLayoutOp op) {
    if (isa<TensorType>(op.getInput().getType()))
      anchors.push_back(op);
  });
  for (ToLayoutOp op : anchors) {
    bool found = layOutWritten(op);
    for (Operation *user : op.getOutput().getUsers())
      if (auto read = dyn_cast<vector::TransferReadOp>(user))
        found |= layOutRead(op, read);
    if (!found)
      return op.emitOpError("lays out a tensor of which no vector of the "
                            "layout's shape is read or written; lay out the "
                            "vectors");
    op.replaceAllUsesWith(op.getInput());
    op.erase();
  }
  return success();
}

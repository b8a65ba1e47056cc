//===- VectorKernels.cpp - Kernels of vectors that are on tensors ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VectorKernels.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::TransferGatherOp;
using vector_ext::TransferScatterOp;

static bool mentionsTensor(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>) ||
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
}

bool distaff::isVectorKernelOnTensors(func::FuncOp kernel) {
  bool meetsVectors = false;
  WalkResult walk = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    if (!mentionsTensor(op))
      return WalkResult::advance();
    if (isa<vector::TransferReadOp, vector::TransferWriteOp, TransferGatherOp,
            TransferScatterOp, ToLayoutOp>(op)) {
      meetsVectors = true;
      return WalkResult::advance();
    }
    return isa<tensor::EmptyOp, tensor::DimOp, scf::ForOp, scf::IfOp,
               scf::YieldOp, func::ReturnOp>(op)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return meetsVectors && !walk.wasInterrupted();
}

/// Whether a read reads what a write has written, all of it and no more.
static bool readsBack(vector::TransferReadOp read,
                      vector::TransferWriteOp write) {
  return !read.getMask() && !write.getMask() && !write.hasOutOfBoundsDim() &&
         read.getVectorType() == write.getVectorType() &&
         read.getPermutationMap() == write.getPermutationMap() &&
         llvm::all_of(llvm::zip_equal(read.getIndices(), write.getIndices()),
                      [](auto pair) {
                        auto [lhs, rhs] = pair;
                        return isEqualConstantIntOrValue(lhs, rhs);
                      });
}

/// A read of what was written is the vector, through no memory. (Upstream's
/// folds also undo copies into an empty tensor, which may be changed then.)
static void forwardVectors(func::FuncOp kernel) {
  kernel.walk([](vector::TransferReadOp read) {
    auto write = read.getBase().getDefiningOp<vector::TransferWriteOp>();
    if (!write || !readsBack(read, write))
      return;
    read.replaceAllUsesWith(write.getVector());
    read.erase();
    if (write->use_empty())
      write.erase();
  });
}

/// Whether a write leaves nothing of what was there.
static bool replacesAll(vector::TransferWriteOp write) {
  auto type = cast<ShapedType>(write.getBase().getType());
  return !write.getMask() && write.getPermutationMap().isIdentity() &&
         type.getShape() == write.getVectorType().getShape() &&
         llvm::all_of(write.getIndices(),
                      [](Value index) { return isConstantIntValue(index, 0); });
}

static bool isOfKernel(Value value, func::FuncOp kernel) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &kernel.front() &&
         isa<TensorType>(value.getType());
}

/// Lets writes that replace all of an argument start from an empty tensor, for
/// arguments are only read.
static LogicalResult startWritesEmpty(func::FuncOp kernel) {
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    OpOperand *base = nullptr;
    auto write = dyn_cast<vector::TransferWriteOp>(op);
    if (write)
      base = &write.getBaseMutable();
    else if (auto scatter = dyn_cast<TransferScatterOp>(op))
      base = &scatter.getBaseMutable();
    if (!base || !isOfKernel(base->get(), kernel))
      return WalkResult::advance();
    if (!write || !replacesAll(write))
      return op->emitOpError("changes a part of an argument, and arguments are "
                             "only read; write all of it into a tensor.empty "
                             "first, or take a memref");
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(base->get().getType());
    base->set(tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                      type.getElementType()));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult distaff::prepareVectorKernel(func::FuncOp kernel) {
  if (failed(vectorizeToLayouts(kernel)))
    return failure();
  forwardVectors(kernel);
  return startWritesEmpty(kernel);
}

//===- VectorizeToLayout.cpp - Vectorization of tensor layouts ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor with a layout is read into a vector of the layout's extents, with a
// mask for the elements that the tensor has.
//
//   %l = to_layout %t : tensor<?x3xf32>        layout of 8x4
//   =>
//   %m = vector.create_mask %d0, %c3 : vector<8x4xi1>
//   %v = vector.transfer_read %t, %poison, %m : vector<8x4xf32>
//   %w = to_layout %v
//   %l = vector.transfer_write %w, %empty, %m
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_VECTOREXTVECTORIZETOLAYOUT
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using vector_ext::ToLayoutOp;

/// Returns the mask of the vector's elements that the tensor has; null if it
/// has all.
static Value createMask(OpBuilder &b, Location loc, VectorType vector,
                        RankedTensorType type, ArrayRef<OpFoldResult> sizes) {
  if (type.getShape() == vector.getShape())
    return {};
  return vector::CreateMaskOp::create(
      b, loc, vector.clone(b.getI1Type()),
      getValueOrCreateConstantIndexOp(b, loc, sizes));
}

/// Returns the previous value of the loop-carried value that `use` yields; null
/// for other uses.
static Value carriedBefore(OpOperand &use) {
  auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
  return loop && isa<scf::YieldOp>(use.getOwner())
             ? loop.getRegionIterArg(use.getOperandNumber())
             : Value();
}

static LogicalResult vectorizeToLayout(ToLayoutOp op, RewriterBase &b) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type)
    return success();
  if (!VectorType::isValidElementType(type.getElementType()))
    return op.emitOpError("has elements of type ")
           << type.getElementType() << ", of which there are no vectors";
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto vector = VectorType::get(op.getLayout().getUndistributedShape(),
                                type.getElementType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getInput());
  Value mask = createMask(b, loc, vector, type, sizes);
  SmallVector<Value> zeros(
      type.getRank(), arith::ConstantIndexOp::create(b, loc, 0).getResult());
  Value padding = ub::PoisonOp::create(b, loc, type.getElementType());
  AffineMap map = b.getMultiDimIdentityMap(type.getRank());
  ArrayAttr inBounds =
      b.getBoolArrayAttr(SmallVector<bool>(type.getRank(), true));
  Value read = vector::TransferReadOp::create(b, loc, vector, op.getInput(),
                                              zeros, AffineMapAttr::get(map),
                                              padding, mask, inBounds);
  Value laidOut = ToLayoutOp::create(b, loc, read, op.getLayout(),
                                     op.getSharedMemoryConversionAttr(),
                                     op.getMmaKindAttr());
  auto writeInto = [&](Value destination) {
    return vector::TransferWriteOp::create(b, loc, type, laidOut, destination,
                                           zeros, AffineMapAttr::get(map), mask,
                                           inBounds)
        .getResult();
  };
  // The value that a loop yields reuses the buffer of the previous one.
  for (OpOperand &use : llvm::make_early_inc_range(op.getOutput().getUses()))
    if (Value carried = carriedBefore(use)) {
      b.setInsertionPoint(use.getOwner());
      use.set(writeInto(carried));
    }
  b.setInsertionPoint(op);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  b.replaceOp(op, writeInto(empty));
  return success();
}

static LogicalResult vectorizeToLayouts(Operation *root) {
  IRRewriter rewriter(root->getContext());
  WalkResult walk = root->walk([&](ToLayoutOp op) {
    return failed(vectorizeToLayout(op, rewriter)) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

namespace {
struct VectorizeToLayoutPass final
    : distaff::impl::VectorExtVectorizeToLayoutBase<VectorizeToLayoutPass> {
  void runOnOperation() override {
    if (failed(vectorizeToLayouts(getOperation())))
      signalPassFailure();
  }
};
} // namespace

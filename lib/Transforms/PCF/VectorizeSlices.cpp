//===- VectorizeSlices.cpp - Slices of srefs as vectors -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After vectorization a tensor stands between a slice of an sref and a vector:
// it is read and then read again, or written and then written again. Srefs read
// and write vectors themselves, zero beyond a slice where they read, and no
// farther than it where they write, so the tensor goes, and with it the
// padding.
//
//===----------------------------------------------------------------------===//
#include "distaff/Transforms/PCF/Passes.h"

#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_PCFVECTORIZESLICES
#include "distaff/Transforms/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Whether a transfer covers its tensor from the corner, element by element.
template <typename TransferOp> static bool isWhole(TransferOp op) {
  return !op.getMask() && op.getPermutationMap().isIdentity() &&
         llvm::all_of(op.getIndices(), [](Value index) {
           return isZeroInteger(getAsOpFoldResult(index));
         });
}

/// The vector that is all of a tensor, null if that is not known.
static Value getVectorOf(Value tensor) {
  auto write = tensor.getDefiningOp<vector::TransferWriteOp>();
  if (!write || !isWhole(write))
    return {};
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getShape() == write.getVectorType().getShape() ? write.getVector()
                                                             : Value();
}

/// Whether a slice begins in the corner of its source.
static bool isCorner(tensor::ExtractSliceOp slice) {
  return slice.getType().getRank() == slice.getSourceType().getRank() &&
         slice.hasUnitStride() &&
         llvm::all_of(slice.getMixedOffsets(), isZeroInteger);
}

/// Whether a size is known to be no larger than an extent.
static bool isAtMost(OpFoldResult size, int64_t extent) {
  // Upstream knows no bounds of it.
  auto value = dyn_cast<Value>(size);
  if (auto min = value ? value.getDefiningOp<arith::MinSIOp>() : nullptr)
    return isAtMost(min.getLhs(), extent) || isAtMost(min.getRhs(), extent);
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, size, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return succeeded(bound) && *bound <= extent;
}

namespace {
struct ReadVector final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    auto read = op.getBase().getDefiningOp<ReadSliceOp>();
    if (!read || !isWhole(op))
      return rewriter.notifyMatchFailure(op, "is no read of a whole slice");
    // What lies beyond a slice is zero.
    bool padsZero = matchPattern(op.getPadding(), m_AnyZeroFloat()) ||
                    matchPattern(op.getPadding(), m_Zero());
    if (!padsZero && op.hasOutOfBoundsDim())
      return rewriter.notifyMatchFailure(op, "is padded with another number");
    for (auto [size, extent] :
         llvm::zip_equal(read.getMixedSizes(), op.getVectorType().getShape()))
      if (!isAtMost(size, extent))
        return rewriter.notifyMatchFailure(op, "may read a part of the slice");
    // Reading later must find the same.
    if (read->getBlock() != op->getBlock())
      return rewriter.notifyMatchFailure(op, "reads in another block");
    for (Operation *between = read->getNextNode(); between != op;
         between = between->getNextNode())
      if (!isMemoryEffectFree(between) && !isa<ReadSliceOp>(between))
        return rewriter.notifyMatchFailure(op, "reads what may have changed");
    rewriter.replaceOpWithNewOp<ReadSliceOp>(
        op, op.getVectorType(), read.getSource(), read.getMixedOffsets(),
        read.getMixedSizes(), read.getMixedStrides());
    return success();
  }
};

struct WriteVector final : OpRewritePattern<WriteSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WriteSliceOp op,
                                PatternRewriter &rewriter) const override {
    // A corner of a vector is written by the slice's own sizes.
    Value source = op.getSource();
    auto corner = source.getDefiningOp<tensor::ExtractSliceOp>();
    if (corner && isCorner(corner) &&
        llvm::equal(corner.getMixedSizes(), op.getMixedSizes()))
      source = corner.getSource();
    Value value = getVectorOf(source);
    if (!value)
      return rewriter.notifyMatchFailure(op, "writes no vector");
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(value); });
    return success();
  }
};

struct VectorizeSlices final
    : distaff::impl::PCFVectorizeSlicesBase<VectorizeSlices> {
  // What is known of sizes is asked of the ops that compute them.
  void getDependentDialects(DialectRegistry &registry) const override {
    PCFVectorizeSlicesBase::getDependentDialects(registry);
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
    tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReadVector, WriteVector>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

//===- ConstantSlices.cpp - Slices at constant offsets --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice with the sizes [1, 8, 1] may have the type 1x8 or 8x1. Upstream
// infers 8x1 when it makes an offset static, so that a row becomes a column.
// The patterns here derive the kept dimensions from the slice's type: sizes are
// matched with its extents from the first on, and a unit without a match is
// dropped. Adjacent units are interchangeable.
//
//===----------------------------------------------------------------------===//
#include "OwnFolds.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

namespace {
/// A constant slice is a slice with constants in place of constant values.
struct ConstantSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  /// The dimensions that the slice's type keeps, and their extents.
  llvm::SmallBitVector dims;
  SmallVector<int64_t> kept;
};
} // namespace

/// Returns which sizes of a slice are extents of its type's `shape`. A size
/// that is dynamic in the op always is one: dynamic in the type, or the
/// constant that upstream's fold of a cast has put there.
static FailureOr<llvm::SmallBitVector> keptDims(ArrayRef<int64_t> staticSizes,
                                                ArrayRef<int64_t> constantSizes,
                                                ArrayRef<int64_t> shape) {
  llvm::SmallBitVector kept(staticSizes.size());
  size_t next = 0;
  for (size_t dim = 0; dim < staticSizes.size(); ++dim) {
    bool stays =
        next < shape.size() && (staticSizes[dim] == shape[next] ||
                                (ShapedType::isDynamic(staticSizes[dim]) &&
                                 constantSizes[dim] == shape[next]));
    if (!stays && staticSizes[dim] != 1)
      return failure();
    kept[dim] = stays;
    next += stays;
  }
  if (next != shape.size())
    return failure();
  return kept;
}

/// Returns the slice with static constants; fails where nothing changes or the
/// slice is outside of `whole`; `shape` is the type's shape.
template <typename SliceOp>
static FailureOr<ConstantSlice>
planConstantSlice(SliceOp op, ArrayRef<int64_t> whole, ArrayRef<int64_t> shape,
                  PatternRewriter &rewriter) {
  ConstantSlice slice{
      op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides(), {}, {}};
  bool changed =
      succeeded(foldDynamicIndexList(slice.offsets, /*onlyNonNegative=*/true));
  changed |=
      succeeded(foldDynamicIndexList(slice.sizes, /*onlyNonNegative=*/true));
  changed |= succeeded(foldDynamicIndexList(slice.strides));
  if (!changed)
    return rewriter.notifyMatchFailure(op, "no constant is dynamic");
  if (!verifyInBoundsSlice(whole, slice.offsets, slice.sizes, slice.strides)
           .isValid)
    return rewriter.notifyMatchFailure(op, "the slice is out of bounds");
  SmallVector<int64_t> sizes;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(slice.sizes, values, sizes);
  FailureOr<llvm::SmallBitVector> dims =
      keptDims(op.getStaticSizes(), sizes, shape);
  if (failed(dims))
    return rewriter.notifyMatchFailure(op, "the type is not a reduced one");
  slice.dims = *dims;
  for (unsigned dim : dims->set_bits())
    slice.kept.push_back(sizes[dim]);
  return slice;
}

namespace {
struct ConstantExtractSlice final : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<ConstantSlice> slice = planConstantSlice(
        op, op.getSourceType().getShape(), op.getType().getShape(), rewriter);
    if (failed(slice))
      return failure();
    Value made = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), op.getType().clone(slice->kept), op.getSource(),
        slice->offsets, slice->sizes, slice->strides);
    if (made.getType() != op.getType())
      made = tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), made);
    rewriter.replaceOp(op, made);
    return success();
  }
};

template <typename InsertOp>
struct ConstantInsertSlice final : OpRewritePattern<InsertOp> {
  using OpRewritePattern<InsertOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(InsertOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<ConstantSlice> slice =
        planConstantSlice(op, op.getDestType().getShape(),
                          op.getSourceType().getShape(), rewriter);
    if (failed(slice))
      return failure();
    Value source = op.getSource();
    Type type = op.getSourceType().clone(slice->kept);
    if (type != source.getType()) {
      OpBuilder::InsertionGuard guard(rewriter);
      // Only insertions are allowed in the terminator.
      if (std::is_same_v<InsertOp, tensor::ParallelInsertSliceOp>)
        rewriter.setInsertionPoint(op->getParentOp());
      source = tensor::CastOp::create(rewriter, op.getLoc(), type, source);
    }
    rewriter.replaceOpWithNewOp<InsertOp>(
        op, source, op.getDest(), slice->offsets, slice->sizes, slice->strides);
    return success();
  }
};

struct ConstantSubView final : OpRewritePattern<memref::SubViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::SubViewOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<ConstantSlice> slice = planConstantSlice(
        op, op.getSourceType().getShape(), op.getType().getShape(), rewriter);
    if (failed(slice))
      return failure();
    FailureOr<MemRefType> type = typeOf(op, *slice);
    if (failed(type))
      return rewriter.notifyMatchFailure(op, "its strides are not inferred");
    Value made =
        memref::SubViewOp::create(rewriter, op.getLoc(), *type, op.getSource(),
                                  slice->offsets, slice->sizes, slice->strides);
    if (made.getType() != op.getType())
      made = memref::CastOp::create(rewriter, op.getLoc(), op.getType(), made);
    rewriter.replaceOp(op, made);
    return success();
  }

private:
  /// Returns the type of the view with the strides of the dimensions that stay.
  static FailureOr<MemRefType> typeOf(memref::SubViewOp op,
                                      const ConstantSlice &slice) {
    MemRefType full = memref::SubViewOp::inferResultType(
        op.getSourceType(), slice.offsets, slice.sizes, slice.strides);
    if (full.getRank() == op.getType().getRank())
      return full;
    // The verifier compares strides to find dropped units, and is wrong where
    // more units exist.
    SmallVector<int64_t> strides, keptStrides;
    int64_t offset, dropped = full.getRank() - op.getType().getRank();
    if (llvm::count(full.getShape(), 1) != dropped)
      return failure();
    if (failed(full.getStridesAndOffset(strides, offset)))
      return failure();
    for (unsigned dim : slice.dims.set_bits())
      keptStrides.push_back(strides[dim]);
    return MemRefType::get(
        slice.kept, full.getElementType(),
        StridedLayoutAttr::get(op.getContext(), offset, keptStrides),
        full.getMemorySpace());
  }
};
} // namespace

void distaff::populateConstantSlices(RewritePatternSet &patterns) {
  // The benefit is higher than that of upstream's patterns for casts of slices.
  patterns
      .add<ConstantExtractSlice, ConstantInsertSlice<tensor::InsertSliceOp>,
           ConstantInsertSlice<tensor::ParallelInsertSliceOp>, ConstantSubView>(
          patterns.getContext());
}

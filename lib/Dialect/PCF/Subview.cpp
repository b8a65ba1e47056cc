//===- Subview.cpp - pcf.subview ------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Slices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace distaff;
using namespace distaff::pcf;

LogicalResult SubviewOp::verify() {
  SRefType source = getSource().getType(), result = getResult().getType();
  if (source.getScope() != result.getScope() ||
      source.getSyncScope() != result.getSyncScope() ||
      source.getElementType() != result.getElementType())
    return emitOpError()
           << "view must keep scope, element type and synchronization";
  if (!computeRankReductionMask(getStaticSizes(), result.getShape()))
    return emitOpError() << "result shape [" << result.getShape()
                         << "] is not a rank reduction of the slice sizes ["
                         << getStaticSizes() << "]";
  return verifySliceInside(*this);
}

Value SubviewOp::getViewSource() { return getSource(); }

llvm::SmallBitVector SubviewOp::getDroppedDims() {
  auto dropped = computeRankReductionMask(getStaticSizes(),
                                          getResult().getType().getShape());
  llvm::SmallBitVector bits(getStaticSizes().size());
  for (unsigned dim : *dropped)
    bits.set(dim);
  return bits;
}

/// Returns whether the view is all of its source.
static bool isIdentity(SubviewOp op) {
  return op.getSource().getType() == op.getResult().getType() &&
         op.getSource().getType().hasStaticShape() &&
         llvm::all_of(op.getStaticOffsets(), [](int64_t o) { return !o; }) &&
         llvm::all_of(op.getStaticStrides(), [](int64_t t) { return t == 1; });
}

OpFoldResult SubviewOp::fold(FoldAdaptor) {
  if (isIdentity(*this))
    return getSource();
  // There is no cast of srefs, so sizes stay as the result has them.
  return foldSlice(*this, /*withSizes=*/false) ? getResult() : Value();
}

/// Replaces static offsets that the verifier would reject by operands.
/// Composing two views of unknown sizes may create these; they are undefined
/// behaviour if the code is executed.
static void keepOutOfText(OpBuilder &builder, Location loc, SRefType source,
                          SmallVector<OpFoldResult> &offsets,
                          ArrayRef<OpFoldResult> sizes,
                          ArrayRef<OpFoldResult> strides) {
  auto statics = [](ArrayRef<OpFoldResult> mixed) {
    return decomposeMixedValues(mixed).first;
  };
  StaticSlice slice{statics(offsets), statics(sizes), statics(strides)};
  auto keep = [&](unsigned dim) {
    offsets[dim] = getValueOrCreateConstantIndexOp(builder, loc, offsets[dim]);
    slice.offsets[dim] = ShapedType::kDynamic;
  };
  for (unsigned dim : llvm::seq<unsigned>(0, offsets.size()))
    if (slice.offsets[dim] < 0 && !ShapedType::isDynamic(slice.offsets[dim]))
      keep(dim);
  while (std::optional<unsigned> dim = findExcess(slice, source.getShape()))
    keep(*dim);
}

namespace {
/// Composes two views: o1 + o2 * t1, s2, t1 * t2 in the dimensions that the
/// inner view keeps, and the inner view's entry in the others.
struct ComposeSubviews final : OpRewritePattern<SubviewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubviewOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<SubviewOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the source is not a view");
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> offsets = inner.getMixedOffsets(),
                              sizes = inner.getMixedSizes(),
                              strides = inner.getMixedStrides();
    llvm::SmallBitVector dropped = inner.getDroppedDims();
    AffineExpr s0, s1, s2;
    bindSymbols(op.getContext(), s0, s1, s2);
    unsigned kept = 0;
    for (unsigned dim : llvm::seq<unsigned>(0, offsets.size())) {
      if (dropped.test(dim))
        continue;
      OpFoldResult offset = op.getMixedOffsets()[kept],
                   stride = op.getMixedStrides()[kept];
      offsets[dim] = affine::makeComposedFoldedAffineApply(
          rewriter, loc, s0 + s1 * s2, {offsets[dim], offset, strides[dim]});
      strides[dim] = affine::makeComposedFoldedAffineApply(
          rewriter, loc, s0 * s1, {strides[dim], stride});
      sizes[dim] = op.getMixedSizes()[kept++];
    }
    keepOutOfText(rewriter, loc, inner.getRefType(), offsets, sizes, strides);
    rewriter.replaceOpWithNewOp<SubviewOp>(op, op.getResult().getType(),
                                           inner.getSource(), offsets, sizes,
                                           strides);
    return success();
  }
};
} // namespace

void SubviewOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ComposeSubviews>(context);
}

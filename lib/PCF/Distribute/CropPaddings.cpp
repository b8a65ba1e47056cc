//===- CropPaddings.cpp - Negative paddings as slices ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CropPaddings.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace distaff;
using namespace distaff::pcf;

static bool isNegative(int64_t amount) {
  return !ShapedType::isDynamic(amount) && amount < 0;
}

/// Returns how many elements an amount of padding cuts off.
static int64_t countCut(int64_t amount) {
  return isNegative(amount) ? -amount : 0;
}

/// Replaces negative amounts by zero.
static void dropNegative(MutableArrayRef<int64_t> amounts) {
  for (int64_t &amount : amounts)
    amount = isNegative(amount) ? 0 : amount;
}

LogicalResult pcf::cropPadding(tensor::PadOp op, TensorPlaces &places,
                               RewriterBase &rewriter) {
  if (llvm::none_of(op.getStaticLow(), isNegative) &&
      llvm::none_of(op.getStaticHigh(), isNegative))
    return success();
  Location loc = op.getLoc();
  FailureOr<MixedSizes> extents = places.getExtents(op.getSource(), op);
  if (failed(extents))
    return failure();
  TensorPart part = TensorPart::whole(*extents);
  SmallVector<int64_t> low(op.getStaticLow()), high(op.getStaticHigh());
  for (auto [dim, size] : llvm::enumerate(part.sizes)) {
    int64_t before = countCut(low[dim]), cut = before + countCut(high[dim]);
    part.offsets[dim] = rewriter.getIndexAttr(before);
    size = affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineSymbolExpr(0) - cut, {size});
  }
  FailureOr<TensorPlace> place = places.find(op.getSource(), op);
  if (failed(place))
    return failure();
  Value kept =
      places.read(*place, part, op.getSourceType().getElementType(), loc);
  dropNegative(low);
  dropNegative(high);
  rewriter.modifyOpInPlace(op, [&] {
    op.getSourceMutable().assign(kept);
    op.setStaticLow(low);
    op.setStaticHigh(high);
  });
  return success();
}

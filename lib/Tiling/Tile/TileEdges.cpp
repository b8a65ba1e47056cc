//===- TileEdges.cpp - Boundary tiles -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An offset is past the end only where a workgroup's tile is split into smaller
// tiles, and the loop over these does not end where the tile does; a slice is
// empty there, and begins at the end.
//
//===----------------------------------------------------------------------===//
#include "TileEdges.h"
#include "../BodyParts.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <numeric>

using namespace distaff;

namespace {
/// A span is a slice along one dim.
struct Span {
  OpFoldResult offset, size;
};
} // namespace

static bool areEqual(OpFoldResult a, OpFoldResult b) {
  if (isEqualConstantIntOrValue(a, b))
    return true;
  auto dimOf = [](OpFoldResult it) {
    auto value = dyn_cast<Value>(it);
    return value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  };
  tensor::DimOp first = dimOf(a), second = dimOf(b);
  return first && second && first.getSource() == second.getSource() &&
         isEqualConstantIntOrValue(getAsOpFoldResult(first.getIndex()),
                                   getAsOpFoldResult(second.getIndex()));
}

/// Returns whether a loop ends at `extent` or sooner, whatever else its end
/// depends on.
static bool endsBefore(scf::ForOp loop, OpFoldResult extent) {
  auto least = loop.getUpperBound().getDefiningOp<affine::AffineMinOp>();
  std::optional<int64_t> end = getConstantIntValue(extent);
  if (!least)
    return false;
  return llvm::any_of(least.getMap().getResults(), [&](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && end && constant.getValue() <= *end;
  });
}

/// Returns whether an offset may be past the end: it is computed from several
/// loop variables, or from a loop with another end.
static bool mayBeBehind(OpFoldResult offset, OpFoldResult extent) {
  auto value = dyn_cast<Value>(offset);
  if (scf::ForOp loop =
          value ? scf::getForInductionVarOwner(value) : scf::ForOp()) {
    OpFoldResult last = getAsOpFoldResult(loop.getUpperBound());
    if (endsBefore(loop, extent))
      return false;
    std::optional<int64_t> bound = getConstantIntValue(last),
                           end = getConstantIntValue(extent);
    return bound && end ? *bound > *end : !areEqual(last, extent);
  }
  auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>()
                     : affine::AffineApplyOp();
  return apply && apply->getNumOperands() > 1;
}

/// Returns the end of the workgroup loop that an offset counts along, alone or
/// with other axes; null for other offsets.
static OpFoldResult endOfId(Value offset) {
  if (auto forall = scf::getForallOpThreadIndexOwner(offset))
    return forall
        .getMixedUpperBound()[cast<BlockArgument>(offset).getArgNumber()];
  auto ids = offset.getDefiningOp<affine::AffineDelinearizeIndexOp>();
  if (!ids || !ids.hasOuterBound())
    return {};
  return ids.getMixedBasis()[cast<OpResult>(offset).getResultNumber()];
}

/// Returns whether an offset is the counter of a loop that ends at `extent` or
/// sooner.
static bool isCountedBefore(OpFoldResult offset, OpFoldResult extent) {
  auto value = dyn_cast<Value>(offset);
  if (!value)
    return false;
  if (scf::getForInductionVarOwner(value))
    return !mayBeBehind(offset, extent);
  OpFoldResult end = endOfId(value);
  return end && areEqual(end, extent);
}

/// Returns a number that divides an offset in every iteration.
static int64_t divisorOf(OpFoldResult offset) {
  if (std::optional<int64_t> number = getConstantIntValue(offset))
    return *number;
  auto value = cast<Value>(offset);
  if (auto loop = scf::getForInductionVarOwner(value))
    return std::gcd(getConstantIntValue(loop.getLowerBound()).value_or(1),
                    getConstantIntValue(loop.getStep()).value_or(1));
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return 1;
  // Each term of the sum is a multiple of its operand's divisor times a factor.
  AffineMap map = apply.getAffineMap();
  if (!map.getResult(0).isPureAffine())
    return 1;
  int64_t divisor = 0;
  AffineExpr rest = map.getResult(0),
             zero = getAffineConstantExpr(0, map.getContext());
  for (auto [number, operand] : llvm::enumerate(apply.getOperands())) {
    AffineExpr it =
        number < map.getNumDims()
            ? getAffineDimExpr(number, map.getContext())
            : getAffineSymbolExpr(number - map.getNumDims(), map.getContext());
    AffineExpr without = rest.replace(it, zero);
    AffineExpr term = simplifyAffineExpr(rest - without, map.getNumDims(),
                                         map.getNumSymbols());
    int64_t factor = term.getLargestKnownDivisor();
    if (term == it * factor)
      factor *= divisorOf(operand);
    divisor = std::gcd(divisor, factor);
    rest = without;
  }
  return std::gcd(
      divisor, simplifyAffineExpr(rest, map.getNumDims(), map.getNumSymbols())
                   .getLargestKnownDivisor());
}

/// Clips a slice of `size` elements from `offset` on to `extent`.
static Span cut(RewriterBase &rewriter, Location loc, OpFoldResult offset,
                int64_t size, OpFoldResult extent) {
  std::optional<int64_t> begin = getConstantIntValue(offset),
                         end = getConstantIntValue(extent);
  if (begin && end && *begin + size <= *end)
    return {offset, rewriter.getIndexAttr(size)};
  // The tile has the whole dynamic extent.
  if (begin == 0 && size >= largestExtent)
    return {offset, extent};
  if (size == 1 && isCountedBefore(offset, extent))
    return {offset, rewriter.getIndexAttr(size)};
  // Tiles begin before the end, and those that divide the extent end there.
  if (end && *end % size == 0 && divisorOf(offset) % size == 0)
    return {offset, rewriter.getIndexAttr(size)};
  AffineExpr o = rewriter.getAffineDimExpr(0),
             n = rewriter.getAffineSymbolExpr(0),
             whole = rewriter.getAffineConstantExpr(size);
  auto mapTo = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(1, 1, exprs, rewriter.getContext());
  };
  OpFoldResult left = affine::makeComposedFoldedAffineMin(
      rewriter, loc, mapTo({whole, n - o}), {offset, extent});
  if (!mayBeBehind(offset, extent))
    return {offset, left};
  offset = affine::makeComposedFoldedAffineMin(rewriter, loc, mapTo({o, n}),
                                               {offset, extent});
  AffineExpr zero = rewriter.getAffineConstantExpr(0);
  left = affine::makeComposedFoldedAffineMax(
      rewriter, loc, AffineMap::get(1, 0, {zero, o}, rewriter.getContext()),
      {left});
  return {offset, left};
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// Returns the extent of a dim before it was padded; a dynamic one is that of
/// its axis, so that it is the same value for all tensors.
static OpFoldResult extentOf(RewriterBase &rewriter, tensor::PadOp pad,
                             int64_t dim, ArrayRef<PaddedAxis> paddedAxes) {
  int64_t before = pad.getSourceType().getDimSize(dim),
          padded = pad.getResultType().getDimSize(dim);
  for (const PaddedAxis &axis : paddedAxes)
    if (axis.padded == padded && padded >= largestExtent)
      return axis.extentAt(rewriter, pad.getLoc());
  if (ShapedType::isDynamic(before))
    return tensor::getMixedSize(rewriter, pad.getLoc(), pad.getSource(), dim);
  return rewriter.getIndexAttr(before);
}

/// Replaces the slice of a padded tensor by a padded slice of the valid part.
static void cutRead(RewriterBase &rewriter, tensor::ExtractSliceOp slice,
                    tensor::PadOp pad, ArrayRef<PaddedAxis> paddedAxes) {
  rewriter.setInsertionPoint(slice);
  Location loc = slice.getLoc();
  Value source = pad.getSource();
  int64_t rank = pad.getSourceType().getRank();
  SmallVector<OpFoldResult> offsets, sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    OpFoldResult extent = extentOf(rewriter, pad, dim, paddedAxes);
    Span inside = cut(rewriter, loc, slice.getMixedOffsets()[dim],
                      slice.getStaticSizes()[dim], extent);
    offsets.push_back(inside.offset);
    sizes.push_back(inside.size);
  }
  SmallVector<OpFoldResult> ones(rank, rewriter.getIndexAttr(1));
  Value inside = tensor::ExtractSliceOp::create(rewriter, loc, source, offsets,
                                                sizes, ones);
  auto whole = RankedTensorType::get(slice.getStaticSizes(),
                                     slice.getType().getElementType());
  Value tile = inside;
  if (inside.getType() != whole)
    tile = tensor::createPadHighOp(whole, inside, pad.getConstantPaddingValue(),
                                   /*nofold=*/false, loc, rewriter);
  if (tile.getType() != slice.getType())
    tile = tensor::createCanonicalRankReducingExtractSliceOp(
        rewriter, loc, tile, slice.getType());
  rewriter.replaceOp(slice, tile);
}

/// Returns the padded tensor outside of the loop that `value` is; null for
/// others.
static tensor::PadOp findPad(scf::ForallOp forall, Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  return pad && !forall->isAncestor(pad) ? pad : tensor::PadOp();
}

/// Clips reads of padded tensors; an op that reads a whole padded tensor gets a
/// slice first.
static LogicalResult cutReads(RewriterBase &rewriter, scf::ForallOp forall,
                              ArrayRef<PaddedAxis> paddedAxes) {
  SmallVector<OpOperand *> wholes;
  forall.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (findPad(forall, operand.get()) && !isa<tensor::ExtractSliceOp>(op))
        wholes.push_back(&operand);
  });
  for (OpOperand *operand : wholes) {
    rewriter.setInsertionPoint(operand->getOwner());
    auto type = cast<RankedTensorType>(operand->get().getType());
    SmallVector<OpFoldResult> zeros(type.getRank(), rewriter.getIndexAttr(0)),
        ones(type.getRank(), rewriter.getIndexAttr(1)),
        sizes = getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
    Value slice =
        tensor::ExtractSliceOp::create(rewriter, operand->getOwner()->getLoc(),
                                       operand->get(), zeros, sizes, ones);
    rewriter.modifyOpInPlace(operand->getOwner(), [&] { operand->set(slice); });
  }
  SmallVector<tensor::ExtractSliceOp> slices;
  forall.walk([&](tensor::ExtractSliceOp slice) {
    if (findPad(forall, slice.getSource()))
      slices.push_back(slice);
  });
  for (tensor::ExtractSliceOp slice : slices) {
    if (!slice.hasUnitStride() ||
        ShapedType::isDynamicShape(slice.getStaticSizes()))
      return slice.emitOpError("reads a padded tensor in another way than by "
                               "tiles");
    cutRead(rewriter, slice, findPad(forall, slice.getSource()), paddedAxes);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

static bool isWhole(RankedTensorType type, ArrayRef<OpFoldResult> sizes) {
  return llvm::all_of(llvm::zip_equal(type.getShape(), sizes), [](auto pair) {
    return getConstantIntValue(std::get<1>(pair)) == std::get<0>(pair);
  });
}

static Value firstOf(RewriterBase &rewriter, Location loc, Value tile,
                     ArrayRef<OpFoldResult> sizes) {
  if (isWhole(cast<RankedTensorType>(tile.getType()), sizes))
    return tile;
  SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
      ones(sizes.size(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, tile, zeros, sizes,
                                        ones);
}

/// Clips the result `number` of a loop that writes one tile per iteration into
/// it, and starts from `start`, which already has the clipped size.
static void cutLoop(RewriterBase &rewriter, scf::ForOp loop, unsigned number,
                    Value start, ArrayRef<OpFoldResult> extents) {
  Value arg = loop.getRegionIterArg(number);
  auto whole = cast<RankedTensorType>(arg.getType());
  rewriter.modifyOpInPlace(loop, [&] {
    loop.getInitArgsMutable()[number].set(start);
    arg.setType(start.getType());
    loop.getResult(number).setType(start.getType());
  });
  OpOperand &yielded =
      *loop.getTiedLoopYieldedValue(loop.getRegionIterArg(number));
  if (auto inner = yielded.get().getDefiningOp<scf::ForOp>())
    return cutLoop(rewriter, inner,
                   cast<OpResult>(yielded.get()).getResultNumber(), arg,
                   extents);
  auto insert = yielded.get().getDefiningOp<tensor::InsertSliceOp>();
  assert(insert && insert.getDest() == arg && "a loop over tiles");
  rewriter.setInsertionPoint(insert);
  Location loc = insert.getLoc();
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [offset, size, extent, all] :
       llvm::zip_equal(insert.getMixedOffsets(), insert.getStaticSizes(),
                       extents, whole.getShape())) {
    bool isAll = size == all; // before it was clipped
    Span inside =
        isAll ? Span{offset, extent} : cut(rewriter, loc, offset, size, extent);
    offsets.push_back(inside.offset);
    sizes.push_back(inside.size);
  }
  Value source = firstOf(rewriter, loc, insert.getSource(), sizes);
  SmallVector<OpFoldResult> ones(sizes.size(), rewriter.getIndexAttr(1));
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(insert, source, arg,
                                                     offsets, sizes, ones);
}

/// Returns the first `sizes` elements of a tile. The loop that computes the
/// tile computes no more than these, unless other ops of the workgroup read the
/// whole tile.
static Value cutTile(RewriterBase &rewriter, Value tile,
                     ArrayRef<OpFoldResult> sizes) {
  if (isWhole(cast<RankedTensorType>(tile.getType()), sizes))
    return tile;
  auto loop = tile.getDefiningOp<scf::ForOp>();
  unsigned number = loop ? cast<OpResult>(tile).getResultNumber() : 0;
  if (!loop || !tile.hasOneUse() ||
      !loop.getInitArgs()[number].getDefiningOp<tensor::EmptyOp>())
    return firstOf(rewriter, tile.getLoc(), tile, sizes);
  rewriter.setInsertionPoint(loop);
  Value start = tensor::EmptyOp::create(
      rewriter, loop.getLoc(), sizes,
      cast<RankedTensorType>(tile.getType()).getElementType());
  cutLoop(rewriter, loop, number, start, sizes);
  return tile;
}

static void cutWrites(RewriterBase &rewriter, scf::ForallOp forall) {
  SmallVector<tensor::ParallelInsertSliceOp> inserts;
  for (Operation &op : forall.getTerminator().getYieldingOps())
    inserts.push_back(cast<tensor::ParallelInsertSliceOp>(op));
  for (tensor::ParallelInsertSliceOp insert : inserts) {
    Location loc = insert.getLoc();
    OpOperand *out =
        forall.getTiedOpOperand(cast<BlockArgument>(insert.getDest()));
    SmallVector<OpFoldResult> extents =
        out->get().getDefiningOp<tensor::EmptyOp>().getMixedSizes();
    // The sizes are needed in front of the loops that write the tile.
    Operation *maker = insert.getSource().getDefiningOp();
    rewriter.setInsertionPoint(
        maker && forall->isAncestor(maker)
            ? forall.getBody()->findAncestorOpInBlock(*maker)
            : forall.getTerminator());
    SmallVector<OpFoldResult> offsets, sizes;
    for (auto [offset, size, extent] : llvm::zip_equal(
             insert.getMixedOffsets(), insert.getStaticSizes(), extents)) {
      Span inside = cut(rewriter, loc, offset, size, extent);
      offsets.push_back(inside.offset);
      sizes.push_back(inside.size);
    }
    if (isWhole(insert.getSourceType(), sizes))
      continue;
    rewriter.setInsertionPoint(forall.getTerminator());
    Value tile = cutTile(rewriter, insert.getSource(), sizes);
    rewriter.setInsertionPoint(insert);
    SmallVector<OpFoldResult> ones(sizes.size(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::ParallelInsertSliceOp>(
        insert, tile, insert.getDest(), offsets, sizes, ones);
  }
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Returns how many of `size` positions from `offset` on are before `end`; the
/// number is negative for a tile past the end.
static OpFoldResult positionsBefore(RewriterBase &rewriter, Location loc,
                                    OpFoldResult offset, int64_t size,
                                    OpFoldResult end) {
  AffineExpr o = rewriter.getAffineDimExpr(0),
             n = rewriter.getAffineSymbolExpr(0),
             whole = rewriter.getAffineConstantExpr(size);
  return affine::makeComposedFoldedAffineMin(
      rewriter, loc,
      AffineMap::get(1, 1, {whole, n - o}, rewriter.getContext()),
      {offset, end});
}

/// Replaces comparisons with the end of the whole extent by comparisons with
/// the end of the tile.
static void cutPositions(RewriterBase &rewriter, scf::ForallOp forall) {
  SmallVector<std::pair<linalg::LinalgOp, arith::CmpIOp>> found;
  forall.walk([&](linalg::LinalgOp op) {
    for (auto compare : op.getBlock()->getOps<arith::CmpIOp>())
      if (compare.getPredicate() == arith::CmpIPredicate::slt &&
          compare.getRhs().getParentBlock() != op.getBlock())
        found.push_back({op, compare});
  });
  for (auto [op, compare] : found) {
    std::optional<LoopPosition> position =
        matchLoopPosition(rewriter, op, compare.getLhs());
    if (!position)
      continue;
    int64_t size = op.getStaticLoopRanges()[position->index.getDim()];
    if (ShapedType::isDynamic(size))
      continue;
    rewriter.setInsertionPoint(op);
    OpFoldResult end = getAsOpFoldResult(compare.getRhs());
    Value local = getValueOrCreateConstantIndexOp(
        rewriter, op->getLoc(),
        positionsBefore(rewriter, compare.getLoc(), position->offset, size,
                        end));
    rewriter.modifyOpInPlace(compare, [&] {
      compare.getLhsMutable().assign(position->index);
      compare.getRhsMutable().assign(local);
    });
  }
}

namespace {
/// Folds comparisons of positions that are always inside a whole tile.
struct FoldInside : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp compare,
                                PatternRewriter &rewriter) const override {
    auto index = compare.getLhs().getDefiningOp<linalg::IndexOp>();
    auto op = dyn_cast<linalg::LinalgOp>(compare->getParentOp());
    std::optional<int64_t> end = getConstantIntValue(compare.getRhs());
    if (!index || !op || !end ||
        compare.getPredicate() != arith::CmpIPredicate::slt)
      return failure();
    int64_t size = op.getStaticLoopRanges()[index.getDim()];
    if (ShapedType::isDynamic(size) || size > *end)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantIntOp>(compare, 1, 1);
    return success();
  }
};
} // namespace

void distaff::populateFoldInside(RewritePatternSet &patterns) {
  patterns.add<FoldInside>(patterns.getContext());
}

/// Merges slices of slices.
static LogicalResult mergeSlices(scf::ForallOp forall) {
  RewritePatternSet patterns(forall.getContext());
  tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (succeeded(applyPatternsGreedily(forall.getBodyRegion(),
                                      guarded(std::move(patterns)), config)))
    return success();
  return forall.emitOpError("has slices of slices that do not settle");
}

LogicalResult distaff::cutEdges(RewriterBase &rewriter, scf::ForallOp forall,
                                ArrayRef<PaddedAxis> paddedAxes) {
  if (failed(mergeSlices(forall)) ||
      failed(cutReads(rewriter, forall, paddedAxes)))
    return failure();
  cutWrites(rewriter, forall);
  cutPositions(rewriter, forall);
  return success();
}

//===- TileEdges.cpp - Where tiles meet the ends of tensors ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An offset is behind the end only where a workgroup's tile is walked by
// smaller ones; a slice is empty there, and begins at the end.
//
//===----------------------------------------------------------------------===//
#include "TileEdges.h"
#include "distaff/Analysis/ContractionBody.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <numeric>

using namespace distaff;

namespace {
/// A slice along one dim.
struct Span {
  OpFoldResult offset, size;
};
} // namespace

/// Whether an offset is computed from more than one loop's variable: only then
/// can it lie behind the end.
static bool mayBeBehind(OpFoldResult offset) {
  auto value = dyn_cast<Value>(offset);
  auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>()
                     : affine::AffineApplyOp();
  return apply && apply->getNumOperands() > 1;
}

/// A number that divides an offset in every iteration.
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
  // The sum of terms, each a multiple of what its operand is one of.
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

/// What lies inside of `extent` of `size` elements from `offset` on.
static Span cut(RewriterBase &rewriter, Location loc, OpFoldResult offset,
                int64_t size, OpFoldResult extent) {
  std::optional<int64_t> begin = getConstantIntValue(offset),
                         end = getConstantIntValue(extent);
  if (begin && end && *begin + size <= *end)
    return {offset, rewriter.getIndexAttr(size)};
  // A tile of all of a dynamic extent.
  if (begin == 0 && size >= largestExtent)
    return {offset, extent};
  // Tiles begin inside, and those that divide end there.
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
  if (!mayBeBehind(offset))
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

/// The extent of a dim before it was padded: of a dynamic one that of its axis,
/// so that it is the same for all tensors.
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

/// Reads of a padded tensor what is inside, and pads that.
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

/// The padded tensor of outside that `value` is a slice of; null for others.
static tensor::PadOp findPad(scf::ForallOp forall, Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  return pad && !forall->isAncestor(pad) ? pad : tensor::PadOp();
}

/// Slices of slices become slices of what is padded; what reads all of it reads
/// a slice, too.
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

/// Cuts the result `number` of a loop that writes one tile per iteration into
/// it, and starts from `start`, which has the size already.
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
    bool isAll = size == all; // before it was cut
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

/// Of a tile, what `sizes` says.
static Value cutTile(RewriterBase &rewriter, Value tile,
                     ArrayRef<OpFoldResult> sizes) {
  if (isWhole(cast<RankedTensorType>(tile.getType()), sizes))
    return tile;
  auto loop = tile.getDefiningOp<scf::ForOp>();
  unsigned number = loop ? cast<OpResult>(tile).getResultNumber() : 0;
  if (!loop || !loop.getInitArgs()[number].getDefiningOp<tensor::EmptyOp>())
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

namespace {
/// A position of an op's loop, from an offset of outside.
struct Position {
  linalg::IndexOp index;
  OpFoldResult offset;
};
} // namespace

/// The sum of a position and of what is computed outside of the op.
static std::optional<Position> matchPosition(RewriterBase &rewriter,
                                             linalg::LinalgOp op, Value value) {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return Position{index, rewriter.getIndexAttr(0)};
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return std::nullopt;
  AffineMap map = apply.getAffineMap();
  Position position;
  AffineExpr rest = map.getResult(0);
  SmallVector<OpFoldResult> operands;
  for (auto [number, operand] : llvm::enumerate(apply.getOperands())) {
    operands.push_back(getAsOpFoldResult(operand));
    if (operand.getParentBlock() != op.getBlock())
      continue;
    auto index = operand.getDefiningOp<linalg::IndexOp>();
    AffineExpr it =
        number < map.getNumDims()
            ? rewriter.getAffineDimExpr(number)
            : rewriter.getAffineSymbolExpr(number - map.getNumDims());
    AffineExpr zero = rewriter.getAffineConstantExpr(0);
    AffineExpr without = rest.replace(it, zero);
    if (!index || position.index ||
        simplifyAffineExpr(rest - without - it, map.getNumDims(),
                           map.getNumSymbols()) != zero)
      return std::nullopt;
    position.index = index;
    rest = without;
    operands.back() = rewriter.getIndexAttr(0);
  }
  if (!position.index)
    return std::nullopt;
  rewriter.setInsertionPoint(op);
  position.offset = affine::makeComposedFoldedAffineApply(
      rewriter, op->getLoc(),
      AffineMap::get(map.getNumDims(), map.getNumSymbols(), rest), operands);
  return position;
}

/// How many of `size` positions from `offset` on are before `end`, which may be
/// any number: a tile may lie behind it.
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

/// What is compared to the end of all is compared to the end of the tile.
static void cutPositions(RewriterBase &rewriter, scf::ForallOp forall) {
  SmallVector<std::pair<linalg::LinalgOp, arith::CmpIOp>> found;
  forall.walk([&](linalg::LinalgOp op) {
    for (auto compare : op.getBlock()->getOps<arith::CmpIOp>())
      if (compare.getPredicate() == arith::CmpIPredicate::slt &&
          compare.getRhs().getParentBlock() != op.getBlock())
        found.push_back({op, compare});
  });
  for (auto [op, compare] : found) {
    std::optional<Position> position =
        matchPosition(rewriter, op, compare.getLhs());
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
/// Positions of a tile are inside of all of it.
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

/// Slices of slices are slices.
static LogicalResult mergeSlices(scf::ForallOp forall) {
  RewritePatternSet patterns(forall.getContext());
  tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (succeeded(applyPatternsGreedily(forall.getBodyRegion(),
                                      std::move(patterns), config)))
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

//===----------------------------------------------------------------------===//
// Loops without edges
//===----------------------------------------------------------------------===//

namespace {
/// What a workgroup has of an axis that it shares: `value` elements of `size`.
struct SharedEdge {
  Value value;
  int64_t size;
};
} // namespace

/// What is computed alike for all steps of a workgroup moves in front of them.
static SmallVector<SharedEdge> findSharedEdges(RewriterBase &rewriter,
                                               scf::ForallOp forall) {
  SmallVector<SharedEdge> edges;
  SmallVector<affine::AffineMinOp> mins;
  forall.walk([&](affine::AffineMinOp op) { mins.push_back(op); });
  SmallVector<affine::AffineMinOp> distinct;
  for (affine::AffineMinOp op : mins) {
    auto size = dyn_cast<AffineConstantExpr>(op.getMap().getResult(0));
    bool isShared = llvm::all_of(op->getOperands(), [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (argument && argument.getOwner() == forall.getBody())
        return true;
      Operation *maker = operand.getDefiningOp();
      return !forall->isAncestor(operand.getParentRegion()->getParentOp()) ||
             isa_and_nonnull<affine::AffineDelinearizeIndexOp>(maker);
    });
    if (!size || op.getMap().getNumResults() != 2 || !isShared)
      continue;
    auto same = llvm::find_if(distinct, [&](affine::AffineMinOp other) {
      return other.getMap() == op.getMap() &&
             llvm::equal(other->getOperands(), op->getOperands());
    });
    if (same != distinct.end()) {
      rewriter.replaceOp(op, same->getResult());
      continue;
    }
    distinct.push_back(op);
    edges.push_back({op.getResult(), size.getValue()});
  }
  // Behind the ids that they are computed from, in front of all else.
  for (affine::AffineMinOp op : distinct) {
    Operation *last = nullptr;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && maker->getBlock() == forall.getBody() &&
          (!last || last->isBeforeInBlock(maker)))
        last = maker;
    if (last)
      rewriter.moveOpAfter(op, last);
    else
      rewriter.moveOpBefore(op, forall.getBody(), forall.getBody()->begin());
  }
  return edges;
}

void distaff::splitEdges(RewriterBase &rewriter, scf::ForallOp forall) {
  bool contractsInLoop = false;
  forall.walk([&](linalg::LinalgOp op) {
    contractsInLoop |=
        op->getParentOfType<scf::ForOp>() && matchContraction(op).has_value();
  });
  // What a loop writes piece by piece has its place in the result already.
  bool isWrittenInLoop = llvm::any_of(
      forall.getTerminator().getYieldingOps(), [](Operation &op) {
        Value tile = cast<tensor::ParallelInsertSliceOp>(op).getSource();
        auto loop = tile.getDefiningOp<scf::ForOp>();
        return loop && loop.getTiedLoopInit(cast<OpResult>(tile))
                           ->get()
                           .getDefiningOp<tensor::EmptyOp>();
      });
  if (!contractsInLoop || isWrittenInLoop)
    return;
  SmallVector<SharedEdge> edges = findSharedEdges(rewriter, forall);
  if (edges.empty())
    return;
  Location loc = forall.getLoc();
  scf::InParallelOp terminator = forall.getTerminator();
  SmallVector<tensor::ParallelInsertSliceOp> inserts;
  for (Operation &op : terminator.getYieldingOps())
    inserts.push_back(cast<tensor::ParallelInsertSliceOp>(op));
  SmallVector<Operation *> body;
  for (Operation &op : forall.getBody()->without_terminator())
    if (!isa<affine::AffineMinOp, affine::AffineDelinearizeIndexOp>(op))
      body.push_back(&op);
  rewriter.setInsertionPoint(terminator);
  Value isWhole;
  for (const SharedEdge &edge : edges) {
    Value size = arith::ConstantIndexOp::create(rewriter, loc, edge.size);
    Value along = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        edge.value, size);
    isWhole =
        isWhole
            ? arith::AndIOp::create(rewriter, loc, isWhole, along).getResult()
            : along;
  }
  SmallVector<Value> outs;
  for (tensor::ParallelInsertSliceOp insert : inserts)
    outs.push_back(tensor::ExtractSliceOp::create(
        rewriter, loc, insert.getDest(), insert.getMixedOffsets(),
        insert.getMixedSizes(), insert.getMixedStrides()));
  auto build = [&](OpBuilder &b, bool whole) {
    IRMapping map;
    for (const SharedEdge &edge : edges)
      if (whole)
        map.map(edge.value,
                arith::ConstantIndexOp::create(b, loc, edge.size).getResult());
    for (Operation *op : body)
      b.clone(*op, map);
    SmallVector<Value> written; // in its place in each result
    for (auto [insert, out] : llvm::zip_equal(inserts, outs)) {
      SmallVector<OpFoldResult> sizes, zeros, ones;
      Value tile = map.lookupOrDefault(insert.getSource());
      auto type = cast<RankedTensorType>(tile.getType());
      for (auto [dim, size] : llvm::enumerate(insert.getMixedSizes())) {
        auto value = dyn_cast<Value>(size);
        if (value)
          size = map.lookupOrDefault(value);
        if (!type.isDynamicDim(dim))
          size = b.getIndexAttr(type.getDimSize(dim));
        sizes.push_back(size);
        zeros.push_back(b.getIndexAttr(0));
        ones.push_back(b.getIndexAttr(1));
      }
      written.push_back(
          tensor::InsertSliceOp::create(b, loc, tile, out, zeros, sizes, ones));
    }
    scf::YieldOp::create(b, loc, written);
  };
  auto split = scf::IfOp::create(
      rewriter, loc, isWhole,
      [&](OpBuilder &b, Location) { build(b, /*whole=*/true); },
      [&](OpBuilder &b, Location) { build(b, /*whole=*/false); });
  for (auto [insert, result] : llvm::zip_equal(inserts, split.getResults()))
    rewriter.modifyOpInPlace(insert,
                             [&] { insert.getSourceMutable().assign(result); });
  for (Operation *op : llvm::reverse(body))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

void distaff::peelEdges(RewriterBase &rewriter, scf::ForallOp forall) {
  SmallVector<scf::ForOp> loops;
  forall.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    scf::ForOp last;
    // Fails where the step divides the range.
    (void)scf::peelForLoopAndSimplifyBounds(rewriter, loop, last);
  }
}

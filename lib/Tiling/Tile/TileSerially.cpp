//===- TileSerially.cpp - Serial loops of a workgroup ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup's tile may exceed its registers along one axis: K of a matmul,
// the columns of a long row. Each op with such an axis then runs a loop of its
// own, into which its producers are fused tile by tile, so that no value of the
// whole axis is live:
//
//   * a contraction accumulates over the loop,
//   * another reduction keeps one partial result per element of the tile and
//     combines them once, after the loop; strict-fp has it accumulate, too,
//   * an elementwise op writes one tile of its result per iteration.
//
// Ops are visited in reverse order: when a producer is visited, its readers
// have fused the tiles they need, and a producer without readers is erased.
//
//===----------------------------------------------------------------------===//
#include "../UpstreamErrors.h"
#include "TileFuse.h"
#include "TileLoops.h"
#include "TileOnlineSoftmax.h"
#include "distaff/Analysis/Linalg/ArgReduction.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/CheckedSize.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

using namespace distaff;

/// Returns tile sizes per loop of `groupOp`, 0 where the loop is not tiled; the
/// tiled loops are those of the iterator type `wanted`.
static SmallVector<int64_t> loopTiles(const GroupOp &groupOp,
                                      const FusedGroup &group,
                                      ArrayRef<int64_t> tiles,
                                      utils::IteratorType wanted) {
  SmallVector<int64_t> sizes;
  for (auto [axis, iterator] : llvm::zip_equal(groupOp.axes, groupOp.iterators))
    sizes.push_back(iterator == wanted &&
                            tiles[axis] < group.axes()[axis].extent
                        ? tiles[axis]
                        : 0);
  return sizes;
}

static bool tilesAny(ArrayRef<int64_t> sizes) {
  return llvm::any_of(sizes, [](int64_t size) { return size != 0; });
}

/// Returns whether several ops read an expensive result that fits in memory: it
/// is kept between their loops, and not recomputed in each.
static bool isWorthKeeping(Operation *producer, int64_t mostBytes) {
  auto type = dyn_cast<RankedTensorType>(producer->getResult(0).getType());
  if (mostBytes == 0 || !type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() || producer->getNumResults() != 1 ||
      saturatingProduct(type.getNumElements(),
                        llvm::divideCeil(type.getElementTypeBitWidth(), 8)) >
          mostBytes)
    return false;
  llvm::SmallPtrSet<Operation *, 4> readers(producer->user_begin(),
                                            producer->user_end());
  return readers.size() > 1 &&
         producer
             ->walk([](Operation *op) {
               return isa<math::MathDialect>(op->getDialect())
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

namespace {
/// Selects the producers that move into the loops of an op: those that compute
/// one tile per iteration. Loop-invariant producers stay outside, and so do
/// those that need a loop of their own.
struct PullIntoLoops {
  const FusedGroup &group;
  ArrayRef<int64_t> tiles;
  const GroupOp &reader;
  ArrayRef<PaddedAxis> paddedAxes;
  int64_t keptBytes; // memory of a workgroup beside its registers

  bool isWalked(unsigned axis) const {
    return tiles[axis] < group.axes()[axis].extent;
  }

  bool operator()(OpOperand &, Operation *producer) const {
    const GroupOp *groupOp = group.find(producer);
    if (!groupOp)
      return false;
    if (isa<linalg::FillOp>(producer))
      return true;
    bool makesTiles = false;
    for (auto [axis, iterator] :
         llvm::zip_equal(groupOp->axes, groupOp->iterators)) {
      if (!isWalked(axis))
        continue;
      if (iterator == utils::IteratorType::reduction)
        return false;
      makesTiles |= reader.loopOf(axis).has_value();
    }
    return makesTiles && !isWorthKeeping(producer, keptBytes);
  }
};
} // namespace

/// Computes the initial value of a loop over disjoint tiles inside it: each
/// iteration reads its own slice only.
static void startFromNothing(RewriterBase &rewriter,
                             DestinationStyleOpInterface op,
                             scf::SCFTilingResult &tiled) {
  auto inner = cast<DestinationStyleOpInterface>(tiled.tiledOps.back());
  auto outermost = cast<scf::ForOp>(tiled.loops.front().getOperation());
  for (auto [init, tiledInit, start] :
       llvm::zip_equal(op.getDpsInits(), inner.getDpsInitsMutable(),
                       outermost.getInitArgsMutable())) {
    auto slice = tiledInit.get().getDefiningOp<tensor::ExtractSliceOp>();
    auto type = dyn_cast<RankedTensorType>(init.getType());
    if (!slice || !type || !type.hasStaticShape())
      continue;
    rewriter.setInsertionPoint(outermost);
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    rewriter.modifyOpInPlace(
        slice, [&, init = init] { slice.getSourceMutable().assign(init); });
    rewriter.modifyOpInPlace(outermost,
                             [&, start = &start] { start->set(empty); });
  }
}

/// Shifts `linalg.index` of a tile, which counts from the tile's start, to the
/// positions of the whole op. Upstream shifts them in every tile but a partial
/// reduction's.
static void shiftPositions(RewriterBase &rewriter, scf::SCFTilingResult &tiled,
                           ArrayRef<int64_t> sizes) {
  auto loop = tiled.loops.begin();
  SmallVector<OpFoldResult> starts;
  for (int64_t size : sizes)
    starts.push_back(size == 0
                         ? OpFoldResult(rewriter.getIndexAttr(0))
                         : OpFoldResult(*(*loop++).getSingleInductionVar()));
  assert(loop == tiled.loops.end() && "one loop per tile size");
  for (Operation *op : tiled.tiledOps)
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      linalg::offsetIndices(rewriter, linalgOp, starts);
}

/// Ends a loop over a padded axis at the axis's extent before padding. Axes are
/// identified by the extent of a workgroup's tile; if two axes have the same
/// one, the loop continues past the end, where all elements are neutral.
static void endAtExtent(RewriterBase &rewriter, scf::ForOp loop,
                        ArrayRef<PaddedAxis> paddedAxes) {
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  const PaddedAxis *found = nullptr;
  for (const PaddedAxis &axis : paddedAxes) {
    if (axis.held != end || !axis.isWalked)
      continue;
    if (axis.held != axis.padded || (found && !found->hasExtentOf(axis)))
      return;
    found = &axis;
  }
  if (!found)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Value bound = getValueOrCreateConstantIndexOp(
      rewriter, loop.getLoc(), found->extentAt(rewriter, loop.getLoc()));
  rewriter.modifyOpInPlace(loop, [&] { loop.setUpperBound(bound); });
}

/// Ends a loop at `end`, if that is before its own end.
static void endSooner(RewriterBase &rewriter, scf::ForOp loop, Value end) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  OpFoldResult bound = affine::makeComposedFoldedAffineMin(
      rewriter, loc, rewriter.getMultiDimIdentityMap(2),
      {getAsOpFoldResult(loop.getUpperBound()), getAsOpFoldResult(end)});
  Value value = getValueOrCreateConstantIndexOp(rewriter, loc, bound);
  rewriter.modifyOpInPlace(loop, [&] { loop.setUpperBound(value); });
}

/// Starts partial results from a value that is neutral bit for bit (VX-246),
/// where upstream uses +0 for a sum.
static void fillWithNeutral(RewriterBase &rewriter, linalg::LinalgOp op,
                            ValueRange partials) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [number, partial] : llvm::enumerate(partials)) {
    SmallVector<Operation *> combiners;
    auto fill = partial.getDefiningOp<linalg::FillOp>();
    if (!fill || !matchReduction(op.getRegionOutputArgs(), number, combiners) ||
        combiners.size() != 1)
      continue;
    std::optional<TypedAttr> neutral = neutralOfCombiner(combiners.front());
    if (!neutral)
      continue;
    rewriter.setInsertionPoint(fill);
    Value value = arith::ConstantOp::create(rewriter, op.getLoc(), *neutral);
    rewriter.modifyOpInPlace(fill,
                             [&] { fill.getDpsInputOperand(0)->set(value); });
  }
}

static FailureOr<scf::SCFTilingResult>
tileUsingLoops(RewriterBase &rewriter, TilingInterface op,
               ArrayRef<int64_t> sizes, ArrayRef<PaddedAxis> paddedAxes,
               bool keepPartials) {
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(op->getContext(), sizes));
  if (keepPartials) {
    SmallVector<unsigned> reductionDims;
    for (auto [loop, size] : llvm::enumerate(sizes))
      if (size != 0)
        reductionDims.push_back(loop);
    options.setReductionDims(reductionDims);
    options.setReductionTilingStrategy(
        ReductionTilingStrategy::PartialReductionOuterReduction);
  }
  rewriter.setInsertionPoint(op);
  DropUpstreamErrors drop(op->getContext());
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, op, options);
  if (failed(tiled))
    return failure();
  if (keepPartials) {
    fillWithNeutral(rewriter, cast<linalg::LinalgOp>(op.getOperation()),
                    tiled->initialValues);
    shiftPositions(rewriter, *tiled, sizes);
  }
  for (LoopLikeOpInterface loop : tiled->loops)
    endAtExtent(rewriter, cast<scf::ForOp>(loop.getOperation()), paddedAxes);
  return tiled;
}

/// Checks that the combining ops have neutral elements, from which partial
/// results start.
static LogicalResult checkCombiners(linalg::LinalgOp op) {
  for (auto [number, result] : llvm::enumerate(op.getRegionOutputArgs())) {
    SmallVector<Operation *> combiners;
    if (matchReduction(op.getRegionOutputArgs(), number, combiners) &&
        combiners.size() == 1 && arith::getNeutralElement(combiners.front()))
      continue;
    return op.emitOpError("reduces result ")
           << number
           << " in parts, so it must be combined by one op that has a neutral "
              "element, such as arith.addf or arith.maximumf, whose other "
              "operand is computed from the inputs alone";
  }
  return success();
}

/// Tiles an op over its parallel loops; returns the op inside them. Its initial
/// value moves along; its inputs are fused when all loops exist.
static FailureOr<TilingInterface>
tileParallelLoops(RewriterBase &rewriter, TilingInterface op,
                  ArrayRef<int64_t> sizes, const PullIntoLoops &mayPull) {
  if (!tilesAny(sizes))
    return op;
  FailureOr<scf::SCFTilingResult> tiled =
      tileUsingLoops(rewriter, op, sizes, mayPull.paddedAxes,
                     /*keepPartials=*/false);
  if (failed(tiled))
    return op->emitOpError("cannot be tiled by a loop of the workgroup");
  startFromNothing(rewriter, cast<DestinationStyleOpInterface>(*op), *tiled);
  rewriter.replaceOp(op, tiled->replacements);
  Operation *inner = tiled->tiledOps.back();
  auto isInit = [&](OpOperand &operand, Operation *producer) {
    auto reader = cast<DestinationStyleOpInterface>(operand.getOwner());
    return (operand.getOwner() != inner || reader.isDpsInit(&operand)) &&
           mayPull(operand, producer);
  };
  if (failed(pullProducers(rewriter, inner, isInit)))
    return failure();
  return cast<TilingInterface>(inner);
}

/// Tiles an op over its reduced loops; returns the ops inside them.
static FailureOr<SmallVector<Operation *>>
tileReductionLoops(RewriterBase &rewriter, TilingInterface op,
                   ArrayRef<int64_t> sizes, ArrayRef<PaddedAxis> paddedAxes,
                   bool strictFp) {
  if (!tilesAny(sizes))
    return SmallVector<Operation *>{op};
  bool keepPartials = !strictFp && !matchProduct(op) && !matchArgReduction(op);
  SmallVector<int64_t> all = llvm::to_vector(sizes);
  if (keepPartials) {
    // Loops with a single tile stay partial too, so that lanes combine nothing
    // before the end.
    auto linalgOp = cast<linalg::LinalgOp>(op.getOperation());
    if (failed(checkCombiners(linalgOp)))
      return failure();
    SmallVector<int64_t> extents = linalgOp.getStaticLoopRanges();
    for (auto [loop, iterator] : llvm::enumerate(op.getLoopIteratorTypes()))
      if (iterator == utils::IteratorType::reduction && all[loop] == 0)
        all[loop] = extents[loop];
  }
  FailureOr<scf::SCFTilingResult> tiled =
      tileUsingLoops(rewriter, op, all, paddedAxes, keepPartials);
  if (failed(tiled))
    return op->emitOpError("cannot be tiled by a loop over what it reduces");
  // The config still determines how lanes share the tile.
  if (Attribute config = op->getAttr(iree::LoweringConfigAttr::attributeName))
    tiled->tiledOps.front()->setAttr(iree::LoweringConfigAttr::attributeName,
                                     config);
  rewriter.replaceOp(op, tiled->replacements);
  return tiled->tiledOps;
}

/// Gives one op its loops, first over its results.
static LogicalResult tileOp(RewriterBase &rewriter, const GroupOp &groupOp,
                            const FusedGroup &group, ArrayRef<int64_t> tiles,
                            ArrayRef<PaddedAxis> paddedAxes, bool strictFp,
                            int64_t keptBytes) {
  SmallVector<int64_t> parallel = loopTiles(groupOp, group, tiles,
                                            utils::IteratorType::parallel),
                       reduction = loopTiles(groupOp, group, tiles,
                                             utils::IteratorType::reduction);
  if (!tilesAny(parallel) && !tilesAny(reduction))
    return success();
  PullIntoLoops mayPull{group, tiles, groupOp, paddedAxes, keptBytes};
  FailureOr<TilingInterface> inner = tileParallelLoops(
      rewriter, cast<TilingInterface>(groupOp.op), parallel, mayPull);
  if (failed(inner))
    return failure();
  FailureOr<SmallVector<Operation *>> innermost =
      tileReductionLoops(rewriter, *inner, reduction, paddedAxes, strictFp);
  if (failed(innermost))
    return failure();
  return pullProducers(rewriter, *innermost, mayPull);
}

/// Replaces an attention that is tiled along its keys by an online softmax;
/// returns whether it did.
static FailureOr<bool>
tileAttention(RewriterBase &rewriter, const GroupOp &groupOp,
              const FusedGroup &group, ArrayRef<int64_t> tiles,
              ArrayRef<PaddedAxis> paddedAxes, bool foldsExponents) {
  std::optional<OnlineSoftmax> online = matchOnlineSoftmax(groupOp.op);
  if (!online)
    return false;
  unsigned axis = groupOp.axes[matchContraction(groupOp.op)->k.front()];
  if (tiles[axis] >= group.axes()[axis].extent)
    return false;
  Value end = endOfKeys(rewriter, *online, group, axis, tiles[axis]);
  FailureOr<scf::ForOp> loop = tileOnlineSoftmax(rewriter, *online, group, axis,
                                                 tiles[axis], foldsExponents);
  if (failed(loop))
    return failure();
  endAtExtent(rewriter, *loop, paddedAxes);
  if (foldsExponents && !getConstantIntValue(loop->getUpperBound()))
    divideByOneWithoutKeys(rewriter, *loop);
  if (end)
    endSooner(rewriter, *loop, end);
  return true;
}

LogicalResult distaff::tileSerially(RewriterBase &rewriter,
                                    scf::ForallOp forall,
                                    ArrayRef<PaddedAxis> paddedAxes,
                                    bool strictFp, bool foldsExponents,
                                    int64_t keptBytes) {
  SmallVector<Value> results;
  for (Operation &op : forall.getTerminator().getYieldingOps())
    results.push_back(cast<tensor::ParallelInsertSliceOp>(op).getSource());
  FusedGroup group = FusedGroup::get(*forall.getBody(), results);
  FailureOr<SmallVector<int64_t>> tiles = readSerialTiles(group, strictFp);
  if (failed(tiles))
    return failure();
  for (auto [tile, axis] : llvm::zip_equal(*tiles, group.axes()))
    tile = std::min(tile, axis.extent);
  DenseSet<Operation *> replaced;
  for (const GroupOp &groupOp : llvm::reverse(group.ops())) {
    if (replaced.contains(groupOp.op))
      continue;
    if (groupOp.contracts) {
      FailureOr<bool> done = tileAttention(rewriter, groupOp, group, *tiles,
                                           paddedAxes, foldsExponents);
      if (failed(done))
        return failure();
      if (*done) {
        replaced.insert(groupOp.op);
        continue;
      }
    }
    if (isOpTriviallyDead(groupOp.op)) {
      rewriter.eraseOp(groupOp.op);
      continue;
    }
    if (failed(tileOp(rewriter, groupOp, group, *tiles, paddedAxes, strictFp,
                      keptBytes)))
      return failure();
  }
  return success();
}

//===- TileSerially.cpp - The loops that one workgroup runs ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup's tile may be too much for its registers along one axis: K of a
// matmul, the columns of a long row. Each op with such an axis then runs a loop
// of its own, into which the ops that feed it tile by tile are pulled, so that
// nothing of the whole axis is ever held:
//
//   * a contraction accumulates over the loop,
//   * another reduction keeps one partial result per element of the tile and
//     combines them once, after the loop; strict-fp has it accumulate, too,
//   * an elementwise op writes one tile of its result per iteration.
//
// Ops are visited last to first: when a producer's turn comes, its readers have
// taken the tiles they need, and one that nobody reads any more is erased.
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

/// Tile sizes per loop of `groupOp`, 0 where the loop is not tiled; the loops
/// that are tiled are those for which `isWanted` holds.
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

/// Whether several ops read what takes long to compute, and there is room for
/// it: it is kept between their walks then, not computed in each.
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
/// Says which producers move into the loops of an op: those that make one tile
/// per iteration of what the loops walk. What is the same in every iteration
/// stays outside, and so does what needs a walk of its own.
struct PullIntoLoops {
  const FusedGroup &group;
  ArrayRef<int64_t> tiles;
  const GroupOp &reader;
  ArrayRef<PaddedAxis> paddedAxes;
  int64_t keptBytes; // of memory that a workgroup has beside its registers

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

/// A loop over disjoint tiles of a result need not start from what the op
/// starts from: each iteration takes its own slice of that, so it can be
/// computed there.
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

/// A tile counts its positions from its own start, and `linalg.index` asks for
/// those of the whole op. Upstream shifts them in every tile but a partial
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

/// Ends a loop over a padded axis where the axis did before. Axes are known by
/// how much of them a workgroup has; of two that are alike in that neither is,
/// and the loop goes on behind the end, where all is neutral.
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

/// Ends a loop at `end`, if that is before its own.
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

/// Has partial results begin with what is neutral bit for bit (VX-246), where
/// upstream fills in +0 for a sum.
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

/// Partial results begin with the neutral element of the op that combines them.
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

/// Puts an op into loops over its results; returns the op inside them. What it
/// starts from moves along, its inputs are pulled when all loops are there.
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

/// Puts an op into loops over what it reduces; returns the ops inside them.
static FailureOr<SmallVector<Operation *>>
tileReductionLoops(RewriterBase &rewriter, TilingInterface op,
                   ArrayRef<int64_t> sizes, ArrayRef<PaddedAxis> paddedAxes,
                   bool strictFp) {
  if (!tilesAny(sizes))
    return SmallVector<Operation *>{op};
  bool keepPartials = !strictFp && !matchProduct(op) && !matchArgReduction(op);
  SmallVector<int64_t> all = llvm::to_vector(sizes);
  if (keepPartials) {
    // Loops that are not walked have one tile, which stays partial too: then
    // nothing is combined across lanes before the end.
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
  // Of the config it is still to be read how lanes share the tile.
  if (Attribute config = op->getAttr(iree::LoweringConfigAttr::attributeName))
    tiled->tiledOps.front()->setAttr(iree::LoweringConfigAttr::attributeName,
                                     config);
  rewriter.replaceOp(op, tiled->replacements);
  return tiled->tiledOps;
}

/// Gives one op its loops, over its results first.
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

/// Walks the keys of an attention once, where they are walked; says whether it
/// did.
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

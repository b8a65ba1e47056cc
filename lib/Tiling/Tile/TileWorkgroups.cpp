//===- TileWorkgroups.cpp - Loop over workgroups --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds
//
//   %r = scf.forall (%i, %j) in (4, 3) shared_outs(%o = %empty) {
//     ... tiles of all ops ...
//     scf.forall.in_parallel { tensor.parallel_insert_slice %t into %o[...] }
//   } {mapping = [#gpu.block<y>, #gpu.block<x>]}
//
// The last loop is x, the fastest id of the hardware. A grid has three
// dimensions: further axes share the outermost one.
//
// Tiles divide their axes (TilePad.h). The results have the extents of the
// kernel's signature, and the last tiles reach past them until TileEdges.h
// clips them.
//
//===----------------------------------------------------------------------===//
#include "TileFuse.h"
#include "TileLoops.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
/// A grid plan maps axes to the loops of the forall, outermost first.
struct GridPlan {
  SmallVector<unsigned> axes;
  SmallVector<OpFoldResult> counts; // tiles per axis
  unsigned merged = 1; // the first `merged` axes share the first loop
};
} // namespace

/// Returns the tiles along an axis; a dynamic number may be as large as a grid
/// along x. A CPU has that limit along every axis.
static int64_t mostTiles(OpFoldResult count) {
  return getConstantIntValue(count).value_or(
      std::numeric_limits<int32_t>::max());
}

/// Returns the most iterations of each loop, outermost first.
static SmallVector<int64_t> countsOfLoops(const GridPlan &plan) {
  SmallVector<int64_t> loops = {1};
  for (OpFoldResult count : ArrayRef(plan.counts).take_front(plan.merged))
    loops.front() = saturatingProduct(loops.front(), mostTiles(count));
  if (plan.merged < plan.counts.size())
    for (OpFoldResult count : ArrayRef(plan.counts).drop_front(plan.merged))
      loops.push_back(mostTiles(count));
  return loops;
}

static GridPlan planGrid(RewriterBase &rewriter, Location loc,
                         const FusedGroup &group,
                         ArrayRef<PaddedAxis> paddedAxes,
                         ArrayRef<int64_t> tiles, const Target &target) {
  GridPlan plan;
  for (unsigned axis : group.gridAxes()) {
    OpFoldResult count = affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineSymbolExpr(0).ceilDiv(tiles[axis]),
        {paddedAxes[axis].extentAt(rewriter, loc)});
    if (getConstantIntValue(count) == 1)
      continue;
    plan.axes.push_back(axis);
    plan.counts.push_back(count);
  }
  // The last loop is x, whose limit is large enough for the rest.
  auto fits = [&] {
    SmallVector<int64_t> loops = countsOfLoops(plan);
    if (loops.size() > 3)
      return false;
    for (auto [outer, count] : llvm::enumerate(ArrayRef(loops).drop_back()))
      if (count > target.maxGrid[loops.size() - 1 - outer])
        return false;
    return true;
  };
  while (plan.merged < plan.axes.size() && !fits())
    ++plan.merged;
  return plan;
}

static scf::ForallOp createForall(RewriterBase &rewriter, Location loc,
                                  const GridPlan &plan, ValueRange outs) {
  SmallVector<OpFoldResult> extents = {rewriter.getIndexAttr(1)};
  AffineExpr a, b;
  bindSymbols(rewriter.getContext(), a, b);
  for (OpFoldResult count : ArrayRef(plan.counts).take_front(plan.merged))
    extents.front() = affine::makeComposedFoldedAffineApply(
        rewriter, loc, a * b, {extents.front(), count});
  if (plan.merged < plan.counts.size())
    llvm::append_range(extents, ArrayRef(plan.counts).drop_front(plan.merged));
  constexpr gpu::MappingId ids[] = {gpu::MappingId::DimX, gpu::MappingId::DimY,
                                    gpu::MappingId::DimZ};
  SmallVector<Attribute> mapping;
  for (size_t i = extents.size(); i-- > 0;)
    mapping.push_back(
        gpu::GPUBlockMappingAttr::get(rewriter.getContext(), ids[i]));
  return scf::ForallOp::create(rewriter, loc, extents, outs,
                               rewriter.getArrayAttr(mapping));
}

/// Returns the offset of this workgroup's tile along every axis; 0 for whole
/// axes.
static SmallVector<OpFoldResult> axisOffsets(RewriterBase &rewriter,
                                             scf::ForallOp forall,
                                             const FusedGroup &group,
                                             ArrayRef<int64_t> tiles,
                                             const GridPlan &plan) {
  Location loc = forall.getLoc();
  SmallVector<OpFoldResult> offsets(group.axes().size(),
                                    rewriter.getIndexAttr(0));
  SmallVector<Value> ids;
  if (plan.merged > 1)
    llvm::append_range(ids, affine::AffineDelinearizeIndexOp::create(
                                rewriter, loc, forall.getInductionVar(0),
                                ArrayRef(plan.counts).take_front(plan.merged))
                                .getResults());
  else
    ids.push_back(forall.getInductionVar(0));
  llvm::append_range(ids, llvm::drop_begin(forall.getInductionVars()));
  AffineExpr id = rewriter.getAffineDimExpr(0);
  for (auto [position, axis] : llvm::enumerate(plan.axes))
    offsets[axis] = affine::makeComposedFoldedAffineApply(
        rewriter, loc, id * tiles[axis], {ids[position]});
  return offsets;
}

//===----------------------------------------------------------------------===//
// The body of the loop
//===----------------------------------------------------------------------===//

namespace {
/// Builds the body of the loop over workgroups.
class BodyBuilder {
public:
  BodyBuilder(RewriterBase &rewriter, scf::ForallOp forall,
              const FusedGroup &group, ValueRange results,
              ArrayRef<int64_t> tiles, ArrayRef<OpFoldResult> offsets)
      : rewriter(rewriter), forall(forall), group(group), results(results),
        tiles(tiles), offsets(offsets) {}

  LogicalResult build();

private:
  /// A box is the workgroup's tile in an op's iteration space.
  struct Box {
    SmallVector<OpFoldResult> offsets, sizes;
  };

  Box boxOf(Operation *op) const;
  FailureOr<SmallVector<Value>> compute();
  LogicalResult insert(Value tile, OpResult result, BlockArgument out);

  RewriterBase &rewriter;
  scf::ForallOp forall;
  const FusedGroup &group;
  ValueRange results;
  ArrayRef<int64_t> tiles;        // per axis
  ArrayRef<OpFoldResult> offsets; // of the workgroup's tile
};
} // namespace

BodyBuilder::Box BodyBuilder::boxOf(Operation *op) const {
  Box box;
  for (unsigned axis : group.find(op)->axes) {
    box.offsets.push_back(offsets[axis]);
    box.sizes.push_back(rewriter.getIndexAttr(tiles[axis]));
  }
  return box;
}

/// Computes the workgroup's tile of every result.
FailureOr<SmallVector<Value>> BodyBuilder::compute() {
  DenseMap<Operation *, TilingResult> tiled;
  SmallVector<Operation *> tiledOps;
  SmallVector<Value> values;
  rewriter.setInsertionPoint(forall.getTerminator());
  for (Value value : results) {
    TilingInterface op = tilingOf(value.getDefiningOp());
    auto [it, isNew] = tiled.try_emplace(op);
    if (isNew) {
      Box box = boxOf(op);
      FailureOr<TilingResult> result =
          op.getTiledImplementation(rewriter, box.offsets, box.sizes);
      if (failed(result))
        return op->emitOpError("cannot be tiled over workgroups");
      it->second = std::move(*result);
      llvm::append_range(tiledOps, it->second.tiledOps);
    }
    values.push_back(
        it->second.tiledValues[cast<OpResult>(value).getResultNumber()]);
  }
  auto isOutside = [&](OpOperand &, Operation *producer) -> bool {
    return !forall->isAncestor(producer) && !isa<tensor::PadOp>(producer);
  };
  if (failed(pullProducers(rewriter, tiledOps, isOutside)))
    return failure();
  return values;
}

LogicalResult BodyBuilder::insert(Value tile, OpResult result,
                                  BlockArgument out) {
  auto op = cast<TilingInterface>(result.getOwner());
  Box ofLoops = boxOf(op), box;
  rewriter.setInsertionPoint(forall.getTerminator());
  if (failed(op.getResultTilePosition(rewriter, result.getResultNumber(),
                                      ofLoops.offsets, ofLoops.sizes,
                                      box.offsets, box.sizes)))
    return op->emitOpError("has a result of which no tile can be named");
  SmallVector<OpFoldResult> ones(box.sizes.size(), rewriter.getIndexAttr(1));
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(rewriter, tile.getLoc(), tile, out,
                                        box.offsets, box.sizes, ones);
  return success();
}

LogicalResult BodyBuilder::build() {
  FailureOr<SmallVector<Value>> values = compute();
  if (failed(values))
    return failure();
  for (auto [tile, result, out] :
       llvm::zip_equal(*values, results, forall.getRegionOutArgs()))
    if (failed(insert(tile, cast<OpResult>(result), out)))
      return failure();
  return success();
}

/// Creates empty outputs with the extents of the axes of each result.
static SmallVector<Value> createOutputs(RewriterBase &rewriter, Location loc,
                                        const FusedGroup &group,
                                        ArrayRef<PaddedAxis> paddedAxes,
                                        ValueRange results) {
  SmallVector<Value> outs;
  for (Value result : results) {
    auto type = cast<RankedTensorType>(result.getType());
    const GroupOp &maker = *group.find(result.getDefiningOp());
    AffineMap map = maker.resultMaps[cast<OpResult>(result).getResultNumber()];
    SmallVector<OpFoldResult> sizes;
    for (auto [expr, extent] :
         llvm::zip_equal(map.getResults(), type.getShape())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      sizes.push_back(dim ? paddedAxes[maker.axes[dim.getPosition()]].extentAt(
                                rewriter, loc)
                          : rewriter.getIndexAttr(extent));
    }
    outs.push_back(
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType()));
  }
  return outs;
}

FailureOr<scf::ForallOp>
distaff::tileToWorkgroups(RewriterBase &rewriter, func::FuncOp kernel,
                          const FusedGroup &group,
                          ArrayRef<PaddedAxis> paddedAxes, ArrayRef<Type> types,
                          ArrayRef<int64_t> tiles, const Target &target) {
  assert(paddedAxes.size() == group.axes().size() &&
         tiles.size() == group.axes().size() && "each axis has its tile");
  Operation *terminator = kernel.getBody().front().getTerminator();
  Location loc = group.root()->op->getLoc();
  SmallVector<Value> returned = computedResults(kernel.getBody().front());
  // The loop precedes reshapes of results, which follow all computing ops.
  SmallVector<OpOperand *> uses;
  Operation *first = terminator;
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (hasNoElements(operand.get().getType()))
      continue;
    OpOperand *use = &operand;
    Operation *reader = terminator;
    while (withoutReshapes(use->get()) != use->get()) {
      Operation *reshape = use->get().getDefiningOp();
      rewriter.moveOpBefore(reshape, reader);
      reader = reshape;
      use = &reshape->getOpOperand(0);
      if (reshape->isBeforeInBlock(first))
        first = reshape;
    }
    uses.push_back(use);
  }
  rewriter.setInsertionPoint(first);
  GridPlan plan = planGrid(rewriter, loc, group, paddedAxes, tiles, target);
  scf::ForallOp forall = createForall(
      rewriter, loc, plan,
      createOutputs(rewriter, kernel.getLoc(), group, paddedAxes, returned));
  rewriter.setInsertionPoint(forall.getTerminator());
  SmallVector<OpFoldResult> offsets =
      axisOffsets(rewriter, forall, group, tiles, plan);
  BodyBuilder body(rewriter, forall, group, returned, tiles, offsets);
  if (failed(body.build()))
    return failure();
  rewriter.setInsertionPointAfter(forall);
  for (auto [use, result, type] :
       llvm::zip_equal(uses, forall.getResults(), types)) {
    Value value = result;
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, loc, type, value);
    rewriter.modifyOpInPlace(use->getOwner(),
                             [&, use = use] { use->set(value); });
  }
  // Dead ops are erased, since a tile of the whole extent equals the original
  // op.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (tilingOf(&op) && isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  return forall;
}

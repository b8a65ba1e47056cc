//===- TileWorkgroups.cpp - One loop over workgroups ----------------------===//
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
// The last loop is x, which the hardware runs fastest. A grid has three
// dimensions: axes beyond that share the outermost one.
//
// Where a serial tile does not divide what a workgroup has of an axis, the body
// has two parts, each with its own ops and slices: whole tiles, and the rest. A
// row of 1,013 elements, 992 at a time, is a tile of 992 and one of 21.
//
//===----------------------------------------------------------------------===//
#include "TileFuse.h"
#include "TileLoops.h"
#include "distaff/Dialect/Compat/Compat.h"
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
/// The grid: loops of the forall, outermost first, and the axes each one walks.
struct GridPlan {
  SmallVector<unsigned> axes;
  SmallVector<int64_t> counts; // tiles per axis
  unsigned merged = 1;         // the first `merged` axes share the first loop
};
} // namespace

/// Iterations of each loop, outermost first.
static SmallVector<int64_t> countsOfLoops(const GridPlan &plan) {
  SmallVector<int64_t> loops = {1};
  for (int64_t count : ArrayRef(plan.counts).take_front(plan.merged))
    loops.front() *= count;
  if (plan.merged < plan.counts.size())
    llvm::append_range(loops, ArrayRef(plan.counts).drop_front(plan.merged));
  return loops;
}

static GridPlan planGrid(const FusedGroup &group, ArrayRef<int64_t> tiles,
                         const Target &target) {
  GridPlan plan;
  for (unsigned axis : group.gridAxes()) {
    int64_t count = group.axes()[axis].extent / tiles[axis];
    if (count == 1)
      continue;
    plan.axes.push_back(axis);
    plan.counts.push_back(count);
  }
  // The last loop is x, with which the grid has room for the rest.
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
  SmallVector<int64_t> extents = countsOfLoops(plan);
  constexpr gpu::MappingId ids[] = {gpu::MappingId::DimX, gpu::MappingId::DimY,
                                    gpu::MappingId::DimZ};
  SmallVector<Attribute> mapping;
  for (size_t i = extents.size(); i-- > 0;)
    mapping.push_back(
        gpu::GPUBlockMappingAttr::get(rewriter.getContext(), ids[i]));
  return scf::ForallOp::create(
      rewriter, loc, getAsIndexOpFoldResult(rewriter.getContext(), extents),
      outs, rewriter.getArrayAttr(mapping));
}

/// The offset of this workgroup's tile along every axis; 0 where it has all.
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
// Its body
//===----------------------------------------------------------------------===//

namespace {
/// A box of one workgroup's points, per axis; offsets are inside its tile.
struct Part {
  SmallVector<int64_t> offsets, sizes;
};

/// Builds the body of the loop over workgroups.
class BodyBuilder {
public:
  BodyBuilder(RewriterBase &rewriter, scf::ForallOp forall,
              const FusedGroup &group, ValueRange results,
              ArrayRef<int64_t> tiles, ArrayRef<OpFoldResult> offsets)
      : rewriter(rewriter), forall(forall), group(group), results(results),
        whole{SmallVector<int64_t>(tiles.size(), 0), llvm::to_vector(tiles)},
        offsets(offsets) {}

  LogicalResult build(ArrayRef<int64_t> serialTiles);

private:
  /// Where something lies in a tensor.
  struct Box {
    SmallVector<OpFoldResult> offsets, sizes;
  };

  SmallVector<Part> cutIntoParts(ArrayRef<int64_t> serialTiles) const;
  FailureOr<SmallVector<Value>> computePart(const Part &part);
  FailureOr<Box> boxOf(OpResult result, ArrayRef<OpFoldResult> offsets,
                       const Part &part);
  Value insert(Value source, Value into, const Box &box);

  SmallVector<OpFoldResult> attributes(ArrayRef<int64_t> values) const {
    return getAsIndexOpFoldResult(rewriter.getContext(), values);
  }

  RewriterBase &rewriter;
  scf::ForallOp forall;
  const FusedGroup &group;
  ValueRange results;
  Part whole;
  ArrayRef<OpFoldResult> offsets; // of the workgroup's tile
};
} // namespace

/// The parts of what a workgroup has: it is cut where whole serial tiles end.
SmallVector<Part>
BodyBuilder::cutIntoParts(ArrayRef<int64_t> serialTiles) const {
  SmallVector<Part> parts = {whole};
  for (auto [axis, serial] : llvm::enumerate(serialTiles)) {
    int64_t size = whole.sizes[axis];
    int64_t rest = size % std::min(size, serial);
    if (rest == 0)
      continue;
    SmallVector<Part> rests = parts;
    for (auto [part, other] : llvm::zip_equal(parts, rests)) {
      part.sizes[axis] = size - rest;
      other.sizes[axis] = rest;
      other.offsets[axis] = size - rest;
    }
    llvm::append_range(parts, rests);
  }
  return parts;
}

/// Computes one part of every result, with ops of its own.
FailureOr<SmallVector<Value>> BodyBuilder::computePart(const Part &part) {
  AffineExpr a, b;
  bindDims(rewriter.getContext(), a, b);
  DenseMap<Operation *, TilingResult> tiled;
  SmallVector<Operation *> tiledOps;
  SmallVector<Value> values;
  rewriter.setInsertionPoint(forall.getTerminator());
  for (Value value : results) {
    auto op = value.getDefiningOp<TilingInterface>();
    auto [it, isNew] = tiled.try_emplace(op);
    if (isNew) {
      SmallVector<OpFoldResult> opOffsets, opSizes;
      for (unsigned axis : group.find(op)->axes) {
        opOffsets.push_back(affine::makeComposedFoldedAffineApply(
            rewriter, op->getLoc(), a + b,
            {offsets[axis], rewriter.getIndexAttr(part.offsets[axis])}));
        opSizes.push_back(rewriter.getIndexAttr(part.sizes[axis]));
      }
      FailureOr<TilingResult> result =
          op.getTiledImplementation(rewriter, opOffsets, opSizes);
      if (failed(result))
        return op->emitOpError("cannot be tiled over workgroups");
      it->second = std::move(*result);
      llvm::append_range(tiledOps, it->second.tiledOps);
    }
    values.push_back(
        it->second.tiledValues[cast<OpResult>(value).getResultNumber()]);
  }
  auto isOutside = [&](OpOperand &, Operation *producer) -> bool {
    return !forall->isAncestor(producer);
  };
  if (failed(pullProducers(rewriter, tiledOps, isOutside)))
    return failure();
  return values;
}

/// Where `part` of a workgroup's tile, which lies at `offsets`, is in a result.
FailureOr<BodyBuilder::Box> BodyBuilder::boxOf(OpResult result,
                                               ArrayRef<OpFoldResult> offsets,
                                               const Part &part) {
  auto op = cast<TilingInterface>(result.getOwner());
  SmallVector<OpFoldResult> opOffsets, opSizes;
  for (unsigned axis : group.find(op)->axes) {
    opOffsets.push_back(offsets[axis]);
    opSizes.push_back(rewriter.getIndexAttr(part.sizes[axis]));
  }
  Box box;
  if (failed(op.getResultTilePosition(rewriter, result.getResultNumber(),
                                      opOffsets, opSizes, box.offsets,
                                      box.sizes)))
    return op->emitOpError("has a result of which no tile can be named");
  return box;
}

Value BodyBuilder::insert(Value source, Value into, const Box &box) {
  SmallVector<OpFoldResult> ones(box.sizes.size(), rewriter.getIndexAttr(1));
  if (!isa<BlockArgument>(into))
    return tensor::InsertSliceOp::create(rewriter, source.getLoc(), source,
                                         into, box.offsets, box.sizes, ones);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(rewriter, source.getLoc(), source, into,
                                        box.offsets, box.sizes, ones);
  return {};
}

LogicalResult BodyBuilder::build(ArrayRef<int64_t> serialTiles) {
  SmallVector<Part> parts = cutIntoParts(serialTiles);
  SmallVector<Box> boxes;
  SmallVector<Value> tiles;
  rewriter.setInsertionPoint(forall.getTerminator());
  for (Value result : results) {
    FailureOr<Box> box = boxOf(cast<OpResult>(result), offsets, whole);
    if (failed(box))
      return failure();
    boxes.push_back(*box);
    if (parts.size() > 1)
      tiles.push_back(
          tensor::EmptyOp::create(rewriter, result.getLoc(), box->sizes,
                                  getElementTypeOrSelf(result.getType())));
  }
  for (const Part &part : parts) {
    FailureOr<SmallVector<Value>> values = computePart(part);
    if (failed(values))
      return failure();
    if (parts.size() == 1) {
      tiles = *values;
      break;
    }
    rewriter.setInsertionPoint(forall.getTerminator());
    for (auto [result, value, tile] :
         llvm::zip_equal(results, *values, tiles)) {
      FailureOr<Box> box =
          boxOf(cast<OpResult>(result), attributes(part.offsets), part);
      if (failed(box))
        return failure();
      tile = insert(value, tile, *box);
    }
  }
  for (auto [tile, out, box] :
       llvm::zip_equal(tiles, forall.getRegionOutArgs(), boxes))
    insert(tile, out, box);
  return success();
}

static SmallVector<Value> createOutputs(RewriterBase &rewriter, Location loc,
                                        ValueRange results) {
  SmallVector<Value> outs;
  for (Value result : results) {
    auto type = cast<RankedTensorType>(result.getType());
    outs.push_back(tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                           type.getElementType()));
  }
  return outs;
}

FailureOr<scf::ForallOp>
distaff::tileToWorkgroups(RewriterBase &rewriter, func::FuncOp kernel,
                          const FusedGroup &group, ArrayRef<int64_t> tiles,
                          ArrayRef<int64_t> serialTiles, const Target &target) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  Location loc = group.root()->op->getLoc();
  GridPlan plan = planGrid(group, tiles, target);
  rewriter.setInsertionPoint(terminator);
  scf::ForallOp forall = createForall(
      rewriter, loc, plan,
      createOutputs(rewriter, kernel.getLoc(), terminator->getOperands()));
  rewriter.setInsertionPoint(forall.getTerminator());
  SmallVector<OpFoldResult> offsets =
      axisOffsets(rewriter, forall, group, tiles, plan);
  BodyBuilder body(rewriter, forall, group, terminator->getOperands(), tiles,
                   offsets);
  if (failed(body.build(serialTiles)))
    return failure();
  rewriter.modifyOpInPlace(
      terminator, [&] { terminator->setOperands(forall.getResults()); });
  return forall;
}

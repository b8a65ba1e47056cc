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
//===----------------------------------------------------------------------===//
#include "TileFuse.h"
#include "TileLoops.h"
#include "distaff/Dialect/Compat/Compat.h"
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

static GridPlan planGrid(const FusedGroup &group, ArrayRef<int64_t> tiles) {
  GridPlan plan;
  for (unsigned axis : group.gridAxes()) {
    int64_t count = group.axes()[axis].extent / tiles[axis];
    if (count == 1)
      continue;
    plan.axes.push_back(axis);
    plan.counts.push_back(count);
  }
  // y and z of a grid are 16 bits wide.
  constexpr int64_t maxOuterCount = 65535;
  auto mergedCount = [&] {
    int64_t count = 1;
    for (int64_t c : ArrayRef(plan.counts).take_front(plan.merged))
      count *= c;
    return count;
  };
  while (plan.merged < plan.axes.size() &&
         (plan.axes.size() - plan.merged > 2 || mergedCount() > maxOuterCount ||
          llvm::any_of(
              ArrayRef(plan.counts).drop_front(plan.merged).drop_back(),
              [](int64_t c) { return c > maxOuterCount; })))
    ++plan.merged;
  return plan;
}

static scf::ForallOp createForall(RewriterBase &rewriter, Location loc,
                                  const GridPlan &plan, ValueRange outs) {
  int64_t first = 1;
  for (int64_t count : ArrayRef(plan.counts).take_front(plan.merged))
    first *= count;
  SmallVector<int64_t> extents = {first};
  if (plan.merged < plan.counts.size())
    llvm::append_range(extents, ArrayRef(plan.counts).drop_front(plan.merged));
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

/// The tile of `groupOp` that lies at `offsets`, and where its results go.
static LogicalResult insertTile(RewriterBase &rewriter, scf::ForallOp forall,
                                const GroupOp &groupOp, unsigned resultNumber,
                                BlockArgument out, ArrayRef<int64_t> tiles,
                                ArrayRef<OpFoldResult> offsets,
                                DenseMap<Operation *, TilingResult> &tiled) {
  SmallVector<OpFoldResult> opOffsets, opSizes;
  for (unsigned axis : groupOp.axes) {
    opOffsets.push_back(offsets[axis]);
    opSizes.push_back(rewriter.getIndexAttr(tiles[axis]));
  }
  auto op = cast<TilingInterface>(groupOp.op);
  auto it = tiled.find(op);
  if (it == tiled.end()) {
    rewriter.setInsertionPoint(forall.getTerminator());
    FailureOr<TilingResult> result =
        op.getTiledImplementation(rewriter, opOffsets, opSizes);
    if (failed(result))
      return op->emitOpError("cannot be tiled over workgroups");
    it = tiled.try_emplace(op, std::move(*result)).first;
  }
  SmallVector<OpFoldResult> outOffsets, outSizes;
  if (failed(op.getResultTilePosition(rewriter, resultNumber, opOffsets,
                                      opSizes, outOffsets, outSizes)))
    return op->emitOpError("has a result of which no tile can be named");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(
      rewriter, op.getLoc(), it->second.tiledValues[resultNumber], out,
      outOffsets, outSizes,
      SmallVector<OpFoldResult>(outOffsets.size(), rewriter.getIndexAttr(1)));
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

FailureOr<scf::ForallOp> distaff::tileToWorkgroups(RewriterBase &rewriter,
                                                   func::FuncOp kernel,
                                                   const FusedGroup &group,
                                                   ArrayRef<int64_t> tiles) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  GridPlan plan = planGrid(group, tiles);
  rewriter.setInsertionPoint(terminator);
  scf::ForallOp forall = createForall(
      rewriter, group.root()->op->getLoc(), plan,
      createOutputs(rewriter, kernel.getLoc(), terminator->getOperands()));
  rewriter.setInsertionPoint(forall.getTerminator());
  SmallVector<OpFoldResult> offsets =
      axisOffsets(rewriter, forall, group, tiles, plan);

  DenseMap<Operation *, TilingResult> tiled;
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    const GroupOp *maker = group.find(value.getDefiningOp());
    if (failed(insertTile(
            rewriter, forall, *maker, cast<OpResult>(value).getResultNumber(),
            forall.getRegionOutArgs()[index], tiles, offsets, tiled)))
      return failure();
  }
  SmallVector<Operation *> tiledOps;
  for (Value value : terminator->getOperands())
    for (Operation *op : tiled[value.getDefiningOp()].tiledOps)
      if (!llvm::is_contained(tiledOps, op))
        tiledOps.push_back(op);
  auto isOutside = [&](OpOperand &, Operation *producer) -> bool {
    return !forall->isAncestor(producer);
  };
  if (failed(pullProducers(rewriter, tiledOps, isOutside)))
    return failure();
  rewriter.modifyOpInPlace(
      terminator, [&] { terminator->setOperands(forall.getResults()); });
  return forall;
}

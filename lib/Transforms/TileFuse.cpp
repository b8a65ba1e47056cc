//===- TileFuse.cpp - Pull tiles of producers to where they are read ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles come from upstream's TilingInterface; this file keeps the worklist.
//
//===----------------------------------------------------------------------===//
#include "TileFuse.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace distaff;

namespace {
/// A tile of one result of one op.
struct PulledTile {
  OpResult producer;
  SmallVector<OpFoldResult> offsets, sizes;
  Value value;
};

class Puller {
public:
  Puller(RewriterBase &rewriter,
         function_ref<bool(OpOperand &, Operation *)> mayPull)
      : rewriter(rewriter), mayPull(mayPull) {}

  LogicalResult pull(Operation *reader) {
    for (OpOperand &operand : reader->getOpOperands())
      if (failed(pull(operand)))
        return failure();
    return success();
  }

private:
  LogicalResult pull(OpOperand &operand) {
    SmallVector<tensor::ExtractSliceOp> slices; // from the reader outwards
    Value source = operand.get();
    while (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>()) {
      slices.push_back(slice);
      source = slice.getSource();
    }
    auto producer = source.getDefiningOp<TilingInterface>();
    if (!producer || !mayPull(operand, producer))
      return success();
    if (!llvm::all_of(slices, [](tensor::ExtractSliceOp slice) {
          return slice.hasUnitStride();
        }))
      return producer->emitOpError("is read through a strided slice, of which "
                                   "no tile can be computed in place");
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(operand.getOwner());
    SmallVector<OpFoldResult> offsets, sizes;
    compose(slices, cast<RankedTensorType>(source.getType()), offsets, sizes);
    FailureOr<Value> tile =
        tileOf(cast<OpResult>(source), operand.getOwner(), offsets, sizes);
    if (failed(tile))
      return failure();
    return replace(operand, *tile);
  }

  /// The part of a tensor that slices of slices of it select.
  void compose(ArrayRef<tensor::ExtractSliceOp> slices, RankedTensorType type,
               SmallVector<OpFoldResult> &offsets,
               SmallVector<OpFoldResult> &sizes) {
    offsets.assign(type.getRank(), rewriter.getIndexAttr(0));
    sizes = getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
    AffineExpr a, b;
    bindDims(rewriter.getContext(), a, b);
    // Dims of the tensor that the slices so far have not dropped.
    SmallVector<unsigned> dims =
        llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
    for (tensor::ExtractSliceOp slice : llvm::reverse(slices)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      SmallVector<unsigned> kept;
      for (auto [position, dim] : llvm::enumerate(dims)) {
        offsets[dim] = affine::makeComposedFoldedAffineApply(
            rewriter, slice.getLoc(), a + b,
            {offsets[dim], slice.getMixedOffsets()[position]});
        sizes[dim] = slice.getMixedSizes()[position];
        if (!dropped.test(position))
          kept.push_back(dim);
      }
      dims = kept;
    }
  }

  /// A rank-reducing slice reads a tile of higher rank; drop the same dims.
  LogicalResult replace(OpOperand &operand, Value tile) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (tile.getType() != type) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(operand.getOwner());
      tile = tensor::createCanonicalRankReducingExtractSliceOp(
          rewriter, operand.getOwner()->getLoc(), tile, type);
    }
    rewriter.modifyOpInPlace(operand.getOwner(), [&] { operand.set(tile); });
    return success();
  }

  FailureOr<Value> tileOf(OpResult producer, Operation *reader,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) {
    for (PulledTile &tile : tiles)
      if (tile.producer == producer && ArrayRef(tile.offsets) == offsets &&
          ArrayRef(tile.sizes) == sizes &&
          dominance.properlyDominates(tile.value, reader))
        return tile.value;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(reader);
    auto op = cast<TilingInterface>(producer.getOwner());
    FailureOr<TilingResult> tiled = op.generateResultTileValue(
        rewriter, producer.getResultNumber(), offsets, sizes);
    if (failed(tiled) || tiled->tiledValues.size() != 1)
      return op->emitOpError("cannot be computed tile by tile where it is read")
                 .attachNote(reader->getLoc())
             << "read here";
    tiles.push_back({producer, llvm::to_vector(offsets), llvm::to_vector(sizes),
                     tiled->tiledValues[0]});
    for (Operation *tiledOp : tiled->tiledOps)
      if (failed(pull(tiledOp)))
        return failure();
    return tiled->tiledValues[0];
  }

  RewriterBase &rewriter;
  function_ref<bool(OpOperand &, Operation *)> mayPull;
  SmallVector<PulledTile> tiles;
  DominanceInfo dominance;
};
} // namespace

LogicalResult
distaff::pullProducers(RewriterBase &rewriter, ArrayRef<Operation *> tiledOps,
                       function_ref<bool(OpOperand &, Operation *)> mayPull) {
  Puller puller(rewriter, mayPull);
  for (Operation *op : tiledOps)
    if (failed(puller.pull(op)))
      return failure();
  return success();
}

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
    auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
    Value source = slice ? slice.getSource() : operand.get();
    auto producer = source.getDefiningOp<TilingInterface>();
    if (!producer || !mayPull(operand, producer))
      return success();
    if (slice && !slice.hasUnitStride())
      return producer->emitOpError("is read through a strided slice, of which "
                                   "no tile can be computed in place");
    SmallVector<OpFoldResult> offsets, sizes;
    if (slice) {
      offsets = slice.getMixedOffsets();
      sizes = slice.getMixedSizes();
    } else {
      auto shape = cast<RankedTensorType>(source.getType()).getShape();
      offsets.assign(shape.size(), rewriter.getIndexAttr(0));
      sizes = getAsIndexOpFoldResult(rewriter.getContext(), shape);
    }
    FailureOr<Value> tile =
        tileOf(cast<OpResult>(source), operand.getOwner(), offsets, sizes);
    if (failed(tile))
      return failure();
    return replace(operand, *tile);
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

//===- TileFuse.cpp - Producer fusion -------------------------------------===//
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
#include "../UpstreamErrors.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace distaff;

namespace {
/// A pulled tile is a tile of one result of one op.
struct PulledTile {
  SmallVector<OpFoldResult> offsets, sizes;
  Value value;
};

/// An offset is an affine function of values that are no sums themselves.
struct Offset {
  AffineMap map;
  SmallVector<Value> operands;
  OpFoldResult value;
};

/// Fuses producers depth first: all producers of an op's first operand are
/// placed before the second operand is processed, so that shared producers are
/// found and not fused again. Every tile is fused once, so the work is linear
/// in the number of ops.
class Puller {
public:
  Puller(RewriterBase &rewriter,
         function_ref<bool(OpOperand &, Operation *)> mayPull)
      : rewriter(rewriter), mayPull(mayPull) {}

  LogicalResult pull(Operation *root) {
    SmallVector<Reader> readers = {{root}};
    while (!readers.empty()) {
      Reader &reader = readers.back();
      if (reader.nextOperand == reader.op->getNumOperands()) {
        readers.pop_back();
        continue;
      }
      OpOperand &operand = reader.op->getOpOperand(reader.nextOperand++);
      FailureOr<SmallVector<Operation *>> made = pull(operand);
      if (failed(made))
        return failure();
      for (Operation *op : llvm::reverse(*made))
        readers.push_back({op});
    }
    return success();
  }

private:
  struct Reader {
    Operation *op;
    unsigned nextOperand = 0;
  };

  /// Fuses a tile for one operand; returns the ops that were created.
  FailureOr<SmallVector<Operation *>> pull(OpOperand &operand) {
    SmallVector<tensor::ExtractSliceOp> slices; // from the reader outwards
    Value source = operand.get();
    while (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>()) {
      slices.push_back(slice);
      source = slice.getSource();
    }
    TilingInterface producer = tilingOf(source.getDefiningOp());
    if (!producer || !mayPull(operand, producer))
      return SmallVector<Operation *>();
    if (!llvm::all_of(slices, [](tensor::ExtractSliceOp slice) {
          return slice.hasUnitStride();
        }))
      return producer->emitOpError("is read through a strided slice, of which "
                                   "no tile can be computed in place");
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(operand.getOwner());
    PulledTile tile;
    compose(slices, cast<RankedTensorType>(source.getType()), tile);
    FailureOr<SmallVector<Operation *>> made =
        compute(cast<OpResult>(source), operand.getOwner(), tile);
    if (failed(made))
      return failure();
    replace(operand, tile.value);
    // A remaining slice would be one more reader of the producer, which would
    // then be computed without a use.
    for (tensor::ExtractSliceOp slice : slices)
      if (slice.use_empty())
        rewriter.eraseOp(slice);
    return made;
  }

  /// Computes the part of a tensor that nested slices select.
  void compose(ArrayRef<tensor::ExtractSliceOp> slices, RankedTensorType type,
               PulledTile &tile) {
    tile.offsets.assign(type.getRank(), rewriter.getIndexAttr(0));
    tile.sizes = getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
    // Dims of the tensor that the slices so far have not dropped.
    SmallVector<unsigned> dims =
        llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
    for (tensor::ExtractSliceOp slice : llvm::reverse(slices)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      SmallVector<unsigned> kept;
      for (auto [position, dim] : llvm::enumerate(dims)) {
        tile.offsets[dim] =
            sum(slice, tile.offsets[dim], slice.getMixedOffsets()[position]);
        tile.sizes[dim] = slice.getMixedSizes()[position];
        if (!dropped.test(position))
          kept.push_back(dim);
      }
      dims = kept;
    }
  }

  /// Returns the sum of two offsets: equal sums are one value, so that equal
  /// tiles are recognized.
  OpFoldResult sum(tensor::ExtractSliceOp slice, OpFoldResult lhs,
                   OpFoldResult rhs) {
    SmallVector<Value> operands;
    AffineExpr expr = rewriter.getAffineConstantExpr(0);
    for (OpFoldResult term : {lhs, rhs}) {
      if (std::optional<int64_t> number = getConstantIntValue(term)) {
        expr = expr + *number;
        continue;
      }
      expr = expr + rewriter.getAffineDimExpr(operands.size());
      operands.push_back(cast<Value>(term));
    }
    AffineMap map = AffineMap::get(operands.size(), 0, expr);
    affine::fullyComposeAffineMapAndOperands(&map, &operands);
    affine::canonicalizeMapAndOperands(&map, &operands);
    if (map.isSingleConstant())
      return rewriter.getIndexAttr(map.getSingleConstantResult());
    Operation *reader = &*rewriter.getInsertionPoint();
    for (const Offset &offset : llvm::reverse(offsets))
      if (offset.map == map && offset.operands == operands &&
          dominance.properlyDominates(cast<Value>(offset.value), reader))
        return offset.value;
    OpFoldResult value = affine::makeComposedFoldedAffineApply(
        rewriter, slice.getLoc(), map, getAsOpFoldResult(operands));
    offsets.push_back({map, operands, value});
    return value;
  }

  /// Replaces an operand by a tile; a rank-reducing slice drops the same dims
  /// of it.
  void replace(OpOperand &operand, Value tile) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (tile.getType() != type) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(operand.getOwner());
      tile = tensor::createCanonicalRankReducingExtractSliceOp(
          rewriter, operand.getOwner()->getLoc(), tile, type);
    }
    rewriter.modifyOpInPlace(operand.getOwner(), [&] { operand.set(tile); });
  }

  /// Finds or creates `tile` of `producer` in front of `reader`; returns the
  /// new ops, whose operands are still to be fused.
  FailureOr<SmallVector<Operation *>>
  compute(OpResult producer, Operation *reader, PulledTile &tile) {
    SmallVector<PulledTile, 0> &known = tiles[producer];
    for (const PulledTile &other : known)
      if (other.offsets == tile.offsets && other.sizes == tile.sizes &&
          dominance.properlyDominates(other.value, reader)) {
        tile.value = other.value;
        return SmallVector<Operation *>();
      }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(reader);
    auto op = cast<TilingInterface>(producer.getOwner());
    FailureOr<TilingResult> tiled = failure();
    {
      DropUpstreamErrors drop(op->getContext());
      tiled = op.generateResultTileValue(rewriter, producer.getResultNumber(),
                                         tile.offsets, tile.sizes);
    }
    if (failed(tiled) || tiled->tiledValues.size() != 1)
      return op->emitOpError("cannot be computed tile by tile where it is read")
                 .attachNote(reader->getLoc())
             << "read here";
    tile.value = tiled->tiledValues[0];
    known.push_back(tile);
    return std::move(tiled->tiledOps);
  }

  RewriterBase &rewriter;
  function_ref<bool(OpOperand &, Operation *)> mayPull;
  DenseMap<OpResult, SmallVector<PulledTile, 0>> tiles;
  SmallVector<Offset, 0> offsets;
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

//===- TilableConsumer.cpp - Fusing a consumer into the writes ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tilable op that uses results of a `pcf.generic` or `pcf.loop` needs, for a
// tile of its own results, the tiles of these results that the body writes. It
// is computed in place there, on the values that are written, and its results
// are written to refs of their own.
//
//===----------------------------------------------------------------------===//
#include "../Order/MovedOps.h"
#include "Covering.h"
#include "HiddenIndices.h"
#include "MixedSlice.h"
#include "OwnerRefs.h"
#include "RefUsers.h"
#include "TileTrial.h"

#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {

/// Holds the operands of a consumer that are results of its owner, and the
/// slice of each operand at one place.
struct OperandTiles {
  SmallVector<unsigned> operands;
  SmallVector<SmallVector<OpFoldResult>> offsets, sizes;

  void add(unsigned operand, const MixedSlice &slice) {
    operands.push_back(operand);
    offsets.push_back(slice.offsets);
    sizes.push_back(slice.sizes);
  }
};

/// Describes a tile of an op's iteration domain.
struct IterationTile {
  SmallVector<OpFoldResult> offsets, sizes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Returns the op whose results the consumer uses; of several, the last.
static RefOwnerOpInterface getOwner(Operation *consumer) {
  RefOwnerOpInterface last;
  for (Value operand : consumer->getOperands()) {
    auto owner = operand.getDefiningOp<RefOwnerOpInterface>();
    if (owner && isa<GenericOp, LoopOp>(*owner) &&
        owner->getBlock() == consumer->getBlock() &&
        (!last || last->isBeforeInBlock(owner)))
      last = owner;
  }
  return last;
}

/// Returns whether all values that the consumer uses, except results of the
/// owner, dominate the owner.
static bool isFree(Operation *consumer, RefOwnerOpInterface owner) {
  DominanceInfo dominance;
  SetVector<Value> used(consumer->operand_begin(), consumer->operand_end());
  getUsedValuesDefinedAbove(consumer->getRegions(), used);
  return llvm::all_of(used, [&](Value value) {
    return value.getDefiningOp() == owner ||
           dominance.properlyDominates(value, owner);
  });
}

/// Returns the write of each result for each place: one result may be written
/// anywhere, several must be written in one block.
static FailureOr<SmallVector<SmallVector<WriteSliceOp>>>
getPlaces(RefOwnerOpInterface owner, ArrayRef<unsigned> results,
          bool assumeCovering) {
  SmallVector<SmallVector<WriteSliceOp>> places;
  for (unsigned result : results) {
    BlockArgument ref = owner.getRefOfResult(result);
    FailureOr<RefUsers> users = getTileUsers(owner, ref);
    if (failed(users) || !areTensorWrites(users->writes) ||
        !isCovered(owner, ref, assumeCovering))
      return failure();
    if (results.size() == 1) {
      for (WriteSliceOp write : users->writes)
        places.push_back({write});
      return places;
    }
    if (users->writes.size() != 1)
      return failure();
    if (places.empty())
      places.emplace_back();
    places.front().push_back(users->writes.front());
  }
  for (WriteSliceOp write : places.front())
    if (write->getBlock() != places.front().front()->getBlock())
      return failure();
  return places;
}

/// Returns the tile of each operand at a place.
static OperandTiles getOperandTiles(HiddenIndices &indices, Operation *consumer,
                                    RefOwnerOpInterface owner,
                                    ArrayRef<unsigned> results,
                                    ArrayRef<WriteSliceOp> place) {
  OperandTiles tiles;
  for (OpOperand &operand : consumer->getOpOperands())
    if (operand.get().getDefiningOp() == owner) {
      unsigned result = cast<OpResult>(operand.get()).getResultNumber();
      WriteSliceOp write = place[llvm::find(results, result) - results.begin()];
      tiles.add(operand.getOperandNumber(),
                indices.hide(MixedSlice::of(write)));
    }
  return tiles;
}

static FailureOr<IterationTile> getIterationTile(TilingInterface op,
                                                 OpBuilder &builder,
                                                 const OperandTiles &tiles) {
  IterationTile tile;
  if (failed(op.getIterationDomainTileFromOperandTiles(
          builder, tiles.operands, tiles.offsets, tiles.sizes, tile.offsets,
          tile.sizes)))
    return failure();
  return tile;
}

/// Returns a key by which extents are compared. A `tensor.dim` is looked up
/// through the owner's results: (init, dim); other extents are (value, none).
static std::pair<OpFoldResult, std::optional<int64_t>>
getExtentKey(OpFoldResult extent, RefOwnerOpInterface owner) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return {Builder(owner->getContext()).getIndexAttr(*constant), std::nullopt};
  Value value = HiddenIndices::lookThrough(cast<Value>(extent));
  auto dim = value.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
  auto shaped = dim ? dyn_cast<RankedTensorType>(dim.getSource().getType())
                    : RankedTensorType();
  if (!index || !shaped || *index < 0 || *index >= shaped.getRank())
    return {value, std::nullopt};
  Value source = dim.getSource();
  if (source.getDefiningOp() == owner) {
    unsigned result = cast<OpResult>(source).getResultNumber();
    auto type = cast<RankedTensorType>(source.getType());
    if (OpOperand *init = owner.getTiedInit(result))
      source = init->get();
    else
      return getExtentKey(
          Value(owner.getResultDims(result)[type.getDynamicDimIndex(*index)]),
          owner);
  }
  return {source, *index};
}

/// Returns whether a tile of one operand leaves every reduction loop whole,
/// compared with the domain that all of the operand implies.
static bool keepsReductions(TileTrial &trial, RefOwnerOpInterface owner,
                            unsigned operand, const MixedSlice &slice) {
  auto result = cast<OpResult>(trial.copy->getOperand(operand));
  RefOwnerParts parts = RefOwnerParts::of(owner);
  SmallVector<OpFoldResult> extents =
      getExtents(trial.builder, owner.getLoc(),
                 getRefOfResult(parts, result.getResultNumber()));
  OperandTiles part, whole;
  part.add(operand, slice);
  whole.add(operand, MixedSlice::leading(trial.builder, extents));
  FailureOr<IterationTile> some =
      getIterationTile(trial.copy, trial.builder, part);
  FailureOr<IterationTile> all =
      getIterationTile(trial.copy, trial.builder, whole);
  if (failed(some) || failed(all))
    return false;
  for (auto [i, kind] : llvm::enumerate(trial.copy.getLoopIteratorTypes()))
    // A tile of full extent that is in bounds also starts at the same offset.
    if (kind == utils::IteratorType::reduction &&
        getExtentKey(some->sizes[i], owner) !=
            getExtentKey(all->sizes[i], owner))
      return false;
  return true;
}

/// Computes the consumer on the tiles of a place, before `op`; returns the
/// results and their slices.
static FailureOr<SmallVector<std::pair<Value, MixedSlice>>>
tileAt(TilingInterface op, OpBuilder &builder, const OperandTiles &tiles) {
  FailureOr<IterationTile> tile = getIterationTile(op, builder, tiles);
  FailureOr<TilingResult> tiled = op.getTiledImplementationFromOperandTiles(
      builder, tiles.operands, tiles.offsets, tiles.sizes);
  if (failed(tile) || failed(tiled) ||
      tiled->tiledValues.size() != op->getNumResults())
    return failure();
  SmallVector<std::pair<Value, MixedSlice>> results;
  for (auto [i, value] : llvm::enumerate(tiled->tiledValues)) {
    SmallVector<OpFoldResult> offsets, sizes;
    if (failed(op.getResultTilePosition(builder, i, tile->offsets, tile->sizes,
                                        offsets, sizes)))
      return failure();
    MixedSlice slice = MixedSlice::leading(builder, sizes);
    slice.offsets = offsets;
    results.push_back({value, slice});
  }
  return results;
}

/// Returns whether the consumer can be computed at a place.
static bool canTileAt(TilingInterface consumer, RefOwnerOpInterface owner,
                      ArrayRef<unsigned> results,
                      ArrayRef<WriteSliceOp> place) {
  TileTrial trial(consumer);
  HiddenIndices indices(trial.builder);
  OperandTiles tiles =
      getOperandTiles(indices, trial.copy, owner, results, place);
  for (ArrayRef<OpFoldResult> sizes : tiles.sizes)
    // Tilable ops take a size of 0 as "do not tile".
    if (llvm::any_of(sizes, isZeroInteger))
      return false;
  for (auto [i, operand] : llvm::enumerate(tiles.operands)) {
    MixedSlice slice = MixedSlice::leading(trial.builder, tiles.sizes[i]);
    slice.offsets = tiles.offsets[i];
    if (!keepsReductions(trial, owner, operand, slice))
      return false;
  }
  // The query uses the copy: linalg's implementation creates ops.
  return trial.copy.isOpFusableWithProducerSlices(tiles.operands, tiles.offsets,
                                                  tiles.sizes) &&
         succeeded(tileAt(trial.copy, trial.builder, tiles));
}

FailureOr<TilableConsumer> pcf::matchTilableConsumer(Operation *op,
                                                     bool assumeCovering) {
  RefOwnerOpInterface owner = isTilable(op) ? getOwner(op) : nullptr;
  if (!owner || !isFree(op, owner))
    return failure();
  auto consumer = cast<TilingInterface>(op);
  SetVector<unsigned> results;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getDefiningOp() == owner) {
      if (!mapsTiles(operand))
        return failure();
      results.insert(cast<OpResult>(operand.get()).getResultNumber());
    }
  FailureOr<SmallVector<SmallVector<WriteSliceOp>>> places =
      getPlaces(owner, results.getArrayRef(), assumeCovering);
  if (failed(places))
    return failure();
  for (ArrayRef<WriteSliceOp> place : *places)
    if (!canTileAt(consumer, owner, results.getArrayRef(), place))
      return failure();
  return TilableConsumer{consumer, owner, results.takeVector(), *places};
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Creates a ref for a result of the consumer, tied to its init; if that is a
/// result of the owner, to the init of that result.
static RefOwnerParts::Ref makeRef(RefOwnerParts &parts, Operation *owner,
                                  OpOperand &init) {
  auto type = cast<RankedTensorType>(init.get().getType());
  RefOwnerParts::Ref ref;
  ref.type = SRefType::get(type.getShape(), type.getElementType(), parts.scope,
                           SyncOnReturnAttr::get(type.getContext()));
  ref.result = type;
  ref.source = init.get();
  if (init.get().getDefiningOp() == owner) {
    RefOwnerParts::Ref &old =
        getRefOfResult(parts, cast<OpResult>(init.get()).getResultNumber());
    ref.source = old.source;
    ref.dims = old.dims;
  }
  return ref;
}

/// Replaces uses of the owner's results, in ops emitted in its body, by the
/// values that are written at a place.
static void useWrittenValues(RewriterBase &rewriter, RefOwnerOpInterface owner,
                             ArrayRef<unsigned> results,
                             ArrayRef<WriteSliceOp> place) {
  RefOwnerParts parts = RefOwnerParts::of(owner);
  for (auto [result, op] : llvm::zip_equal(results, place)) {
    WriteSliceOp write = op;
    Value written = write.getSource(), value = owner->getResult(result);
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      Operation *user = use.getOwner();
      if (!owner->isProperAncestor(user))
        continue;
      rewriter.setInsertionPoint(user);
      Location loc = user->getLoc();
      if (auto dim = dyn_cast<tensor::DimOp>(user)) {
        SmallVector<OpFoldResult> extents =
            getExtents(rewriter, loc, getRefOfResult(parts, result));
        rewriter.replaceOp(
            dim, getValueOrCreateConstantIndexOp(
                     rewriter, loc, extents[*dim.getConstantIndex()]));
        continue;
      }
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      Type wanted = slice ? slice.getType() : value.getType();
      Value tile = written;
      if (tile.getType() != wanted)
        tile = tensor::CastOp::create(rewriter, loc, wanted, tile);
      if (slice)
        rewriter.replaceOp(slice, tile);
      else
        rewriter.modifyOpInPlace(user, [&] { use.set(tile); });
    }
  }
}

/// Computes the consumer at a place and writes its results to `refs`.
static void fuseAt(RewriterBase &rewriter, const TilableConsumer &match,
                   RefOwnerOpInterface owner, ArrayRef<WriteSliceOp> place,
                   ValueRange refs) {
  Operation *last = place.front();
  for (WriteSliceOp write : place)
    if (last->isBeforeInBlock(write))
      last = write;
  Operation *previous = last->getPrevNode();
  rewriter.setInsertionPoint(last);
  // Tile a copy in place: tilable ops emit their extents before themselves.
  TilingInterface consumer = match.consumer;
  auto copy = cast<TilingInterface>(rewriter.clone(*consumer));
  rewriter.setInsertionPoint(copy);
  HiddenIndices indices(rewriter);
  OperandTiles tiles =
      getOperandTiles(indices, copy, owner, match.results, place);
  auto results = tileAt(copy, rewriter, tiles);
  assert(succeeded(results) && "the match has tried this");
  for (auto [result, ref] : llvm::zip_equal(*results, refs)) {
    const MixedSlice &slice = result.second;
    WriteSliceOp::create(rewriter, last->getLoc(), result.first, ref,
                         slice.offsets, slice.sizes, slice.strides);
  }
  rewriter.eraseOp(copy);
  useWrittenValues(rewriter, owner, match.results, place);
  indices.restore(rewriter);
  simplifyBetween(rewriter, previous, last);
}

RefOwnerOpInterface pcf::fuseTilableConsumer(RewriterBase &rewriter,
                                             const TilableConsumer &match) {
  OpBuilder::InsertionGuard guard(rewriter);
  RefOwnerOpInterface old = match.owner;
  TilingInterface consumer = match.consumer;
  RefOwnerParts parts = RefOwnerParts::of(old);
  auto destination = cast<DestinationStyleOpInterface>(*consumer);
  SmallVector<RefOwnerParts::Ref> added;
  for (OpOperand &init : destination.getDpsInitsMutable())
    added.push_back(makeRef(parts, old, init));
  unsigned numRefs = parts.refs.size(), numResults = old->getNumResults();
  llvm::append_range(parts.refs, added);
  RefOwnerOpInterface owner = rebuildWithRefs(rewriter, old, parts);
  rewriter.eraseOp(old);

  SmallVector<Value> refs(owner.getRefArgs().drop_front(numRefs));
  for (ArrayRef<WriteSliceOp> place : match.places)
    fuseAt(rewriter, match, owner, place, refs);
  rewriter.replaceOp(consumer, owner->getResults().drop_front(numResults));
  return owner;
}

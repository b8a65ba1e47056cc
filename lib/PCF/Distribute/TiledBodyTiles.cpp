//===- TiledBodyTiles.cpp - Ops on one tile of a member -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile at the edge is smaller. Vectors have one size, so if members are lanes
// ops compute whole tiles, with unspecified elements past the edge, and their
// results are clipped at the edge.
//
//===----------------------------------------------------------------------===//
#include "TiledBody.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

bool pcf::isRemade(Value value) {
  Operation *op = value.getDefiningOp();
  DenseElementsAttr constant;
  return op &&
         (isa<tensor::EmptyOp>(op) ||
          (matchPattern(op, m_Constant(&constant)) && constant.isSplat()));
}

//===----------------------------------------------------------------------===//
// Parts of tiles
//===----------------------------------------------------------------------===//

/// Returns the first elements of a tile, all of it if it has no more.
Value TiledBody::cutCorner(Value tile, ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.hasStaticShape() &&
      llvm::equal(llvm::map_range(sizes, getConstantIntValue), type.getShape()))
    return tile;
  Sizes zeros(sizes.size(), rewriter.getIndexAttr(0));
  Sizes ones(sizes.size(), rewriter.getIndexAttr(1));
  Value corner =
      tensor::ExtractSliceOp::create(rewriter, loc, tile, zeros, sizes, ones);
  setSizes(corner, Sizes(sizes));
  return corner;
}

/// Returns a larger slice, of that shape, at the same place.
Value TiledBody::cutLess(tensor::ExtractSliceOp corner,
                         ArrayRef<int64_t> shape) {
  if (corner.getSourceType().getShape() == shape)
    return corner.getSource();
  llvm::SmallBitVector dropped = corner.getDroppedDims();
  Sizes sizes = corner.getMixedSizes();
  size_t next = 0;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped.test(dim))
      size = rewriter.getIndexAttr(shape[next++]);
  return tensor::ExtractSliceOp::create(
      rewriter, loc, corner.getType().clone(shape), corner.getSource(),
      corner.getMixedOffsets(), sizes, corner.getMixedStrides());
}

/// Returns a tile of that shape whose first elements are `tile`. The others are
/// unspecified.
Value TiledBody::padTo(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  // The source of the slice has the elements that were cut off.
  if (auto corner = tile.getDefiningOp<tensor::ExtractSliceOp>();
      corner && corner.getSourceType().hasStaticShape())
    return cutLess(corner, shape);
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  Sizes low(shape.size(), rewriter.getIndexAttr(0)), high;
  for (auto [extent, size] : llvm::zip_equal(shape, sizesOf(tile)))
    high.push_back(apply(s0 - s1, {rewriter.getIndexAttr(extent), size}));
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(rewriter, loc, type.clone(shape), tile, low,
                               high, zero);
}

/// Returns the position of the tile at some repeats in a packed tensor.
TiledBody::PackedTile TiledBody::findTile(const TileMap &map,
                                          const Repeats &at) {
  PackedTile found;
  for (ArrayRef<Own> group : map.getPacking()) {
    AffineExpr offset = getAffineConstantExpr(0, rewriter.getContext());
    Sizes symbols;
    int64_t scale = 1, size = 1;
    std::optional<unsigned> tiled;
    for (Own own : llvm::reverse(group)) {
      SmallVector<unsigned> repeats = map.dims[own.dim].getRepeats();
      auto repeat = llvm::find(repeats, own.digit);
      if (repeat == repeats.end()) {
        assert(size == scale && "tiles are the innermost registers");
        found.isDirect &= !tiled;
        tiled = own.dim;
        size *= map.getExtent(own);
      } else {
        offset = offset + scale * getAffineSymbolExpr(symbols.size(),
                                                      rewriter.getContext());
        symbols.push_back(at[own.dim][repeat - repeats.begin()]);
      }
      scale *= map.getExtent(own);
    }
    for (Own own : group)
      if (own.digit + 1 == map.dims[own.dim].digits.size())
        found.order.push_back(own.dim);
    found.offsets.push_back(apply(offset, symbols));
    found.shape.push_back(size);
    found.dims.push_back(tiled);
  }
  found.isDirect &= llvm::is_sorted(found.order);
  return found;
}

/// Returns the first `sizes` elements of the tile at some repeats of a packed
/// tensor.
Value TiledBody::cutTile(Value packed, const TileMap &map, const Repeats &at,
                         ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(packed.getType());
  PackedTile place = findTile(map, at);
  Sizes whole = getAsIndexOpFoldResult(rewriter.getContext(), place.shape);
  Sizes ones(type.getRank(), rewriter.getIndexAttr(1));
  if (place.isDirect) {
    for (auto [size, dim] : llvm::zip_equal(whole, place.dims))
      if (dim)
        size = sizes[*dim];
    auto cut = RankedTensorType::get(decomposeMixedValues(Sizes(sizes)).first,
                                     type.getElementType());
    Value tile = tensor::ExtractSliceOp::create(rewriter, loc, cut, packed,
                                                place.offsets, whole, ones);
    setSizes(tile, Sizes(sizes));
    return tile;
  }
  Value tile =
      tensor::ExtractSliceOp::create(rewriter, loc, type.clone(place.shape),
                                     packed, place.offsets, whole, ones);
  SmallVector<int64_t> digits, permutation(place.order.size());
  for (auto [position, dim] : llvm::enumerate(place.order)) {
    digits.push_back(map.dims[dim].getTile());
    permutation[dim] = position;
  }
  return cutCorner(permuteDigits(tile, digits, permutation, map.getTileShape()),
                   sizes);
}

/// Inserts a tile into the packed tensor.
Value TiledBody::putTile(Value tile, Value packed, const TileMap &map,
                         const Repeats &at) {
  PackedTile place = findTile(map, at);
  if (!place.isDirect)
    tile = permuteDigits(
        tile, map.getTileShape(),
        SmallVector<int64_t>(place.order.begin(), place.order.end()),
        place.shape);
  Sizes ones(place.shape.size(), rewriter.getIndexAttr(1));
  return tensor::InsertSliceOp::create(
      rewriter, loc, tile, packed, place.offsets,
      getAsIndexOpFoldResult(rewriter.getContext(), place.shape), ones);
}

/// Returns a tensor in another shape with the same elements in the same order.
Value TiledBody::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType result = type.clone(shape);
  if (type == result)
    return value;
  std::optional<SmallVector<ReassociationIndices>> groups =
      type.getRank() == result.getRank()
          ? std::nullopt
          : getReassociationIndicesForReshape(type, result);
  if (!groups) {
    value = reshape(value, {type.getNumElements()});
    return reshape(value, shape);
  }
  if (type.getRank() > result.getRank())
    return tensor::CollapseShapeOp::create(rewriter, loc, result, value,
                                           *groups);
  return tensor::ExpandShapeOp::create(rewriter, loc, result, value, *groups);
}

/// Reads elements by digits of these extents, permutes the digits, and returns
/// them as a tensor of `shape`.
Value TiledBody::permuteDigits(Value value, ArrayRef<int64_t> digits,
                               ArrayRef<int64_t> permutation,
                               ArrayRef<int64_t> shape) {
  if (!isIdentityPermutation(permutation)) {
    value = reshape(value, digits);
    auto type = cast<RankedTensorType>(value.getType());
    Value empty = tensor::EmptyOp::create(rewriter, loc,
                                          applyPermutation(digits, permutation),
                                          type.getElementType());
    value =
        linalg::TransposeOp::create(rewriter, loc, value, empty, permutation)
            ->getResult(0);
  }
  return reshape(value, shape);
}

//===----------------------------------------------------------------------===//
// Ops on a tile
//===----------------------------------------------------------------------===//

Value TiledBody::makeRead(ReadSliceOp op, const TileMap &map,
                          const Repeats &at) {
  Sizes offsets = moveOffsets(map, at, remap(op.getMixedOffsets()),
                              remap(op.getMixedStrides()));
  Sizes sizes = clampSizes(map, at, remap(op.getMixedSizes()));
  auto type = RankedTensorType::get(decomposeMixedValues(sizes).first,
                                    op.getResultType().getElementType());
  auto read = ReadSliceOp::create(rewriter, loc, type,
                                  mapping.lookupOrDefault(op.getSource()),
                                  offsets, sizes, remap(op.getMixedStrides()));
  setSizes(read.getResult(), sizes);
  return read.getResult();
}

/// Returns the padded tile, of which the source's tile is a part.
Value TiledBody::makePad(tensor::PadOp op, const TileMap &map,
                         const Repeats &at) {
  Value source = makeTile(op.getSource(), map, at);
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  Sizes low(map.dims.size(), rewriter.getIndexAttr(0)), high;
  for (auto [dim, size, pad] :
       llvm::zip_equal(map.dims, sizesOf(source), remap(op.getMixedHighPad())))
    // A dimension of unknown extent is not split: its padding stays.
    high.push_back(
        ShapedType::isDynamic(dim.getTile())
            ? pad
            : apply(s0 - s1, {rewriter.getIndexAttr(dim.getTile()), size}));
  auto type =
      RankedTensorType::get(map.getTileShape(), op.getType().getElementType());
  Value padding = mapping.lookupOrDefault(op.getConstantPaddingValue());
  // A constant in the body of the pad is cloned, too.
  if (Operation *constant = padding.getDefiningOp();
      constant && op->isProperAncestor(constant))
    padding = rewriter.clone(*constant)->getResult(0);
  return tensor::PadOp::create(rewriter, loc, type, source, low, high, padding,
                               op.getNofold());
}

Value TiledBody::makeSlice(tensor::ExtractSliceOp op, const TileMap &map,
                           const Repeats &at) {
  Sizes sizes = clampSizes(map, at, remap(op.getMixedSizes()));
  Value source = op.getSource();
  if (mapping.contains(source) && isPacked(source))
    return cutTile(mapping.lookup(source), *getMap(source), at, sizes);
  Sizes zeros(sizes.size(), rewriter.getIndexAttr(0));
  Sizes ones(sizes.size(), rewriter.getIndexAttr(1));
  Value box = tensor::ExtractSliceOp::create(
      rewriter, loc, makeTile(source, map, at), zeros, sizes, ones);
  setSizes(box, sizes);
  return box;
}

/// Rematerializes a constant or an empty tensor, in the shape of the tile.
Value TiledBody::makeRemade(Value value, const TileMap &map,
                            const Repeats &at) {
  auto type = cast<RankedTensorType>(value.getType());
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
    Sizes sizes = clampSizes(map, at, remap(empty.getMixedSizes()));
    Value box =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    setSizes(box, sizes);
    return box;
  }
  DenseElementsAttr constant;
  [[maybe_unused]] bool isConstant = matchPattern(value, m_Constant(&constant));
  assert(isConstant && constant.isSplat() && "nothing else is made anew");
  return arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(type.clone(map.getTileShape()),
                             constant.getSplatValue<Attribute>()));
}

Value TiledBody::makeTile(Value value, const TileMap &map, const Repeats &at) {
  if (!isa<RankedTensorType>(value.getType()))
    return mapping.lookupOrDefault(value);
  if (mapping.contains(value) && !isPacked(value))
    return mapping.lookup(value);
  for (const MadeTile &tile : made)
    if (tile.value == value && tile.at == at)
      return tile.tile;
  Value tile = makeTileOf(value, map, at);
  // A rematerialized tile may be needed in another map.
  if (!isRemade(value))
    made.push_back({value, at, tile});
  return tile;
}

Value TiledBody::makeTileOf(Value value, const TileMap &map,
                            const Repeats &at) {
  if (mapping.contains(value))
    return cutTile(mapping.lookup(value), *getMap(value), at,
                   clampSizes(map, at, getExtents(value)));
  if (isRemade(value))
    return makeRemade(value, map, at);
  if (auto read = value.getDefiningOp<ReadSliceOp>())
    return makeRead(read, map, at);
  if (auto pad = value.getDefiningOp<tensor::PadOp>())
    return makePad(pad, map, at);
  if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>())
    return makeSlice(slice, map, at);
  auto result = cast<OpResult>(value);
  return makeOnTile(*result.getOwner(), at,
                    result.getResultNumber())[result.getResultNumber()];
}

/// Returns whether an op may compute unspecified elements past the edge without
/// an effect on those before it.
bool TiledBody::mayComputeBeyond(linalg::LinalgOp op) {
  if (cast<ScopeAttrInterface>(grid.scope).getNestingLevel() < 2)
    return false;
  for (auto [iterator, range] :
       llvm::zip_equal(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    if (iterator != utils::IteratorType::parallel &&
        ShapedType::isDynamic(range))
      return false;
  return !op->getRegion(0)
              .walk([](Operation *inner) {
                return inner->hasTrait<mlir::OpTrait::IsTerminator>() ||
                               isPure(inner)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Returns the tiles of the loops of an op whose result is in tiles; reduced
/// loops are not split. `at` is for result `number`, which has every loop with
/// repeats.
TiledBody::LoopTiles TiledBody::getLoopTiles(linalg::LinalgOp op,
                                             const Repeats &at,
                                             unsigned number) {
  LoopTiles loops;
  for (int64_t range : op.getStaticLoopRanges())
    loops.map.dims.push_back(TileDim::whole(range));
  loops.at.resize(loops.map.dims.size());
  // A loop need not be in every result.
  for (OpResult result : op->getResults())
    for (auto [i, dim] : llvm::enumerate(
             op.getIndexingMapMatchingResult(result).getResults())) {
      unsigned loop = cast<AffineDimExpr>(dim).getPosition();
      loops.map.dims[loop] = getMap(result)->dims[i];
      if (result.getResultNumber() == number)
        loops.at[loop] = at[i];
    }
  return loops;
}

/// Returns the part of a tensor with that indexing map.
TiledBody::LoopTiles TiledBody::LoopTiles::pick(AffineMap indexing) const {
  LoopTiles part;
  for (AffineExpr dim : indexing.getResults()) {
    unsigned loop = cast<AffineDimExpr>(dim).getPosition();
    part.map.dims.push_back(map.dims[loop]);
    part.at.push_back(at[loop]);
  }
  return part;
}

/// Clones an op with other tensors; results get the shapes of these.
Operation *TiledBody::cloneOn(Operation &op,
                              ArrayRef<std::pair<unsigned, Value>> tiles) {
  // The member mapping is only for values that are created once.
  IRMapping scope = mapping;
  Operation *clone = rewriter.clone(op, scope);
  for (auto [operand, tile] : tiles)
    clone->setOperand(operand, tile);
  auto destination = dyn_cast<DestinationStyleOpInterface>(clone);
  for (OpResult result : clone->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    Value like = destination ? destination.getTiedOpOperand(result)->get()
                             : tiles.front().second;
    result.setType(
        type.clone(cast<RankedTensorType>(like.getType()).getShape()));
  }
  return clone;
}

/// Emits a linalg op on a tile.
SmallVector<Value> TiledBody::makeLinalgOnTile(linalg::LinalgOp op,
                                               const Repeats &at,
                                               unsigned number) {
  LoopTiles loops = getLoopTiles(op, at, number);
  auto getPlaceOf = [&](OpOperand &operand) {
    return loops.pick(op.getMatchingIndexingMap(&operand));
  };
  // Stored by operand: one constant may be needed at two places.
  SmallVector<std::pair<unsigned, Value>> tiles;
  bool isCut = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    LoopTiles place = getPlaceOf(operand);
    Value tile = makeTile(operand.get(), place.map, place.at);
    isCut |= !cast<RankedTensorType>(tile.getType()).hasStaticShape();
    tiles.push_back({operand.getOperandNumber(), tile});
  }
  bool isBeyond =
      isCut && mayComputeBeyond(op) &&
      !llvm::is_contained(loops.map.getTileShape(), ShapedType::kDynamic);
  if (isBeyond)
    for (auto &[operand, tile] : tiles)
      tile =
          padTo(tile, getPlaceOf(op->getOpOperand(operand)).map.getTileShape());
  Operation *clone = cloneOn(*op, tiles);
  // Indices count from the beginning of the whole tensor.
  if (op.hasIndexSemantics())
    linalg::offsetIndices(rewriter, cast<linalg::LinalgOp>(clone),
                          getPlace(loops.map, loops.at));
  SmallVector<Value> results(clone->getResults());
  for (auto [result, old] : llvm::zip_equal(results, op->getResults())) {
    OpOperand &init = *op.getDpsInitOperand(old.getResultNumber());
    if (!isBeyond) {
      setSizes(result, sizesOf(clone->getOperand(init.getOperandNumber())));
      continue;
    }
    LoopTiles place = getPlaceOf(init);
    result =
        cutCorner(result, clampSizes(place.map, place.at, getExtents(old)));
  }
  return results;
}

/// Emits an op on a tile: linalg's, elementwise ones, and scalar code. Returns
/// null values if the results have no map: they are unused.
SmallVector<Value> TiledBody::makeOnTile(Operation &op, const Repeats &at,
                                         unsigned number) {
  const TileMap *map =
      op.getNumResults() ? getMap(op.getResult(number)) : nullptr;
  SmallVector<std::pair<unsigned, Value>> tiles;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return map ? makeLinalgOnTile(linalgOp, at, number)
               : SmallVector<Value>(op.getNumResults());
  for (OpOperand &operand : op.getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    if (!map)
      return SmallVector<Value>(op.getNumResults());
    tiles.push_back(
        {operand.getOperandNumber(), makeTile(operand.get(), *map, at)});
  }
  Operation *clone = cloneOn(op, tiles);
  for (Value result : clone->getResults())
    if (isa<RankedTensorType>(result.getType()))
      setSizes(result, sizesOf(tiles.front().second));
  return SmallVector<Value>(clone->getResults());
}

//===- TiledBodyPacked.cpp - Ops on all tiles of a member -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Payload and operands of an MMA are registers, so they are whole: they are
// read as one slice of an sref whose dimensions are digits, computed element by
// element along digits, or, at edges, assembled from tiles.
//
//===----------------------------------------------------------------------===//
#include "TiledBody.h"

#include "../Order/RefAccess.h"
#include "MmaTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Whole tensors
//===----------------------------------------------------------------------===//

/// Returns whether an op computes all tiles element by element.
bool TiledBody::isPackable(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return false;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return mlir::OpTrait::hasElementwiseMappableTraits(op);
  return linalgOp.getNumParallelLoops() == linalgOp.getNumLoops() &&
         !linalgOp.hasIndexSemantics() &&
         llvm::all_of(op->getResults(), [&](OpResult result) {
           return linalgOp.getIndexingMapMatchingResult(result).isPermutation();
         });
}

void TiledBody::addWhole(Value value) {
  if (!isPacked(value) || !wholes.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!op || !(getMmaKind(op, grid) || isPackable(op)))
    return;
  for (Value operand : op->getOperands())
    addWhole(operand);
}

void TiledBody::findWholes(RunClusterOp phase) {
  SmallVector<Operation *> order;
  phase.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    order.push_back(op);
    if (getMmaKind(op, grid))
      addWhole(op->getResult(0));
  });
  for (Value value : phase.getYield()->getOperands())
    addWhole(value);
  for (Operation *op : order)
    if (auto read = dyn_cast<ReadSliceOp>(op);
        read && isPacked(read.getResult()) && !mayReadLater(read, order))
      wholes.insert(read.getResult());
}

/// Returns whether reading tiles where they are used yields the same elements
/// as the read: no op in between may write them. `order` are the ops of the
/// phase.
bool TiledBody::mayReadLater(ReadSliceOp read, ArrayRef<Operation *> order) {
  llvm::SetVector<Operation *> makers;
  makers.insert(read);
  const auto *last = llvm::find(order, read.getOperation()), *first = last + 1;
  for (size_t i = 0; i < makers.size(); ++i)
    for (Operation *user : makers[i]->getUsers()) {
      last = std::max(last, llvm::find(order, user));
      bool isLate = !isa<WriteSliceOp>(user) &&
                    llvm::none_of(user->getResults(), [&](Value result) {
                      return wholes.contains(result);
                    });
      if (isLate)
        makers.insert(user);
    }
  auto isOverwrittenBy = [&](Operation *op) {
    if (op->getNumRegions() || isa<ReadSliceOp>(op) ||
        !mayAccess(op, read.getSource()))
      return false;
    auto write = dyn_cast<WriteSliceOp>(op);
    bool isInPlace =
        write && write.getDest() == read.getSource() &&
        write.getMixedOffsets() == read.getMixedOffsets() &&
        write.getMixedSizes() == read.getMixedSizes() &&
        write.getMixedStrides() == read.getMixedStrides() && op == *last &&
        getMap(write.getSource()) &&
        getMap(write.getSource())->placesAs(*getMap(read.getResult()));
    return !isInPlace;
  };
  if (last == order.end())
    return false;
  return llvm::none_of(llvm::make_range(first, last + 1), isOverwrittenBy);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

static SmallVector<TileMap::Own> flatten(const TileMap::Packing &packing) {
  SmallVector<TileMap::Own> digits;
  for (ArrayRef<TileMap::Own> group : packing)
    llvm::append_range(digits, group);
  return digits;
}

/// Converts a packed tensor to another packing.
Value TiledBody::repack(Value packed, const TileMap &from, const TileMap &to) {
  if (!from.isPacked() || from.getPacking() == to.getPacking())
    return packed;
  SmallVector<Own> have = flatten(from.getPacking()),
                   want = flatten(to.getPacking());
  SmallVector<int64_t> extents, permutation;
  for (Own own : have)
    extents.push_back(from.getExtent(own));
  for (Own own : want)
    permutation.push_back(llvm::find(have, own) - have.begin());
  return permuteDigits(packed, extents, permutation, to.getMemberShape());
}

Value TiledBody::getPart(Value value, const TileMap &map) {
  if (!isa<RankedTensorType>(value.getType()))
    return mapping.lookupOrDefault(value);
  if (mapping.contains(value)) {
    const TileMap *own = getMap(value);
    return own ? repack(mapping.lookup(value), *own, map)
               : mapping.lookup(value);
  }
  if (!map.isPacked())
    return makeRemade(value, map, Repeats(map.dims.size()));
  auto type = cast<RankedTensorType>(value.getType());
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(type.clone(map.getMemberShape()),
                               constant.getSplatValue<Attribute>()));
  assert(value.getDefiningOp<tensor::EmptyOp>() && "nothing else is made anew");
  return tensor::EmptyOp::create(rewriter, loc, map.getMemberShape(),
                                 type.getElementType());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
/// Describes a slice of an sref, indexed by digits.
struct DigitSlice {
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> extents, sizes;
  Sizes offsets;

  void add(int64_t extent, OpFoldResult offset, int64_t size) {
    groups.back().push_back(extents.size());
    extents.push_back(extent);
    offsets.push_back(offset);
    sizes.push_back(size);
  }
};
} // namespace

/// Reads all tiles of a slice at once: the slice's dimensions are split into
/// digits, and those of the members are fixed to this member's. Returns null if
/// the slice may have fewer elements than the tiles.
Value TiledBody::makePackedRead(ReadSliceOp op, const TileMap &map) {
  if (op.getResultType().getShape() != ArrayRef(map.getShape()) ||
      !llvm::all_of(op.getMixedStrides(), isOneInteger))
    return {};
  AffineExpr s0;
  bindSymbols(rewriter.getContext(), s0);
  DigitSlice slice;
  llvm::SmallDenseMap<std::pair<unsigned, unsigned>, int64_t> places;
  SmallVector<int64_t> permutation;
  for (auto [d, dim] : llvm::enumerate(map.dims)) {
    slice.groups.emplace_back();
    OpFoldResult offset = rewriter.getIndexAttr(0);
    int64_t members = 1;
    for (auto [i, digit] : llvm::enumerate(dim.digits)) {
      bool isTile = i + 1 == dim.digits.size();
      if (!digit.isOwn()) {
        OpFoldResult place = apply(digitOfMember(digit, s0), member);
        if (i + 2 < dim.digits.size()) {
          // A further dimension, which packing drops.
          permutation.push_back(slice.extents.size());
          slice.add(digit.extent, place, 1);
          continue;
        }
        members = digit.extent;
        offset = apply(digitOfMember(digit, s0) * dim.getTile(), member);
        continue;
      }
      places[{d, i}] = slice.extents.size();
      slice.add(isTile ? members * digit.extent : digit.extent,
                isTile ? offset : rewriter.getIndexAttr(0), digit.extent);
    }
  }
  Value source = mapping.lookupOrDefault(op.getSource());
  auto type = cast<SRefType>(source.getType());
  auto typeOf = [&](ArrayRef<int64_t> shape) {
    return SRefType::get(shape, type.getElementType(), type.getScope(),
                         type.getSyncScope());
  };
  auto view = SubviewOp::create(rewriter, loc, typeOf(map.getShape()), source,
                                remap(op.getMixedOffsets()), op.getMixedSizes(),
                                op.getMixedStrides());
  auto digits = ExpandShapeOp::create(
      rewriter, loc, typeOf(slice.extents), view.getResult(), slice.groups,
      getAsIndexOpFoldResult(rewriter.getContext(), slice.extents));
  Value read = ReadSliceOp::create(
      rewriter, loc, RankedTensorType::get(slice.sizes, type.getElementType()),
      digits.getResult(), slice.offsets,
      getAsIndexOpFoldResult(rewriter.getContext(), slice.sizes),
      Sizes(slice.sizes.size(), rewriter.getIndexAttr(1)));
  for (Own own : flatten(map.getPacking()))
    permutation.push_back(places.at({own.dim, own.digit}));
  return permuteDigits(read, slice.sizes, permutation, map.getMemberShape());
}

void TiledBody::makePackedElementwise(Operation &op) {
  const TileMap &map = *getMap(op.getResult(0));
  Operation *clone = rewriter.clone(op, mapping);
  rewriter.setInsertionPoint(clone);
  for (OpOperand &operand : op.getOpOperands())
    clone->setOperand(operand.getOperandNumber(), getPart(operand.get(), map));
  rewriter.setInsertionPointAfter(clone);
  for (auto [from, to] :
       llvm::zip_equal(op.getResults(), clone->getResults())) {
    to.setType(
        cast<RankedTensorType>(to.getType()).clone(map.getMemberShape()));
    mapping.map(from, repack(to, map, *getMap(from)));
  }
}

/// Returns the indexing map of the first result of a linalg op on all tiles,
/// which has every loop.
static AffineMap getResultIndexing(linalg::LinalgOp op) {
  return op.getIndexingMapMatchingResult(cast<OpResult>(op->getResult(0)));
}

TiledBody::PackedOperand TiledBody::makePackedOperand(linalg::LinalgOp op,
                                                      OpOperand &operand) {
  PackedOperand part;
  if (!isa<RankedTensorType>(operand.get().getType()))
    return part;
  const TileMap &map = *getMap(op->getResult(0));
  AffineMap indexing = getResultIndexing(op);
  SmallVector<unsigned> dims;
  for (AffineExpr loop : op.getMatchingIndexingMap(&operand).getResults()) {
    dims.push_back(*indexing.getResultPosition(loop));
    part.map.dims.push_back(map.dims[dims.back()]);
  }
  if (const TileMap *own = getMap(operand.get()))
    part.map = *own;
  else if (part.map.isPacked())
    part.map.packing = map.restrictPacking(dims);
  part.value = getPart(operand.get(), part.map);
  part.groups = part.map.getPacking();
  for (SmallVector<Own> &group : part.groups)
    for (Own &own : group)
      own.dim = dims[own.dim];
  return part;
}

/// Splits groups so that each digit is a group of its own.
static void ungroup(TileMap::Packing &groups) {
  SmallVector<TileMap::Own> digits = flatten(groups);
  groups.clear();
  for (TileMap::Own own : digits)
    groups.push_back({own});
}

/// Rebuilds an op along digits instead of dimensions, or along groups of digits
/// if all operands are packed in the same groups.
void TiledBody::makePackedLinalg(linalg::LinalgOp op) {
  const TileMap &map = *getMap(op->getResult(0));
  SmallVector<PackedOperand, 4> operands;
  Packing loops = map.getPacking();
  bool isGrouped = true;
  for (OpOperand &operand : op->getOpOperands()) {
    operands.push_back(makePackedOperand(op, operand));
    for (const SmallVector<Own> &group : operands.back().groups)
      isGrouped &= llvm::is_contained(loops, group);
  }
  if (!isGrouped)
    ungroup(loops);
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (auto [i, part] : llvm::enumerate(operands)) {
    if (part.value && !isGrouped) {
      ungroup(part.groups);
      SmallVector<int64_t> extents;
      for (ArrayRef<Own> group : part.groups)
        extents.push_back(map.getExtent(group.front()));
      part.value = reshape(part.value, extents);
    }
    SmallVector<AffineExpr> results;
    for (const SmallVector<Own> &group : part.groups)
      results.push_back(
          rewriter.getAffineDimExpr(llvm::find(loops, group) - loops.begin()));
    maps.push_back(
        AffineMap::get(loops.size(), 0, results, rewriter.getContext()));
    values.push_back(part.value ? part.value
                                : mapping.lookupOrDefault(op->getOperand(i)));
  }
  ValueRange inits = ArrayRef(values).take_back(op.getNumDpsInits());
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, inits.getTypes(),
      ArrayRef(values).drop_back(op.getNumDpsInits()), inits, maps, iterators);
  rewriter.cloneRegionBefore(op->getRegion(0), generic.getRegion(),
                             generic.getRegion().end(), mapping);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    const TileMap &init = operands[op.getNumDpsInputs() + i].map;
    Value packed = reshape(generic.getResult(i), init.getMemberShape());
    mapping.map(result, repack(packed, init, *getMap(result)));
  }
}

/// Assembles a packed tensor from tiles that are computed one by one.
Value TiledBody::makeFromTiles(Value value, const TileMap &map) {
  Value packed = tensor::EmptyOp::create(rewriter, loc, map.getMemberShape(),
                                         getElementTypeOrSelf(value.getType()));
  forEachTileUnrolled(map, [&](const Repeats &at) {
    Value tile = padTo(makeTileOf(value, map, at), map.getTileShape());
    packed = putTile(tile, packed, map, at);
  });
  return packed;
}

void TiledBody::makeMma(linalg::LinalgOp op) {
  std::string why;
  FailureOr<MmaTiles> tiles = planMmaTiles(op, grid, why);
  assert(succeeded(tiles) && "what matches can be rewritten");
  SmallVector<Value> inputs = {getPart(op->getOperand(0), tiles->lhs),
                               getPart(op->getOperand(1), tiles->rhs)};
  Value acc = getPart(op->getOperand(2), tiles->acc);
  auto mma = iree::InnerTiledOp::create(rewriter, loc, inputs, acc,
                                        op.getIndexingMapsArray(), tiles->kind);
  Value result = op->getResult(0);
  mapping.map(result, repack(mma.getResult(), tiles->acc, *getMap(result)));
}

void TiledBody::makeWhole(Operation &op) {
  if (getMmaKind(&op, grid))
    return makeMma(cast<linalg::LinalgOp>(op));
  auto fill = dyn_cast<linalg::FillOp>(op);
  if (fill && isPackable(&op)) {
    const TileMap &map = *getMap(op.getResult(0));
    Value filled = linalg::FillOp::create(rewriter, loc,
                                          mapping.lookupOrDefault(fill.value()),
                                          getPart(fill.output(), map))
                       .getResult(0);
    mapping.map(op.getResult(0), filled);
    return;
  }
  if (isPackable(&op))
    return isa<linalg::LinalgOp>(op)
               ? makePackedLinalg(cast<linalg::LinalgOp>(op))
               : makePackedElementwise(op);
  for (Value result : op.getResults()) {
    const TileMap *map = getMap(result);
    if (!map || !wholes.contains(result))
      continue;
    Value whole;
    if (auto read = dyn_cast<ReadSliceOp>(op))
      whole = makePackedRead(read, *map);
    mapping.map(result, whole ? whole : makeFromTiles(result, *map));
  }
}

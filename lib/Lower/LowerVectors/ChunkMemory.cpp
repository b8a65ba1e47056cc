//===- ChunkMemory.cpp - Rows of memory as native vectors -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These rules are for CPUs. Elements that are neighbours in memory are a row,
// along any dim of the vector: rows are loaded chunk by chunk at any address,
// and, if they are not rows of the vector, transposed in registers (VX-122). A
// row that may end early is loaded under a mask, one that may lie outside under
// a branch. Where rows follow each other in memory as they do in a flattened
// vector, its chunks are loaded across their ends (VX-120).
//
// Loading elements one by one is another strategy: for elements that are
// repeated, the instruction that loads one broadcasts it. Memory in which no
// dim of the vector is contiguous is accessed element by element (Memory.cpp),
// and so are elements that do not fill their bytes.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Pieces.h"
#include "Prices.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::registers;

namespace {

/// A chunk of a row in memory.
struct RowPiece {
  Address address;
  int64_t width;
  Value mask; // null: the whole chunk
};

/// The rows of a tile, in the order of its dims with the row's dim last: the
/// accesses, and their costs.
class TileRows {
public:
  /// `mask`, unless null, has the dims of the memref that the tile has, in
  /// their order.
  TileRows(const Tile &tile, Value mask, Lowering &lowering)
      : tile(tile), mask(mask), lowering(lowering), prices(lowering.target),
        tiling(tilingOf(tile)), run(runDimOf(tile, tiling)) {
    if (run < 0)
      return;
    for (int64_t dim = 0; dim < tile.vector.getRank(); ++dim)
      if (dim != run)
        order.push_back(dim);
    order.push_back(run);
    for (int64_t dim : order)
      shape.push_back(tiling.shape[dim]);
  }

  /// Returns whether the tile has rows at all.
  bool areThere() const {
    return run >= 0 && tiling.shape[run] > 1 && hasWholeBytes();
  }
  /// Returns whether the tile is one run of memory, in the vector's order.
  bool areOneRun() const;

  /// Returns the cost of moving the rows, for a vector that is repeated or not.
  int64_t price(bool isRead, bool isRepeated) const;
  /// Returns the cost of moving elements one by one.
  int64_t priceOfElements(bool isRead, bool isRepeated) const;

protected:
  /// Returns whether elements, or rows of elements that share bytes, fill their
  /// bytes.
  bool hasWholeBytes() const {
    Type element = tile.vector.getElementType();
    return element.isIntOrFloat() &&
           (fillsItsBytes(element) || hasPackedRows());
  }
  bool hasPackedRows() const {
    return run >= 0 && isPackedMemory(tile.memref) && !mask &&
           tile.inBounds[run] &&
           tiling.shape[run] * bitsInMemory(tile.memref) % 8 == 0 &&
           widestRowAccess(tile.memref, tile.indices, tile.vector, tile.map,
                           lowering.facts, lowering.target) > 1;
  }

  const Tile &tile;
  Value mask;
  Lowering &lowering;
  Prices prices;
  Tiling tiling;
  int64_t run;
  SmallVector<int64_t> order, shape;
};

/// Moves the rows.
class RowTile : public TileRows {
public:
  RowTile(Operation *op, const Tile &tile, Value mask, Lowering &lowering)
      : TileRows(tile, mask, lowering), op(op), address(tile, lowering) {}

  SmallVector<Value> read(Value padding);
  void write(ArrayRef<Value> pieces);

  /// Reads all of a tile that is one run.
  SmallVector<Value> readRun();
  void writeRun(ArrayRef<Value> pieces);

private:
  using RowVisitor = function_ref<void(int64_t row, Value condition,
                                       function_ref<SmallVector<RowPiece>()>)>;
  void forEachRow(RowVisitor visit);
  SmallVector<RowPiece> piecesOf(ArrayRef<int64_t> offsets, int64_t maskRow);
  SmallVector<RowPiece> piecesOfRun();
  Value maskOf(int64_t begin, int64_t width);
  int64_t maskRowOf(ArrayRef<int64_t> row);
  bool isMovedMasked(bool isRead, int64_t width);
  Value load(const RowPiece &piece, Value padding);
  void store(const RowPiece &piece, Value stored);
  Value loadAll(const RowPiece &piece);
  void storeAll(const RowPiece &piece, Value stored);
  VectorType typeOf(int64_t width) const {
    return VectorType::get({width}, tile.vector.getElementType());
  }

  Operation *op;
  TileAddress address;
  llvm::DenseMap<int64_t, Value> bounds; // masks by begin of a chunk
};
} // namespace

/// Returns the mask's row for a row of the tile.
int64_t RowTile::maskRowOf(ArrayRef<int64_t> row) {
  ArrayRef<int64_t> maskShape =
      cast<VectorType>(mask.getType()).getShape().drop_back();
  SmallVector<std::pair<int64_t, int64_t>> digits; // by dim of the memref
  for (auto [dim, digit] : llvm::zip(order, row))
    if (tiling.memrefDim[dim] >= 0)
      digits.push_back({tiling.memrefDim[dim], digit});
  llvm::sort(digits);
  return linearIndex(maskShape, llvm::map_to_vector(digits, [](auto digit) {
                       return digit.second;
                     }));
}

/// Returns the mask of a chunk's elements that are in bounds; null for all.
Value RowTile::maskOf(int64_t begin, int64_t width) {
  if (tile.inBounds[run])
    return Value();
  auto [known, isNew] = bounds.try_emplace(begin);
  if (!isNew)
    return known->second;
  int64_t dim = tiling.memrefDim[run];
  OpBuilder &b = lowering.builder;
  Value first = tile.indices[dim];
  Value last = lowering.offset(first, begin + width - 1);
  bool isBehindStart = lowering.facts.isNonNegative(first);
  if (isBehindStart && !insideCondition(tile, dim, last, lowering))
    return Value();
  Value extent = b.createOrFold<memref::DimOp>(tile.loc, tile.memref, dim);
  Value left = b.createOrFold<arith::SubIOp>(tile.loc, extent, first);
  Value inside = maskBelow(left, begin, width, lowering);
  if (!isBehindStart) {
    // Elements before the memref are out of bounds, too.
    Value missing =
        b.createOrFold<arith::SubIOp>(tile.loc, lowering.index(0), first);
    Value before = maskBelow(missing, begin, width, lowering);
    Value all = splat(lowering.boolean(true), width, lowering);
    inside = b.createOrFold<arith::AndIOp>(
        tile.loc, inside, b.createOrFold<arith::XOrIOp>(tile.loc, before, all));
  }
  return bounds[begin] = inside;
}

SmallVector<RowPiece> RowTile::piecesOf(ArrayRef<int64_t> offsets,
                                        int64_t maskRow) {
  SmallVector<int64_t> widths = lowering.widthsOf(shape.back());
  SmallVector<RowPiece> pieces;
  SmallVector<int64_t> at(offsets);
  for (auto [i, width] : llvm::enumerate(widths)) {
    int64_t begin = i * lowering.width;
    at[tiling.memrefDim[run]] = begin;
    Value bits = maskOf(begin, width);
    if (mask)
      bits = both(bits, lowering.pieces(mask)[maskRow * widths.size() + i],
                  lowering);
    pieces.push_back({address.at(at, lowering), width, bits});
  }
  return pieces;
}

/// Visits each row with the condition that it is in bounds, null for always,
/// and the function that creates its chunks.
void RowTile::forEachRow(RowVisitor visit) {
  forEachIndex(ArrayRef(shape).drop_back(), [&](int64_t row,
                                                ArrayRef<int64_t> index) {
    SmallVector<int64_t> offsets(tile.indices.size());
    Value condition;
    for (auto [dim, digit] : llvm::zip(order, index)) {
      int64_t memrefDim = tiling.memrefDim[dim];
      if (memrefDim < 0)
        continue;
      offsets[memrefDim] = digit;
      if (tile.inBounds[dim])
        continue;
      Value at = lowering.offset(tile.indices[memrefDim], digit);
      condition = both(
          condition, insideCondition(tile, memrefDim, at, lowering), lowering);
    }
    int64_t maskRow = mask ? maskRowOf(index) : 0;
    visit(row, condition, [&] { return piecesOf(offsets, maskRow); });
  });
}

Value RowTile::load(const RowPiece &piece, Value padding) {
  OpBuilder &b = lowering.builder;
  auto [memref, indices] = piece.address;
  if (piece.width == 1) {
    if (!piece.mask)
      return memref::LoadOp::create(b, tile.loc, memref, indices);
    Chunk chunk{piece.address, {0}, piece.mask};
    return loadChunk(tile, chunk, {padding}, lowering).front();
  }
  VectorType type = typeOf(piece.width);
  if (!piece.mask)
    return loadAll(piece);
  return vector::MaskedLoadOp::create(b, tile.loc, type, memref, indices,
                                      piece.mask,
                                      splat(padding, piece.width, lowering));
}

void RowTile::store(const RowPiece &piece, Value stored) {
  OpBuilder &b = lowering.builder;
  auto [memref, indices] = piece.address;
  if (piece.width == 1) {
    Chunk chunk{piece.address, {0}, piece.mask};
    storeChunk(tile, chunk, {stored}, lowering);
  } else if (piece.mask) {
    vector::MaskedStoreOp::create(b, tile.loc, memref, indices, piece.mask,
                                  stored);
  } else {
    storeAll(piece, stored);
  }
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// Returns whether a partial chunk is moved as a whole one under a mask.
bool RowTile::isMovedMasked(bool isRead, int64_t width) {
  Type element = tile.vector.getElementType();
  int64_t whole = lowering.width;
  if (width == whole || partsOf(width) == 1 || isPackedMemory(tile.memref))
    return false;
  std::optional<int64_t> masked = isRead ? prices.maskedLoad(element, whole)
                                         : prices.maskedStore(element, whole);
  if (!masked)
    return false;
  int64_t parts = isRead ? prices.loadInParts(element, width)
                         : prices.storeInParts(element, width);
  return lowering
             .choose(op, core::remainderStrategies,
                     {{"parts", parts}, {"masked", *masked}})
             .name == "masked";
}

/// Returns a mask of the first `width` elements of a whole chunk.
static Value firstBits(int64_t width, Lowering &lowering) {
  SmallVector<bool> bits(lowering.width, false);
  std::fill_n(bits.begin(), width, true);
  return lowering.constant(DenseElementsAttr::get(
      VectorType::get({lowering.width}, lowering.builder.getI1Type()),
      ArrayRef<bool>(bits)));
}

Value RowTile::loadAll(const RowPiece &piece) {
  OpBuilder &b = lowering.builder;
  auto [memref, indices] = piece.address;
  if (!isMovedMasked(/*isRead=*/true, piece.width))
    return vector::LoadOp::create(b, tile.loc, typeOf(piece.width), memref,
                                  indices);
  VectorType whole = typeOf(lowering.width);
  Value none = lowering.constant(b.getZeroAttr(whole));
  Value loaded =
      vector::MaskedLoadOp::create(b, tile.loc, whole, memref, indices,
                                   firstBits(piece.width, lowering), none);
  return takeElements(loaded, Value(), 0, piece.width, lowering);
}

void RowTile::storeAll(const RowPiece &piece, Value stored) {
  OpBuilder &b = lowering.builder;
  auto [memref, indices] = piece.address;
  if (!isMovedMasked(/*isRead=*/false, piece.width)) {
    vector::StoreOp::create(b, tile.loc, stored, memref, indices);
    return;
  }
  SmallVector<int64_t> positions(lowering.width,
                                 vector::ShuffleOp::kPoisonIndex);
  std::iota(positions.begin(), positions.begin() + piece.width, 0);
  Value whole =
      vector::ShuffleOp::create(b, tile.loc, stored, stored, positions);
  vector::MaskedStoreOp::create(b, tile.loc, memref, indices,
                                firstBits(piece.width, lowering), whole);
}

//===----------------------------------------------------------------------===//
// Flattened rows
//===----------------------------------------------------------------------===//

bool TileRows::areOneRun() const {
  auto type = dyn_cast<MemRefType>(tile.memref.getType());
  int64_t rank = tile.vector.getRank();
  if (!type || mask || !llvm::all_of(tile.inBounds, [](bool in) { return in; }))
    return false;
  // Dims of one element may be anywhere.
  if (tiling.shape != tile.vector.getShape() ||
      tile.vector.getNumElements() == 1 || !hasWholeBytes())
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty() ||
      strides.back() != 1)
    return false;
  int64_t next = 1; // elements from one to the next along a dim
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    int64_t extent = tiling.shape[dim];
    if (extent > 1 && strides[tiling.memrefDim[dim]] != next)
      return false;
    next *= extent;
  }
  return true;
}

/// Returns the same address with the contiguous innermost dims collapsed: a
/// chunk of a run crosses the ends of rows, which an access of separate dims
/// may not.
static Address alongRun(Address address, Location loc, Lowering &lowering) {
  auto type = cast<MemRefType>(address.memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  while (groups.size() > 1) {
    SmallVector<ReassociationIndices> joined(groups);
    ReassociationIndices inner = joined.pop_back_val();
    llvm::append_range(joined.back(), inner);
    if (ShapedType::isDynamic(strides[joined.back().front()]) ||
        !memref::CollapseShapeOp::isGuaranteedCollapsible(type, joined))
      break;
    groups = std::move(joined);
  }
  if (groups.empty() || groups.back().size() == 1)
    return address;
  OpBuilder &b = lowering.builder;
  Value run = lowering.index(0);
  for (int64_t dim : groups.back()) {
    Value steps = b.createOrFold<arith::MulIOp>(loc, address.indices[dim],
                                                lowering.index(strides[dim]));
    run = b.createOrFold<arith::AddIOp>(loc, run, steps);
  }
  address.indices.truncate(groups.size() - 1);
  address.indices.push_back(run);
  address.memref =
      memref::CollapseShapeOp::create(b, loc, address.memref, groups);
  return address;
}

SmallVector<RowPiece> RowTile::piecesOfRun() {
  Address place =
      alongRun(address.at(SmallVector<int64_t>(tile.indices.size()), lowering),
               tile.loc, lowering);
  SmallVector<RowPiece> pieces;
  Value first = place.indices.back();
  int64_t behind = 0;
  for (int64_t width : lowering.widthsOf(tile.vector.getNumElements())) {
    place.indices.back() = lowering.offset(first, behind);
    pieces.push_back({place, width, Value()});
    behind += width;
  }
  return pieces;
}

SmallVector<Value> RowTile::readRun() {
  return llvm::map_to_vector(piecesOfRun(), [&](const RowPiece &piece) {
    return load(piece, Value());
  });
}

void RowTile::writeRun(ArrayRef<Value> pieces) {
  for (auto [piece, stored] : llvm::zip_equal(piecesOfRun(), pieces))
    store(piece, stored);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> inverseOf(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  return inverse;
}

SmallVector<Value> RowTile::read(Value padding) {
  SmallVector<Value> pieces;
  forEachRow([&](int64_t, Value condition,
                 function_ref<SmallVector<RowPiece>()> rowPieces) {
    SmallVector<RowPiece> row = rowPieces();
    auto loadAll = [&] {
      return llvm::map_to_vector(
          row, [&](const RowPiece &piece) { return load(piece, padding); });
    };
    if (!condition) {
      llvm::append_range(pieces, loadAll());
      return;
    }
    SmallVector<Value> outside;
    for (const RowPiece &piece : row)
      outside.push_back(splat(padding, piece.width, lowering));
    auto branch = scf::IfOp::create(lowering.builder, tile.loc,
                                    ValueRange(outside).getTypes(), condition,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(lowering.builder);
    lowering.builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(lowering.builder, tile.loc, loadAll());
    lowering.builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(lowering.builder, tile.loc, outside);
    llvm::append_range(pieces, branch.getResults());
  });
  SmallVector<Value> inOrder =
      transpose(pieces, shape, inverseOf(order), lowering);
  return broadcast(inOrder, tiling.shape, tile.vector.getShape(), lowering);
}

void RowTile::write(ArrayRef<Value> pieces) {
  SmallVector<Value> rows =
      transpose(pieces, tile.vector.getShape(), order, lowering);
  ArrayRef<Value> rest = rows;
  forEachRow([&](int64_t, Value condition,
                 function_ref<SmallVector<RowPiece>()> rowPieces) {
    SmallVector<RowPiece> row = rowPieces();
    OpBuilder::InsertionGuard guard(lowering.builder);
    if (condition) {
      auto branch = scf::IfOp::create(lowering.builder, tile.loc, condition,
                                      /*withElseRegion=*/false);
      lowering.builder.setInsertionPointToStart(branch.thenBlock());
    }
    for (const RowPiece &piece : row) {
      store(piece, rest.front());
      rest = rest.drop_front();
    }
  });
}

//===----------------------------------------------------------------------===//
// Choice between rows and elements
//===----------------------------------------------------------------------===//

int64_t TileRows::price(bool isRead, bool isRepeated) const {
  const SimdCosts &costs = prices.costs;
  Type element = tile.vector.getElementType();
  bool mayEndEarly = mask || !tile.inBounds[run];
  int64_t row = 0;
  for (int64_t width : lowering.widthsOf(shape.back())) {
    std::optional<int64_t> masked;
    if (mayEndEarly)
      masked = isRead ? prices.maskedLoad(element, width)
                      : prices.maskedStore(element, width);
    row += masked.value_or(isRead ? prices.loadInParts(element, width)
                                  : prices.storeInParts(element, width));
  }
  int64_t elements = ShapedType::getNumElements(shape);
  SmallVector<int64_t> back = inverseOf(order);
  int64_t moved = isRead
                      ? prices.transpose(shape, back, element, lowering.width)
                      : prices.transpose(tile.vector.getShape(), order, element,
                                         lowering.width);
  return elements / shape.back() * row + moved +
         (isRepeated ? elements * (costs.element + costs.broadcast) : 0);
}

int64_t TileRows::priceOfElements(bool isRead, bool isRepeated) const {
  const SimdCosts &costs = prices.costs;
  bool isGuarded =
      mask || !llvm::all_of(tile.inBounds, [](bool in) { return in; });
  int64_t each = (isRead ? costs.load : costs.store) +
                 (isRepeated ? 0 : costs.element) +
                 (isGuarded ? 8 * costs.arithmetic : 0);
  return ShapedType::getNumElements(shape) * each;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Returns whether memory has scalars, of which the tile has rows.
static bool isOfScalars(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && !isa<VectorType>(type.getElementType());
}

/// Returns whether a tile is moved by rows, if it has some, and not by
/// elements.
static bool movesRows(Operation *op, const Tile &tile, Value mask, bool isRead,
                      bool isRepeated, Lowering &lowering) {
  TileRows rows(tile, mask, lowering);
  if (lowering.isFlattened && rows.areOneRun())
    return true;
  if (!rows.areThere())
    return false;
  return lowering
             .choose(op, core::transferStrategies,
                     {{"rows", rows.price(isRead, isRepeated)},
                      {"elements", rows.priceOfElements(isRead, isRepeated)}})
             .name == "rows";
}

static void readRows(Operation *op, const Tile &tile, Value mask, Value padding,
                     Lowering &lowering) {
  RowTile rows(op, tile, mask, lowering);
  if (lowering.isFlattened && rows.areOneRun())
    lowering.setFlatPieces(op->getResult(0), rows.readRun());
  else
    lowering.setPieces(op->getResult(0), rows.read(padding));
}

static void writeRows(Operation *op, const Tile &tile, Value mask, Value stored,
                      Lowering &lowering) {
  RowTile rows(op, tile, mask, lowering);
  if (lowering.isFlattened && rows.areOneRun())
    rows.writeRun(SmallVector<Value>(lowering.flatPieces(stored)));
  else
    rows.write(SmallVector<Value>(lowering.pieces(stored)));
}

static bool readsRows(vector::TransferReadOp op, Lowering &lowering) {
  return isOfScalars(op.getBase()) &&
         movesRows(op, tileOf(cast<VectorTransferOpInterface>(*op)),
                   op.getMask(), /*isRead=*/true,
                   isRepeated(op.getResult(), lowering), lowering);
}

static LogicalResult lowerRead(vector::TransferReadOp op, Lowering &lowering) {
  readRows(op, tileOf(cast<VectorTransferOpInterface>(*op)), op.getMask(),
           op.getPadding(), lowering);
  return success();
}

static bool writesRows(vector::TransferWriteOp op, Lowering &lowering) {
  return isOfScalars(op.getBase()) &&
         movesRows(op, tileOf(cast<VectorTransferOpInterface>(*op)),
                   op.getMask(), /*isRead=*/false, /*isRepeated=*/false,
                   lowering);
}

static LogicalResult lowerWrite(vector::TransferWriteOp op,
                                Lowering &lowering) {
  writeRows(op, tileOf(cast<VectorTransferOpInterface>(*op)), op.getMask(),
            op.getValueToStore(), lowering);
  return success();
}

static bool loadsRows(vector::LoadOp op, Lowering &lowering) {
  return isOfScalars(op.getBase()) &&
         movesRows(op, minorTile(op), Value(), /*isRead=*/true,
                   isRepeated(op.getResult(), lowering), lowering);
}

static LogicalResult lowerLoadInPieces(vector::LoadOp op, Lowering &lowering) {
  readRows(op, minorTile(op), Value(), Value(), lowering);
  return success();
}

static bool storesRows(vector::StoreOp op, Lowering &lowering) {
  return isOfScalars(op.getBase()) &&
         movesRows(op, minorTile(op), Value(), /*isRead=*/false,
                   /*isRepeated=*/false, lowering);
}

static LogicalResult lowerStoreInPieces(vector::StoreOp op,
                                        Lowering &lowering) {
  writeRows(op, minorTile(op), Value(), op.getValueToStore(), lowering);
  return success();
}

void registers::addChunkMemoryRules(RuleSet &rules) {
  rules.addWhere<vector::TransferReadOp>(lowerRead, readsRows);
  rules.addWhere<vector::TransferWriteOp>(lowerWrite, writesRows);
  rules.addWhere<vector::LoadOp>(lowerLoadInPieces, loadsRows);
  rules.addWhere<vector::StoreOp>(lowerStoreInPieces, storesRows);
}

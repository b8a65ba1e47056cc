//===- PieceMemory.cpp - Rows of memory as pieces -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a CPU. Elements that are neighbours in memory are a row, whichever dim of
// the vector that is: rows are loaded piece by piece at any address, and where
// they are no rows of the vector, transposed in registers (VX-122). A row that
// may end early is loaded under a mask, one that may lie outside under a
// branch.
//
// Memory of which no dim of the vector takes neighbours is accessed element by
// element (Memory.cpp), and so are elements that do not fill their bytes.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Pieces.h"
#include "distaff/Analysis/AccessWidth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::registers;

namespace {

/// A piece of a row in memory.
struct RowPiece {
  Address address;
  int64_t width;
  Value mask; // null: all of it
};

/// The rows of a tile, in the order of its dims with the row's one last.
class RowTile {
public:
  /// `mask`, unless null, has the dims of the memref that the tile has, in
  /// their order.
  RowTile(const Tile &tile, Value mask, Lowering &lowering)
      : tile(tile), mask(mask), lowering(lowering), tiling(tilingOf(tile)),
        address(tile, lowering), run(runDimOf(tile, tiling)) {
    for (int64_t dim = 0; dim < tile.vector.getRank(); ++dim)
      if (dim != run)
        order.push_back(dim);
    order.push_back(run);
    for (int64_t dim : order)
      shape.push_back(tiling.shape[dim]);
  }

  /// Whether the tile has rows at all.
  static bool has(const Tile &tile) {
    Tiling tiling = tilingOf(tile);
    int64_t run = runDimOf(tile, tiling);
    return run >= 0 && tiling.shape[run] > 1 &&
           tile.vector.getElementType().isIntOrFloat() &&
           fillsItsBytes(tile.vector.getElementType());
  }

  SmallVector<Value> read(Value padding);
  void write(ArrayRef<Value> pieces);

private:
  using RowVisitor = function_ref<void(int64_t row, Value condition,
                                       function_ref<SmallVector<RowPiece>()>)>;
  void forEachRow(RowVisitor visit);
  SmallVector<RowPiece> piecesOf(ArrayRef<int64_t> offsets, int64_t maskRow);
  Value maskOf(int64_t begin, int64_t width);
  int64_t maskRowOf(ArrayRef<int64_t> row);
  Value load(const RowPiece &piece, Value padding);
  void store(const RowPiece &piece, Value stored);
  VectorType typeOf(int64_t width) const {
    return VectorType::get({width}, tile.vector.getElementType());
  }

  const Tile &tile;
  Value mask;
  Lowering &lowering;
  Tiling tiling;
  TileAddress address;
  int64_t run;
  SmallVector<int64_t> order, shape;
  llvm::DenseMap<int64_t, Value> bounds; // by begin of a piece
};
} // namespace

/// The mask's row for a row of the tile.
int64_t RowTile::maskRowOf(ArrayRef<int64_t> row) {
  ArrayRef<int64_t> maskShape =
      cast<VectorType>(mask.getType()).getShape().drop_back();
  SmallVector<std::pair<int64_t, int64_t>> digits; // by dim of the memref
  for (auto [dim, digit] : llvm::zip(order, row))
    if (tiling.memrefDim[dim] >= 0)
      digits.push_back({tiling.memrefDim[dim], digit});
  llvm::sort(digits);
  return linearize(maskShape, llvm::map_to_vector(digits, [](auto digit) {
                     return digit.second;
                   }));
}

/// Which elements of a piece memory has; null for all.
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
    // What lies before the memref is outside, too.
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

/// Visits each row with the condition that memory has it, null for always, and
/// what makes its pieces.
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
    return vector::LoadOp::create(b, tile.loc, type, memref, indices);
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
    vector::StoreOp::create(b, tile.loc, stored, memref, indices);
  }
}

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
// Rules
//===----------------------------------------------------------------------===//

/// Memory of scalars, of which the tile has rows.
static bool isOfScalars(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && !isa<VectorType>(type.getElementType());
}

static bool hasRows(vector::TransferReadOp op) {
  return isOfScalars(op.getBase()) &&
         RowTile::has(
             tileOf(cast<VectorTransferOpInterface>(op.getOperation()))) &&
         // Each element is loaded by the instruction that repeats it.
         !(isRepeated(op.getResult()) && !op.getMask() &&
           llvm::all_of(op.getInBoundsValues(), [](bool in) { return in; }));
}

static LogicalResult lowerRead(vector::TransferReadOp op, Lowering &lowering) {
  Tile tile = tileOf(cast<VectorTransferOpInterface>(op.getOperation()));
  RowTile rows(tile, op.getMask(), lowering);
  lowering.setPieces(op.getResult(), rows.read(op.getPadding()));
  return success();
}

static bool takesRows(vector::TransferWriteOp op) {
  return isOfScalars(op.getBase()) &&
         RowTile::has(
             tileOf(cast<VectorTransferOpInterface>(op.getOperation())));
}

static LogicalResult lowerWrite(vector::TransferWriteOp op,
                                Lowering &lowering) {
  Tile tile = tileOf(cast<VectorTransferOpInterface>(op.getOperation()));
  RowTile rows(tile, op.getMask(), lowering);
  rows.write(SmallVector<Value>(lowering.pieces(op.getValueToStore())));
  return success();
}

template <typename Op> static bool isOfRows(Op op) {
  return isOfScalars(op.getBase()) && RowTile::has(minorTile(op));
}

static LogicalResult lowerLoad(vector::LoadOp op, Lowering &lowering) {
  Tile tile = minorTile(op);
  lowering.setPieces(op.getResult(),
                     RowTile(tile, Value(), lowering).read(Value()));
  return success();
}

static LogicalResult lowerStore(vector::StoreOp op, Lowering &lowering) {
  Tile tile = minorTile(op);
  RowTile(tile, Value(), lowering)
      .write(SmallVector<Value>(lowering.pieces(op.getValueToStore())));
  return success();
}

void registers::addPieceMemoryRules(RuleSet &rules) {
  rules.addWhere<vector::TransferReadOp>(lowerRead, hasRows);
  rules.addWhere<vector::TransferWriteOp>(lowerWrite, takesRows);
  rules.addWhere<vector::LoadOp>(lowerLoad, isOfRows<vector::LoadOp>);
  rules.addWhere<vector::StoreOp>(lowerStore, isOfRows<vector::StoreOp>);
}

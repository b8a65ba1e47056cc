//===- TileShape.cpp - Tile shape of a root -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TileShape.h"
#include "NativeShape.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::vectortiles;

/// Returns the native vector chunks of a value that are computed at a time:
/// more chunks hide the latency of instructions, until their reads fill the
/// registers.
static int64_t piecesAtATime(const TileHints &hints, const Machine &machine) {
  if (hints.isScattered)
    return 1;
  if (hints.accumulators)
    return hints.accumulators;
  int64_t values = hints.reads + 1; // and a result
  int64_t pieces = machine.registers * 3 / 4 / values;
  return std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(std::max<int64_t>(pieces, 1))), 1,
      Machine::piecesInFlight());
}

/// Returns the tile of a row: the row, a divisor of whole chunks, or what fits.
static int64_t tileOfRow(int64_t extent, int64_t pieces,
                         const Machine &machine) {
  if (extent <= machine.pieceElements * pieces)
    return extent;
  for (int64_t count = pieces; count > 1; --count)
    if (extent % (machine.pieceElements * count) == 0)
      return machine.pieceElements * count;
  return machine.pieceElements * pieces;
}

/// Returns the number of dims that are contiguous in memory somewhere.
static int64_t rowDims(ArrayRef<int64_t> shape, const TileHints &hints) {
  int64_t rows = 0;
  for (auto [extent, isRow] : llvm::zip_equal(shape, hints.isRow))
    rows += isRow && extent > 1;
  return rows;
}

/// Chooses the tile if several dims are contiguous somewhere, so that registers
/// are transposed: a square of two dims, or a box of as many elements for more
/// dims (VX-247). For scattered elements it is one register.
static void chooseSquare(SmallVector<int64_t> &tile, ArrayRef<int64_t> shape,
                         const TileHints &hints, const Machine &machine) {
  int64_t rows = rowDims(shape, hints);
  int64_t elements = machine.pieceElements;
  if (!hints.isScattered)
    elements *= machine.pieceElements;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    tile[dim] = 1;
    if (!hints.isRow[dim] || shape[dim] == 1)
      continue;
    int64_t bits = llvm::Log2_64(std::max<int64_t>(elements, 1));
    int64_t side = int64_t(1) << llvm::divideCeil(bits, rows--);
    tile[dim] = std::min({shape[dim], side, machine.pieceElements});
    elements /= tile[dim];
  }
}

/// Returns the part of a dim that lanes take from their remaining elements.
static int64_t takeAlong(size_t dim, int64_t extent, int64_t most,
                         const TileHints &hints, const Machine &machine) {
  if (hints.most[dim])
    most = std::min(most, hints.most[dim]);
  if (hints.granule > 1 && hints.most[dim])
    return std::min<int64_t>(llvm::alignTo(extent, hints.granule),
                             std::max<int64_t>(most, hints.granule));
  return machine.tileAlong(extent, most);
}

/// Chooses the tile of a workgroup of lanes: contiguous dims first. Dims that
/// are kept while others are reduced or scanned take so few elements that lanes
/// also hold some of the other dims.
static void fillLanes(SmallVector<int64_t> &tile, ArrayRef<int64_t> shape,
                      int64_t elements, const TileHints &hints,
                      const Machine &machine) {
  int64_t kept = elements / std::max<int64_t>(hints.reducedElements, 1);
  for (bool isKept : {true, false})
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      if (hints.isReducedBeside[dim] != isKept)
        continue;
      tile[dim] =
          takeAlong(dim, shape[dim], isKept ? kept : elements, hints, machine);
      elements /= tile[dim];
      kept /= tile[dim];
    }
}

/// Chooses the tile if several dims are contiguous somewhere, so that lanes
/// exchange elements: a square of these dims, and other dims take the rest.
static void fillLanesSquare(SmallVector<int64_t> &tile, ArrayRef<int64_t> shape,
                            int64_t elements, const TileHints &hints,
                            const Machine &machine) {
  int64_t rows = rowDims(shape, hints);
  for (bool isRow : {true, false})
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      if ((hints.isRow[dim] && shape[dim] > 1) != isRow)
        continue;
      int64_t bits = llvm::Log2_64(std::max<int64_t>(elements, 1));
      int64_t side = isRow ? int64_t(1) << bits / rows-- : elements;
      tile[dim] = takeAlong(dim, shape[dim], side, hints, machine);
      elements /= tile[dim];
    }
}

static SmallVector<int64_t> tileOfLanes(Operation *root, const TileHints &hints,
                                        int64_t pieces,
                                        const Machine &machine) {
  ArrayRef<int64_t> shape = rootShape(root);
  SmallVector<int64_t> tile(shape.size(), 1);
  int64_t elements = machine.pieceElements * pieces;
  // A scatter is in order: the last write to a place wins.
  if (rowDims(shape, hints) > 1 && !isa<vector::ScatterOp>(root))
    fillLanesSquare(tile, shape, elements, hints, machine);
  else
    fillLanes(tile, shape, elements, hints, machine);
  return tile;
}

/// Returns the number of rows that fill so many chunks; short rows share
/// registers.
static int64_t rowsAtATime(ArrayRef<int64_t> row, int64_t pieces,
                           const Machine &machine) {
  int64_t elements = ShapedType::getNumElements(row);
  if (2 * elements <= machine.pieceElements)
    return machine.pieceElements * pieces / elements;
  return std::max<int64_t>(pieces / machine.pieces(row), 1);
}

/// Chooses the tile of a core: registers of a row, and then of several rows.
static void fillRegisters(SmallVector<int64_t> &tile, ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> most, int64_t pieces,
                          const Machine &machine) {
  int64_t rank = shape.size();
  // Limits apply first, so that rows take what is left.
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    if (most[dim]) {
      tile[dim] = std::min(shape[dim], most[dim]);
      pieces = std::max<int64_t>(pieces / tile[dim], 1);
    }
  bool isRow = true; // all dims further in have one element
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    if (most[dim] && dim + 1 < rank)
      return;
    if (most[dim])
      tile[dim] = std::min(shape[dim], most[dim]);
    else if (isRow)
      tile[dim] = tileOfRow(shape[dim], pieces, machine);
    else
      tile[dim] =
          largestDivisor(shape[dim], rowsAtATime(tile, pieces, machine));
    isRow &= shape[dim] == 1;
    if (tile[dim] != shape[dim])
      return;
  }
}

/// Returns the tile without a user's request.
static SmallVector<int64_t> tileFor(Operation *root, const TileHints &hints,
                                    const Machine &machine) {
  ArrayRef<int64_t> shape = rootShape(root);
  SmallVector<int64_t> tile(shape.size(), 1);
  int64_t pieces = piecesAtATime(hints, machine);
  if (!machine.isHost)
    return tileOfLanes(root, hints, pieces, machine);
  if (isa<vector::ScatterOp>(root)) // the last write to a place wins
    fillRegisters(tile, shape, SmallVector<int64_t>(shape.size(), 0), pieces,
                  machine);
  else if (rowDims(shape, hints) > 1)
    chooseSquare(tile, shape, hints, machine);
  else
    fillRegisters(tile, shape, hints.most, pieces, machine);
  return tile;
}

/// Returns the size of the last tile along a dim.
static int64_t restAlong(size_t dim, int64_t extent, int64_t size,
                         const TileHints &hints, const Machine &machine) {
  int64_t rest = extent % size;
  if (machine.isHost || rest == 0 || hints.multiple[dim] > 1)
    return rest;
  if (hints.granule > 1 && hints.most[dim])
    rest = llvm::alignTo(rest, hints.granule);
  return std::min(size, Machine::evenExtent(rest));
}

RootTile vectortiles::chooseTile(Operation *root, const TileHints &hints,
                                 const Machine &machine) {
  ArrayRef<int64_t> shape = rootShape(root);
  SmallVector<int64_t> tile =
      nativeTiles(root->getParentOfType<FunctionOpInterface>(), shape);
  if (tile.empty()) {
    tile = tileFor(root, hints, machine);
    for (auto [size, extent, multiple] :
         llvm::zip_equal(tile, shape, hints.multiple))
      if (multiple > 1) // lanes may hold more than there is
        size = std::min<int64_t>(llvm::alignTo(size, multiple), extent);
  }
  for (auto [dim, asked] : llvm::enumerate(hints.asked))
    if (asked)
      tile[dim] = std::min(asked, shape[dim]);
  SmallVector<int64_t> rests;
  for (auto [dim, size] : llvm::enumerate(tile))
    rests.push_back(restAlong(dim, shape[dim], size, hints, machine));
  return {std::move(tile), std::move(rests), hints.ordered, hints.scans};
}

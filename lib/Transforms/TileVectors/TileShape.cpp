//===- TileShape.cpp - The vectors that are computed at a time ------------===//
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

/// Pieces of a value that are computed at a time: more hide the latency of
/// instructions, until what is read for them fills the registers.
static int64_t piecesAtATime(const TileHints &hints, const Machine &machine) {
  constexpr int64_t inFlight = 4;
  if (hints.isScattered)
    return 1;
  int64_t values = hints.reads + 1; // and a result
  int64_t pieces = machine.registers * 3 / 4 / values;
  return std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(std::max<int64_t>(pieces, 1))), 1, inFlight);
}

/// A tile of a row: all of it, or a divisor of whole pieces, or what fits.
static int64_t tileOfRow(int64_t extent, int64_t pieces,
                         const Machine &machine) {
  if (extent <= machine.pieceElements * pieces)
    return extent;
  for (int64_t count = pieces; count > 1; --count)
    if (extent % (machine.pieceElements * count) == 0)
      return machine.pieceElements * count;
  return machine.pieceElements * pieces;
}

/// Several dims are rows somewhere, so that registers are transposed: a square.
static void chooseSquare(SmallVector<int64_t> &tile, ArrayRef<int64_t> shape,
                         ArrayRef<bool> isRow, const Machine &machine) {
  for (auto [dim, extent] : llvm::enumerate(shape))
    tile[dim] = isRow[dim] ? std::min(extent, machine.pieceElements) : 1;
}

/// A tile of a workgroup of lanes: rows first.
static void fillLanes(SmallVector<int64_t> &tile, ArrayRef<int64_t> shape,
                      int64_t elements) {
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    tile[dim] = largestDivisor(shape[dim], elements);
    // Few divide it: the last tile is a smaller one.
    int64_t most = std::min(shape[dim], elements);
    if (2 * tile[dim] < most)
      tile[dim] = most;
    elements /= tile[dim];
    if (tile[dim] != shape[dim])
      return;
  }
}

/// Rows of so many pieces; short ones share registers.
static int64_t rowsAtATime(ArrayRef<int64_t> row, int64_t pieces,
                           const Machine &machine) {
  int64_t elements = ShapedType::getNumElements(row);
  if (2 * elements <= machine.pieceElements)
    return machine.pieceElements * pieces / elements;
  return std::max<int64_t>(pieces / machine.pieces(row), 1);
}

/// A tile of a core: registers of a row, and then of several rows.
static void fillRegisters(SmallVector<int64_t> &tile, ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> most, int64_t pieces,
                          const Machine &machine) {
  int64_t rank = shape.size();
  // Limits first, so that rows have what is left.
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

/// Of no user's choice.
static SmallVector<int64_t> tileFor(Operation *root, const TileHints &hints,
                                    const Machine &machine) {
  ArrayRef<int64_t> shape = rootShape(root);
  SmallVector<int64_t> tile(shape.size(), 1);
  int64_t pieces = piecesAtATime(hints, machine);
  if (!machine.isHost) {
    fillLanes(tile, shape, machine.pieceElements * pieces);
    return tile;
  }
  int64_t rows = 0;
  for (auto [extent, isRow] : llvm::zip_equal(shape, hints.isRow))
    rows += isRow && extent > 1;
  if (isa<vector::ScatterOp>(root)) // the last one of a place wins
    fillRegisters(tile, shape, SmallVector<int64_t>(shape.size(), 0), pieces,
                  machine);
  else if (rows > 1)
    chooseSquare(tile, shape, hints.isRow, machine);
  else
    fillRegisters(tile, shape, hints.most, pieces, machine);
  return tile;
}

SmallVector<int64_t> vectortiles::chooseTile(Operation *root,
                                             const TileHints &hints,
                                             const Machine &machine) {
  ArrayRef<int64_t> shape = rootShape(root);
  SmallVector<int64_t> tile =
      nativeTiles(root->getParentOfType<FunctionOpInterface>(), shape);
  if (tile.empty()) {
    tile = tileFor(root, hints, machine);
    for (auto [size, extent, multiple] :
         llvm::zip_equal(tile, shape, hints.multiple))
      size = std::min<int64_t>(llvm::alignTo(size, multiple), extent);
  }
  for (auto [dim, asked] : llvm::enumerate(hints.asked))
    if (asked)
      tile[dim] = std::min(asked, shape[dim]);
  return tile;
}

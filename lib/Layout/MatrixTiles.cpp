//===- MatrixTiles.cpp - Tiles of matrix loads and stores -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/MatrixTiles.h"
#include "LayoutBuilder.h"
#include "PlaceTables.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// The dims of the lanes: 8 of them, 4 apart, lie along one, and 4 neighbours
/// along another.
struct LaneDims {
  int64_t eight = -1, four = -1;
};
} // namespace

static std::optional<LaneDims> laneDimsOf(const DimDigits &dims) {
  LaneDims found;
  for (auto [dim, digits] : llvm::enumerate(dims))
    for (const Digit &digit : digits) {
      if (digit.axis != Axis::Lane)
        continue;
      if (digit.size == 8 && digit.stride == 4)
        found.eight = dim;
      else if (digit.size == 4 && digit.stride == 1)
        found.four = dim;
      else
        return std::nullopt;
    }
  if (found.eight < 0 || found.four < 0 || found.eight == found.four)
    return std::nullopt;
  return found;
}

/// Removes the words from the dim of the 4 lanes: [... lane(4), reg(perWord)].
static bool takeWords(SmallVector<Digit> &digits, int64_t perWord) {
  if (perWord > 1) {
    if (digits.back().axis != Axis::Register || digits.back().size != perWord)
      return false;
    digits.pop_back();
  }
  if (digits.empty() || digits.back().axis != Axis::Lane)
    return false;
  digits.pop_back();
  return true;
}

namespace {
/// A binary digit within a digit of registers, `below` registers of which are
/// less significant.
struct BinaryDigit {
  SmallVector<Digit> *dim;
  size_t at;
  int64_t below;
  int64_t reg; // the register in which this digit alone is 1
};
} // namespace

static SmallVector<BinaryDigit> binaryRegisterDigits(DimDigits &dims) {
  SmallVector<BinaryDigit> found;
  for (SmallVector<Digit> &digits : dims)
    for (auto [at, digit] : llvm::enumerate(digits))
      for (int64_t below = 1;
           digit.axis == Axis::Register && digit.size % (2 * below) == 0;
           below *= 2)
        found.push_back({&digits, at, below, digit.stride * below});
  return found;
}

/// Makes the binary digit one of lanes that are `apart`.
static void giveToLanes(const BinaryDigit &given, int64_t apart) {
  Digit &whole = (*given.dim)[given.at];
  Digit upper = {Axis::Register, whole.size / (2 * given.below), 2 * given.reg};
  Digit lower = {Axis::Register, given.below, whole.stride};
  whole = {Axis::Lane, 2, apart};
  if (lower.size > 1)
    given.dim->insert(given.dim->begin() + given.at + 1, lower);
  if (upper.size > 1)
    given.dim->insert(given.dim->begin() + given.at, upper);
}

/// Moves up to `most` registers, by binary digits, to lanes that are `apart`:
/// those first that come first in `order`, which lists all registers, or, if
/// that is empty, those with the lowest numbers. Returns how many registers
/// moved.
static int64_t spreadRegisters(DimDigits &dims, int64_t most, int64_t apart,
                               ArrayRef<int64_t> order) {
  auto rank = [&](const BinaryDigit &digit) {
    return order.empty() ? digit.reg
                         : llvm::find(order, digit.reg) - order.begin();
  };
  int64_t spread = 1;
  for (; spread < most; spread *= 2) {
    SmallVector<BinaryDigit> digits = binaryRegisterDigits(dims);
    if (digits.empty())
      break;
    giveToLanes(*llvm::min_element(digits,
                                   [&](const auto &one, const auto &other) {
                                     return rank(one) < rank(other);
                                   }),
                apart * spread);
  }
  return spread;
}

/// Reserves the `perRow` lowest registers for the elements of a row.
static void moveRegisters(DimDigits &dims, int64_t perRow) {
  for (SmallVector<Digit> &digits : dims)
    for (Digit &digit : digits)
      if (digit.axis == Axis::Register)
        digit.stride *= perRow;
}

/// Returns for each word, tile by tile, the registers of `value` on lane 0 that
/// hold its elements.
static SmallVector<int64_t> registersOf(const MatrixTiles &tiles,
                                        const Layout &value) {
  Holders held(value.numElements());
  for (int64_t reg = 0, e = value.numRegisters(); reg < e; ++reg)
    held.enter(value.linearIndexOf({0, 0, reg}), reg);
  SmallVector<int64_t> registers;
  for (int64_t i = 0; i < tiles.instructions(); ++i)
    for (int64_t t = 0; t < tiles.tiles; ++t)
      for (int64_t e = 0; e < tiles.perWord; ++e) {
        Place place = {0, 8 * t, i * tiles.perRow};
        (tiles.transposed ? place.lane : place.reg) += e * tiles.lanesPerRow();
        registers.push_back(held[tiles.rows.linearIndexOf(place)]);
      }
  return registers;
}

std::optional<MatrixTiles> MatrixTiles::get(const Layout &value,
                                            HardwareShape hardware,
                                            int64_t elementBits,
                                            bool transposed,
                                            ArrayRef<int64_t> order) {
  assert((order.empty() || int64_t(order.size()) == value.numRegisters()) &&
         "an order has each register once");
  bool fits = elementBits == 8 || elementBits == 16 || elementBits == 32;
  if (hardware.lanes != lanes || !fits || (transposed && elementBits != 16))
    return std::nullopt;
  DimDigits dims = LayoutBuilder::digits(value.merged());
  std::optional<LaneDims> along = laneDimsOf(dims);
  if (!along)
    return std::nullopt;

  MatrixTiles result;
  result.transposed = transposed;
  result.perWord = 32 / elementBits;
  result.perRow = 8 * rowBytes / elementBits;
  result.rowDim = transposed ? along->eight : along->four;
  SmallVector<Digit> &four = dims[along->four], &eight = dims[along->eight];
  if (!takeWords(four, result.perWord))
    return std::nullopt;
  Digit row = {Axis::Lane, 8, 1}, inRow = {Axis::Register, result.perRow, 1};
  if (transposed && eight.back().axis != Axis::Lane)
    return std::nullopt;
  for (Digit &digit : eight)
    if (digit.axis == Axis::Lane)
      digit = transposed ? Digit{Axis::Lane, 8, 0} : row;

  result.tiles = spreadRegisters(dims, /*most=*/4, /*apart=*/8, order);
  moveRegisters(dims, result.perRow);
  if (transposed) {
    eight.back() = inRow;
    four.push_back(row);
  } else {
    four.push_back(inRow);
  }
  closeRegisterGaps(dims);
  result.rows = LayoutBuilder::build(std::move(dims));
  result.registers = registersOf(result, value);
  assert(int64_t(result.registers.size()) == value.numRegisters() &&
         !llvm::is_contained(result.registers, -1) &&
         "each register of the value is a word of a tile");
  return result;
}

//===----------------------------------------------------------------------===//
// Loads that transpose among lanes
//===----------------------------------------------------------------------===//

/// Returns the dim along which lanes 0 .. columns - 1 of each group are
/// consecutive.
static std::optional<int64_t> columnDimOf(const DimDigits &dims,
                                          int64_t columns) {
  std::optional<int64_t> found;
  for (auto [dim, digits] : llvm::enumerate(dims))
    for (const Digit &digit : digits) {
      if (digit.axis != Axis::Lane || digit.stride % columns == 0)
        continue;
      if (digit.stride != 1 || digit.size % columns != 0 ||
          &digit != &digits.back())
        return std::nullopt;
      found = dim;
    }
  return found;
}

std::optional<MatrixTiles> MatrixTiles::get(const Layout &value,
                                            HardwareShape hardware,
                                            int64_t elementBits,
                                            const TransposingLoad &load,
                                            ArrayRef<int64_t> order) {
  if (!load.moves(elementBits) || hardware.lanes % load.columns != 0)
    return std::nullopt;
  DimDigits dims = LayoutBuilder::digits(value.merged());
  std::optional<int64_t> columnDim = columnDimOf(dims, load.columns);
  if (!columnDim)
    return std::nullopt;

  MatrixTiles result;
  result.transposed = true;
  result.load = load;
  result.perWord = result.perRow = load.elementsOfLane(elementBits);
  result.rowDim = *columnDim;
  SmallVector<Digit> &columns = dims[*columnDim];
  int64_t groups = columns.pop_back_val().size / load.columns;
  if (groups > 1)
    columns.push_back({Axis::Lane, groups, load.columns});
  if (spreadRegisters(dims, result.perWord, result.lanesPerRow(), order) !=
      result.perWord)
    return std::nullopt;
  moveRegisters(dims, result.perRow);
  if (result.lanesPerRow() > 1)
    columns.push_back({Axis::Lane, result.lanesPerRow(), 1});
  columns.push_back({Axis::Register, result.perRow, 1});
  closeRegisterGaps(dims);
  result.rows = LayoutBuilder::build(std::move(dims));
  result.registers = registersOf(result, value);
  assert(int64_t(result.registers.size()) == value.numRegisters() &&
         !llvm::is_contained(result.registers, -1) &&
         "each register of the value is of a column");
  return result;
}

SmallVector<MatrixTiles> distaff::sharedLoadsOf(const Layout &value,
                                                HardwareShape hardware,
                                                int64_t elementBits,
                                                const BankModel &banks,
                                                ArrayRef<int64_t> order) {
  SmallVector<MatrixTiles> found;
  if (banks.loadsMatrices)
    for (bool transposed : {false, true})
      if (auto tiles =
              MatrixTiles::get(value, hardware, elementBits, transposed, order))
        found.push_back(std::move(*tiles));
  if (auto tiles = MatrixTiles::get(value, hardware, elementBits,
                                    banks.transposingLoad, order))
    found.push_back(std::move(*tiles));
  return found;
}

static std::string describe(const char *name, const MatrixTiles &tiles) {
  return std::string(name) + ".x" + std::to_string(tiles.tiles) +
         (tiles.transposed ? ".trans" : "");
}

std::string distaff::describeMatrixLoad(const MatrixTiles &tiles) {
  if (!tiles.isExchanged())
    return describe("ldmatrix", tiles);
  std::string bits = std::to_string(8 * tiles.load.bytes);
  return tiles.load.isGlobal
             ? "global_load_tr_b" + bits
             : "ds_read_b" + bits + "_tr_b" +
                   std::to_string(8 * tiles.load.bytes / tiles.perRow);
}

std::string distaff::describeMatrixStore(const MatrixTiles &tiles) {
  return describe("stmatrix", tiles);
}

//===- TileAccess.h - Tiles of a lane's vector ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is accessed a tile at a time. These helpers convert a lane's vector to
// the tiled form (tile position, then one element dim per index dim) and back,
// and select the tile of an operand that has only some of the dims: a mask, or
// an index vector. Such an operand is looked up by coordinates, not by register
// order.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_TILEACCESS_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_TILEACCESS_H

#include "../Exchange/Placement.h"
#include "../Exchange/RegisterMoves.h"
#include <map>

namespace distaff {

Value toTiled(OpBuilder &b, Location loc, Value value,
              const Placement &placement);
Value fromTiled(OpBuilder &b, Location loc, Value tiled,
                const Placement &placement);

/// An operand of an access, split like the access: dim i of the operand is the
/// dim `dims[i]` of the access, or -1 for a dim that stays at 0. One lookup
/// table serves all tiles.
class OperandTiles {
public:
  OperandTiles(Value value, const Placement &placement,
               SmallVector<int64_t> dims);

  /// Returns the operand's part at `tile`, of extent `elementShape`.
  Value at(OpBuilder &b, Location loc, const Tile &tile,
           ArrayRef<int64_t> elementShape) const;

private:
  Value value;
  SmallVector<int64_t> dims;
  std::map<SmallVector<int64_t>, int64_t> registerAt;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_TILEACCESS_H

//===- TileAccess.h - Cutting a lane's vector into tiles -------*- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is accessed a tile at a time. These helpers bring a lane's vector into
// the tiled form (tile position, then one element dim per index dim) and back,
// and pick the tile of an operand that has only some of the dims: a mask, or an
// index vector. Such an operand is looked up by coordinates, never by counting.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_TILEACCESS_H
#define DISTAFF_LIB_DISTRIBUTION_TILEACCESS_H

#include "Placement.h"
#include "Registers.h"

namespace distaff {

Value toTiled(OpBuilder &b, Location loc, Value value,
              const Placement &placement);
Value fromTiled(OpBuilder &b, Location loc, Value tiled,
                const Placement &placement);

/// What `value` holds where `tile`, of extent `elementShape`, lies: dim i of
/// the value is the dim `dims[i]` of the tile, or -1 for a dim that stays at 0.
Value tileOf(OpBuilder &b, Location loc, Value value,
             const Placement &placement, ArrayRef<int64_t> dims,
             const Tile &tile, ArrayRef<int64_t> elementShape);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_TILEACCESS_H

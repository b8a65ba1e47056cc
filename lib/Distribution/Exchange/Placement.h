//===- Placement.h - Registers as the dims of a lane's vector ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout numbers the registers of a lane; the lane's value is a vector whose
// dims are some digits of that number. A placement lists these digits, and the
// part of the undistributed index that each of them contributes:
//
//   nested_layout  B[2,1] O[1,2] T[8,4] E[1,2]     of 16x16
//   lane's vector  2x1 x 1x2 x 1x2                 [B0 B1 O0 O1 E0 E1]
//   contributes    8,_  _,8  _,1                   of index dims 0 1 0 1 0 1
//
// The element dims hold elements that are adjacent in memory. A *tile* is one
// choice of all other register digits: an access moves one tile at a time.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_PLACEMENT_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_PLACEMENT_H

#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff {

/// A register dim is a dim of a lane's vector: a register digit.
struct RegisterDim {
  int64_t dim; // dim of the undistributed index it contributes to
  int64_t size;
  int64_t weight; // what one step contributes
  bool element;   // innermost digit of `dim`
};

/// A tile is a choice of the register digits that are not element digits.
struct Tile {
  SmallVector<int64_t> position; // in the dims of the tiled shape before E
  SmallVector<int64_t> offset;   // of its first element, one per index dim
};

struct Placement {
  vector_ext::VectorLayoutInterface attr;
  Layout layout;
  SmallVector<RegisterDim> registers;

  explicit Placement(vector_ext::VectorLayoutInterface attr);
  /// Builds the placement of a layout that is a part of `attr`'s, with the
  /// given dims; without any it only has subgroup and lane digits.
  Placement(vector_ext::VectorLayoutInterface attr, Layout layout,
            SmallVector<RegisterDim> registers);

  int64_t rank() const { return layout.rank(); }
  int64_t numRegisters() const { return layout.numRegisters(); }

  /// Returns the shape of the lane's vector.
  SmallVector<int64_t> shape() const;
  VectorType type(Type element) const {
    return VectorType::get(shape(), element);
  }

  /// Returns the offset of register `reg` in every index: that of subgroup 0,
  /// lane 0.
  SmallVector<int64_t> offsetOf(int64_t reg) const {
    return layout.indexOf({/*subgroup=*/0, /*lane=*/0, reg});
  }

  /// Returns the extent of a tile: the element digit of each dim, or 1.
  SmallVector<int64_t> elementShape() const;
  /// Returns the tiles in the order of their positions.
  SmallVector<Tile> tiles() const;
  /// Returns the dims of the tiled form: tile position, then one element dim
  /// per index dim.
  SmallVector<int64_t> tiledShape() const;
  /// Returns the register of each element of the tiled form.
  SmallVector<int64_t> tiledRegisters() const;

  /// Returns the digits of one hardware axis in the dims marked (all, if
  /// empty), in the order of the index.
  SmallVector<Digit> digitsOn(Axis axis, ArrayRef<bool> dims = {}) const;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_PLACEMENT_H

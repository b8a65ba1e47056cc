//===- PlaceMap.h - Maps between places of a subgroup -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction may compute a result in another place of the subgroup than its
// input (lane, register). Where that renames digits of lane and register, the
// map does not depend on the indices of the elements: a value with layout L
// gets the layout apply(L), with the same elements.
//
// Definition: an entry of the map states that the part (id / fromStride) % size
// of one id of the source is the part (id / toStride) % size of an id of the
// destination. The entries cover all lanes, and registers in groups of
// `registers()`; higher parts of the ids are unchanged.
//
// Example, 8 lanes whose outer and inner half of the bits are swapped:
//
//     entries  lane 4 -> lane 1, lane 2 -> lane 2, lane 1 -> lane 4 (size 2)
//     L        [lane(8, 1)]: lane 3 = 0 1 1 holds element 3
//     apply(L) [lane(2, 1) lane(2, 2) lane(2, 4)]: lane 6 = 1 1 0 holds it
//
// Uses: build a map from two descriptions of a tile, apply it to layouts forth
// and back.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_PLACEMAP_H
#define DISTAFF_LAYOUT_PLACEMAP_H

#include "distaff/Layout/Layout.h"

namespace distaff {

class PlaceMap {
public:
  /// Returns the map that takes the element at a place of `from` to its place
  /// of `to`; both list the digits of the element's number, outermost first.
  /// Returns nothing unless both distinguish all `lanes` lanes and number
  /// registers without gaps.
  static std::optional<PlaceMap> get(llvm::ArrayRef<Digit> from,
                                     llvm::ArrayRef<Digit> to, int64_t lanes);

  PlaceMap inverse() const;

  /// Returns the number of registers that move as a group: those whose number
  /// differs only in lower parts.
  int64_t registers() const { return groupSize; }
  /// Returns whether registers keep their numbers: then their number is
  /// arbitrary.
  bool keepsRegisters() const { return keeps(Axis::Register); }

  /// Returns the layout after the move, or nothing: digits of it would not be
  /// whole digits of the ids, or the group of registers is not full.
  /// \post law V: for each place p of a subgroup,
  ///       result->indexOf(to(p)) == layout.indexOf(p)
  std::optional<Layout> apply(const Layout &layout) const;

  /// Returns the place to which the element at `place` moves.
  Place to(Place place) const;

private:
  struct Piece {
    Digit from, to; // of one size
  };

  bool keeps(Axis axis) const;
  /// Returns the digits of the destination, outermost first, that hold what
  /// `digit` does; nothing where the map does not split it into whole digits.
  std::optional<llvm::SmallVector<Digit>> moved(Digit digit) const;
  int64_t extent(Axis axis) const {
    return axis == Axis::Lane ? lanes : groupSize;
  }

  llvm::SmallVector<Piece> pieces;
  int64_t lanes = 1, groupSize = 1;
};

} // namespace distaff

#endif // DISTAFF_LAYOUT_PLACEMAP_H

//===- PlaceMap.h - Elements that all move alike ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction may leave what it computes from (lane, register) in another
// place of the subgroup. Where that renames digits of lane and register, it
// does so whatever the elements are called: a value laid out as L comes to be
// laid out as apply(L), with another layout but the same elements.
//
// The one definition: a *piece* says that the part (id / fromStride) % size of
// one id of the source is the part (id / toStride) % size of an id of the
// destination. The pieces cover all lanes, and registers in groups of
// `registers()`; whatever lies beyond stays.
//
// Example, 8 lanes of which the outer and the inner half of the bits swap:
//
//     pieces   lane 4 -> lane 1, lane 2 -> lane 2, lane 1 -> lane 4 (size 2)
//     L        [lane(8, 1)]: lane 3 = 0 1 1 holds element 3
//     apply(L) [lane(2, 1) lane(2, 2) lane(2, 4)]: lane 6 = 1 1 0 holds it
//
// What you can do: make one of two descriptions of a tile, apply it to layouts
// forth and back.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_PLACEMAP_H
#define DISTAFF_LAYOUT_PLACEMAP_H

#include "distaff/Layout/Layout.h"

namespace distaff {

class PlaceMap {
public:
  /// The map that takes the element which `from` places as its digits say to
  /// where `to` places it, by digits of its number, outermost first. Nothing
  /// unless both tell all `lanes` lanes apart and number registers without
  /// gaps.
  static std::optional<PlaceMap> get(llvm::ArrayRef<Digit> from,
                                     llvm::ArrayRef<Digit> to, int64_t lanes);

  PlaceMap inverse() const;

  /// Registers that move as a group: those whose number differs only below.
  int64_t registers() const { return groupSize; }
  /// Registers keep their numbers: they may be of any count.
  bool keepsRegisters() const { return keeps(Axis::Register); }

  /// The layout after the move, or nothing: digits of it would not be whole
  /// digits of the ids, or the group of registers is not full.
  /// \post law V: for each place p of a subgroup,
  ///       result->indexOf(to(p)) == layout.indexOf(p)
  std::optional<Layout> apply(const Layout &layout) const;

  /// Where the element goes that is at `place`.
  Place to(Place place) const;

private:
  struct Piece {
    Digit from, to; // of one size
  };

  bool keeps(Axis axis) const;
  /// The digits of the destination, outermost first, that hold what `digit`
  /// does; nothing where the pieces cut it in no whole digits.
  std::optional<llvm::SmallVector<Digit>> moved(Digit digit) const;
  int64_t extent(Axis axis) const {
    return axis == Axis::Lane ? lanes : groupSize;
  }

  llvm::SmallVector<Piece> pieces;
  int64_t lanes = 1, groupSize = 1;
};

} // namespace distaff

#endif // DISTAFF_LAYOUT_PLACEMAP_H

//===- PlaceTables.h - Tables of the elements at every id -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// indexOf is a sum over the three ids, and so is its row-major position:
//
//     position(s, l, r) = subgroup[s] + lane[l] + reg[r]
//
// Three short tables therefore give the element of every place, and a loop over
// all places becomes one loop over each axis.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_PLACETABLES_H
#define DISTAFF_LIB_LAYOUT_PLACETABLES_H

#include "DigitSums.h"
#include "distaff/Layout/Layout.h"
#include <cassert>

namespace distaff {

struct PlaceTables {
  llvm::SmallVector<int64_t> subgroup, lane, reg;

  PlaceTables(const Layout &layout, HardwareShape hardware)
      : subgroup(hardware.subgroups, 0), lane(hardware.lanes, 0),
        reg(layout.numRegisters(), 0) {
    int64_t weight = 1;
    for (int64_t dim = layout.rank() - 1; dim >= 0; --dim)
      for (const Digit &digit : llvm::reverse(layout.digits(dim))) {
        addDigit(tableOf(digit.axis), digit.stride, digit.size, weight);
        weight *= digit.size;
      }
  }

  llvm::SmallVector<int64_t> &tableOf(Axis axis) {
    return axis == Axis::Subgroup ? subgroup : axis == Axis::Lane ? lane : reg;
  }

  int64_t positionOf(Place place) const {
    assert(place.subgroup < int64_t(subgroup.size()) &&
           place.lane < int64_t(lane.size()) &&
           place.reg < int64_t(reg.size()) &&
           "a place is one of the hardware that the tables are of");
    return subgroup[place.subgroup] + lane[place.lane] + reg[place.reg];
  }
};

/// Maps a position to the id that holds it, or to -1. Of several ids the first
/// one entered counts.
class Holders {
public:
  explicit Holders(int64_t numElements) : ids(numElements, -1) {}

  void enter(int64_t position, int64_t id) {
    assert(position >= 0 && position < int64_t(ids.size()) &&
           "what is held is an element of the value");
    if (ids[position] < 0)
      ids[position] = id;
  }
  /// Returns -1 for positions outside the value, too.
  int64_t operator[](int64_t position) const {
    bool inside = position >= 0 && position < static_cast<int64_t>(ids.size());
    return inside ? ids[position] : -1;
  }

private:
  llvm::SmallVector<int32_t, 0> ids;
};

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_PLACETABLES_H

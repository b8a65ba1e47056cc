//===- PlaceTables.h - What every hardware id holds -------------*- C++ -*-===//
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
// Three short tables therefore answer every question about ownership, and what
// would be a loop over all places is one over each axis.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_PLACETABLES_H
#define DISTAFF_LIB_LAYOUT_PLACETABLES_H

#include "distaff/Layout/Layout.h"
#include <cassert>

namespace distaff {

struct PlaceTables {
  llvm::SmallVector<int64_t> subgroup, lane, reg;

  PlaceTables(const Layout &layout, HardwareShape hardware) {
    for (int64_t s = 0; s < hardware.subgroups; ++s)
      subgroup.push_back(layout.linearIndexOf({s, 0, 0}));
    for (int64_t l = 0; l < hardware.lanes; ++l)
      lane.push_back(layout.linearIndexOf({0, l, 0}));
    for (int64_t r = 0, e = layout.numRegisters(); r < e; ++r)
      reg.push_back(layout.linearIndexOf({0, 0, r}));
  }

  int64_t positionOf(Place place) const {
    assert(place.subgroup < int64_t(subgroup.size()) &&
           place.lane < int64_t(lane.size()) &&
           place.reg < int64_t(reg.size()) &&
           "a place is one of the hardware that the tables are of");
    return subgroup[place.subgroup] + lane[place.lane] + reg[place.reg];
  }
};

/// Which of some ids holds a position; -1 where none does. Of several the first
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
  /// Any integer may be asked for.
  int64_t operator[](int64_t position) const {
    bool inside = position >= 0 && position < static_cast<int64_t>(ids.size());
    return inside ? ids[position] : -1;
  }

private:
  llvm::SmallVector<int32_t, 0> ids;
};

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_PLACETABLES_H

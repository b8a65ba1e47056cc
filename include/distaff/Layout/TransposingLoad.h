//===- TransposingLoad.h - Loads that transpose among lanes -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a transposing load, each lane reads `bytes` bytes at an address of its
// own, p elements, and each `columns` neighbouring lanes exchange what they
// have read. With c lanes per row, c = columns / p, lane c n + h reads columns
// p h .. p h + p - 1 of row n, and gets the p elements of one column:
//
//     lane l, element n  <-  lane c n + l / p, element l % p   (of its group)
//
//     ds_read_b64_tr_b16       16 columns, 8 bytes     4 x 16 of 16 bits
//     ds_read_b64_tr_b8        16 columns, 8 bytes     8 x 16 of 8 bits
//     global_load_tr_b128      8 columns, 16 bytes     8 x 8 of 16 bits
//
// All lanes of the subgroup execute it. Sources: "CDNA4 ISA",
// DS_READ_B64_TR_B16 and DS_READ_B64_TR_B8; "RDNA4 ISA", GLOBAL_LOAD_TR_B128,
// whose text states that 16 x 16 elements change order but not which lane
// addresses which of them: that was measured on a gfx1201 by lanes that each
// address eight elements of their own (an 8 x 8 transpose within 8 lanes).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_TRANSPOSINGLOAD_H
#define DISTAFF_LAYOUT_TRANSPOSINGLOAD_H

#include <cstdint>

namespace distaff {

struct TransposingLoad {
  /// Lanes that exchange what they read; 0: there is no such load.
  int64_t columns = 0;
  int64_t bytes = 0;
  /// The smallest and the largest width of its elements.
  int64_t leastBits = 0, mostBits = 0;
  /// Whether it loads from global memory, not from workgroup memory.
  bool isGlobal = false;

  /// Returns whether it moves elements of this width, a power of two.
  constexpr bool moves(int64_t elementBits) const {
    return columns != 0 && leastBits <= elementBits && elementBits <= mostBits;
  }
  constexpr int64_t elementsOfLane(int64_t elementBits) const {
    return 8 * bytes / elementBits;
  }
};

} // namespace distaff

#endif // DISTAFF_LAYOUT_TRANSPOSINGLOAD_H

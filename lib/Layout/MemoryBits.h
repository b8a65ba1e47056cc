//===- MemoryBits.h - A conflict-free order of index bits -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where all sizes and strides are powers of two, a layout maps hardware bits to
// bits of the row-major position (VX-34), and there is a memory layout that is
// conflict free for both sides (spec 4.4):
//
//     V       position bits that are register bits on both sides, as many as an
//             access takes: both sides move vectors. Which of them, and in
//             which order, decides how many bytes are permuted on either side
//     P1, P2  position bits fed by the lane bits of a phase of src, of dst
//
//     offset, low to high:  V | P1 and P2 | a_i ^ b_i | lone | b_i | the rest
//
// with a_i in P1 alone and b_i in P2 alone paired off, and the rest of the
// longer list lone. A phase of src varies the a_i, one of dst the b_i: in both
// the slot bits above V take all values, so lanes access no bank twice. The
// paired bits are adjacent, which makes a_i ^ b_i one XorSwizzle.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_MEMORYBITS_H
#define DISTAFF_LIB_LAYOUT_MEMORYBITS_H

#include "distaff/Layout/BankModel.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Layout/MemoryLayout.h"

#include <optional>

namespace distaff {

struct MemoryBits {
  MemoryLayout memory;
  /// The elements of the vector that both sides move: 2^|V|.
  int64_t width = 1;

  /// Returns orders that differ only in their vectors: the bits of V from the
  /// innermost dim outwards, in the order of dst's registers, and in that of
  /// src's. Returns none unless all sizes and strides are powers of two.
  static llvm::SmallVector<MemoryBits, 3> get(const Layout &src,
                                              const Layout &dst,
                                              int64_t elementBytes,
                                              const BankModel &banks);
};

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_MEMORYBITS_H

//===- MemoryLayouts.h - Layouts that suit memory accesses ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A coalesced layout gives each lane a few contiguous elements and neighbouring
// lanes neighbouring groups of them, lanes first along the contiguous dim, then
// along the others, subgroups likewise, and the rest of the extent in batches:
//
//   128x32 f16, 4 subgroups of 32 lanes, 8 elements (128 bits) per lane:
//     S[4,1]:[1,0] B[4,1] T[8,4]:[4,1] E[1,8]
//
// A dim that does not divide keeps its largest divisor; lanes left over hold
// replicas. Sizes need not be powers of two.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_LAYOUT_MEMORYLAYOUTS_H
#define DISTAFF_LIB_ANALYSIS_LAYOUT_MEMORYLAYOUTS_H

#include "distaff/LLVM.h"
#include "distaff/Layout/NestedLayout.h"
#include "distaff/Target/Target.h"

namespace distaff {

/// Describes a memory access for the choice of layouts.
struct VectorAccess {
  SmallVector<int64_t> shape;  // of the vector
  SmallVector<unsigned> order; // dims that move in memory, innermost first
  bool contiguous = true;      // order.front() has stride 1
  int64_t elementBits = 32;
  int64_t widest = 1 << 7; // most elements per access of a lane
  int64_t narrowest = 1;   // fewest elements per access of a lane
  /// Strides by dim of the vector, in elements, 0 if the memory has no such
  /// dim; empty if unknown.
  SmallVector<int64_t> strides = {};
};

/// Neighbouring rows along a dim other than the innermost of the memory.
struct NeighbouringRows {
  unsigned dim = 0;
  int64_t count = 1;
};

/// Returns at most 8 distinct layouts, the most common first.
std::vector<NestedLayout> layoutsForAccess(const VectorAccess &access,
                                           const Target &target,
                                           HardwareShape hardware);

/// Returns layouts in which each lane reads a chunk of each of so many
/// neighbouring rows and so has the columns of a small tile: an instruction's
/// operands along the columns are packed before they are stored.
///
///   32x256 f16, rows of 256, 4 subgroups of 64 lanes, 4 rows of dim 0:
///     S[4,1]:[1,0] T[2,32]:[32,1] E[4,8]
std::vector<NestedLayout> layoutsOfRows(const VectorAccess &access,
                                        NeighbouringRows rows,
                                        const Target &target,
                                        HardwareShape hardware);

/// Returns whether lanes hold as many neighbours along the rows of the memory
/// as an access must have.
bool holdsNarrowest(const VectorAccess &access, const NestedLayout &layout);

/// Returns the issue slots per subgroup of the access in `layout`: one
/// instruction for each widest chunk of a lane, the lines that its lanes touch
/// at once, and a byte permute for each chunk that is part of a word. The bytes
/// from beyond the cache are the same in every layout: later accesses and
/// subgroups find the rest of each line in the cache.
int64_t costOfAccess(const VectorAccess &access, const NestedLayout &layout,
                     const Target &target);

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_LAYOUT_MEMORYLAYOUTS_H

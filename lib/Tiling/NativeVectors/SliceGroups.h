//===- SliceGroups.h - Groups of interleaves and bitcasts -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_SLICEGROUPS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_SLICEGROUPS_H

#include "distaff/LLVM.h"
#include <optional>

namespace distaff::vectortiles {

/// Element groups are neighbours of a row that an op converts together:
/// `source` elements of each operand become `result` elements of each result,
/// 4xi24 as 3xi32.
struct ElementGroups {
  int64_t source = 1;
  int64_t result = 1;
};

/// Returns the groups of an op; none for an op of another kind, or without
/// dims.
std::optional<ElementGroups> groupsOf(Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_SLICEGROUPS_H

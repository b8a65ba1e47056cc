//===- SliceGroups.h - Ops on neighbours of a row ---------------*- C++ -*-===//
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

/// Neighbours of a row that an op makes others of: so many elements of each
/// operand are so many of each result, 4xi24 as 3xi32.
struct ElementGroups {
  int64_t source = 1;
  int64_t result = 1;
};

/// Those of an op; none of an op of another kind, or of no dims.
std::optional<ElementGroups> groupsOf(Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_SLICEGROUPS_H

//===- TileGrid.h - Grid function of a kernel -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launcher calls the grid function of a kernel for its grid:
//
//   // returns the workgroups along x, y, z
//   func.func @NAME__grid(%extents: index...) -> (index, index, index)
//
// The function takes one extent per dynamic dimension of an argument, in order.
// Invalid extents fail an assertion in it, one per requirement:
//
//   %same = arith.cmpi eq, %s1, %s2 : index
//   cf.assert %same, "dimension 1 of arg0 and dimension 0 of arg1 ..."
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILEGRID_H
#define DISTAFF_LIB_TILING_TILE_TILEGRID_H

#include "distaff/Kernel/ExtentFormulas.h"

namespace distaff {
struct Target;

/// An extent requirement is an equality that holds in every launch, and the
/// message for a violation.
struct ExtentRequirement {
  AffineExpr lhs, rhs;
  std::string message;
};

/// Creates the grid function of `kernel` from its loop over workgroups, unless
/// it exists already. With `most`, at most that many workgroups share the
/// iterations of a loop with one id. Fails if another function has the name,
/// the target does not launch so many workgroups, or their number is no formula
/// of the dynamic extents.
LogicalResult createGridFunction(func::FuncOp kernel, const Target &target,
                                 ArrayRef<ExtentRequirement> requirements = {},
                                 std::optional<int64_t> most = std::nullopt);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEGRID_H

//===- TileGrid.h - How many workgroups a kernel runs -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside a kernel stands a function that a launcher calls for its grid:
//
//   func.func @NAME__grid(%extents: index...) -> (index, index, index) // x, y,
//   z
//
// It takes one extent per dynamic dimension of an argument, in order. Extents
// that no launch may have fail an assertion in it, one per requirement:
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

/// What has to be equal in every launch, and what to say where it is not.
struct ExtentRequirement {
  AffineExpr lhs, rhs;
  std::string message;
};

/// Creates the grid function of `kernel` from its loop over workgroups; nothing
/// is done where there is one already. With `most`, no more than so many share
/// out the iterations of a loop of one id. An error if another function has its
/// name, the target does not launch so many workgroups, or their number is no
/// formula of the dynamic extents.
LogicalResult createGridFunction(func::FuncOp kernel, const Target &target,
                                 ArrayRef<ExtentRequirement> requirements = {},
                                 std::optional<int64_t> most = std::nullopt);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEGRID_H

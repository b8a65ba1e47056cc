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
// It takes one extent per dynamic dimension of an argument, in order.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_TILEGRID_H
#define DISTAFF_LIB_TRANSFORMS_TILEGRID_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {
struct Target;

/// Creates the grid function of `kernel` from its loop over workgroups; nothing
/// is done where there is one already. An error if another function has its
/// name or the target does not launch so many workgroups.
LogicalResult createGridFunction(func::FuncOp kernel, const Target &target);

} // namespace distaff

#endif // DISTAFF_LIB_TRANSFORMS_TILEGRID_H

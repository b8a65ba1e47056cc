//===- OrderTiles.h - Barriers between tiles of a workgroup -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All tiles of a workgroup use the same workgroup memory: a fast subgroup would
// begin to fill panels that a slow one still reads for the tile before.
//
//   for %tile = %block_id to %tiles step %grid_dim {
//     ... fill %panel ... barrier ... read %panel
//     barrier            // unless a barrier follows the last access already
//   }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_GRID_ORDERTILES_H
#define DISTAFF_LIB_TILING_GRID_ORDERTILES_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// Inserts a workgroup barrier at the end of every loop that steps by
/// `gpu.grid_dim`, unless a barrier lies on every path from an access of the
/// workgroup's memory to that end. Returns the new ops.
SmallVector<Operation *> orderTiles(FunctionOpInterface kernel);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_GRID_ORDERTILES_H

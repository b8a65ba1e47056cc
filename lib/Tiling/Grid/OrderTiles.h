//===- OrderTiles.h - Order of a workgroup's tiles --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of a workgroup is that of every tile it takes: what is fast would
// begin to fill panels that what is slow still reads for the tile before.
//
//   for %tile = %block_id to %tiles step %grid_dim {
//     ... fill %panel ... barrier ... read %panel
//     barrier            // unless one stands behind the last access anyway
//   }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_GRID_ORDERTILES_H
#define DISTAFF_LIB_TILING_GRID_ORDERTILES_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// Puts a barrier of the workgroup at the end of every loop that goes in steps
/// of `gpu.grid_dim`, unless on every way from an access to the workgroup's
/// memory to that end there is one. Returns the ops that are new.
SmallVector<Operation *> orderTiles(FunctionOpInterface kernel);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_GRID_ORDERTILES_H

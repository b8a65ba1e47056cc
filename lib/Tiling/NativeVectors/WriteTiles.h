//===- WriteTiles.h - Loops over the tiles of roots -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_WRITETILES_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_WRITETILES_H

#include "Slicer.h"
#include "TileShape.h"

namespace distaff::vectortiles {

/// Writes a nest of loops, in front of the last of some roots; its body
/// computes a tile of each root, and then writes them. Roots of one loop have
/// one shape. A root that is no write is a value, which is written to its
/// buffer.
void writeTiles(ArrayRef<Operation *> roots, const RootTile &tile,
                const Machine &machine, const Buffers &buffers);

/// Computes a scalar in front of its op, and replaces the op by it.
void writeValue(Operation *root, const Machine &machine,
                const Buffers &buffers);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_WRITETILES_H

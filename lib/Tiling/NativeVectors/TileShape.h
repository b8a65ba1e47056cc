//===- TileShape.h - Tile shape of a root -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_TILESHAPE_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_TILESHAPE_H

#include "Cone.h"

namespace distaff::vectortiles {

/// A root tile is the part of a root that is computed at a time; it may be
/// larger than the root.
struct RootTile {
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> rests; ///< of the last tile, where sizes do not divide
  /// The ordered dim and its scans, as in TileHints.
  std::optional<unsigned> ordered;
  SmallVector<OrderedScan, 1> scans;
};

/// Chooses the tiles of a root: from the attributes of its function or its ops,
/// or else as many registers as can be computed at once without spilling, rows
/// first. For 16x32x64 floats on registers of 16 floats, eight of them: 1x2x64.
RootTile chooseTile(Operation *root, const TileHints &hints,
                    const Machine &machine);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_TILESHAPE_H

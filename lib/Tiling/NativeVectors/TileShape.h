//===- TileShape.h - The vectors that are computed at a time ----*- C++ -*-===//
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

/// What is computed at a time, which may be more than there is.
struct RootTile {
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> rests; ///< of the last tile, where sizes do not divide
  /// As of the hints: tiles along a dim that hand scans on.
  std::optional<unsigned> ordered;
  SmallVector<OrderedScan, 1> scans;
};

/// The tiles of a root: what its function's or its ops' attributes have, or
/// else as many registers of it as can be computed at once without spilling,
/// rows first. Of 16x32x64 floats on registers of 16, eight of them: 1x2x64.
RootTile chooseTile(Operation *root, const TileHints &hints,
                    const Machine &machine);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_TILESHAPE_H

//===- TileSizes.h - Tile sizes of a lowering_config ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `lowering_config` numbers the loops of its op; tile sizes are given per
// axis of the group that the op is the root of (see FusedGroup.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_TILESIZES_H
#define DISTAFF_ANALYSIS_LINALG_TILESIZES_H

#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Dialect/IREE/IREE.h"

namespace distaff {

/// Returns the tile that a config has at `key` for a loop, 0 if it has none.
int64_t tileOf(iree::LoweringConfigAttr config, StringRef key, unsigned loop);

/// Returns the tile along an axis for a requested size, which is reduced if it
/// exceeds what any lanes need for so short an extent.
int64_t tileAlong(const LoopAxis &axis, int64_t size);

/// Returns the largest divisor of `value` that is at most `most`, so that as
/// many units get equal parts.
int64_t largestDivisor(int64_t value, int64_t most);

/// Returns the extent of a workgroup's tile along an axis that is not tiled:
/// the axis's extent, or, if the root has no loop along it to specify a tile
/// and lanes cannot divide a prime extent, the next number that they can
/// divide. The depth of a contraction is not distributed, and stays.
int64_t sharedWhole(const FusedGroup &group, unsigned axis);

/// Returns, per axis of `group`, the extent of one workgroup's tile from the
/// `lowering_config` of the group's root; the whole axis if it is not tiled. It
/// need not divide the extent, and may be larger. Invalid tiles are diagnosed.
FailureOr<SmallVector<int64_t>> readWorkgroupTiles(const FusedGroup &group);

/// Returns the op that would have to finish one loop inside each step of
/// another, though other ops read its result, or null. These ops have loops of
/// their own, so the result would have to be kept in memory between them. Tiles
/// are per loop of the root.
const GroupOp *findNestedWalk(const FusedGroup &group,
                              ArrayRef<int64_t> workgroupTiles,
                              ArrayRef<int64_t> reductionTiles);

/// Returns an op that adds or multiplies floats along several loops, and whose
/// order the tiles would change: all loops before a tiled one must have tile
/// size 1, all loops after it must be whole. Returns null if there is none.
const GroupOp *findReordered(const FusedGroup &group,
                             ArrayRef<int64_t> reductionTiles);

/// Returns the same as readWorkgroupTiles for the tiles of loops inside a
/// workgroup. With `strictFp`, tiles must not change the order of float sums.
FailureOr<SmallVector<int64_t>> readSerialTiles(const FusedGroup &group,
                                                bool strictFp);

/// Checks that the serial tiles divide a workgroup's tiles, and that no dynamic
/// extent would have to be held whole.
LogicalResult checkTilesTogether(const FusedGroup &group,
                                 ArrayRef<int64_t> workgroupTiles,
                                 ArrayRef<int64_t> serialTiles);

/// Returns the divisors of `extent`, which is positive, in ascending order.
SmallVector<int64_t> divisors(int64_t extent);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_TILESIZES_H

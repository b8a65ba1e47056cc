//===- TileSizes.h - Tile sizes of a lowering_config ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `lowering_config` numbers the loops of its op; tile sizes are per axis of
// the group that the op is the root of (see FusedGroup.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_TILESIZES_H
#define DISTAFF_ANALYSIS_LINALG_TILESIZES_H

#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Dialect/IREE/IREE.h"

namespace distaff {

/// The tile that a config has at `key` for a loop, 0 where it has none.
int64_t tileOf(iree::LoweringConfigAttr config, StringRef key, unsigned loop);

/// What a tile size that is asked for comes to along an axis: one that is more
/// than any lanes would want of so short an extent is cut down.
int64_t tileAlong(const LoopAxis &axis, int64_t size);

/// The largest divisor of `value` that is at most `most`: units share so many
/// places in equal parts.
int64_t largestDivisor(int64_t value, int64_t most);

/// What a workgroup holds of an axis that no tile cuts: its extent, or, where
/// the root has no loop along it that would say so and lanes could not share a
/// prime number, the next one that they can. The depth of a contraction is not
/// shared out, and stays.
int64_t sharedWhole(const FusedGroup &group, unsigned axis);

/// Per axis of `group`, the extent of one workgroup's tile, as the
/// `lowering_config` of the group's root says; all of the axis where it is not
/// tiled. It need not divide the extent, and may be more. Tiles that may not be
/// are diagnosed.
FailureOr<SmallVector<int64_t>> readWorkgroupTiles(const FusedGroup &group);

/// The op that would have to finish one walk inside each step of another,
/// though others read its result, or null. Its readers walk by themselves, so
/// that the result would have to be kept in memory between them. Tiles are per
/// loop of the root.
const GroupOp *findNestedWalk(const FusedGroup &group,
                              ArrayRef<int64_t> workgroupTiles,
                              ArrayRef<int64_t> reductionTiles);

/// An op that adds or multiplies floats, along several loops, of which the
/// tiles would change the order: all loops before a tiled one must go one by
/// one, all behind it be whole. Null if there is none.
const GroupOp *findReordered(const FusedGroup &group,
                             ArrayRef<int64_t> reductionTiles);

/// The same as readWorkgroupTiles for the tiles of loops inside a workgroup.
/// With `strictFp`, tiles must not change the order of float sums.
FailureOr<SmallVector<int64_t>> readSerialTiles(const FusedGroup &group,
                                                bool strictFp);

/// Checks that a workgroup's tiles are walked by tiles that divide them, and
/// that no dynamic extent would have to be held whole.
LogicalResult checkTilesTogether(const FusedGroup &group,
                                 ArrayRef<int64_t> workgroupTiles,
                                 ArrayRef<int64_t> serialTiles);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_TILESIZES_H

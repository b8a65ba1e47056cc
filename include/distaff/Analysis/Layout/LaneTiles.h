//===- LaneTiles.h - Layout of a lowering_config ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `lowering_config` of an op that no instruction implements may specify the
// distribution of its tile: each lane holds `thread` neighbours, lanes and
// subgroups are numbered by their bases, row by row, and the rest is in
// batches:
//
//   tile 1x128, thread = [0, 2], lane_basis = [[1, 32], [0, 1]],
//   subgroup_basis = [[1, 2], [0, 1]]
//     dim 0: not distributed       dim 1: S[2] B[1] T[32] E[2]
//
// The same op may be tiled by `partial_reduction`, which equals `reduction` for
// an op that is no contraction: partial results are kept for each element of
// the tile.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_LANETILES_H
#define DISTAFF_ANALYSIS_LAYOUT_LANETILES_H

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/LLVM.h"
#include "distaff/Layout/NestedLayout.h"

namespace distaff {

/// Returns the layout of a tile with those extents, one per loop of the op;
/// nullopt, with the reason in `why`, if the config does not fit it.
/// \pre  config.laysOutLanes()
std::optional<NestedLayout> layOutTile(iree::LoweringConfigAttr config,
                                       ArrayRef<int64_t> extents,
                                       int64_t subgroupSize, std::string &why);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_LANETILES_H

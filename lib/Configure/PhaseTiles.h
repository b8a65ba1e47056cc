//===- PhaseTiles.h - Tiles of products in phases ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product in a phase is shared out among the subgroups of the phase's group
// in boxes of whole instructions: its extents are those of the phase, so only
// the instruction and the box are chosen. Boxes need not be as many as the
// group's members. Where they are more, or the number of members is only known
// at run time, members iterate over boxes, one at a time (virtual members,
// docs/ParallelControlFlow.md): a box has to fit into registers, whatever the
// split.
//
// Example, 1x256x128x32 of f16 into f32 by a cluster of 1 to 7 subgroups of
// sm_80: as 8 boxes of 64x64, 7 members take 2 rounds, 4 take 2, 1 takes 8.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_PHASETILES_H
#define DISTAFF_LIB_CONFIGURE_PHASETILES_H

#include "ClusterTiles.h"
#include "distaff/Dialect/PCF/PCF.h"

namespace distaff {

/// Describes a product, and the subgroups that run it.
struct PhaseProduct {
  ClusterProblem problem;
  pcf::RunClusterOp phase;
  /// Subgroups of the workgroup.
  int64_t subgroups;
  /// Subgroups of the group; none where the number is dynamic.
  std::optional<int64_t> members;
  /// Whether an operand is payload, which members hold whole.
  bool holdsOperands = false;

  /// Returns the product; none where `op` is no product with an m, an n and a k
  /// loop of static extents, or its launch does not specify the number of
  /// subgroups.
  static std::optional<PhaseProduct> match(linalg::LinalgOp op,
                                           const Target &target);
};

/// Returns the number of members of the group that runs a phase: its bounds,
/// evaluated for the numbers that the code computes them from; none where these
/// are only known at run time.
std::optional<int64_t> countMembers(pcf::RunClusterOp phase, int64_t subgroups);

/// Returns the number of boxes that each of the members computes, one by one.
inline int64_t countRounds(int64_t boxes, int64_t members) {
  return llvm::divideCeil(boxes, std::max<int64_t>(members, 1));
}

/// Adds candidates that agree with `user`; `boxes` is the number of boxes that
/// is required, 0 for any number.
void rankPhase(const PhaseProduct &product, const Target &target,
               iree::LoweringConfigAttr user, int64_t boxes, Ranking &ranking);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_PHASETILES_H

//===- ClusterTiles.h - Tiles of a contraction of clusters ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the pipeline run-cluster a workgroup has a tile of the result, each of its
// subgroups a box of that tile, and the operands of one step of the reduction
// lie in panels that all share. The two budgets that bind (PCF-88): lanes keep
// the box in registers, and the panels fit into shared memory.
//
// Example, 256x128x64 of f16 into f32 as 4x2 boxes of 64x64 over 32 lanes: 128
// registers per lane for the box, 32 for a step of 16 of both operands, and 48
// KiB of panels. As 2x2 boxes it would be 256 registers, which no lane has.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_CLUSTERTILES_H
#define DISTAFF_LIB_CONFIGURE_CLUSTERTILES_H

#include "Candidates.h"
#include "distaff/Analysis/Linalg/ContractionKernel.h"

namespace distaff {

/// Describes the contraction that is tiled.
struct ClusterProblem {
  linalg::LinalgOp op;
  ContractionBody body;
  /// Extents per loop; dynamic ones are nominal.
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> maps; // indexing maps of lhs, rhs and result
  /// Bits that ops after the product read for each point of it.
  int64_t followerBits = 0;

  explicit ClusterProblem(const ContractionKernel &kernel);
  /// Creates the problem of a product that no op follows.
  ClusterProblem(linalg::LinalgOp op, const ContractionBody &body);

  bool isReduced(unsigned loop) const;
  /// Returns the bits of an element of lhs (0), rhs (1) or the result (2).
  int64_t elementBits(unsigned operand) const;
  /// Returns the type that an instruction has to take. For an operand that
  /// other ops than exact extensions change, it is the type that is multiplied.
  Type elementType(unsigned operand) const;
  bool typesFit(const MmaRow &row) const;
  /// Returns whether values of K are contiguous in the operand's memory.
  bool hasNeighboursInK(unsigned operand) const;
  /// Returns whether a tile may have more than one point along a loop: of
  /// several m, n or k loops only the innermost.
  bool mayTile(unsigned loop) const;
  /// Returns the instruction's extent along a loop; 1 along loops that are not
  /// its own.
  int64_t granule(iree::MmaLayoutAttr mma, unsigned loop) const;
};

/// Describes the schedule of a contraction's tiles.
struct ClusterSchedule {
  int64_t slots = 1;     ///< buffers of each panel
  int64_t producers = 0; ///< subgroups in addition to those that compute
  /// Clusters that share the result out. With several, one reads the operands
  /// of a step while another computes with its own, which it holds.
  int64_t clusters = 1;

  /// Returns whether panels are filled while others of them are read.
  bool overlapsSteps() const { return slots > 1; }
};

/// Tile sizes per loop of the contraction, 0 where there is none.
struct ClusterTiles {
  SmallVector<int64_t> workgroup, reduction, subgroup;
  SmallVector<int64_t> promoted; // operand numbers
  iree::MmaLayoutAttr mma;       // null: no instruction

  /// Returns the entries of a lowering_config; those that it lacks are empty.
  static ClusterTiles get(iree::LoweringConfigAttr config);

  int64_t numSubgroups() const;
  /// Returns the loop along which clusters share the result out: the first
  /// along which each can have an equal part of the tile, as
  /// pcf-split-threadgroup takes it.
  std::optional<unsigned> getSharedLoop(const ClusterProblem &problem,
                                        int64_t clusters) const;
  /// Returns whether each of the clusters has whole boxes of subgroups.
  bool canBeShared(const ClusterProblem &problem, int64_t clusters) const;
  /// Returns the number of lanes that are launched.
  int64_t numLanes(const Target &target,
                   const ClusterSchedule &schedule) const {
    return (numSubgroups() + schedule.producers) * target.subgroupSize;
  }
  /// Returns the elements of an operand that one step holds.
  int64_t panelElements(const ClusterProblem &problem, unsigned operand) const;
  int64_t panelBytes(const ClusterProblem &problem, unsigned operand) const;
  /// Returns the 32-bit registers of a lane for the subgroup's box of the
  /// result. `operandRegisters` returns those for both operands of one
  /// instruction, or of one step of 1 without an instruction; with `holdsSteps`
  /// those of a whole step.
  int64_t resultRegisters(const ClusterProblem &problem, int64_t lanes) const;
  /// Returns the register bits that a sum takes: without an instruction each
  /// has a register of its own.
  int64_t sumBits(const ClusterProblem &problem) const;
  int64_t operandRegisters(const ClusterProblem &problem, int64_t lanes,
                           bool holdsSteps) const;
  /// Returns the issue slots of one subgroup for one step.
  int64_t computeSlots(const ClusterProblem &problem,
                       const Target &target) const;
  /// Returns the issue slots of all `subgroups` to bring one step of an operand
  /// to the subgroups that multiply it.
  int64_t operandSlots(const ClusterProblem &problem, const Target &target,
                       unsigned operand, int64_t subgroups) const;
  /// Returns the bytes of the panels in shared memory, `slots` of each.
  int64_t sharedBytes(const ClusterProblem &problem, int64_t slots) const;
};

/// Checks a user's config: refuses keys that this pipeline does not read, lists
/// that are not one number per loop, tiles where there can be none, and no
/// panels where the schedule needs them.
LogicalResult checkClusterKeys(const ClusterProblem &problem,
                               const Target &target,
                               const ClusterSchedule &schedule);

/// Checks whole tiles against each other and against the target (PCF-88);
/// `workgroupSize` is the user's, or 0.
LogicalResult checkClusterTiles(const ClusterProblem &problem,
                                const ClusterTiles &tiles, const Target &target,
                                const ClusterSchedule &schedule,
                                int64_t workgroupSize);

/// Reports conflicts among tiles that a user has fixed in part which no choice
/// of the other tiles can resolve.
LogicalResult checkFixedTiles(const ClusterProblem &problem, ClusterTiles tiles,
                              const Target &target, ClusterSchedule schedule,
                              int64_t workgroupSize);

/// Adds candidates that agree with what `user` has fixed.
void rankClusters(const ClusterProblem &problem, const Target &target,
                  const UserChoices &user, const ClusterSchedule &schedule,
                  Ranking &ranking);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_CLUSTERTILES_H

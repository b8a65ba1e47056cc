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

/// What the tiles are of.
struct ClusterProblem {
  linalg::LinalgOp op;
  ContractionBody body;
  /// Per loop; those that only the launch knows are nominal.
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> maps; // of lhs, rhs and result
  /// Bits that ops behind the product read for each point of it.
  int64_t followerBits = 0;

  explicit ClusterProblem(const ContractionKernel &kernel);
  /// A product that nothing follows.
  ClusterProblem(linalg::LinalgOp op, const ContractionBody &body);

  bool isReduced(unsigned loop) const;
  /// Bits of an element of lhs (0), rhs (1) or the result (2).
  int64_t elementBits(unsigned operand) const;
  /// What an instruction would have to take; of an operand that is changed by
  /// other ops than exact extensions, what it is when it is multiplied.
  Type elementType(unsigned operand) const;
  bool typesFit(const MmaRow &row) const;
  /// Values of K lie next to each other in the operand's memory.
  bool hasNeighboursInK(unsigned operand) const;
  /// Loops of which a tile may have more than one point: of several m, n or k
  /// loops the innermost.
  bool mayTile(unsigned loop) const;
  /// The instruction's extent along a loop; 1 beside its own loops.
  int64_t granule(iree::MmaLayoutAttr mma, unsigned loop) const;
};

/// How tiles will be worked on.
struct ClusterSchedule {
  int64_t slots = 1;     ///< of each panel
  int64_t producers = 0; ///< subgroups besides those that compute
  /// Those that share the result out. With several, one reads the operands of a
  /// step while another computes with its own, which it holds.
  int64_t clusters = 1;

  /// Whether panels are filled while others of them are read.
  bool overlapsSteps() const { return slots > 1; }
};

/// Per loop of the contraction, 0 where there is none.
struct ClusterTiles {
  SmallVector<int64_t> workgroup, reduction, subgroup;
  SmallVector<int64_t> promoted; // operand numbers
  iree::MmaLayoutAttr mma;       // null: no instruction

  /// What is given of a lowering_config; the rest is empty.
  static ClusterTiles get(iree::LoweringConfigAttr config);

  int64_t numSubgroups() const;
  /// The loop along which clusters share the result out: the first of which
  /// each can have an equal part of the tile, as pcf-split-threadgroup takes
  /// it.
  std::optional<unsigned> getSharedLoop(const ClusterProblem &problem,
                                        int64_t clusters) const;
  /// Whether each of the clusters has whole boxes of subgroups.
  bool canBeShared(const ClusterProblem &problem, int64_t clusters) const;
  /// Lanes that are launched.
  int64_t numLanes(const Target &target,
                   const ClusterSchedule &schedule) const {
    return (numSubgroups() + schedule.producers) * target.subgroupSize;
  }
  /// Of one step, all that is held of an operand.
  int64_t panelElements(const ClusterProblem &problem, unsigned operand) const;
  int64_t panelBytes(const ClusterProblem &problem, unsigned operand) const;
  /// 32-bit registers of a lane: the subgroup's box of the result, and of both
  /// operands what one instruction, or one step of 1 without, wants; with
  /// `holdsSteps` all of a step.
  int64_t resultRegisters(const ClusterProblem &problem, int64_t lanes) const;
  /// Bits of a register that a sum takes: without an instruction each has one
  /// of its own.
  int64_t sumBits(const ClusterProblem &problem) const;
  int64_t operandRegisters(const ClusterProblem &problem, int64_t lanes,
                           bool holdsSteps) const;
  /// Issue slots of one subgroup for one step.
  int64_t computeSlots(const ClusterProblem &problem,
                       const Target &target) const;
  /// Issue slots of all `subgroups` to bring one step of an operand to who
  /// multiplies it.
  int64_t operandSlots(const ClusterProblem &problem, const Target &target,
                       unsigned operand, int64_t subgroups) const;
  /// Of the panels that go through shared memory, `slots` of each.
  int64_t sharedBytes(const ClusterProblem &problem, int64_t slots) const;
};

/// Refuses keys of a user's config that this pipeline does not read, lists that
/// are not one number per loop, tiles where there can be none, and no panels
/// where the schedule is about them.
LogicalResult checkClusterKeys(const ClusterProblem &problem,
                               const Target &target,
                               const ClusterSchedule &schedule);

/// Checks whole tiles against each other and against the target (PCF-88);
/// `workgroupSize` is the user's, or 0.
LogicalResult checkClusterTiles(const ClusterProblem &problem,
                                const ClusterTiles &tiles, const Target &target,
                                const ClusterSchedule &schedule,
                                int64_t workgroupSize);

/// Says what no other tiles can mend of those that a user has fixed in part.
LogicalResult checkFixedTiles(const ClusterProblem &problem, ClusterTiles tiles,
                              const Target &target, ClusterSchedule schedule,
                              int64_t workgroupSize);

/// Adds candidates that agree with what `user` has fixed.
void rankClusters(const ClusterProblem &problem, const Target &target,
                  const UserChoices &user, const ClusterSchedule &schedule,
                  Ranking &ranking);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_CLUSTERTILES_H

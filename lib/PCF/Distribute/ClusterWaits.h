//===- ClusterWaits.h - Members that wait inside of a phase -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members of a cluster exchange data as those of a whole group do: one writes
// memory of the scope, all wait, another reads. A barrier stands in the code of
// the group, which every cluster has, and not in a phase, which only one has.
// So a phase ends where its members wait, and what follows is a phase that
// takes the rest as private payload (PCF-140):
//
//   run_thread(%it) (%x) {          %h = run_thread(%it) (%x) {
//     write %x into %buffer           write %x into %buffer
//     barrier fence(%buffer)          yield %x }
//     %y = read %buffer        =>   barrier among(%cluster) fence(%buffer)
//     yield (%x + %y) }             run_thread(%h) (%x) {
//                                     %y = read %buffer
//                                     yield (%x + %y) }
//
// A loop or branch of a phase that members wait in becomes one of the group's
// code first (WaitsInLoops.h).
//
// Where a machine has no barrier of some workers, all wait: the group's code
// has the barrier once, so every cluster meets it, equally often.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_CLUSTERWAITS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_CLUSTERWAITS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Which barrier the members of a cluster wait at.
enum class ClusterBarrier {
  /// One of the cluster alone.
  OfCluster,
  /// That of all workers.
  OfAll
};

/// What a phase becomes in front of one of its ops.
struct PhaseHalves {
  RunThreadOp head; // null where nothing but arithmetic stands before
  RunThreadOp tail;
};

/// Ends a phase in front of an op of its body. What is before the op and used
/// behind it is payload of the second phase, or is computed there again.
PhaseHalves splitBefore(RunThreadOp phase, Operation *op,
                        RewriterBase &rewriter);

/// Ends a phase of a cluster at each barrier in it; returns the phase that its
/// result comes from. Fails, with an error, where members wait in a loop or a
/// branch that they may not agree on, or all workers do not come by.
FailureOr<RunThreadOp> splitAtWaits(RunThreadOp phase, ClusterBarrier barrier,
                                    RewriterBase &rewriter);

/// Has all workers wait where some clusters do: the group's code has the
/// barrier once, and each worker goes through that code (PCF-167). Fails, with
/// an error and before anything is changed, where not all of them come by.
LogicalResult waitWithAll(SharedExecutorOp executor, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_CLUSTERWAITS_H

//===- ClusterWaits.h - Splitting phases at barriers ------------*- C++ -*-===//
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
// So a phase ends where its members wait, and a second phase takes the rest as
// private payload (PCF-140):
//
//   run_thread(%it) (%x) {          %h = run_thread(%it) (%x) {
//     write %x into %buffer           write %x into %buffer
//     barrier fence(%buffer)          yield %x }
//     %y = read %buffer        =>   barrier among(%cluster) fence(%buffer)
//     yield (%x + %y) }             run_thread(%h) (%x) {
//                                     %y = read %buffer
//                                     yield (%x + %y) }
//
// A loop or branch of a phase that contains a barrier is first moved into the
// group's code (WaitsInLoops.h).
//
// If a machine has no barrier for a subset of the workers, all workers wait:
// the group's code has the barrier once, so every cluster executes it equally
// often.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_CLUSTERWAITS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_CLUSTERWAITS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// The set of workers that a barrier of a cluster synchronizes.
enum class ClusterBarrier {
  /// The members of the cluster alone.
  OfCluster,
  /// The workers of the executor, all of them.
  OfAll
};

/// Holds the two phases that replace a phase split before one of its ops.
struct PhaseHalves {
  RunThreadOp head; // null if only arithmetic comes before
  RunThreadOp tail;
};

/// Splits a phase before an op of its body. Values that are computed before the
/// op and used after it are payload of the second phase, or are rematerialized
/// there.
PhaseHalves splitBefore(RunThreadOp phase, Operation *op,
                        RewriterBase &rewriter);

/// Splits a phase of a cluster at each barrier in it and returns the phase that
/// the result comes from. Fails, with an error, if members wait in a loop or a
/// branch that may diverge, or if not all workers reach the barrier.
FailureOr<RunThreadOp> splitAtWaits(RunThreadOp phase, ClusterBarrier barrier,
                                    RewriterBase &rewriter);

/// Replaces each barrier of some clusters by a barrier of all workers: the
/// group's code has the barrier once, and each worker executes that code
/// (PCF-167). Fails, with an error and before anything is changed, if not all
/// workers reach it.
LogicalResult waitWithAll(SharedExecutorOp executor, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_CLUSTERWAITS_H

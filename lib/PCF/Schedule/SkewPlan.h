//===- SkewPlan.h - Legality of skewing a cluster ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Skewing by `s` moves every phase that a cluster runs in a loop `s` barriers
// forward. With B barriers per iteration its phases before the first s of them,
// the *early* ones, then belong to the iteration before: they run once before
// the loop (the prologue), and in the loop for the next iteration, after the
// *late* ones. In the last iteration they run once more than they did; that run
// must have no effect, or none that another worker can observe.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_SKEWPLAN_H
#define DISTAFF_LIB_PCF_SCHEDULE_SKEWPLAN_H

#include "PredicatedDrain.h"

namespace distaff::pcf {

/// Describes the position of a loop result of the cluster after skewing.
struct SkewEnd {
  /// Index into SkewPlan::carried.
  unsigned carried;
  /// The number in the carried handle of each field of the loop's result.
  SmallVector<unsigned> fields;
};

struct SkewPlan {
  scf::ForOp loop;
  BlockArgument cluster;
  int64_t steps;
  SmallVector<BarrierOp> barriers;
  /// Phases of the cluster, and all other ops except arithmetic, per interval
  /// between barriers.
  SmallVector<SmallVector<Operation *>> phases, others;
  /// Arithmetic on positions, in order.
  SmallVector<Operation *> arithmetic;
  /// The arithmetic that early phases need.
  llvm::SetVector<Operation *> ahead;
  /// Early phases whose writes only happen if there is a next iteration.
  llvm::DenseMap<Operation *, GuardedOps> guarded;
  /// Handles of the cluster that pass from early phases to late ones: their
  /// results, and arguments of the loop.
  SmallVector<Value> carried;
  /// The ends of those loop results that are the cluster's and used.
  llvm::DenseMap<unsigned, SkewEnd> ends;

  bool isOfCluster(Value handle) const {
    return isHandle(handle.getType()) &&
           isSameGroup(handle.getType(), cluster.getType());
  }
};

/// Plans to skew the cluster in the one loop with barriers that it runs phases
/// in. Errors: `skew by <s> breaks the order of <a> and <b>`, or another
/// obstacle. Leaves the IR unchanged.
FailureOr<SkewPlan> planSkew(BlockArgument cluster, int64_t steps);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_SKEWPLAN_H

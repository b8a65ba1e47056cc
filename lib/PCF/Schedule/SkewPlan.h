//===- SkewPlan.h - Whether a cluster may be skewed -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Skewing by `s` moves every phase that a cluster runs in a loop `s` barriers
// forward. With B barriers per iteration its phases in front of the first s of
// them, the *early* ones, then belong to the iteration before: they run once in
// front of the loop, and in the loop for the next iteration, after the *late*
// ones. In the last iteration they run once more than they did; what they do
// then must be nothing, or nothing that anybody sees.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_SKEWPLAN_H
#define DISTAFF_LIB_PCF_SCHEDULE_SKEWPLAN_H

#include "PredicatedDrain.h"

namespace distaff::pcf {

/// Where what the loop handed on of the cluster is found afterwards.
struct SkewEnd {
  /// Index into SkewPlan::carried.
  unsigned carried;
  /// For each field of the loop's result, the field there.
  SmallVector<unsigned> fields;
};

struct SkewPlan {
  scf::ForOp loop;
  BlockArgument cluster;
  int64_t steps;
  SmallVector<BarrierOp> barriers;
  /// Phases of the cluster, and all else that is no arithmetic, per interval
  /// between barriers.
  SmallVector<SmallVector<Operation *>> phases, others;
  /// Arithmetic on positions, in order.
  SmallVector<Operation *> arithmetic;
  /// What early phases need of it.
  llvm::SetVector<Operation *> ahead;
  /// Early phases whose writes only happen where there is a next iteration.
  llvm::DenseMap<Operation *, GuardedOps> guarded;
  /// Handles of the cluster that early phases leave to late ones: their
  /// results, and arguments of the loop.
  SmallVector<Value> carried;
  /// For each result of the loop, if it is the cluster's and used.
  llvm::DenseMap<unsigned, SkewEnd> ends;

  bool isOfCluster(Value handle) const {
    return isHandle(handle.getType()) &&
           isSameGroup(handle.getType(), cluster.getType());
  }
};

/// Plans to skew the cluster in the one loop with barriers that it runs phases
/// in. Errors: `skew by <s> breaks the order of <a> and <b>`, and what stands
/// in the way otherwise. IR is left alone.
FailureOr<SkewPlan> planSkew(BlockArgument cluster, int64_t steps);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_SKEWPLAN_H

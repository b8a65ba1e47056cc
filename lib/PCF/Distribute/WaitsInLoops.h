//===- WaitsInLoops.h - Barriers inside loops of phases ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers stand in the code of a group, so a loop or a branch of a phase that
// contains a barrier must belong to the group, too (PCF-166). It is moved out
// of the phase if its bounds, or its condition, are the same for all members:
// numbers of the group's code, and values computed from them. Loop-carried
// values and values that the loop uses of the phase are private payload:
//
//   run_thread(%a) () {             %h = run_thread(%a) () { yield (%x) }
//     %r = for %i = 0 to %n         %l = for %i = 0 to %n iter_args(%it = %h) {
//          iter_args(%y = %x) {       %n = run_thread(%it) (%y) {
//       ... barrier ...       =>        ... barrier ... yield (%z) }
//       yield %z }                    yield %n }
//     write %r }                    run_thread(%l) (%r) { write %r }
//
// The barriers of the inner phase then split it as in any phase. Other clusters
// execute the loop, too, but have no work in it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_WAITSINLOOPS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_WAITSINLOOPS_H

#include "ClusterWaits.h"

namespace distaff::pcf {

/// Moves an op that contains barriers out of a phase's body, and splits the
/// phases that are made of its regions at their barriers. Returns the phase
/// with the code after the op. Fails, with an error, if the op is no `scf.for`
/// or `scf.if`, or may diverge among the members.
FailureOr<RunThreadOp> splitAround(RunThreadOp phase, Operation *op,
                                   ClusterBarrier barrier,
                                   RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_WAITSINLOOPS_H

//===- WaitsInLoops.h - Loops of phases that members wait in ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers stand in the code of a group, so a loop or a branch of a phase whose
// members wait in it has to be the group's, too (PCF-166). It is taken out of
// the phase where its bounds, or its condition, are the same for all members:
// numbers of the group's code, and what is computed of them. What the loop
// carries, and what it uses of the phase, is private payload:
//
//   run_thread(%a) () {             %h = run_thread(%a) () { yield (%x) }
//     %r = for %i = 0 to %n         %l = for %i = 0 to %n iter_args(%it = %h) {
//          iter_args(%y = %x) {       %n = run_thread(%it) (%y) {
//       ... barrier ...       =>        ... barrier ... yield (%z) }
//       yield %z }                    yield %n }
//     write %r }                    run_thread(%l) (%r) { write %r }
//
// The barriers of the inner phase then end it as those of any phase do. Other
// clusters go through the loop, too, and have nothing to do in it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_WAITSINLOOPS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_WAITSINLOOPS_H

#include "ClusterWaits.h"

namespace distaff::pcf {

/// Takes an op of a phase's body, in which members wait, out of the phase, and
/// ends the phases that are made of its regions at their barriers. Returns the
/// phase with what follows. Fails, with an error, where the op is no `scf.for`
/// or `scf.if`, or members may not agree on it.
FailureOr<RunThreadOp> splitAround(RunThreadOp phase, Operation *op,
                                   ClusterBarrier barrier,
                                   RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_WAITSINLOOPS_H

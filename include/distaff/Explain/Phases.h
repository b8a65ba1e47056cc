//===- Phases.h - Explanation of phases, clusters and barriers --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the record of the workers of a kernel with pcf
// (Analysis/Phases/PhaseProgram.h): as text with a drawing below, as data, as a
// page.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_EXPLAIN_PHASES_H
#define DISTAFF_EXPLAIN_PHASES_H

#include "distaff/Analysis/Phases/PhaseProgram.h"
#include "distaff/Draw/Schedule.h"
#include "llvm/Support/JSON.h"

namespace distaff {

/// Returns the schedule of a program. Its roles are the clusters that no group
/// splits further; a box of a larger group spans the roles in it. Without
/// clusters there is one role.
draw::Schedule scheduleOf(const PhaseProgram &program, StringRef function);

/// Prints lists of groups, memories, phases, payloads and barriers, then the
/// drawing.
void printPhasesText(ArrayRef<PhaseProgram> programs, StringRef function,
                     raw_ostream &stream);

/// Returns one object per program: `title`, `line`, and
///   groups    name, members, count (null: not known), parent (null: all
///             workers), cluster, waits (how often, as a formula), line
///   memories  name, type, kind (panel, readonly, result, captured), bytes,
///             slots, line
///   steps     each with a kind: phase (number, group, operation, label, reads,
///             writes, takes, gives, line), barrier (scope, among, orders,
///             line), loop, branch, owner (title, trips, steps, line)
///   barriers  how many a run executes, as a formula
///   notes     what is not shown
/// Groups and memories are referred to by their positions.
llvm::json::Array phasesToJson(ArrayRef<PhaseProgram> programs);

} // namespace distaff

#endif // DISTAFF_EXPLAIN_PHASES_H

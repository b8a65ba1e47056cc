//===- VirtualMembers.h - Members that take turns ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase is distributed to a number of members that is known when it is
// compiled. Where the group's own number is not, or does not divide the boxes
// that the phase's products have, the phase is distributed to *virtual
// members*, as many as there are boxes, and member i of n runs the virtual
// members
//
//   i, n + i, 2 n + i, ...
//
// one after the other. The turns of a phase without payload are a loop around
// it. A payload is the registers of one virtual member at a time, so all of
// the executor's code runs once per turn, in rounds (Rounds.h).
//
//   8 boxes of 64x64 of a payload of 256x128, split at %p of 8 subgroups:
//     n = max(8 - %p, 1), ceil(8 / n) rounds; in round %r member %i is virtual
//     member %r * n + %i, and writes nothing if that is 8 or more
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_VIRTUALMEMBERS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_VIRTUALMEMBERS_H

#include "distaff/Dialect/PCF/Distribution.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace distaff::pcf {

class VirtualMembers {
public:
  /// Finds the phases of the executor that need virtual members and makes its
  /// code run in rounds where one of them has payload; warns where it would
  /// have to and cannot.
  void prepare(SharedExecutorOp executor, RewriterBase &rewriter);

  /// The workers to which a phase is distributed.
  WorkerGrid getGrid(RunClusterOp phase) const;

  /// Lets the members of the phase's group, which `thread` has become the code
  /// of one virtual member for, take turns at it.
  void realize(RunClusterOp phase, RunThreadOp thread, RewriterBase &rewriter);

private:
  /// How the members of a phase's group take turns.
  struct Turns {
    int64_t virtualMembers;
    /// The round, of phases with payload; null where the phase has a loop.
    Value round;
  };

  void prepareRounds(SharedExecutorOp executor, RewriterBase &rewriter);
  void prepareCopies(SharedExecutorOp executor, RewriterBase &rewriter);

  int64_t launched = 0; ///< members of the scope
  llvm::MapVector<Operation *, Turns> phases;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_VIRTUALMEMBERS_H

//===- VirtualMembers.h - Cyclic execution of virtual members ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase is distributed to a number of members that is known at compile time.
// If the group's own number is not, or does not divide the boxes of the phase's
// products, the phase is distributed to *virtual members*, as many as there are
// boxes, and member i of n runs the virtual members
//
//   i, n + i, 2 n + i, ...
//
// one after the other. For a phase without payload these iterations are a loop
// around it. A payload is the registers of one virtual member at a time, so all
// of the executor's code runs once per iteration, in rounds (Rounds.h).
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
  /// Finds the phases of the executor that need virtual members, and runs its
  /// code in rounds if one of them has payload. Warns if rounds are needed but
  /// not possible.
  void prepare(SharedExecutorOp executor, RewriterBase &rewriter);

  /// Returns the workers to which a phase is distributed.
  WorkerGrid getGrid(RunClusterOp phase) const;

  /// Distributes the virtual members cyclically to the members of the phase's
  /// group. `thread` has the code of one virtual member.
  void realize(RunClusterOp phase, RunThreadOp thread, RewriterBase &rewriter);

private:
  /// Describes how the members of a phase's group iterate over virtual members.
  struct Turns {
    int64_t virtualMembers;
    /// The round, for phases with payload; null if the phase has a loop.
    Value round;
  };

  void prepareRounds(SharedExecutorOp executor, RewriterBase &rewriter);
  void prepareCopies(SharedExecutorOp executor, RewriterBase &rewriter);

  int64_t launched = 0; ///< members of the scope
  llvm::MapVector<Operation *, Turns> phases;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_VIRTUALMEMBERS_H

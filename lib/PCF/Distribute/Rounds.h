//===- Rounds.h - Running an executor's code in rounds ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If members hold only a part of a payload at a time, all of an executor's code
// runs once per part, in rounds: each round repeats the copies to panels and
// writes the results that are computed from its part of the payload. The
// program stays the same if the rest does the same in every round:
//
//   copies      write memory of the executor's own, or the same again
//   results     of payload are written once, by the round that has their part,
//               and nothing else reads or writes them, but for a result that
//               begins as what it was: its part is read before it is written,
//               by the same member if every member has a part
//
// The copies in a phase with payload move to a phase of their own, which all
// rounds run whole:
//
//   run_cluster(%it) (%x) { copy next panel; read this one; yield %x, %a }
//   ->  run_cluster(%group) () { copy next panel }
//       run_cluster(%it) (%x) { read this one; yield %x, %a }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_ROUNDS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_ROUNDS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>
#include <string>

namespace distaff::pcf {

/// Describes why an executor's code cannot run in rounds.
struct RoundsObstacle {
  Operation *op;
  std::string why;
};

/// Returns whether two accesses have the same elements of one ref that is no
/// view.
bool areEqualSlices(ReadSliceOp read, WriteSliceOp write);

/// Returns the first obstacle, if there is one. `partsOf` returns the number of
/// parts of a phase's payload, 0 if it is whole; up to `members` members run a
/// part.
std::optional<RoundsObstacle>
findObstacle(SharedExecutorOp executor,
             function_ref<int64_t(RunClusterOp)> partsOf, int64_t members);

/// Moves the copies of such a phase to a phase of their own, before it, and
/// returns that one; null if there are no copies.
/// \pre its executor has no obstacle
RunClusterOp separateCopies(RunClusterOp phase, RewriterBase &rewriter);

/// Moves the executor's code after `after`, an op of its body, into a loop over
/// `rounds` and returns the number of the round. A barrier ends each round.
Value runInRounds(SharedExecutorOp executor, Operation *after, Value rounds,
                  RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_ROUNDS_H

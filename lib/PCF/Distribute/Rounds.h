//===- Rounds.h - Running an executor's code several times ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where members hold a part of a payload at a time, all of an executor's code
// runs once per part, in rounds: copies to panels again, and of the results
// what is computed from the payload's part of the round. That is the same
// program if the rest does the same in every round:
//
//   copies      write memory of the executor's own, or the same again
//   results     of payload are written once, by the round that has their part,
//               and nothing else reads or writes them, but for a result that
//               begins as what it was: its part is read before it is written,
//               by the same member if every member has a part
//
// What a phase with payload copies beside is a phase of its own then, which all
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

/// What keeps an executor's code from running in rounds.
struct RoundsObstacle {
  Operation *op;
  std::string why;
};

/// Whether two accesses are to the same elements of one ref that is no view.
bool areEqualSlices(ReadSliceOp read, WriteSliceOp write);

/// The first obstacle, if there is one. `partsOf` is in how many parts a
/// phase's payload is, 0 where it is whole; there are up to `members` at them.
std::optional<RoundsObstacle>
findObstacle(SharedExecutorOp executor,
             function_ref<int64_t(RunClusterOp)> partsOf, int64_t members);

/// Gives what such a phase copies to a phase of its own, before it; null where
/// it copies nothing.
/// \pre its executor has no obstacle
RunClusterOp separateCopies(RunClusterOp phase, RewriterBase &rewriter);

/// Makes the executor's code the body of a loop over `rounds`, which begins
/// behind `after`, an op of its body, and returns the number of the round. A
/// barrier ends each round.
Value runInRounds(SharedExecutorOp executor, Operation *after, Value rounds,
                  RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_ROUNDS_H

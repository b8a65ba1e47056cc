//===- SplitReductions.h - Split-K into two launches ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_SPLITREDUCTIONS_H
#define DISTAFF_LIB_LAUNCHES_SPLITREDUCTIONS_H

#include "distaff/Analysis/Ranking/Ranking.h"

namespace distaff {

class DecisionLog;

/// Splits reductions that would leave most of the machine idle into parts,
/// which workgroups share, and the sum of these (split-K). The gain is the
/// difference of the two rankings, the second launch included. Where no good
/// number of parts divides the extent, or the extent is dynamic, they leave a
/// remainder (ReductionParts.h). Sums of floats are not split with
/// `UserChoices::strictFp`, and nothing of a kernel that its author has tuned.
LogicalResult splitReductions(func::FuncOp kernel, KernelRanker &ranker,
                              const UserChoices &user, DecisionLog *log);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_SPLITREDUCTIONS_H

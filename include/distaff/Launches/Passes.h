//===- Passes.h - Passes that form launches of a program --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes of Passes.td. Dispatch formation compares the prices of
// launches, which a ranker predicts; configure has one (Configure/Search.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAUNCHES_PASSES_H
#define DISTAFF_LAUNCHES_PASSES_H

#include "distaff/Analysis/Ranking/Ranking.h"
#include "distaff/LLVM.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;

#define GEN_PASS_DECL
#include "distaff/Launches/Passes.h.inc"

/// Creates the pass that forms launches by the prices of `rankers`, and records
/// each choice and its losers in `log`, which may be null.
std::unique_ptr<Pass> createFormLaunches(FormLaunchesOptions options,
                                         RankerSource rankers,
                                         DecisionLog *log = nullptr);

/// Registers every pass of this library under its flag; `makeRankers` makes a
/// source of rankers for a pass.
void registerDistaffLaunches(RankerSource (*makeRankers)());

} // namespace distaff

#endif // DISTAFF_LAUNCHES_PASSES_H

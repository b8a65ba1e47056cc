//===- Passes.h - Passes that choose tiles and instructions -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes of Passes.td: `createConfigure({.target = "sm_80"})`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_PASSES_H
#define DISTAFF_CONFIGURE_PASSES_H

#include "distaff/Analysis/Ranking/Ranking.h"
#include "distaff/LLVM.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;

#define GEN_PASS_DECL
#include "distaff/Configure/Passes.h.inc"

/// Creates the pass that chooses by `rankers`, reuses the rankings that these
/// have kept, and records every choice and its losers in `log`. Either may be
/// null.
std::unique_ptr<Pass> createConfigure(ConfigureOptions options,
                                      RankerSource rankers, DecisionLog *log);

/// Creates the pass `configure-clusters` with a log of its choices.
std::unique_ptr<Pass> createConfigureClusters(ConfigureClustersOptions options,
                                              DecisionLog *log);

/// Creates the pass `configure-phases` with a log of its choices.
std::unique_ptr<Pass> createConfigurePhases(ConfigurePhasesOptions options,
                                            DecisionLog *log);

/// Registers every pass of this library under its flag.
void registerDistaffConfigure();

} // namespace distaff

#endif // DISTAFF_CONFIGURE_PASSES_H

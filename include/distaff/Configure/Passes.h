//===- Passes.h - What a kernel runs as -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Passes.td declares, as C++: `createConfigure({.target = "sm_80"})`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_PASSES_H
#define DISTAFF_CONFIGURE_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;

#define GEN_PASS_DECL
#include "distaff/Configure/Passes.h.inc"

/// `createConfigure` that records every choice and its losers in `log`.
std::unique_ptr<Pass> createConfigure(ConfigureOptions options,
                                      DecisionLog *log);

/// `createConfigureClusters` that does so.
std::unique_ptr<Pass> createConfigureClusters(ConfigureClustersOptions options,
                                              DecisionLog *log);

/// `createConfigurePhases` that does so.
std::unique_ptr<Pass> createConfigurePhases(ConfigurePhasesOptions options,
                                            DecisionLog *log);

/// Registers every pass of this library under its flag.
void registerDistaffConfigure();

} // namespace distaff

#endif // DISTAFF_CONFIGURE_PASSES_H

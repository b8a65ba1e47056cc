//===- Passes.h - Target-independent rewrites of kernels --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Passes.td declares, as C++: `createConfigure({.target = "sm_80"})` and
// so on. Passes that choose something take a log of decisions too; a null log
// means that nobody asked why.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TRANSFORMS_PASSES_H
#define DISTAFF_TRANSFORMS_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;
struct Target;

#define GEN_PASS_DECL
#include "distaff/Transforms/Passes.h.inc"

/// `createConfigure` that records every choice and its losers in `log`.
std::unique_ptr<Pass> createConfigure(ConfigureOptions options,
                                      DecisionLog *log);

/// Adds the passes of the lower stage, from per-lane vectors to scalars.
void addLowerPasses(OpPassManager &pipeline, const Target &target,
                    bool strictFp = false);

/// `createAssignLayouts` that records every choice and its losers in `log`.
std::unique_ptr<Pass> createAssignLayouts(AssignLayoutsOptions options,
                                          DecisionLog *log);

/// Registers every pass of this library under its flag.
void registerDistaffTransforms();

} // namespace distaff

#endif // DISTAFF_TRANSFORMS_PASSES_H

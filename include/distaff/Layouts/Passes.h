//===- Passes.h - Layout assignment -----------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Passes.td declares, as C++. A pass that chooses takes a log of decisions
// too; a null log records nothing.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUTS_PASSES_H
#define DISTAFF_LAYOUTS_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;

#define GEN_PASS_DECL
#include "distaff/Layouts/Passes.h.inc"

/// `createAssignLayouts` that records every choice and its losers in `log`.
std::unique_ptr<Pass> createAssignLayouts(AssignLayoutsOptions options,
                                          DecisionLog *log);

/// Registers every pass of this library under its flag.
void registerDistaffLayouts();

} // namespace distaff

#endif // DISTAFF_LAYOUTS_PASSES_H

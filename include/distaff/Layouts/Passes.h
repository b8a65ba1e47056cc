//===- Passes.h - Layout assignment -----------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes of Passes.td in C++. A pass that makes choices also takes
// a log of decisions; a null log records nothing.
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

/// Creates `AssignLayouts` with a `log` that records every choice and its
/// alternatives.
std::unique_ptr<Pass> createAssignLayouts(AssignLayoutsOptions options,
                                          DecisionLog *log);

/// Registers every pass of this library under its flag.
void registerDistaffLayouts();

} // namespace distaff

#endif // DISTAFF_LAYOUTS_PASSES_H

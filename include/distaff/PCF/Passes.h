//===- Passes.h - Passes of parallel control flow ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file declares the passes of Passes.td in C++:
// `createPCFResolveClusters()` and so on.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_PASSES_H
#define DISTAFF_PCF_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;

#define GEN_PASS_DECL
#include "distaff/PCF/Passes.h.inc"

namespace pcf {

/// Runs `pcf-resolve-tokens`.
LogicalResult resolveTokens(ModuleOp module);

} // namespace pcf

/// Creates a pass that records in `log` which workers run each phase of every
/// kernel, the panels and the barriers. It has no effect without a log, so it
/// has no flag.
std::unique_ptr<Pass> createRecordPhases(DecisionLog &log);

/// Registers every pass of this library under its flag.
void registerDistaffPCF();

} // namespace distaff

#endif // DISTAFF_PCF_PASSES_H

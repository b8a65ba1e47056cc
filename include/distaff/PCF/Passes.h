//===- Passes.h - Rewrites of parallel control flow -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Passes.td declares, as C++: `createPCFResolveClusters()` and so on.
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

/// What `pcf-resolve-tokens` does.
LogicalResult resolveTokens(ModuleOp module);

} // namespace pcf

/// Writes down in `log` who runs which phase of every kernel, the panels and
/// the barriers. Without a log there is nothing to do, so it has no flag.
std::unique_ptr<Pass> createRecordPhases(DecisionLog &log);

/// Registers every pass of this library under its flag.
void registerDistaffPCF();

} // namespace distaff

#endif // DISTAFF_PCF_PASSES_H

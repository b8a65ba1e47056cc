//===- Passes.h - From registers to scalars ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes of Passes.td in C++: `createLowerVectors({.strictFp =
// true})` and so on. Pipelines defines their order.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LOWER_PASSES_H
#define DISTAFF_LOWER_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include <optional>
#include <string>

namespace distaff {

class DecisionLog;
struct Target;

#define GEN_PASS_DECL
#include "distaff/Lower/Passes.h.inc"

/// Returns a `createLowerVectors` pass that records the strategies of a CPU in
/// `log`, which may be null.
std::unique_ptr<Pass> createLowerVectors(LowerVectorsOptions options,
                                         DecisionLog *log);

/// Returns a pass that writes the instructions of every function of a lowered
/// module into `log`. It needs a log, so it has no flag.
std::unique_ptr<Pass> createRecordCode(const Target &target, DecisionLog &log);

/// Returns the reason why distaff-fill-workgroup-arguments cannot rewrite a
/// lowered kernel; nothing if it can, or if nothing is to be rewritten.
std::optional<std::string>
whyWorkgroupArgumentsStay(FunctionOpInterface kernel);

/// Registers every pass of this library under its flag.
void registerDistaffLower();

} // namespace distaff

#endif // DISTAFF_LOWER_PASSES_H

//===- Passes.h - Passes for CPUs -------------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes of Passes.td in C++. A pass that makes choices takes a
// log of decisions too; a null log records nothing.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CPU_PASSES_H
#define DISTAFF_CPU_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;

#define GEN_PASS_DECL
#include "distaff/Cpu/Passes.h.inc"

/// Returns a `createPackPanels` pass that records in `log`, which may be null,
/// what workgroups of a CPU take.
std::unique_ptr<Pass> createPackPanels(PackPanelsOptions options,
                                       DecisionLog *log);

/// Registers every pass of this library under its flag.
void registerDistaffCpu();

} // namespace distaff

#endif // DISTAFF_CPU_PASSES_H

//===- Passes.h - Target-independent rewrites of kernels --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Passes.td declares, as C++: `createAssignLayouts({.target = "sm_80"})`
// and so on. Passes that choose something take a log of decisions too; a null
// log means that nobody asked why.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TRANSFORMS_PASSES_H
#define DISTAFF_TRANSFORMS_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;

#define GEN_PASS_DECL
#include "distaff/Transforms/Passes.h.inc"

/// `createAssignLayouts` that records every choice and its losers in `log`.
std::unique_ptr<Pass> createAssignLayouts(AssignLayoutsOptions options,
                                          DecisionLog *log);

/// `createTileVectors` that records every native vector in `log`, which may be
/// null.
std::unique_ptr<Pass> createTileVectors(TileVectorsOptions options,
                                        DecisionLog *log);

/// Registers every pass of this library under its flag.
void registerDistaffTransforms();

} // namespace distaff

#endif // DISTAFF_TRANSFORMS_PASSES_H

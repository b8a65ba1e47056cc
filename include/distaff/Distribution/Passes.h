//===- Passes.h - Distribution passes ---------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares `distaff-distribute`, which replaces undistributed vectors by the
// vectors of one lane.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DISTRIBUTION_PASSES_H
#define DISTAFF_DISTRIBUTION_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

class DecisionLog;

#define GEN_PASS_DECL
#include "distaff/Distribution/Passes.h.inc"

/// Creates a distribute pass that records in `log` the replacement of each op.
std::unique_ptr<Pass> createDistributePass(DistributePassOptions options,
                                           DecisionLog *log);

#define GEN_PASS_REGISTRATION
#include "distaff/Distribution/Passes.h.inc"

} // namespace distaff

#endif // DISTAFF_DISTRIBUTION_PASSES_H

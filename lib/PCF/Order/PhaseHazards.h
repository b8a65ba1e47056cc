//===- PhaseHazards.h - Phases that depend through memory -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group runs collective ops one after the other; its members run their parts
// of two phases without waiting for each other. Where one of two phases writes
// what the other accesses (a hazard: read after write, write after read, write
// after write) and no barrier is certain between them, one has to stand there.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_PHASEHAZARDS_H
#define DISTAFF_LIB_PCF_ORDER_PHASEHAZARDS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Whether `op` depends through memory on one of `earlier`, all ops of a group.
bool hasHazard(ArrayRef<Operation *> earlier, Operation *op);

/// Puts barriers before phases of `executor` that depend through memory on
/// earlier ones, if one of the two is among `phases`.
void orderPhases(SharedExecutorOp executor, ArrayRef<RunClusterOp> phases,
                 RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_PHASEHAZARDS_H

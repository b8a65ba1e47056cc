//===- PhaseHazards.h - Memory hazards between phases -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group runs collective ops one after the other; its members run their parts
// of two phases without waiting for each other. If one of two phases writes
// memory that the other accesses (a hazard: read after write, write after read,
// write after write) and no barrier is certain between them, one has to be
// added.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_PHASEHAZARDS_H
#define DISTAFF_LIB_PCF_ORDER_PHASEHAZARDS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Returns whether `op` has a memory hazard with one of `earlier`, all ops of a
/// group.
bool hasHazard(ArrayRef<Operation *> earlier, Operation *op);

/// Inserts barriers before phases of `executor` that have a memory hazard with
/// earlier ones, if one of the two is among `phases`.
void orderPhases(SharedExecutorOp executor, ArrayRef<RunClusterOp> phases,
                 RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_PHASEHAZARDS_H

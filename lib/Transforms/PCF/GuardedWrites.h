//===- GuardedWrites.h - A phase in an iteration that is not there -*-C++-*-==//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase that runs ahead of its iteration runs once too often. Then it must
// write nothing; what it reads must be there, and must not be computed with,
// because it may never have been written.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_PCF_GUARDEDWRITES_H
#define DISTAFF_LIB_TRANSFORMS_PCF_GUARDEDWRITES_H

#include "PhaseOrder.h"

namespace distaff::pcf {

/// Ops of the phase's block, in order, that must not happen in the iteration
/// after the last one of `loop`: writes that no condition of their own stops
/// there, and what only they use. Errors: what else the phase would do then.
FailureOr<SmallVector<Operation *>>
findGuarded(Operation *phase, PhaseOrder &order, scf::ForOp loop);

/// Puts the ops, of one block, under a condition.
void guard(ArrayRef<Operation *> ops, Value condition, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_TRANSFORMS_PCF_GUARDEDWRITES_H

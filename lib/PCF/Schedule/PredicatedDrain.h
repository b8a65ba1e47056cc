//===- PredicatedDrain.h - Predicated drain iterations ----------*- C++ -*-===//
//-*-C++-*-==//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase that runs ahead of its iteration runs once too often. In that drain
// iteration it must write nothing; the memory that it reads must exist, and its
// values must not be computed with, because they may never have been written. A
// read of a vector from bounded memory, if the phase only forwards the vector,
// is predicated.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_PREDICATEDDRAIN_H
#define DISTAFF_LIB_PCF_SCHEDULE_PREDICATEDDRAIN_H

#include "../Order/PhaseOrder.h"

namespace distaff::pcf {

/// Holds the ops of a phase's block that must not execute in the iteration
/// after the last one of a loop.
struct GuardedOps {
  /// Writes without a condition of their own that is false there, and the ops
  /// that only they use, in order.
  SmallVector<Operation *> writers;
  /// Reads of vectors that the phase forwards, each with a condition of its
  /// own.
  SmallVector<Operation *> reads;

  bool empty() const { return writers.empty() && reads.empty(); }
  bool contain(Operation *op) const {
    auto isAround = [&](Operation *other) { return other->isAncestor(op); };
    return llvm::any_of(writers, isAround) || llvm::any_of(reads, isAround);
  }
};

/// Finds the ops of a phase that need a guard. Errors: another effect of the
/// phase after the last iteration of `loop`.
FailureOr<GuardedOps> findGuarded(Operation *phase, PhaseOrder &order,
                                  scf::ForOp loop);

/// Predicates the ops, of one block, by a condition.
void guard(const GuardedOps &ops, Value condition, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_PREDICATEDDRAIN_H

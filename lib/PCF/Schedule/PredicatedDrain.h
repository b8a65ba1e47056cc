//===- PredicatedDrain.h - Predicated drain iterations ----------*- C++ -*-===//
//-*-C++-*-==//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase that runs ahead of its iteration runs once too often. Then it must
// write nothing; what it reads must be there, and must not be computed with,
// because it may never have been written. A read of memory that has an end, of
// a vector that the phase only hands on, is put under a condition.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_PREDICATEDDRAIN_H
#define DISTAFF_LIB_PCF_SCHEDULE_PREDICATEDDRAIN_H

#include "../Order/PhaseOrder.h"

namespace distaff::pcf {

/// Ops of a phase's block that must not happen in the iteration after the last
/// one of a loop.
struct GuardedOps {
  /// Writes that no condition of their own stops there, and what only they use,
  /// in order.
  SmallVector<Operation *> writers;
  /// Reads of vectors that the phase hands on, each for itself.
  SmallVector<Operation *> reads;

  bool empty() const { return writers.empty() && reads.empty(); }
  bool contain(Operation *op) const {
    auto isAround = [&](Operation *other) { return other->isAncestor(op); };
    return llvm::any_of(writers, isAround) || llvm::any_of(reads, isAround);
  }
};

/// Finds what has to be guarded of a phase. Errors: what else the phase would
/// do after the last iteration of `loop`.
FailureOr<GuardedOps> findGuarded(Operation *phase, PhaseOrder &order,
                                  scf::ForOp loop);

/// Puts the ops, of one block, under a condition.
void guard(const GuardedOps &ops, Value condition, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_PREDICATEDDRAIN_H

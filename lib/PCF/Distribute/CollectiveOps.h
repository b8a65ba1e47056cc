//===- CollectiveOps.h - What a group does outside of phases ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_COLLECTIVEOPS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_COLLECTIVEOPS_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Whether an op of an executor's body that is in no phase is the work of the
/// group: it computes or moves tensors or vectors, or does something to memory.
/// Control flow, barriers, loads and what starts other workers is not.
bool isCollectiveOp(Operation *op);

/// Whether an op loads an element of memory that a ref shows. Every worker
/// does, and has the number, which code outside of phases may use, too.
bool isUniformLoad(Operation *op);

/// Visits the ops of a region of collective code that are in no phase and that
/// no other op's workers run, in the order of the text.
void walkCollectiveCode(Region &region,
                        llvm::function_ref<void(Operation *)> visit);

/// The phases of an executor; those of executors in it are their own.
SmallVector<RunClusterOp> collectPhases(SharedExecutorOp executor);

/// The executors of a scope, of any without one, that have work outside of
/// phases.
SmallVector<SharedExecutorOp> collectUnformed(Operation *root, Attribute scope);

/// Whether an executor has work outside of phases.
bool hasCollectiveOps(SharedExecutorOp executor);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_COLLECTIVEOPS_H

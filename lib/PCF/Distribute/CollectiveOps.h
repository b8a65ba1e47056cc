//===- CollectiveOps.h - Collective ops outside of phases -------*- C++ -*-===//
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

/// Returns whether an op of an executor's body that is in no phase is the work
/// of the group: it computes or moves tensors or vectors, or has an effect on
/// memory. Control flow, barriers, loads and ops that start other workers are
/// not.
bool isCollectiveOp(Operation *op);

/// Returns whether an op loads an element of memory through a ref. Every worker
/// executes the load, and code outside of phases may use the number, too.
bool isUniformLoad(Operation *op);

/// Visits, in program order, the ops of a region of collective code that are in
/// no phase and that no other op's workers run.
void walkCollectiveCode(Region &region,
                        llvm::function_ref<void(Operation *)> visit);

/// Returns the phases of an executor without those of executors nested in it.
SmallVector<RunClusterOp> collectPhases(SharedExecutorOp executor);

/// Returns the executors of `scope` that have work outside of phases; those of
/// any scope if `scope` is null.
SmallVector<SharedExecutorOp> collectUnformed(Operation *root, Attribute scope);

/// Returns whether an executor has work outside of phases.
bool hasCollectiveOps(SharedExecutorOp executor);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_COLLECTIVEOPS_H

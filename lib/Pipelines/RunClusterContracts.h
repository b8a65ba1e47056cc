//===- RunClusterContracts.h - Contracts of run-cluster ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of what holds after the stages of the pipeline run-cluster, and what
// shows that a kernel has been through one. Stages that neither show nor mind
// being run again have no such question.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_RUNCLUSTERCONTRACTS_H
#define DISTAFF_LIB_PIPELINES_RUNCLUSTERCONTRACTS_H

#include "distaff/Kernel/Kernel.h"

namespace distaff {

LogicalResult verifyTiledToLoop(ModuleOp module);
LogicalResult verifyWrapped(ModuleOp module);
LogicalResult verifyFlowFormed(ModuleOp module);
LogicalResult verifyCopied(ModuleOp module);
LogicalResult verifySpecialized(ModuleOp module);
LogicalResult verifySubgroupsDistributed(ModuleOp module);
LogicalResult verifyLanesDistributed(ModuleOp module);
LogicalResult verifyLanesVectorized(ModuleOp module);
LogicalResult verifyConcrete(ModuleOp module);

bool isWrapped(FunctionOpInterface kernel);
bool isFlowFormed(FunctionOpInterface kernel);
bool isSubgroupsDistributed(FunctionOpInterface kernel);
bool isLanesDistributed(FunctionOpInterface kernel);
bool isLanesVectorized(FunctionOpInterface kernel);
bool isConcrete(FunctionOpInterface kernel);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_RUNCLUSTERCONTRACTS_H

//===- RunClusterContracts.h - Contracts of run-cluster ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the contracts of the stages of the pipeline run-cluster, and the
// predicates by which the IR shows that a kernel has passed a stage. A stage
// that leaves no trace, or may run again, has no predicate.
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

bool isTiledToLoop(FunctionOpInterface kernel);
bool isWrapped(FunctionOpInterface kernel);
bool isFlowFormed(FunctionOpInterface kernel);
bool isSubgroupsDistributed(FunctionOpInterface kernel);
bool isLanesDistributed(FunctionOpInterface kernel);
bool isLanesVectorized(FunctionOpInterface kernel);
bool isConcrete(FunctionOpInterface kernel);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_RUNCLUSTERCONTRACTS_H

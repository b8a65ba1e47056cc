//===- StageContracts.h - Stage contracts as checks -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_STAGECONTRACTS_H
#define DISTAFF_LIB_PIPELINES_STAGECONTRACTS_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

LogicalResult verifyConfigured(ModuleOp module);
LogicalResult verifyTiled(ModuleOp module);
LogicalResult verifyVectorized(ModuleOp module);
LogicalResult verifyLayoutsAssigned(ModuleOp module);
LogicalResult verifyDistributed(ModuleOp module);
LogicalResult verifyLowered(ModuleOp module);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_STAGECONTRACTS_H

//===- StageContracts.h - Stage contracts as checks -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_STAGECONTRACTS_H
#define DISTAFF_LIB_PIPELINES_STAGECONTRACTS_H

#include "distaff/Pipelines/Pipeline.h"

namespace distaff {

LogicalResult verifyConfigured(ModuleOp module);
LogicalResult verifyTiled(ModuleOp module);
LogicalResult verifyLaunchesFormed(ModuleOp module);
LogicalResult verifyVectorized(ModuleOp module);
LogicalResult verifyLayoutsAssigned(ModuleOp module);
LogicalResult verifyDistributed(ModuleOp module);
LogicalResult verifyLowered(ModuleOp module);
LogicalResult verifyBufferized(ModuleOp module);
LogicalResult verifyHostLowered(ModuleOp module);

bool isVectorized(FunctionOpInterface kernel);
bool isBufferized(FunctionOpInterface kernel);

/// Returns the record of the first stage of every pipeline; each pipeline adds
/// passes of its own.
constexpr Stage formLaunchesRow(decltype(Stage::add) add) {
  return {.name = "form-launches",
          .contract =
              "every kernel is one launch: linalg and views of tensors, "
              "or vectors, of which none crosses its border",
          .before = Level::Grid,
          .after = Level::Grid,
          .add = add,
          .verify = verifyLaunchesFormed};
}

/// Returns the record of the second stage; each pipeline adds passes of its
/// own.
constexpr Stage configureRow(decltype(Stage::add) add) {
  return {.name = "configure",
          .contract = "every kernel has a workgroup and a subgroup size, and "
                      "no vector crosses its border",
          .before = Level::Grid,
          .after = Level::Grid,
          .add = add,
          .verify = verifyConfigured};
}

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_STAGECONTRACTS_H

//===- BuildPipeline.h - Kernels along their pipeline, checked --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes kernels along a pipeline (Pipeline.h): the stages ahead of them, each
// followed by a verifier pass that checks its contract in the IR, and before
// the first the contract of the one before, for a kernel that enters in the
// middle.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_BUILDPIPELINE_H
#define DISTAFF_PIPELINES_BUILDPIPELINE_H

#include "distaff/Pipelines/Pipeline.h"
#include "mlir/Pass/PassManager.h"

namespace distaff {

/// Fails where a kernel asks for subgroups or workgroups that the target does
/// not have. Nothing is run for a target, on the SIMT machine either, before.
LogicalResult checkLaunch(FunctionOpInterface kernel, const Target &target);

/// For pipelines of stages: each of them ends with its contract, which verifies
/// the IR, so that not every pass is followed by a walk over all of it.
class StageManager : public PassManager {
public:
  explicit StageManager(MLIRContext *context) : PassManager(context) {
    enableVerifier(false);
  }
};

/// Adds the check of what the stages `ahead`, a pipeline's last ones, need:
/// their level, the contract of the stage before the first of them, and a
/// launch that fits the target. Only the level where all are ahead, for the
/// first stage checks what it is given. A specialization that is asked for is
/// ahead.
void addEntryCheck(OpPassManager &manager, const PipelineOptions &options,
                   const Pipeline &pipeline, ArrayRef<const Stage *> ahead);

/// Adds a stage and the check of its contract.
void addStage(OpPassManager &manager, const PipelineOptions &options,
              const Stage &stage);

/// Adds that check and the stages `ahead` up to and including `last` (if null,
/// the last one that nobody need ask for; none if it lies behind).
void buildPipeline(OpPassManager &manager, const PipelineOptions &options,
                   const Pipeline &pipeline, ArrayRef<const Stage *> ahead,
                   const Stage *last = nullptr);

/// A pass that fails where `stage`'s contract does not hold.
std::unique_ptr<Pass> createVerifyStagePass(const Stage &stage);

/// A pass, for any op, that fails where `verifySizes` does.
std::unique_ptr<Pass> createVerifySizesPass();

/// Makes `distaff-verify-STAGE` and `distaff-verify-sizes` known to
/// distaff-opt; `distaff-verify-PIPELINE-STAGE` where a pipeline before has
/// another stage of that name.
void registerDistaffPipelines();

} // namespace distaff

#endif // DISTAFF_PIPELINES_BUILDPIPELINE_H

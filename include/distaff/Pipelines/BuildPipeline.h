//===- BuildPipeline.h - Building checked pass pipelines --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the passes that take kernels along a pipeline (Pipeline.h): the
// remaining stages, each followed by a verifier pass that checks its contract
// in the IR. A kernel that enters in the middle is first checked against the
// contract of the stage before.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_BUILDPIPELINE_H
#define DISTAFF_PIPELINES_BUILDPIPELINE_H

#include "distaff/Pipelines/Pipeline.h"
#include "mlir/Pass/PassManager.h"

namespace distaff {

/// Fails if a kernel requires subgroups or workgroups that the target does not
/// have. It precedes every run for a target, also on the SIMT machine.
LogicalResult checkLaunch(FunctionOpInterface kernel, const Target &target);

/// Runs pipelines of stages: each stage ends with its contract, which verifies
/// the IR, so that MLIR's verifier need not run after each pass.
class StageManager : public PassManager {
public:
  explicit StageManager(MLIRContext *context) : PassManager(context) {
    enableVerifier(false);
  }
};

/// Adds the check of what the stages `ahead`, a pipeline's last ones, need:
/// their level, the contract of the stage before the first of them, and a
/// launch that fits the target. If all stages are ahead, only the level is
/// checked, for the first stage checks its input. A requested specialization is
/// ahead.
void addEntryCheck(OpPassManager &manager, const PipelineOptions &options,
                   const Pipeline &pipeline, ArrayRef<const Stage *> ahead);

/// Adds a stage and the check of its contract.
void addStage(OpPassManager &manager, const PipelineOptions &options,
              const Stage &stage);

/// Adds the entry check and the stages `ahead` up to and including `last` (if
/// null, the pipeline's last default stage; no stage if `last` is not ahead).
void buildPipeline(OpPassManager &manager, const PipelineOptions &options,
                   const Pipeline &pipeline, ArrayRef<const Stage *> ahead,
                   const Stage *last = nullptr);

/// Returns a pass that fails if `stage`'s contract does not hold.
std::unique_ptr<Pass> createVerifyStagePass(const Stage &stage);

/// Returns a pass, for any op, that fails if `verifySizes` does.
std::unique_ptr<Pass> createVerifySizesPass();

/// Registers `distaff-verify-STAGE` and `distaff-verify-sizes` for distaff-opt;
/// `distaff-verify-PIPELINE-STAGE` if an earlier pipeline has another stage of
/// that name.
void registerDistaffPipelines();

} // namespace distaff

#endif // DISTAFF_PIPELINES_BUILDPIPELINE_H

//===- Pipelines.h - The stages of a kernel's road --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel goes through the stages of `stages()`, each one function here, one
// value of --stop-after and one heading in docs/Pipeline.md:
//
//   configure > tile > vectorize > assign-layouts > distribute > lower
//
// What holds after a stage is its contract: a sentence in `Stage::contract`,
// checked in the IR by a verifier pass that `buildPipeline` adds behind the
// stage. Stages speak to each other through the IR alone. What they decided and
// why they also write to a log that none of them reads.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_PIPELINES_H
#define DISTAFF_PIPELINES_PIPELINES_H

#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace distaff {

class DecisionLog;
struct Target;

struct PipelineOptions {
  const Target *target = nullptr;
  /// Receives what was decided; may be null.
  DecisionLog *log = nullptr;
  /// Float additions and multiplications keep the source's order.
  bool strictFp = false;
};

/// Picks workgroup, subgroups and tiles; gives vectors at the border a buffer.
void addConfigureStage(OpPassManager &pipeline, const PipelineOptions &options);
/// Makes one workgroup-mapped loop of a linalg kernel, and the grid function.
void addTileStage(OpPassManager &pipeline, const PipelineOptions &options);
/// Turns linalg on static tiles into n-D vectors on tensors.
void addVectorizeStage(OpPassManager &pipeline, const PipelineOptions &options);
/// Goes from tensors to memrefs and writes the layouts down as to_layout ops.
void addAssignLayoutsStage(OpPassManager &pipeline,
                           const PipelineOptions &options);
/// Replaces a workgroup's vectors by what one lane holds of them.
void addDistributeStage(OpPassManager &pipeline,
                        const PipelineOptions &options);
/// Brings one lane's code down to scalars, shuffles and wide accesses.
void addLowerStage(OpPassManager &pipeline, const PipelineOptions &options);

struct Stage {
  StringLiteral name;
  StringLiteral contract; ///< what holds after it
  Level before, after;    ///< whose program a kernel is
  void (*add)(OpPassManager &, const PipelineOptions &);
  /// Checks the contract; says in a diagnostic what breaks it.
  LogicalResult (*verify)(ModuleOp);
};

/// The stages in order.
ArrayRef<Stage> stages();
const Stage *lookupStage(StringRef name);

/// The stages that a kernel has not been through, which its IR tells: one that
/// is a lane's program, a gpu.func, starts at `lower`, one with its grid
/// function beside it at the first stage from `vectorize` on whose contract it
/// does not meet; any other at `configure`. So what --stop-after printed can be
/// changed and taken further.
ArrayRef<Stage> stagesAhead(FunctionOpInterface kernel);

/// Fails where a kernel asks for subgroups or workgroups that the target does
/// not have. Nothing is run for a target, on the SIMT machine either, before.
LogicalResult checkLaunch(FunctionOpInterface kernel, const Target &target);

/// Adds the check of what the stages `ahead` need: their level, the contract of
/// the stage before the first of them, and a launch that fits the target. Only
/// the level where all are ahead, for configure checks what it is given.
void addEntryCheck(OpPassManager &pipeline, const PipelineOptions &options,
                   ArrayRef<Stage> ahead);

/// Adds that check and the stages `ahead` up to and including `last` (all if
/// null; none if it lies behind), each followed by the check of its contract.
void buildPipeline(OpPassManager &pipeline, const PipelineOptions &options,
                   const Stage *last = nullptr,
                   ArrayRef<Stage> ahead = stages());

/// A pass that fails where `stage`'s contract does not hold.
std::unique_ptr<Pass> createVerifyStagePass(const Stage &stage);

/// A pass, for any op, that fails where `verifySizes` does.
std::unique_ptr<Pass> createVerifySizesPass();

/// Makes `distaff-verify-STAGE` and `distaff-verify-sizes` known to
/// distaff-opt.
void registerDistaffPipelines();

} // namespace distaff

#endif // DISTAFF_PIPELINES_PIPELINES_H

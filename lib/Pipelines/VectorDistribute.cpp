//===- VectorDistribute.cpp - Layouts on a workgroup's vectors ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/VectorDistribute.h"
#include "StageContracts.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Target/Target.h"
#include "distaff/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/Passes.h"

namespace distaff {

//===----------------------------------------------------------------------===//
// What a stage does
//===----------------------------------------------------------------------===//

void addConfigureStage(OpPassManager &pipeline,
                       const ConfigureStageOptions &options) {
  if (options.strictFp)
    pipeline.addNestedPass<func::FuncOp>(createStrictFp());
  pipeline.addPass(createConfigure(
      {.target = options.target.name.str(), .strictFp = options.strictFp},
      options.log));
}

void addTileStage(OpPassManager &pipeline, const TileStageOptions &options) {
  pipeline.addPass(createTile(
      {.target = options.target.name.str(), .strictFp = options.strictFp}));
}

void addVectorizeStage(OpPassManager &pipeline) {
  pipeline.addPass(createVectorize());
}

void addAssignLayoutsStage(OpPassManager &pipeline,
                           const AssignLayoutsStageOptions &options) {
  pipeline.addPass(createBufferize());
  pipeline.addPass(createAssignLayouts(
      {.target = options.target.name.str(), .strictFp = options.strictFp},
      options.log));
}

void addDistributeStage(OpPassManager &pipeline,
                        const DistributeStageOptions &options) {
  DistributePassOptions distribute;
  distribute.target = options.target.name.str();
  distribute.strictFp = options.strictFp;
  pipeline.addPass(createDistributePass(distribute, options.log));
  pipeline.addNestedPass<func::FuncOp>(createMapForall());
  pipeline.addPass(createWriteLaneKernels());
}

void addLowerStage(OpPassManager &pipeline, const LowerStageOptions &options) {
  OpPassManager &kernels =
      pipeline.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
  if (options.strictFp)
    kernels.addPass(createStrictFp());
  // Widths of accesses are proved on plain arithmetic.
  kernels.addPass(createLowerIndices());
  // Equal index expressions become one value, whose facts are found once.
  kernels.addPass(createCSEPass());
  std::string target = options.target.name.str();
  // Before vectors are taken apart; indices are sums of few values.
  kernels.addPass(createFormAsyncCopies({.target = target}));
  kernels.addPass(createLowerLaneExchange(
      {.target = target, .strictFp = options.strictFp}));
  kernels.addPass(
      createLowerVectors({.target = target, .strictFp = options.strictFp}));
  kernels.addPass(createLowerMath());
  // Registers that nobody reads, and identities such as x * 1.
  kernels.addPass(createSimplify());
  // Conversions that cancel are gone.
  kernels.addPass(createLowerNarrowFloats({.target = target}));
  kernels.addPass(createCSEPass());
  if (options.log)
    pipeline.addPass(createRecordCode(options.target, *options.log));
}

//===----------------------------------------------------------------------===//
// What the IR shows
//===----------------------------------------------------------------------===//

static bool contains(FunctionOpInterface kernel,
                     llvm::function_ref<bool(Operation *)> isWanted) {
  return kernel
      ->walk([&](Operation *op) {
        return isWanted(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isTiled(FunctionOpInterface kernel) {
  return findGridFunction(kernel) != nullptr;
}

static bool isVectorized(FunctionOpInterface kernel) {
  return isTiled(kernel) && !contains(kernel, llvm::IsaPred<linalg::LinalgOp>);
}

/// Layouts that are whole are not chosen again.
static bool isLayoutAssigned(FunctionOpInterface kernel) {
  if (!isVectorized(kernel))
    return false;
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  return succeeded(verifyLayoutsAssigned(kernel->getParentOfType<ModuleOp>()));
}

static bool isDistributed(FunctionOpInterface kernel) {
  return levelOf(kernel) == Level::Lane;
}

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

static const Stage configure = {
    .name = "configure",
    .contract = "every kernel has a workgroup and a subgroup size, and no "
                "vector crosses its border",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &pipeline, const PipelineOptions &options) {
          addConfigureStage(pipeline,
                            {*options.target, options.strictFp, options.log});
        },
    .verify = verifyConfigured};

static const Stage tile = {
    .name = "tile",
    .contract = "linalg is inside one workgroup-mapped loop on static tiles, "
                "and every kernel has its grid function",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &pipeline, const PipelineOptions &options) {
          addTileStage(pipeline, {*options.target, options.strictFp});
        },
    .verify = verifyTiled,
    .isBehind = isTiled};

static const Stage vectorize = {
    .name = "vectorize",
    .contract = "no linalg op is left",
    .before = Level::Grid,
    .after = Level::Grid,
    .add = [](OpPassManager &pipeline,
              const PipelineOptions &) { addVectorizeStage(pipeline); },
    .verify = verifyVectorized,
    .isBehind = isVectorized};

static const Stage assignLayouts = {
    .name = "assign-layouts",
    .contract = "no tensor is left, and to_layout ops determine every vector's "
                "layout",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &pipeline, const PipelineOptions &options) {
          addAssignLayoutsStage(
              pipeline, {*options.target, options.strictFp, options.log});
        },
    .verify = verifyLayoutsAssigned,
    .isBehind = isLayoutAssigned};

static const Stage distribute = {
    .name = "distribute",
    .contract = "every kernel is the program of one lane, a gpu.func; vectors "
                "are what it holds, and no layout is mentioned any more",
    .before = Level::Grid,
    .after = Level::Lane,
    .add =
        [](OpPassManager &pipeline, const PipelineOptions &options) {
          addDistributeStage(pipeline,
                             {*options.target, options.strictFp, options.log});
        },
    .verify = verifyDistributed,
    .isBehind = isDistributed};

static const Stage lower = {
    .name = "lower",
    .contract = "registers are scalars; vectors stand only at wide accesses "
                "and at MMA fragments",
    .before = Level::Lane,
    .after = Level::Lane,
    .add =
        [](OpPassManager &pipeline, const PipelineOptions &options) {
          addLowerStage(pipeline,
                        {*options.target, options.strictFp, options.log});
        },
    .verify = verifyLowered};

static const Stage *const stages[] = {&configure,     &tile,       &vectorize,
                                      &assignLayouts, &distribute, &lower};

const Road vectorDistribute = {.name = "vector-distribute",
                               .pipeline = "LLVMGPUVectorDistribute",
                               .stages = stages};

} // namespace distaff

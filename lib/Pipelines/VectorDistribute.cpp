//===- VectorDistribute.cpp - Pipeline vector-distribute ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/VectorDistribute.h"
#include "ContractChecks.h"
#include "KernelSubset.h"
#include "StageContracts.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Configure/Search.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Import/Passes.h"
#include "distaff/Launches/Passes.h"
#include "distaff/Layouts/Passes.h"
#include "distaff/Lower/Passes.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/Pipelines/Lower.h"
#include "distaff/Target/Target.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/Passes.h"

namespace distaff {

//===----------------------------------------------------------------------===//
// Passes of a stage
//===----------------------------------------------------------------------===//

void addFormLaunchesStage(OpPassManager &manager,
                          const FormLaunchesStageOptions &options) {
  manager.addPass(createVectorExtAnchorEncodings());
  addForKernels(manager, pcf::isRaisable, [](OpPassManager &passes) {
    passes.addPass(createRaiseWorkgroupLoop());
    // A loop over workgroups allows only vectors beside it.
    passes.addPass(createVectorize());
  });
  manager.addPass(createRaiseIntrinsics({.target = options.target.name.str()}));
  if (options.strictFp)
    manager.addNestedPass<func::FuncOp>(createStrictFp());
  // Matrix instructions are chosen for vector.contract.
  manager.addNestedPass<func::FuncOp>(createContractToVector());
  // From here on vectors on tensors are vectors on memrefs.
  manager.addPass(createBufferize({.ofVectors = true}));
  // Runs while layouts exist; a CPU has none (VX-201).
  if (options.target.isHost())
    manager.addPass(createRaiseLaneCode());
  manager.addPass(createFormLaunches(
      {.target = options.target.name.str(),
       .strictFp = options.strictFp,
       .reservedSubgroups = options.reservedSubgroups,
       .clusters = options.clusters,
       .producers = options.producers},
      options.rankers ? options.rankers : makeRankers(), options.log));
}

void addConfigureStage(OpPassManager &manager,
                       const ConfigureStageOptions &options) {
  manager.addPass(
      createConfigure({.target = options.target.name.str(),
                       .strictFp = options.strictFp,
                       .reservedSubgroups = options.reservedSubgroups,
                       .clusters = options.clusters,
                       .producers = options.producers},
                      options.rankers, options.log));
}

void addTileStage(OpPassManager &manager, const TileStageOptions &options) {
  // Masked ops have no slices.
  if (options.target.isHost())
    manager.addNestedPass<func::FuncOp>(createLowerMasks());
  manager.addPass(createTileVectors(
      {.target = options.target.name.str(), .strictFp = options.strictFp},
      options.log));
  manager.addPass(createTile({.target = options.target.name.str(),
                              .strictFp = options.strictFp,
                              .peel = options.peel}));
}

void addVectorizeStage(OpPassManager &manager) {
  // Ensures that no tensor has a layout when it becomes a memref.
  manager.addPass(createVectorExtVectorizeToLayout());
  manager.addPass(createVectorize());
}

void addAssignLayoutsStage(OpPassManager &manager,
                           const AssignLayoutsStageOptions &options) {
  manager.addPass(createBufferize());
  // The accesses determine the layouts.
  manager.addNestedPass<func::FuncOp>(
      createVersionRowAlignment({.target = options.target.name.str()}));
  manager.addPass(
      createAssignLayouts({.target = options.target.name.str(),
                           .strictFp = options.strictFp,
                           .requireAnchors = options.requireAnchors,
                           .stagesOperands = options.stagesOperands},
                          options.log));
}

void addDistributeStage(OpPassManager &manager,
                        const DistributeStageOptions &options) {
  DistributePassOptions distribute;
  distribute.target = options.target.name.str();
  distribute.strictFp = options.strictFp;
  manager.addPass(createDistributePass(distribute, options.log));
  manager.addNestedPass<func::FuncOp>(createMapForall());
  manager.addPass(createWriteLaneKernels());
}

//===----------------------------------------------------------------------===//
// State of the IR
//===----------------------------------------------------------------------===//

static bool isTiled(FunctionOpInterface kernel) {
  // A kernel with ops of pcf is on another pipeline.
  return findGridFunction(kernel) && !startsWorkers(kernel);
}

static bool hasTensorLayout(Operation *op) {
  return isa<vector_ext::ToLayoutOp>(op) &&
         isa<TensorType>(op->getResult(0).getType());
}

bool isVectorized(FunctionOpInterface kernel) {
  return isTiled(kernel) &&
         !contains(kernel, llvm::IsaPred<linalg::LinalgOp>) &&
         !contains(kernel, hasTensorLayout);
}

/// Returns whether the layouts are complete; then they are not chosen again.
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
// Stages
//===----------------------------------------------------------------------===//

const Stage formLaunchesStage =
    formLaunchesRow([](OpPassManager &manager, const PipelineOptions &options) {
      addFormLaunchesStage(manager, {*options.target, options.rankers,
                                     options.strictFp, options.log});
    });

const Stage configureStage =
    configureRow([](OpPassManager &manager, const PipelineOptions &options) {
      addConfigureStage(manager, {*options.target, options.rankers,
                                  options.strictFp, options.log});
    });

const Stage tileStage = {
    .name = "tile",
    .contract = "linalg is inside one workgroup-mapped loop on static tiles, "
                "and every kernel has its grid function",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addTileStage(manager,
                       {*options.target, options.strictFp, options.log});
        },
    .verify = verifyTiled,
    .isBehind = isTiled};

const Stage vectorizeStage = {
    .name = "vectorize",
    .contract = "no linalg op is left",
    .before = Level::Grid,
    .after = Level::Grid,
    .add = [](OpPassManager &manager,
              const PipelineOptions &) { addVectorizeStage(manager); },
    .verify = verifyVectorized,
    .isBehind = isVectorized};

static const Stage assignLayouts = {
    .name = "assign-layouts",
    .contract = "no tensor is left, and to_layout ops determine every vector's "
                "layout",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addAssignLayoutsStage(manager, {*options.target, options.strictFp,
                                          options.requireAnchors, options.log});
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
        [](OpPassManager &manager, const PipelineOptions &options) {
          addDistributeStage(manager,
                             {*options.target, options.strictFp, options.log});
        },
    .verify = verifyDistributed,
    .isBehind = isDistributed};

static const Stage *const vectorDistributeStages[] = {
    &formLaunchesStage, &configureStage, &tileStage,  &vectorizeStage,
    &assignLayouts,     &distribute,     &lowerStage, &convertStage};

const Pipeline vectorDistribute = {.name = "vector-distribute",
                                   .attribute = "LLVMGPUVectorDistribute",
                                   .stages = vectorDistributeStages};

} // namespace distaff

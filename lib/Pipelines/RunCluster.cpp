//===- RunCluster.cpp - Stages of the pipeline run-cluster ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/RunCluster.h"
#include "RunClusterContracts.h"
#include "StageContracts.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/Pipelines/Lower.h"
#include "distaff/Target/Target.h"

namespace distaff {

static ConfigureClustersStageOptions
optionsForClusters(const PipelineOptions &options) {
  return {*options.target, options.rankers, options.strictFp,
          options.specialization, options.log};
}

static const Stage formLaunches =
    formLaunchesRow([](OpPassManager &manager, const PipelineOptions &options) {
      addFormClusterLaunchesStage(manager, optionsForClusters(options));
    });

static const Stage configure =
    configureRow([](OpPassManager &manager, const PipelineOptions &options) {
      addConfigureClustersStage(manager, optionsForClusters(options));
    });

static const Stage tile = {
    .name = "tile",
    .contract = "linalg is inside one pcf.loop over workgroups, which reads no "
                "result that it writes, and every kernel has its grid function",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addTileToLoopStage(manager, {*options.target, options.strictFp,
                                       options.requireAnchors,
                                       options.specialization, options.log});
        },
    .verify = verifyTiledToLoop,
    .isBehind = isTiledToLoop};

static const Stage wrapInExecutor = {
    .name = "wrap-in-executor",
    .contract = "ops on tensors in a loop over workgroups are run by the "
                "workgroup's subgroups",
    .before = Level::Grid,
    .after = Level::Grid,
    .add = [](OpPassManager &manager,
              const PipelineOptions &) { addWrapInExecutorStage(manager); },
    .verify = verifyWrapped,
    .isBehind = isWrapped};

static const Stage formMatmulPhases = {
    .name = "form-matmul-phases",
    .contract = "linalg that subgroups run together is in phases",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addFormMatmulPhasesStage(manager, {options.specialization});
        },
    .verify = verifyFlowFormed,
    .isBehind = isFlowFormed};

static const Stage promoteToSharedMemory = {
    .name = "promote-to-shared-memory",
    .contract = "promoted operands of contractions are read from panels",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addPromoteToSharedMemoryStage(
              manager, {*options.target, options.specialization});
        },
    .verify = verifyCopied};

static const Stage specialize = {
    .name = "specialize",
    .contract = "linalg that subgroups run together is in phases, of all of "
                "them or of a cluster",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addSpecializeStage(manager, {*options.target, options.strictFp,
                                       options.specialization, options.log});
        },
    .verify = verifySpecialized,
    .specializes = true};

static const Stage distributeSubgroups = {
    .name = "distribute-subgroups",
    .contract = "every subgroup runs its own part: no executor, phase or "
                "cluster of subgroups is left",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addDistributeSubgroupsStage(manager, {*options.target});
        },
    .verify = verifySubgroupsDistributed,
    .isBehind = isSubgroupsDistributed};

static const Stage distributeLanes = {
    .name = "distribute-lanes",
    .contract = "every lane runs its own part: no executor, phase or cluster "
                "is left",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addDistributeLanesStage(
              manager, {*options.target, options.strictFp, options.log});
        },
    .verify = verifyLanesDistributed,
    .isBehind = isLanesDistributed};

static const Stage vectorize = {
    .name = "vectorize",
    .contract = "no linalg op is left, and no tensor inside a loop over "
                "workgroups",
    .before = Level::Grid,
    .after = Level::Grid,
    .add = [](OpPassManager &manager,
              const PipelineOptions &) { addVectorizeLanesStage(manager); },
    .verify = verifyLanesVectorized,
    .isBehind = isLanesVectorized};

static const Stage concretize = {
    .name = "concretize",
    .contract = "every kernel is the program of one lane, a gpu.func; no op of "
                "pcf and no tensor is left",
    .before = Level::Grid,
    .after = Level::Lane,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addConcretizeStage(manager, {*options.target, options.log});
        },
    .verify = verifyConcrete,
    .isBehind = isConcrete};

static const Stage *const runClusterStages[] = {
    &formLaunches,   &configure,           &tile,
    &wrapInExecutor, &formMatmulPhases,    &promoteToSharedMemory,
    &specialize,     &distributeSubgroups, &distributeLanes,
    &vectorize,      &concretize,          &lowerStage,
    &convertStage};

const Pipeline runCluster = {.name = "run-cluster",
                             .attribute = "RunClusterDistribute",
                             .stages = runClusterStages};

} // namespace distaff

//===- RunCluster.cpp - Phases and clusters of a workgroup ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/RunCluster.h"
#include "KernelSubset.h"
#include "RunClusterContracts.h"
#include "StageContracts.h"
#include "VerifyUnpartitioned.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Configure/Search.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Import/Passes.h"
#include "distaff/Layouts/Passes.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/Pipelines/Lower.h"
#include "distaff/Pipelines/VectorDistribute.h"
#include "distaff/Target/Target.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

namespace distaff {

static constexpr StringLiteral subgroupScope = "#iree_gpu.subgroup_scope";
static constexpr StringLiteral laneScope = "#iree_gpu.lane_scope";

/// Layouts are those of the vectors' anchors; this one is of one element.
static constexpr StringLiteral byLayouts =
    "#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], "
    "outer_tile = [1], thread_tile = [1], element_tile = [1], "
    "subgroup_strides = [0], thread_strides = [0]>";

/// Tiles that a specialized workgroup takes one after the other.
static constexpr int64_t tilesAhead = 4;

/// Into how many clusters ping-pong splits a workgroup's work.
static constexpr int64_t numHalves = 2;

/// How many steps of the reduction have their panels at a time.
static int64_t slotsOf(Specialization specialization) {
  return specialization == Specialization::None ? 1 : 2;
}

/// Subgroups that copy, besides those that compute.
static int64_t producersOf(Specialization specialization) {
  return specialization == Specialization::ProducerConsumer ? 4 : 0;
}

/// Clusters that each have what one tile takes.
static int64_t clustersOf(Specialization specialization) {
  return specialization == Specialization::PingPong ? numHalves : 1;
}

/// Subgroups beside those that a kernel on vectors is configured for:
/// producers, or a second cluster.
static int64_t reservedBeside(Specialization specialization,
                              const Target &target) {
  if (specialization == Specialization::PingPong)
    return target.maxWorkgroupSize / target.subgroupSize / numHalves;
  return producersOf(specialization);
}

/// Tiles that a workgroup of a kernel on vectors takes.
static int64_t tilesOf(Specialization specialization) {
  switch (specialization) {
  case Specialization::None:
    return 1;
  case Specialization::ProducerConsumer:
    return tilesAhead;
  case Specialization::PingPong:
    return numHalves;
  }
  llvm_unreachable("all are listed");
}

/// Upstream's canonical forms but one: what is added to a product is not what
/// its sums begin with. They round differently then, and a bias, read behind
/// the last barrier, would hold up all sums: 16 steps of f64 panels in
/// registers until there, and 2.2 KB spilled on sm_80.
static void addCanonicalizer(OpPassManager &manager) {
  SimplifyOptions options;
  options.disabledPatterns = {"CanonicalizeContractAdd<mlir::arith::AddFOp>",
                              "CanonicalizeContractAdd<mlir::arith::AddIOp>"};
  manager.addNestedPass<func::FuncOp>(createSimplify(options));
}

//===----------------------------------------------------------------------===//
// What a stage does
//===----------------------------------------------------------------------===//

/// Whether the phases of a kernel are formed of one product on tensors, or are
/// the author's. Others are formed of the vectors of a workgroup.
static bool hasTensorPhases(func::FuncOp kernel) {
  if (startsWorkers(kernel))
    return true;
  // Boxes of subgroups are chosen for products alone.
  return kernel
      ->walk([](linalg::LinalgOp op) {
        auto config = op->getAttrOfType<iree::LoweringConfigAttr>(
            iree::LoweringConfigAttr::attributeName);
        return config && config.getAttributes().contains("subgroup")
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasVectorPhases(func::FuncOp kernel) {
  return !hasTensorPhases(kernel);
}

static void addConfigureProducts(OpPassManager &manager,
                                 const ConfigureClustersStageOptions &options) {
  ConfigureClustersOptions configure;
  configure.target = options.target.name.str();
  configure.strictFp = options.strictFp;
  // While some copy to one panel, others compute with the one before.
  configure.panelSlots = slotsOf(options.specialization);
  configure.clusters = clustersOf(options.specialization);
  configure.producers = producersOf(options.specialization);
  manager.addPass(createConfigureClusters(configure, options.log));
}

/// Whether a kernel starts workers. A loop over workgroups without phases that
/// lacks its grid function or the workgroup's size is a kernel like any other:
/// configure and tile make them (PCF-137).
static bool isTiledToLoop(FunctionOpInterface kernel) {
  if (!startsWorkers(kernel))
    return false;
  auto source = dyn_cast<func::FuncOp>(*kernel);
  return !source || !pcf::isRaisable(source) ||
         (findGridFunction(kernel) && launchSizesOf(kernel).workgroup);
}

void addConfigureClustersStage(OpPassManager &manager,
                               const ConfigureClustersStageOptions &options) {
  manager.addPass(createVectorExtAnchorEncodings());
  manager.addPass(createRaiseIntrinsics({.target = options.target.name.str()}));
  if (options.strictFp)
    manager.addNestedPass<func::FuncOp>(createStrictFp());
  auto isProduct = [target = &options.target](func::FuncOp kernel) {
    return isTiledToLoop(kernel) || isOneProduct(kernel, *target);
  };
  addForKernels(manager, isProduct, [&](OpPassManager &passes) {
    addConfigureProducts(passes, options);
  });
  // Launches that become of others stay with them.
  addForKernels(
      manager, [=](func::FuncOp kernel) { return !isProduct(kernel); },
      [&](OpPassManager &passes) {
        addConfigureStage(
            passes, {options.target, options.strictFp, options.log,
                     reservedBeside(options.specialization, options.target),
                     clustersOf(options.specialization),
                     producersOf(options.specialization)});
      });
}

void addTileToLoopStage(OpPassManager &manager,
                        const TileToLoopStageOptions &options) {
  addForKernels(manager, hasVectorPhases, [&](OpPassManager &passes) {
    // Steps that are alike can be copied ahead, and a peeled one cannot.
    addTileStage(passes, {options.target, options.strictFp, /*log=*/nullptr,
                          options.specialization == Specialization::None});
    // The upper pipeline verifies sizes between these stages, too: a tile of a
    // dynamic extent may be all of it.
    passes.addPass(createVerifySizesPass());
    addVectorizeStage(passes);
    AssignLayoutsStageOptions assign{options.target};
    assign.strictFp = options.strictFp;
    assign.requireAnchors = options.requireAnchors;
    // Panels of phases are what stages them here.
    assign.stagesOperands = false;
    assign.log = options.log;
    addAssignLayoutsStage(passes, assign);
    // What is copied ahead is the next tile's, where a tile has no steps. Who
    // takes turns has a tile each.
    WorkgroupLoopOptions loop;
    loop.steps = tilesOf(options.specialization);
    loop.anyProgram = options.specialization == Specialization::PingPong;
    passes.addPass(createWorkgroupLoop(loop));
  });
  addForKernels(manager, hasTensorPhases, [&](OpPassManager &passes) {
    passes.addPass(createTileToPCF({.target = options.target.name.str()}));
  });
}

void addWrapInExecutorStage(OpPassManager &manager) {
  manager.addPass(createWrapInExecutor());
}

/// What is advised where two clusters cannot take turns.
static constexpr StringLiteral insteadOfTurns =
    "or let producers copy ahead, by --specialize=producer-consumer";

static bool isAnyKernel(func::FuncOp) { return true; }

static void addArrangeInMemory(OpPassManager &manager, StringRef scope) {
  PCFArrangeInMemoryOptions arrange;
  arrange.scope = scope.str();
  manager.addPass(createPCFArrangeInMemory(arrange));
}

/// The passes that make collective code of a scope phases.
static void addFormCollectivePhases(OpPassManager &manager, StringRef scope) {
  manager.addPass(createPCFDecomposeAggregates());
  addArrangeInMemory(manager, scope);
  PCFBoundExtentsOptions bound;
  bound.scope = scope.str();
  manager.addPass(createPCFBoundExtents(bound));
  PCFMaterializeOperandsOptions materialize;
  materialize.scope = scope.str();
  manager.addPass(createPCFMaterializeOperands(materialize));
  PCFFormCollectivePhasesOptions form;
  form.scope = scope.str();
  manager.addPass(createPCFFormCollectivePhases(form));
}

void addFormMatmulPhasesStage(OpPassManager &manager,
                              const FormMatmulPhasesStageOptions &options) {
  manager.addPass(createFormMatmulPhases());
  if (options.specialization == Specialization::PingPong)
    addAdvisedForKernels(manager, isAnyKernel, insteadOfTurns,
                         [](OpPassManager &passes) {
                           passes.addPass(createPCFPingPongBarriers());
                         });
  // From here on a phase is of one group.
  manager.addPass(createPCFMergeGroups());
  // Of vectors, and of kernels that enter with executors.
  manager.addPass(createAnchorPayload());
  addFormCollectivePhases(manager, subgroupScope);
}

void addPromoteToSharedMemoryStage(
    OpPassManager &manager, const PromoteToSharedMemoryStageOptions &options) {
  manager.addPass(
      createPromoteToSharedMemory({.target = options.target.name.str()}));
  StageReadsOptions stage;
  stage.target = options.target.name.str();
  stage.slots = slotsOf(options.specialization);
  // Of two tiles, each has panels of its own.
  if (options.specialization == Specialization::PingPong)
    stage.slots = stage.slots * numHalves;
  stage.all = options.specialization != Specialization::None;
  // Who copies ahead needs something to copy.
  stage.ahead = options.specialization == Specialization::ProducerConsumer;
  manager.addPass(createStageReads(stage));
}

/// Panels of the next step are filled while one is computed with.
static void addMultiBuffer(OpPassManager &manager,
                           Specialization specialization) {
  PCFMultiBufferOptions buffer;
  buffer.depth = slotsOf(specialization);
  manager.addPass(createPCFMultiBuffer(buffer));
}

/// Whether steps of a loop fill panels.
static bool fillsPanelsInLoops(func::FuncOp kernel) {
  return kernel
      ->walk([](pcf::WriteSliceOp write) {
        auto phase = write->getParentOfType<pcf::RunClusterOp>();
        return phase && isa<scf::ForOp>(phase->getParentOp())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether phases multiply vectors in the steps of a loop.
static bool multipliesVectors(func::FuncOp kernel) {
  return kernel
      ->walk([](vector::ContractionOp op) {
        return op->getParentOfType<pcf::RunClusterOp>()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The passes that share the phases of a kernel out between those that fill
/// panels and those that compute with them (PCF-185).
static void addProducers(OpPassManager &manager, const Target &target) {
  constexpr auto specialization = Specialization::ProducerConsumer;
  manager.addPass(createVerifyUnpartitioned());
  addMultiBuffer(manager, specialization);
  PCFSpecializeProducersOptions separate;
  separate.producers = std::to_string(producersOf(specialization));
  manager.addPass(createPCFSpecializeProducers(separate));
  PCFTileCopiesOptions tile;
  tile.target = target.name.str();
  tile.workers = producersOf(specialization);
  manager.addPass(createPCFTileCopies(tile));
}

/// The passes that let two clusters take turns: they have a tile each, of
/// vectors, or halves of one.
static void addPingPong(OpPassManager &manager) {
  constexpr auto specialization = Specialization::PingPong;
  addForKernels(manager, multipliesVectors, [&](OpPassManager &passes) {
    passes.addPass(createPCFJamTiles());
    addForKernels(passes, fillsPanelsInLoops, [&](OpPassManager &filling) {
      addMultiBuffer(filling, specialization);
    });
    passes.addPass(createPCFUnifyFences());
    passes.addPass(createPCFSkewCluster());
  });
  addForKernels(
      manager, [](func::FuncOp kernel) { return !multipliesVectors(kernel); },
      [&](OpPassManager &passes) {
        addMultiBuffer(passes, specialization);
        passes.addPass(createPCFPrefetchPanelReads());
        passes.addPass(createPCFSplitThreadgroup());
        passes.addPass(createPCFSkewCluster());
      });
}

/// Whether phases of all subgroups pass panels on, so that some of the
/// subgroups could fill them; phases of clusters are the author's.
static bool hasWorkForClusters(func::FuncOp kernel) {
  bool hasPhases = false, hasPanels = false, hasClusters = false;
  kernel->walk([&](pcf::SharedExecutorOp executor) {
    hasPanels |= !executor.getLeadingArgs().empty();
  });
  kernel->walk([&](pcf::RunClusterOp) { hasPhases = true; });
  kernel->walk([&](pcf::TileGroupOp) { hasClusters = true; });
  return hasPanels || hasClusters || !hasPhases;
}

void addSpecializeStage(OpPassManager &manager,
                        const SpecializeStageOptions &options) {
  // Of kernels that enter with phases.
  manager.addPass(createPCFDecomposeAggregates());
  // From here on barriers alone say that a copy is complete.
  manager.addPass(createPCFResolveCopyTokens());
  std::string target = options.target.name.str();
  manager.addPass(createCompleteLaunch({target}));
  if (options.specialization != Specialization::None) {
    // What follows knows handles of one kind of payload.
    manager.addPass(createPCFSeparatePayload());
    if (options.specialization == Specialization::PingPong) {
      addAdvisedForKernels(manager, isAnyKernel,
                           "leave out --specialize to use these clusters",
                           [](OpPassManager &passes) {
                             passes.addPass(createVerifyUnpartitioned());
                           });
      addAdvisedForKernels(manager, isAnyKernel, insteadOfTurns, addPingPong);
    } else // Of others, stage promote-to-shared-memory has warned.
      addAttemptForKernels(
          manager, hasWorkForClusters,
          "the kernel is compiled as without --specialize",
          [&](OpPassManager &passes) { addProducers(passes, options.target); });
  }
  // Of kernels that enter with phases; formed ones begin as nothing.
  manager.addPass(createPCFCopyInits());
  manager.addPass(
      createConfigurePhases({target, options.strictFp}, options.log));
  if (options.log)
    manager.addPass(createRecordPhases(*options.log));
}

void addDistributeSubgroupsStage(
    OpPassManager &manager, const DistributeSubgroupsStageOptions &options) {
  PCFDistributeOptions distribute;
  distribute.target = options.target.name.str();
  distribute.scope = subgroupScope.str();
  distribute.implOfVectors = byLayouts.str();
  distribute.virtualMembers = true;
  distribute.insertRelayout = true;
  distribute.barriersOfAll = options.target.barriers.named == 0;
  manager.addPass(createPCFDistribute(distribute));
  PCFResolveClustersOptions resolve;
  resolve.telescopeTo = laneScope.str();
  manager.addPass(createPCFResolveClusters(resolve));
}

void addDistributeLanesStage(OpPassManager &manager,
                             const DistributeLanesStageOptions &options) {
  // Of kernels that enter with code of their subgroups.
  std::string target = options.target.name.str();
  manager.addPass(createCompleteLaunch({target}));
  manager.addPass(createPCFCopyInits());
  PCFTelescopeWorkersOptions telescope;
  telescope.to = laneScope.str();
  manager.addPass(createPCFTelescopeWorkers(telescope));
  PCFTileReducedProductsOptions tile;
  tile.scope = laneScope.str();
  tile.target = target;
  manager.addPass(createPCFTileReducedProducts(tile));
  // Before extents are bounded.
  addArrangeInMemory(manager, laneScope);
  // Rounds are bounded op by op, which a softmax has no rule for.
  manager.addPass(createPCFDecomposeAggregates());
  manager.addPass(createPCFRunWorkersInRounds({target}));
  addFormCollectivePhases(manager, laneScope);
  manager.addPass(
      createConfigurePhases({target, options.strictFp}, options.log));
  PCFDistributeOptions distribute;
  distribute.target = target;
  distribute.scope = laneScope.str();
  distribute.implOfVectors = byLayouts.str();
  distribute.insertRelayout = true;
  manager.addPass(createPCFDistribute(distribute));
  manager.addPass(createPCFResolveClusters());
  // What subgroups' code does to memory without tensors.
  PCFElectWritersOptions elect;
  elect.to = laneScope.str();
  manager.addPass(createPCFElectWriters(elect));
}

void addVectorizeLanesStage(OpPassManager &manager) {
  // Of phases that were written by hand; configure does it for kernels.
  manager.addPass(createConvertElementwiseToLinalgPass());
  manager.addPass(createVectorize());
  // Sizes of what is cut off and of what is written are equal as values.
  manager.addPass(createCSEPass());
  manager.addPass(createPCFVectorizeSlices());
  // Slices that nobody reads any more, and equal ones.
  addCanonicalizer(manager);
  manager.addPass(createCSEPass());
}

void addConcretizeStage(OpPassManager &manager,
                        const ConcretizeStageOptions &options) {
  // The last time that barriers stand where they were put.
  manager.addPass(createPCFVerifyBarriers());
  manager.addPass(createPCFResolveTokens());
  manager.addPass(createPCFEliminateDeadInits());
  manager.addPass(createPCFVerifyInits());
  manager.addPass(createBufferize());
  manager.addPass(createPCFConvertSRefToMemRef());
  manager.addPass(createPCFLowerStructural());
  // Every workgroup runs its share of the tiles, one after the other.
  manager.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  manager.addPass(createMapGrid());
  manager.addPass(createWriteLaneKernels());
  // Casts between equal layouts, and loops that run once.
  addCanonicalizer(manager);
  manager.addPass(createCSEPass());
}

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

static const Stage configure =
    configureRow([](OpPassManager &manager, const PipelineOptions &options) {
      addConfigureClustersStage(manager, {*options.target, options.strictFp,
                                          options.specialization, options.log});
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

static const Stage *const runClusterStages[] = {&configure,
                                                &tile,
                                                &wrapInExecutor,
                                                &formMatmulPhases,
                                                &promoteToSharedMemory,
                                                &specialize,
                                                &distributeSubgroups,
                                                &distributeLanes,
                                                &vectorize,
                                                &concretize,
                                                &lowerStage,
                                                &convertStage};

const Pipeline runCluster = {.name = "run-cluster",
                             .attribute = "RunClusterDistribute",
                             .stages = runClusterStages};

} // namespace distaff

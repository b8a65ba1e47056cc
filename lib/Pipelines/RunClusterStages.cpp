//===- RunClusterStages.cpp - Passes of the run-cluster stages ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelSubset.h"
#include "RunClusterContracts.h"
#include "StageContracts.h"
#include "VerifyUnpartitioned.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Import/Passes.h"
#include "distaff/Launches/Passes.h"
#include "distaff/Launches/PrepareKernel.h"
#include "distaff/Layouts/Passes.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/Pipelines/Lower.h"
#include "distaff/Pipelines/RunCluster.h"
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

/// Requests the layouts of the vectors' anchors; this layout has one element.
static constexpr StringLiteral byLayouts =
    "#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], "
    "outer_tile = [1], thread_tile = [1], element_tile = [1], "
    "subgroup_strides = [0], thread_strides = [0]>";

/// The number of tiles that a specialized workgroup computes, one after the
/// other.
static constexpr int64_t tilesAhead = 4;

/// The number of clusters into which ping-pong splits a workgroup's work.
static constexpr int64_t numHalves = 2;

/// Returns the number of reduction steps that have panels at a time.
static int64_t slotsOf(Specialization specialization) {
  return specialization == Specialization::None ? 1 : 2;
}

/// Returns the number of subgroups that copy, besides those that compute.
static int64_t producersOf(Specialization specialization) {
  return specialization == Specialization::ProducerConsumer ? 4 : 0;
}

/// Returns the number of clusters that each have the resources of one tile.
static int64_t clustersOf(Specialization specialization) {
  return specialization == Specialization::PingPong ? numHalves : 1;
}

/// Returns the number of subgroups besides those that a kernel on vectors is
/// configured for: producers, or a second cluster.
static int64_t reservedBeside(Specialization specialization,
                              const Target &target) {
  if (specialization == Specialization::PingPong)
    return target.maxWorkgroupSize / target.subgroupSize / numHalves;
  return producersOf(specialization);
}

/// Returns the number of tiles that a workgroup of a kernel on vectors
/// computes.
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

/// Adds upstream's canonicalization except one pattern: the accumulator of a
/// product is not initialized with what is added to the product. The sums would
/// round differently, and a bias, read after the last barrier, would delay all
/// sums: 16 steps of f64 panels in registers until there, and 2.2 KB spilled on
/// sm_80.
static void addCanonicalizer(OpPassManager &manager) {
  SimplifyOptions options;
  options.disabledPatterns = {"CanonicalizeContractAdd<mlir::arith::AddFOp>",
                              "CanonicalizeContractAdd<mlir::arith::AddIOp>"};
  manager.addNestedPass<func::FuncOp>(createSimplify(options));
}

//===----------------------------------------------------------------------===//
// Passes of a stage
//===----------------------------------------------------------------------===//

/// Returns whether the phases of a kernel are formed of one product on tensors,
/// or are the author's. Other phases are formed of a workgroup's vectors.
static bool hasTensorPhases(func::FuncOp kernel) {
  if (startsWorkers(kernel))
    return true;
  // Subgroup tiles are chosen for products alone.
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
  // Some subgroups copy to one panel while others compute with the one before.
  configure.panelSlots = slotsOf(options.specialization);
  configure.clusters = clustersOf(options.specialization);
  configure.producers = producersOf(options.specialization);
  manager.addPass(createConfigureClusters(configure, options.log));
}

/// Returns the options of both stages for a kernel whose phases are formed of
/// vectors.
static ConfigureStageOptions
optionsForVectors(const ConfigureClustersStageOptions &options) {
  return {options.target,
          options.rankers,
          options.strictFp,
          options.log,
          reservedBeside(options.specialization, options.target),
          clustersOf(options.specialization),
          producersOf(options.specialization)};
}

void addFormClusterLaunchesStage(OpPassManager &manager,
                                 const ConfigureClustersStageOptions &options) {
  manager.addPass(createVectorExtAnchorEncodings());
  manager.addPass(createRaiseIntrinsics({.target = options.target.name.str()}));
  if (options.strictFp)
    manager.addNestedPass<func::FuncOp>(createStrictFp());
  auto isProduct = [target = &options.target](func::FuncOp kernel) {
    return isTiledToLoop(kernel) || isOneProduct(kernel, *target);
  };
  addForKernels(manager, isProduct, [&](OpPassManager &passes) {
    passes.addPass(createNormalizeForPhases(
        {options.target.name.str(), options.strictFp}));
  });
  // A launch that is formed of another kernel may be one product too: only
  // kernels that were one product from the start are marked.
  addForKernels(
      manager,
      [=](func::FuncOp kernel) {
        return !isTiledToLoop(kernel) && !kernel->hasAttr(oneProductName);
      },
      [&](OpPassManager &passes) {
        addFormLaunchesStage(passes, optionsForVectors(options));
      });
}

void addConfigureClustersStage(OpPassManager &manager,
                               const ConfigureClustersStageOptions &options) {
  auto isProduct = [](func::FuncOp kernel) {
    return isTiledToLoop(kernel) || kernel->hasAttr(oneProductName);
  };
  addForKernels(
      manager, [=](func::FuncOp kernel) { return !isProduct(kernel); },
      [&](OpPassManager &passes) {
        addConfigureStage(passes, optionsForVectors(options));
      });
  addForKernels(manager, isProduct, [&](OpPassManager &passes) {
    addConfigureProducts(passes, options);
  });
}

void addTileToLoopStage(OpPassManager &manager,
                        const TileToLoopStageOptions &options) {
  addForKernels(manager, hasVectorPhases, [&](OpPassManager &passes) {
    // Only equal steps can be copied ahead, so no step is peeled.
    addTileStage(passes, {options.target, options.strictFp, /*log=*/nullptr,
                          options.specialization == Specialization::None});
    // The outer pipeline also verifies sizes between these stages: a tile of a
    // dynamic extent may be all of it.
    passes.addPass(createVerifySizesPass());
    addVectorizeStage(passes);
    AssignLayoutsStageOptions assign{options.target};
    assign.strictFp = options.strictFp;
    assign.requireAnchors = options.requireAnchors;
    // Here operands are staged through the panels of phases.
    assign.stagesOperands = false;
    assign.log = options.log;
    addAssignLayoutsStage(passes, assign);
    // If a tile has no steps, the next tile is copied ahead. In a ping-pong
    // schedule each cluster has its own tile.
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

/// The advice if two clusters cannot run a ping-pong schedule.
static constexpr StringLiteral insteadOfTurns =
    "or let producers copy ahead, by --specialize=producer-consumer";

static bool isAnyKernel(func::FuncOp) { return true; }

static void addArrangeInMemory(OpPassManager &manager, StringRef scope) {
  PCFArrangeInMemoryOptions arrange;
  arrange.scope = scope.str();
  manager.addPass(createPCFArrangeInMemory(arrange));
}

/// Adds the passes that split the collective code of a scope into phases.
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
  // Serves phases of vectors, and kernels that enter with executors.
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
  // Each of two tiles has its own panels.
  if (options.specialization == Specialization::PingPong)
    stage.slots = stage.slots * numHalves;
  stage.all = options.specialization != Specialization::None;
  // Producers need something to copy ahead.
  stage.ahead = options.specialization == Specialization::ProducerConsumer;
  manager.addPass(createStageReads(stage));
}

/// Adds double buffering: panels of the next step are filled while one is in
/// use.
static void addMultiBuffer(OpPassManager &manager,
                           Specialization specialization) {
  PCFMultiBufferOptions buffer;
  buffer.depth = slotsOf(specialization);
  manager.addPass(createPCFMultiBuffer(buffer));
}

/// Returns whether steps of a loop fill panels.
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

/// Returns whether phases multiply vectors in the steps of a loop.
static bool multipliesVectors(func::FuncOp kernel) {
  return kernel
      ->walk([](vector::ContractionOp op) {
        return op->getParentOfType<pcf::RunClusterOp>()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds the passes that assign the phases of a kernel to producers, which fill
/// panels, and consumers, which compute with them (PCF-185).
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

/// Adds the passes of the ping-pong schedule of two clusters: each has its own
/// tile, of vectors, or half of one.
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

/// Returns whether phases of all subgroups pass panels on, so that some of the
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
  // Serves kernels that enter with phases.
  manager.addPass(createPCFDecomposeAggregates());
  // From here on only barriers order copies before their readers.
  manager.addPass(createPCFResolveCopyTokens());
  std::string target = options.target.name.str();
  manager.addPass(createCompleteLaunch({target}));
  if (options.specialization != Specialization::None) {
    // Later passes require handles of one kind of payload.
    manager.addPass(createPCFSeparatePayload());
    if (options.specialization == Specialization::PingPong) {
      addAdvisedForKernels(manager, isAnyKernel,
                           "leave out --specialize to use these clusters",
                           [](OpPassManager &passes) {
                             passes.addPass(createVerifyUnpartitioned());
                           });
      addAdvisedForKernels(manager, isAnyKernel, insteadOfTurns, addPingPong);
    } else // Stage promote-to-shared-memory has warned of other kernels.
      addAttemptForKernels(
          manager, hasWorkForClusters,
          "the kernel is compiled as without --specialize",
          [&](OpPassManager &passes) { addProducers(passes, options.target); });
  }
  // Serves kernels that enter with phases; formed ones begin as nothing.
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
  // Serves kernels that enter with code of their subgroups.
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
  // Precedes the bounding of extents.
  addArrangeInMemory(manager, laneScope);
  // Rounds are bounded op by op, and a softmax has no rule for that.
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
  // Handles memory accesses of subgroups' code without tensors.
  PCFElectWritersOptions elect;
  elect.to = laneScope.str();
  manager.addPass(createPCFElectWriters(elect));
}

void addVectorizeLanesStage(OpPassManager &manager) {
  // Serves phases that were written by hand; configure does it for kernels.
  manager.addPass(createConvertElementwiseToLinalgPass());
  manager.addPass(createVectorize());
  // Makes the sizes of slices and of writes equal SSA values.
  manager.addPass(createCSEPass());
  manager.addPass(createPCFVectorizeSlices());
  // Removes slices that no op reads, and merges equal ones.
  addCanonicalizer(manager);
  manager.addPass(createCSEPass());
}

void addConcretizeStage(OpPassManager &manager,
                        const ConcretizeStageOptions &options) {
  // From here on barriers move.
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
  // Folds casts between equal layouts, and loops that run once.
  addCanonicalizer(manager);
  manager.addPass(createCSEPass());
}

} // namespace distaff

//===- Pipelines.cpp - The stages of a kernel's road ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Pipelines.h"
#include "StageContracts.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Analysis/SizeLimits.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Target/Target.h"
#include "distaff/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"

namespace distaff {

void addConfigureStage(OpPassManager &pipeline,
                       const PipelineOptions &options) {
  if (options.strictFp)
    pipeline.addNestedPass<func::FuncOp>(createStrictFp());
  pipeline.addPass(createConfigure(
      {.target = options.target->name.str(), .strictFp = options.strictFp},
      options.log));
}

void addTileStage(OpPassManager &pipeline, const PipelineOptions &options) {
  pipeline.addPass(createTile({.strictFp = options.strictFp}));
}

void addVectorizeStage(OpPassManager &pipeline,
                       const PipelineOptions &options) {
  pipeline.addPass(createVectorize());
}

void addAssignLayoutsStage(OpPassManager &pipeline,
                           const PipelineOptions &options) {
  pipeline.addPass(createBufferize());
  pipeline.addPass(createAssignLayouts(
      {.target = options.target->name.str(), .strictFp = options.strictFp},
      options.log));
}

void addDistributeStage(OpPassManager &pipeline,
                        const PipelineOptions &options) {
  DistributePassOptions distribute;
  distribute.target = options.target->name.str();
  distribute.strictFp = options.strictFp;
  pipeline.addPass(createDistributePass(distribute, options.log));
  pipeline.addNestedPass<func::FuncOp>(createMapForall());
  pipeline.addPass(createWriteLaneKernels());
}

void addLowerStage(OpPassManager &pipeline, const PipelineOptions &options) {
  OpPassManager &kernels =
      pipeline.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
  if (options.strictFp)
    kernels.addPass(createStrictFp());
  // Widths of accesses are proved on plain arithmetic.
  kernels.addPass(createLowerIndices());
  // Equal index expressions become one value, whose facts are found once.
  kernels.addPass(createCSEPass());
  std::string target = options.target->name.str();
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
    pipeline.addPass(createRecordCode(*options.target, *options.log));
}

ArrayRef<Stage> stages() {
  static const Stage table[] = {
      {"configure",
       "every kernel has a workgroup and a subgroup size, and no vector "
       "crosses its border",
       Level::Grid, Level::Grid, addConfigureStage, verifyConfigured},
      {"tile",
       "linalg is inside one workgroup-mapped loop on static tiles, and every "
       "kernel has its grid function",
       Level::Grid, Level::Grid, addTileStage, verifyTiled},
      {"vectorize", "no linalg op is left", Level::Grid, Level::Grid,
       addVectorizeStage, verifyVectorized},
      {"assign-layouts",
       "no tensor is left, and to_layout ops determine every vector's layout",
       Level::Grid, Level::Grid, addAssignLayoutsStage, verifyLayoutsAssigned},
      {"distribute",
       "every kernel is the program of one lane, a gpu.func; vectors are what "
       "it holds, and no layout is mentioned any more",
       Level::Grid, Level::Lane, addDistributeStage, verifyDistributed},
      {"lower",
       "registers are scalars; vectors stand only at wide accesses and at MMA "
       "fragments",
       Level::Lane, Level::Lane, addLowerStage, verifyLowered},
  };
  return table;
}

const Stage *lookupStage(StringRef name) {
  for (const Stage &stage : stages())
    if (stage.name == name)
      return &stage;
  return nullptr;
}

LogicalResult checkLaunch(FunctionOpInterface kernel, const Target &target) {
  // Who needs sizes that are absent says so.
  LaunchSizes sizes = launchSizesOf(kernel);
  if (sizes.subgroup && *sizes.subgroup != target.subgroupSize)
    return kernel.emitOpError("has subgroups of ")
           << *sizes.subgroup << " lanes, those of " << target.name << " have "
           << target.subgroupSize;
  if (sizes.numLanes() > target.maxWorkgroupSize)
    return kernel.emitOpError("has workgroups of ")
           << sizes.numLanes() << " lanes, " << target.name << " has up to "
           << target.maxWorkgroupSize;
  return success();
}

namespace {

LogicalResult verifyLevels(ModuleOp module, Level level) {
  bool ok = true;
  for (FunctionOpInterface kernel : findKernels(module))
    ok &= succeeded(verifyLevel(kernel, level));
  return success(ok);
}

/// Checks IR that a user wrote, or took up again behind a stage.
struct VerifyEntryPass final
    : PassWrapper<VerifyEntryPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyEntryPass)

  VerifyEntryPass(const Stage *before, Level level, const Target &target)
      : before(before), level(level), target(&target) {}

  void getDependentDialects(DialectRegistry &registry) const final {
    vector_ext::registerVectorExt(registry);
  }

  void runOnOperation() final {
    bool ok = succeeded(verifyLevels(getOperation(), level));
    if (before) {
      ok = ok && succeeded(before->verify(getOperation()));
      for (FunctionOpInterface kernel : findKernels(getOperation()))
        ok = ok && succeeded(checkLaunch(kernel, *target));
    }
    if (!ok)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  const Stage *before; ///< null where it has been through none
  Level level;
  const Target *target;
};

} // namespace

void addEntryCheck(OpPassManager &pipeline, const PipelineOptions &options,
                   ArrayRef<Stage> ahead) {
  const Stage *before = ahead.begin() - 1;
  if (ahead.data() == stages().data())
    before = nullptr;
  pipeline.addPass(std::make_unique<VerifyEntryPass>(
      before, before ? before->after : stages().front().before,
      *options.target));
}

void buildPipeline(OpPassManager &pipeline, const PipelineOptions &options,
                   const Stage *last, ArrayRef<Stage> ahead) {
  addEntryCheck(pipeline, options, ahead);
  for (const Stage &stage : ahead) {
    if (last && &stage > last)
      return;
    stage.add(pipeline, options);
    pipeline.addPass(createVerifyStagePass(stage));
  }
}

namespace {

/// Named after its stage, so that a pipeline printed as text tells which.
struct VerifyStagePass final
    : PassWrapper<VerifyStagePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyStagePass)

  explicit VerifyStagePass(const Stage &stage)
      : stage(&stage), argument(("distaff-verify-" + stage.name).str()),
        description(("Check that " + stage.contract).str()) {}

  /// Propagation makes layouts of what has none.
  void getDependentDialects(DialectRegistry &registry) const final {
    vector_ext::registerVectorExt(registry);
  }

  StringRef getArgument() const final { return argument; }
  StringRef getDescription() const final { return description; }

  void runOnOperation() final {
    if (failed(verifySizes(getOperation())) ||
        failed(verifyLevels(getOperation(), stage->after)) ||
        failed(stage->verify(getOperation())))
      signalPassFailure();
    else
      markAllAnalysesPreserved();
  }

private:
  const Stage *stage;
  std::string argument, description;
};

struct VerifySizesPass final : PassWrapper<VerifySizesPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifySizesPass)

  StringRef getArgument() const final { return "distaff-verify-sizes"; }
  StringRef getDescription() const final {
    return "Check that nothing is larger than any machine";
  }

  void runOnOperation() final {
    if (failed(verifySizes(getOperation())))
      signalPassFailure();
    else
      markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createVerifySizesPass() {
  return std::make_unique<VerifySizesPass>();
}

std::unique_ptr<Pass> createVerifyStagePass(const Stage &stage) {
  return std::make_unique<VerifyStagePass>(stage);
}

void registerDistaffPipelines() {
  registerPass(createVerifySizesPass);
  for (const Stage &stage : stages())
    registerPass([&stage] { return createVerifyStagePass(stage); });
}

} // namespace distaff

//===- BuildPipeline.cpp - Building checked pass pipelines ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Analysis/Legality/SizeLimits.h"
#include "distaff/Configure/Search.h"
#include "distaff/Dialect/IREE/InheritedConfig.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Launches/Passes.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace distaff {

LogicalResult checkLaunch(FunctionOpInterface kernel, const Target &target) {
  // Configure drops a kernel's launch attributes for GPUs, and those of a
  // launch chosen by another compiler that do not fit.
  if (target.isHost() || kernel->hasAttr(iree::inheritedConfigName))
    return success();
  // Absent sizes are reported by the stage that needs them.
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

/// Checks IR that a user wrote, or that continues after a stage.
struct VerifyEntryPass final
    : PassWrapper<VerifyEntryPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyEntryPass)

  VerifyEntryPass(const Pipeline &pipeline, ArrayRef<const Stage *> ahead,
                  const PipelineOptions &options)
      : pipeline(&pipeline), ahead(ahead), options(options) {
    ArrayRef<const Stage *> behind = pipeline.stages.drop_back(ahead.size());
    before = behind.empty() ? nullptr : behind.back();
  }

  void getDependentDialects(DialectRegistry &registry) const final {
    vector_ext::registerVectorExt(registry);
  }

  void runOnOperation() final {
    Level level = before ? before->after : ahead.front()->before;
    bool ok = succeeded(verifyLevels(getOperation(), level));
    if (before) {
      ok = ok && succeeded(before->verify(getOperation()));
      for (FunctionOpInterface kernel : findKernels(getOperation()))
        ok = ok && succeeded(checkLaunch(kernel, *options.target));
    }
    ok = ok && succeeded(checkSpecialization());
    if (!ok)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// Refuses a specialization that no stage ahead applies.
  LogicalResult checkSpecialization() {
    auto specializes = [](const Stage *stage) { return stage->specializes; };
    if (options.specialization == Specialization::None ||
        llvm::any_of(ahead, specializes))
      return success();
    FunctionOpInterface kernel = findKernels(getOperation()).front();
    if (llvm::none_of(pipeline->stages, specializes))
      return kernel.emitOpError("takes the pipeline ")
             << pipeline->name << ", on which nothing is specialized; "
             << (pipeline->isOfHost
                     ? "a workgroup of a CPU has no subgroups to specialize"
                     : "--pipeline=run-cluster is the one with clusters");
    return refuseBehind(kernel);
  }

  /// Refuses a specialization if the kernel has passed the stage that
  /// specializes, or if its author wrote the output of that stage: code of
  /// workers.
  static LogicalResult refuseBehind(FunctionOpInterface kernel) {
    pcf::GenericOp workers;
    kernel->walk([&](pcf::GenericOp op) {
      workers = op;
      return WalkResult::interrupt();
    });
    if (workers)
      return workers.emitOpError(
          "is the code of each worker, and --specialize shares out phases of a "
          "group; write them in a 'pcf.shared_executor', or leave out "
          "--specialize");
    return kernel.emitOpError(
        "is behind the stage 'specialize' already; specialize the kernel "
        "before that stage, or leave out --specialize");
  }

  const Pipeline *pipeline;
  ArrayRef<const Stage *> ahead;
  const Stage *before; ///< null if the kernel has passed no stage
  PipelineOptions options;
};

} // namespace

void addEntryCheck(OpPassManager &manager, const PipelineOptions &options,
                   const Pipeline &pipeline, ArrayRef<const Stage *> ahead) {
  manager.addPass(std::make_unique<VerifyEntryPass>(pipeline, ahead, options));
}

void addStage(OpPassManager &manager, const PipelineOptions &options,
              const Stage &stage) {
  stage.add(manager, options);
  manager.addPass(createVerifyStagePass(stage));
}

void buildPipeline(OpPassManager &manager, const PipelineOptions &options,
                   const Pipeline &pipeline, ArrayRef<const Stage *> ahead,
                   const Stage *last) {
  PipelineOptions shared = options;
  if (!shared.rankers)
    shared.rankers = makeRankers();
  addEntryCheck(manager, shared, pipeline, ahead);
  if (!last)
    last = pipeline.lastDefaultStage();
  if (!llvm::is_contained(ahead, last))
    return; // the kernel has passed it
  for (const Stage *stage : ahead) {
    addStage(manager, shared, *stage);
    if (stage == last)
      return;
  }
}

namespace {

/// Returns `distaff-verify-STAGE`, with the pipeline's name if an earlier
/// pipeline has another stage of that name.
std::string verifierName(const Stage &stage) {
  std::string name = "distaff-verify-";
  bool isTaken = false;
  for (const Pipeline *pipeline : allPipelines()) {
    const Stage *known = pipeline->findStage(stage.name);
    if (known == &stage) {
      if (isTaken)
        name += (pipeline->name + "-").str();
      break;
    }
    isTaken |= known != nullptr;
  }
  return name + stage.name.str();
}

/// Verifies a stage's contract. The pass has the stage's name, so that a
/// pipeline printed as text shows which.
struct VerifyStagePass final
    : PassWrapper<VerifyStagePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyStagePass)

  explicit VerifyStagePass(const Stage &stage)
      : stage(&stage), argument(verifierName(stage)),
        description(("Check that " + stage.contract).str()) {}

  /// Registers the dialect whose attributes layout propagation creates.
  void getDependentDialects(DialectRegistry &registry) const final {
    vector_ext::registerVectorExt(registry);
  }

  StringRef getArgument() const final { return argument; }
  StringRef getDescription() const final { return description; }

  void runOnOperation() final {
    if (failed(verify(getOperation())) || failed(verifySizes(getOperation())) ||
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
  registerDistaffLaunches(makeRankers);
  registerPass(createVerifySizesPass);
  llvm::SmallPtrSet<const Stage *, 16> shared;
  for (const Pipeline *pipeline : allPipelines())
    for (const Stage *stage : pipeline->stages)
      if (shared.insert(stage).second)
        registerPass([stage] { return createVerifyStagePass(*stage); });
}

} // namespace distaff

//===- HostPipeline.cpp - Pipeline for CPUs -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/HostPipeline.h"
#include "StageContracts.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Cpu/Passes.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Pipelines/VectorDistribute.h"
#include "distaff/Target/Target.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

namespace distaff {

void addBufferizeStage(OpPassManager &manager) {
  manager.addPass(createBufferize({.onStack = true}));
  manager.addPass(createVectorExtDropLayouts());
}

namespace {
/// Runs passes on kernels, but not on host functions; on functions without a
/// body, which kernels call, it runs the passes for declarations.
struct OnKernels final : PassWrapper<OnKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OnKernels)

  OnKernels(const OpPassManager &passes, const OpPassManager &declarations)
      : passes(passes), declarations(declarations) {}

  StringRef getName() const final { return "OnKernels"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() final {
    for (FunctionOpInterface kernel : findKernels(getOperation()))
      if (failed(runPipeline(passes, kernel)))
        return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isExternal() && !function->hasAttr(hostAttributeName) &&
          failed(runPipeline(declarations, function)))
        return signalPassFailure();
  }

private:
  OpPassManager passes, declarations;
};
} // namespace

void addHostLowerStage(OpPassManager &manager,
                       const HostLowerStageOptions &options) {
  std::string target = options.target.name.str();
  manager.addPass(createVectorExtLowerArgCompare());
  // Packing needs a tile that is one vector.
  manager.addPass(createPackPanels(
      {.target = target, .strictFp = options.strictFp}, options.log));
  OpPassManager kernels(func::FuncOp::getOperationName());
  kernels.addPass(createConvertAhead({.target = target}));
  if (options.strictFp)
    kernels.addPass(createStrictFp());
  kernels.addPass(createLowerMasks());
  // Bounds are proved on plain arithmetic.
  kernels.addPass(createLowerIndices());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLowerVectors(
      {.target = target, .strictFp = options.strictFp}, options.log));
  kernels.addPass(createLowerPackedDots({.target = target}));
  kernels.addPass(createLowerAtomics({.target = target}));
  kernels.addPass(createLowerMath({.ofHost = true}));
  // Removes elements that no op reads, and identities such as x * 1.
  kernels.addPass(createSimplify());
  kernels.addPass(createLowerChecks());
  kernels.addPass(createLowerNarrowFloats({.target = target}));
  kernels.addPass(createCSEPass());
  // From here on kernels pass vectors flattened.
  OpPassManager declarations(func::FuncOp::getOperationName());
  declarations.addPass(createLowerVectors({.target = target}));
  manager.addPass(std::make_unique<OnKernels>(kernels, declarations));
  if (options.log)
    manager.addPass(createRecordCode(options.target, *options.log));
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static const Stage bufferize = {
    .name = "bufferize",
    .contract = "no tensor and no layout is left",
    .before = Level::Grid,
    .after = Level::Grid,
    .add = [](OpPassManager &manager,
              const PipelineOptions &) { addBufferizeStage(manager); },
    .verify = verifyBufferized,
    .isBehind = isBufferized};

static const Stage lower = {
    .name = "lower",
    .contract = "vectors have one dim, and fit the machine's registers",
    .before = Level::Grid,
    .after = Level::Grid,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addHostLowerStage(manager,
                            {*options.target, options.strictFp, options.log});
        },
    .verify = verifyHostLowered};

static const Stage *const hostStages[] = {&formLaunchesStage, &configureStage,
                                          &tileStage,         &vectorizeStage,
                                          &bufferize,         &lower};

const Pipeline hostPipeline = {
    .name = "host", .attribute = "CPU", .stages = hostStages, .isOfHost = true};

} // namespace distaff

//===- PassAliases.cpp - Pass names of other documents --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/PassAliases.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace distaff;

static constexpr PassAlias aliases[] = {
    // The stages of the proposal (chapter 8 of the pcf specification).
    {"CreateDispatchConfig", "iree-codegen-create-dispatch-config",
     "distaff-configure-clusters"},
    {"GPUApplyWorkgroupTiling", "iree-codegen-gpu-apply-workgroup-tiling",
     "distaff-tile-to-pcf"},
    {"GPUWrapWorkgroupBody", "iree-codegen-gpu-wrap-workgroup-body",
     "distaff-wrap-in-executor"},
    {"GPUFormRunClusterMatmulFlow",
     "iree-codegen-gpu-form-run-cluster-matmul-flow",
     "distaff-form-matmul-phases"},
    {"GPUIntroduceSharedMemoryCopies",
     "iree-codegen-gpu-introduce-shared-memory-copies",
     "distaff-promote-to-shared-memory"},
    {"PCFDistributeRunClusterToSubgroups",
     "iree-pcf-distribute-run-cluster-to-subgroups",
     "pcf-distribute{scope=#iree_gpu.subgroup_scope},"
     "pcf-resolve-clusters{telescope-to=#iree_gpu.lane_scope}"},
    {"PCFDistributeRunClusterToLanes",
     "iree-pcf-distribute-run-cluster-to-lanes",
     "pcf-distribute{scope=#iree_gpu.lane_scope},pcf-resolve-clusters"},
    {"GenericVectorization", "iree-codegen-generic-vectorization",
     "vector-ext-vectorize-to-layout,distaff-vectorize,pcf-vectorize-slices"},

    // The pcf dialect's own passes, by their original flags.
    {"ConvertForallToLoops", "iree-pcf-convert-forall-to-loops",
     "pcf-convert-forall-to-loops"},
    {"FuseConsumers", "iree-pcf-fuse-consumers", "pcf-fuse-consumers"},
    {"FuseProducers", "iree-pcf-fuse-producers", "pcf-fuse-producers"},
    {"FusePCFWrites", "iree-pcf-fuse-pcf-writes", "pcf-fuse-writes"},
    {"ResolveTokens", "iree-pcf-resolve-tokens", "pcf-resolve-tokens"},
    {"ConvertSRefToMemRef", "iree-pcf-convert-sref-to-memref",
     "pcf-convert-sref-to-memref"},
    {"LowerStructuralPCF", "iree-pcf-lower-structural-pcf",
     "pcf-lower-structural"},

    // The walkthrough's pipeline, P1 to P14 of the vector distribution
    // specification.
    {"LLVMGPUSelectLoweringStrategy", "iree-llvmgpu-select-lowering-strategy",
     "distaff-configure"},
    {"TileAndDistributeToWorkgroupsUsingForallOp",
     "iree-codegen-tile-and-distribute-to-workgroups-using-forall-op",
     "distaff-tile"},
    {"IREEComprehensiveBufferize", "iree-codegen-iree-comprehensive-bufferize",
     "distaff-bufferize"},
    {"LLVMGPUConfigureTensorLayouts", "iree-llvmgpu-configure-tensor-layouts",
     "distaff-assign-layouts"},
    {"LLVMGPUVectorDistribute", "iree-llvmgpu-vector-distribute",
     "distaff-distribute"},
    {"ExpandGPUOps", "iree-codegen-expand-gpu-ops",
     "gpu.module(gpu.func(distaff-lower-lane-exchange))"},
    {"LLVMGPUVectorLowering", "iree-llvmgpu-vector-lowering",
     "gpu.module(gpu.func(distaff-lower-vectors))"},
    {"ConvertToNVVM", "iree-convert-to-nvvm", "distaff-convert-gpu-to-nvvm"},
    {"ConvertToROCDL", "iree-convert-to-rocdl", "distaff-convert-gpu-to-rocdl"},
};

namespace {
/// A former flag of a pass.
struct FormerFlag {
  StringLiteral flag, passes;
};
} // namespace

static constexpr FormerFlag formerFlags[] = {
    {"distaff-wrap", "distaff-wrap-in-executor"},
    {"distaff-form-flow", "distaff-form-matmul-phases"},
    {"distaff-copies", "distaff-promote-to-shared-memory"},
    {"distaff-verify-wrap", "distaff-verify-wrap-in-executor"},
    {"distaff-verify-form-flow", "distaff-verify-form-matmul-phases"},
    {"distaff-verify-copies", "distaff-verify-promote-to-shared-memory"},
    {"pcf-shear-cluster", "pcf-skew-cluster"},
    {"pcf-drop-unseen-inits", "pcf-eliminate-dead-inits"},
    {"pcf-separate-turns", "pcf-ping-pong-barriers"},
    {"pcf-separate-producers", "pcf-specialize-producers"},
    {"pcf-separate-reads", "pcf-prefetch-panel-reads"},
};

bool PassAlias::takesOptions() const {
  return !passes.contains_insensitive(',');
}

ArrayRef<PassAlias> distaff::allPassAliases() { return aliases; }

/// Returns the passes with the alias's options appended to the one pass.
static FailureOr<std::string>
withOptions(const PassAlias &alias, StringRef name, StringRef options,
            function_ref<LogicalResult(const Twine &)> errorHandler) {
  std::string passes = alias.passes.str();
  if (options.empty())
    return passes;
  if (!alias.takesOptions())
    return errorHandler("'" + name + "' stands for '" + passes +
                        "' and takes no options; name these passes to give "
                        "them options");
  size_t end = passes.find(')');
  passes.insert(end == std::string::npos ? passes.size() : end,
                ("{" + options + "}").str());
  return passes;
}

static void registerAlias(const PassAlias &alias, StringRef name,
                          StringRef kind = "Alias of") {
  auto add = [&alias,
              name](OpPassManager &manager, StringRef options,
                    function_ref<LogicalResult(const Twine &)> errorHandler)
      -> LogicalResult {
    FailureOr<std::string> passes =
        withOptions(alias, name, options, errorHandler);
    if (failed(passes))
      return failure();
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (failed(parsePassPipeline(*passes, manager, stream)))
      return errorHandler("'" + name + "' stands for '" + *passes +
                          "': " + StringRef(message).rtrim());
    return success();
  };
  registerPassPipeline(name, (kind + " '" + alias.passes + "'").str(), add,
                       [](function_ref<void(const detail::PassOptions &)>) {});
}

void distaff::registerPassAliases() {
  // The registry owns no text, so the lambdas above refer to these strings.
  static const std::vector<std::string> classNames = [] {
    std::vector<std::string> names;
    for (const PassAlias &alias : aliases)
      names.push_back((alias.className + "Pass").str());
    return names;
  }();
  for (auto [alias, className] : llvm::zip_equal(aliases, classNames)) {
    registerAlias(alias, alias.className);
    registerAlias(alias, className);
    registerAlias(alias, alias.flag);
  }
  // The lambdas refer to these strings, too.
  static const std::vector<PassAlias> former = [] {
    std::vector<PassAlias> list;
    for (const FormerFlag &each : formerFlags)
      list.push_back({each.flag, each.flag, each.passes});
    return list;
  }();
  for (const PassAlias &alias : former)
    registerAlias(alias, alias.flag, "Former name of");
}

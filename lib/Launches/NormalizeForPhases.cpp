//===- NormalizeForPhases.cpp - Normalization of one product --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage form-launches of the run-cluster pipeline, for a kernel that is one
// product: it is one launch.
//
//===----------------------------------------------------------------------===//
#include "InheritedConfig.h"
#include "NativeVector.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Legality/UserConfig.h"
#include "distaff/Analysis/Linalg/ContractionKernel.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Launches/Passes.h"
#include "distaff/Launches/PrepareKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_NORMALIZEFORPHASES
#include "distaff/Launches/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using iree::LoweringConfigAttr;

static LogicalResult normalize(func::FuncOp kernel, const Target &machine) {
  if (failed(refuseNativeVectors(
          kernel, "in a kernel of phases, which layouts cut; its tiles are "
                  "said by `lowering_config`")))
    return failure();
  if (startsWorkers(kernel))
    return success();
  if (failed(prepareForClusters(kernel, machine)))
    return failure();
  FailureOr<ContractionKernel> parts = ContractionKernel::match(kernel);
  if (failed(parts))
    return failure();
  if (kernel->hasAttr(LoweringConfigAttr::launchesName))
    return kernel.emitOpError(
        "has `launch_configs`; by this pipeline it is one "
        "launch, which its own `lowering_config` is for");
  kernel->setAttr(oneProductName, UnitAttr::get(kernel.getContext()));
  return moveConfigToRoot(kernel, parts->contraction);
}

namespace {
struct NormalizeForPhases final
    : distaff::impl::NormalizeForPhasesBase<NormalizeForPhases> {
  using NormalizeForPhasesBase::NormalizeForPhasesBase;

  void runOnOperation() override {
    const Target *found = requireTarget(getOperation()->getLoc(), target);
    if (!found)
      return signalPassFailure();
    Target machine = strictFp ? keepingFloatOrder(*found) : *found;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (hasInheritedConfig(kernel)) {
        kernel.emitWarning(
            "the kernel does not follow the tiles that it comes with: "
            "this pipeline tiles its phases by its own rules");
        dropInheritedConfig(kernel);
      }
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel) && failed(normalize(kernel, machine)))
        return signalPassFailure();
  }
};
} // namespace

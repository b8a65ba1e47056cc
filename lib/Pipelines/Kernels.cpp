//===- Kernels.cpp - Finding a module's kernels ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Pipelines/Pipelines.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

static bool containsOp(func::FuncOp kernel,
                       llvm::function_ref<bool(Operation *)> isWanted) {
  return kernel
      .walk([&](Operation *op) {
        return isWanted(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static constexpr StringLiteral gridSuffix = "__grid";

SmallVector<func::FuncOp> findKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && !function.getName().ends_with(gridSuffix))
      kernels.push_back(function);
  return kernels;
}

func::FuncOp findKernel(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> kernels = findKernels(module);
  if (name.empty() && kernels.size() == 1)
    return kernels.front();
  for (func::FuncOp kernel : kernels)
    if (kernel.getName() == name)
      return kernel;

  if (kernels.empty()) {
    module.emitError("has no kernel: a kernel is a func.func with a body");
    return nullptr;
  }
  InFlightDiagnostic diagnostic =
      name.empty() ? module.emitError("has several kernels, name one with "
                                      "--func:")
                   : module.emitError("has no kernel @") << name << ", it has";
  for (func::FuncOp kernel : kernels)
    diagnostic << " @" << kernel.getName();
  return nullptr;
}

func::FuncOp findGrid(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  return module.lookupSymbol<func::FuncOp>(
      (kernel.getName() + gridSuffix).str());
}

/// Whether a function is the program of one lane. A block id or an allocation
/// in workgroup memory alone does not make it one.
static bool isPerLane(func::FuncOp kernel) {
  return containsOp(kernel, [](Operation *op) {
    return isa<gpu::ThreadIdOp, gpu::GlobalIdOp, gpu::LaneIdOp,
               gpu::SubgroupIdOp, gpu::ShuffleOp, gpu::RotateOp,
               gpu::SubgroupBroadcastOp, gpu::SubgroupReduceOp,
               gpu::AllReduceOp, gpu::BarrierOp, compat::InnerTiledOp>(op);
  });
}

ArrayRef<Stage> stagesAhead(func::FuncOp kernel) {
  auto behind = [](StringRef name) {
    return stages().drop_front(lookupStage(name) - stages().begin() + 1);
  };
  if (isPerLane(kernel))
    return behind("distribute");
  if (!findGrid(kernel))
    return stages();
  bool hasLinalg = containsOp(
      kernel, [](Operation *op) { return isa<linalg::LinalgOp>(op); });
  if (hasLinalg)
    return behind("tile");
  // Layouts that are whole are not chosen again.
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  const Stage *assign = lookupStage("assign-layouts");
  bool isAssigned =
      succeeded(assign->verify(kernel->getParentOfType<ModuleOp>()));
  return behind(isAssigned ? "assign-layouts" : "vectorize");
}

} // namespace distaff

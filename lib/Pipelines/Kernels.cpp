//===- Kernels.cpp - Finding a module's kernels ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Pipelines.h"

namespace distaff {

static constexpr StringLiteral gridSuffix = "__grid";

func::FuncOp findKernel(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && !function.getName().ends_with(gridSuffix))
      kernels.push_back(function);

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

} // namespace distaff

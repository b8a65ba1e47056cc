//===- Kernels.cpp - Where a kernel is on its road
//--------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Pipelines/Pipelines.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

static bool containsOp(FunctionOpInterface kernel,
                       llvm::function_ref<bool(Operation *)> isWanted) {
  return kernel
      ->walk([&](Operation *op) {
        return isWanted(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

ArrayRef<Stage> stagesAhead(FunctionOpInterface kernel) {
  auto behind = [](StringRef name) {
    return stages().drop_front(lookupStage(name) - stages().begin() + 1);
  };
  if (levelOf(kernel) == Level::Lane)
    return behind("distribute");
  if (!findGridFunction(kernel))
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

//===- DeadOps.cpp - Dead code elimination of pure ops --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/DeadOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

void distaff::eraseDeadOps(FunctionOpInterface function) {
  SmallVector<Operation *> ops;
  function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (op != function && isOpTriviallyDead(op))
      op->erase();
}

//===- ContractionFeeds.cpp - Values that only contractions use -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionFeeds.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

static bool passesOn(Operation *op) {
  return op->getNumResults() == 1 &&
         (isa<vector_ext::ToLayoutOp, vector::TransposeOp, vector::ShapeCastOp>(
              op) ||
          OpTrait::hasElementwiseMappableTraits(op));
}

void ContractionFeeds::add(Value value) {
  llvm::SmallSetVector<OpOperand *, 4> found;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<vector::ContractionOp>(user)) {
      if (use.getOperandNumber() > 1)
        return;
      found.insert(&use);
      continue;
    }
    if (!passesOn(user))
      return;
    ArrayRef<OpOperand *> behind = of(user->getResult(0));
    if (behind.empty() && !user->use_empty())
      return; // it has another use
    found.insert(behind.begin(), behind.end());
  }
  if (!found.empty())
    factors[value] = SmallVector<OpOperand *, 1>(found.getArrayRef());
}

ContractionFeeds::ContractionFeeds(FunctionOpInterface function) {
  // Users of a result follow its definition, in its block or nested in ops
  // there.
  SmallVector<Operation *> ops;
  function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (op->getNumResults() == 1)
      add(op->getResult(0));
}

//===- SubsetHoisting.cpp - Hoisting of tensor subsets --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subset of a tensor that a loop reads at its begin and writes at its end can
// be carried as a value of its own. Upstream follows the tensor through the
// body. Where two loops in the body start from the same tensor, MLIR 22.1.8
// follows only one of them, and the other one reads an element that is no
// longer written.
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/Guards.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/DenseSet.h"

using namespace distaff;

/// Returns whether two loops in `loop` start from the same tensor of its body.
static bool hasForkedTensor(LoopLikeOpInterface loop) {
  llvm::SmallDenseSet<Value> starts;
  WalkResult result = loop->walk([&](LoopLikeOpInterface inner) {
    for (Value init : inner.getInits())
      if (isa<TensorType>(init.getType()) &&
          loop->isAncestor(init.getParentRegion()->getParentOp()) &&
          !starts.insert(init).second)
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

LoopLikeOpInterface distaff::hoistSubsets(RewriterBase &rewriter,
                                          LoopLikeOpInterface loop) {
  if (hasForkedTensor(loop))
    return loop;
  return hoistLoopInvariantSubsets(rewriter, loop);
}

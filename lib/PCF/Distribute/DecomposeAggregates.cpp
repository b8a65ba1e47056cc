//===- DecomposeAggregates.cpp - Decomposing softmax ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Rewrite/DecomposeAggregates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace distaff {
#define GEN_PASS_DEF_PCFDECOMPOSEAGGREGATES
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
struct DecomposePCFAggregates final
    : distaff::impl::PCFDecomposeAggregatesBase<DecomposePCFAggregates> {
  void runOnOperation() override {
    SmallVector<RefOwnerOpInterface> owners;
    getOperation()->walk<WalkOrder::PreOrder>([&](RefOwnerOpInterface owner) {
      owners.push_back(owner);
      return WalkResult::skip();
    });
    IRRewriter rewriter(&getContext());
    // The lower stage undoes the decomposition if float arithmetic is strict.
    for (RefOwnerOpInterface owner : owners)
      if (failed(decomposeAggregates(rewriter, owner,
                                     /*usesReciprocals=*/true)))
        return signalPassFailure();
  }
};
} // namespace

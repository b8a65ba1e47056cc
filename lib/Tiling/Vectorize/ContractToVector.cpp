//===- ContractToVector.cpp - Conversion to vector.contract ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_CONTRACTTOVECTOR
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
struct ContractToVector final
    : distaff::impl::ContractToVectorBase<ContractToVector> {
  void runOnOperation() override {
    SmallVector<Operation *> contractions;
    getOperation()->walk(
        [&](core::ContractOp op) { contractions.push_back(op); });
    RewritePatternSet patterns(&getContext());
    core::ContractOp::getCanonicalizationPatterns(patterns, &getContext());
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(applyOpPatternsGreedily(contractions,
                                       guarded(std::move(patterns)), config)))
      signalPassFailure();
  }
};
} // namespace

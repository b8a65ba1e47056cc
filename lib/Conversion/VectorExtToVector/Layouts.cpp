//===- Layouts.cpp - Dropping layouts and unit dims -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without lanes, layouts have no effect and are dropped.
//
//===----------------------------------------------------------------------===//
#include "distaff/Conversion/Passes.h"
#include "distaff/Dialect/VectorExt/Folds.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_VECTOREXTDROPLAYOUTS
#define GEN_PASS_DEF_VECTOREXTFOLDUNITDIMS
#include "distaff/Conversion/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::vector_ext;

namespace {

struct DropLayoutsPass final
    : distaff::impl::VectorExtDropLayoutsBase<DropLayoutsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](ToLayoutOp op) { rewriter.replaceOp(op, op.getInput()); });
    // Casts of a part to the whole have a partner or belong to lanes.
    getOperation()->walk([&](Operation *op) {
      SmallVector<Value> folded;
      if (isa<ToSimdOp, ToSimtOp>(op) &&
          succeeded(rewriter.tryFold(op, folded)) && !folded.empty())
        rewriter.replaceOp(op, folded);
    });
    getOperation()->walk([&](Operation *op) {
      if (isa<ToSimdOp, ToSimtOp>(op) && isOpTriviallyDead(op))
        rewriter.eraseOp(op);
    });
    WalkResult walk = getOperation()->walk([](Operation *op) -> WalkResult {
      if (!isa<ToSimdOp, ToSimtOp>(op))
        return WalkResult::advance();
      return op->emitOpError("joins a lane's part to the whole, and there are "
                             "no lanes: its partner is missing");
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

struct FoldUnitDimsPass final
    : distaff::impl::VectorExtFoldUnitDimsBase<FoldUnitDimsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateUnitDimFolds(patterns);
    vector::ShapeCastOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(),
                                     guarded(std::move(patterns)))))
      signalPassFailure();
  }
};

} // namespace

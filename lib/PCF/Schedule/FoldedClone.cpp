//===- FoldedClone.cpp - Cloning ops with constant folding ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FoldedClone.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;
using namespace distaff::pcf;

void pcf::cloneFolded(RewriterBase &rewriter, Operation *op,
                      IRMapping &mapping) {
  Operation *copy = rewriter.clone(*op, mapping);
  SmallVector<Value> results;
  if (failed(rewriter.tryFold(copy, results)) || results.empty())
    return;
  for (auto [old, result] : llvm::zip(op->getResults(), results))
    mapping.map(old, result);
  rewriter.eraseOp(copy);
}

namespace {
/// Drops a multiple of the divisor, which does not change a remainder:
/// `(k + 2) mod 2`.
struct DropMultiple final : OpRewritePattern<arith::RemUIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemUIOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> divisor = getConstantIntValue(op.getRhs());
    auto sum = op.getLhs().getDefiningOp<arith::AddIOp>();
    std::optional<int64_t> term =
        sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
    if (!divisor || !term || *divisor <= 0 || *term < *divisor)
      return rewriter.notifyMatchFailure(op, "no multiple is added");
    Value left = sum.getLhs();
    if (int64_t rest = *term % *divisor)
      left = arith::AddIOp::create(
          rewriter, op.getLoc(), left,
          arith::ConstantIndexOp::create(rewriter, op.getLoc(), rest));
    rewriter.replaceOpWithNewOp<arith::RemUIOp>(op, left, op.getRhs());
    return success();
  }
};
} // namespace

void pcf::simplifyIndices(RewriterBase &rewriter, Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<DropMultiple>(root->getContext());
  for (StringRef name :
       {arith::AddIOp::getOperationName(), arith::CmpIOp::getOperationName()})
    RegisteredOperationName::lookup(name, root->getContext())
        ->getCanonicalizationPatterns(patterns, root->getContext());
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
        isa<ReadSliceOp, WriteSliceOp>(op))
      ops.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, guarded(std::move(patterns)), config);
  DominanceInfo dominance(root);
  eliminateCommonSubExpressions(rewriter, dominance, root);
}

//===- Simplify.cpp - Canonical form of unrolled code ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After lower-vectors a loop carries one value per register, thousands of them.
// Upstream's pattern for equal values compares all pairs. The patterns here
// find equal values by hashing; all other patterns are upstream's.
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/Guards.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_SIMPLIFY
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// Merges values that a loop carries if they start equal and are yielded equal.
struct ShareCarriedValues final : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    llvm::DenseMap<std::pair<Value, Value>, unsigned> first;
    bool changed = false;
    for (auto [index, start, next] :
         llvm::enumerate(loop.getInitArgs(), loop.getYieldedValues())) {
      unsigned other = first.try_emplace({start, next}, index).first->second;
      if (other == index)
        continue;
      Value carried = loop.getRegionIterArg(index),
            result = loop.getResult(index);
      changed |= !carried.use_empty() || !result.use_empty();
      rewriter.replaceAllUsesWith(carried, loop.getRegionIterArg(other));
      rewriter.replaceAllUsesWith(result, loop.getResult(other));
    }
    return success(changed);
  }
};

/// Merges results of a branch that are equal on both sides.
struct ShareChosenValues final : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp branch,
                                PatternRewriter &rewriter) const override {
    if (branch.getNumResults() < 2)
      return failure();
    llvm::DenseMap<std::pair<Value, Value>, unsigned> first;
    bool changed = false;
    for (auto [index, ifTrue, ifFalse] :
         llvm::enumerate(branch.thenYield().getResults(),
                         branch.elseYield().getResults())) {
      unsigned other =
          first.try_emplace({ifTrue, ifFalse}, index).first->second;
      if (other == index || branch.getResult(index).use_empty())
        continue;
      rewriter.replaceAllUsesWith(branch.getResult(index),
                                  branch.getResult(other));
      changed = true;
    }
    return success(changed);
  }
};

class SimplifyPass final : public distaff::impl::SimplifyBase<SimplifyPass> {
public:
  using SimplifyBase::SimplifyBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(set, context);
    set.add<ShareCarriedValues, ShareChosenValues>(context);
    SmallVector<std::string> disabled(disabledPatterns.begin(),
                                      disabledPatterns.end());
    disabled.push_back(
        "(anonymous namespace)::RemoveDuplicateSuccessorInputUses");
    patterns = guarded(std::move(set), disabled);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    // There are no blocks to merge.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Code for which the patterns do not converge is still correct.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace

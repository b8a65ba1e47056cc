//===- Rewrites.cpp - Upstream's rewrites, one at a time ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rewrites.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace distaff;
using namespace distaff::rewrite_test;

using Populate = std::function<void(RewritePatternSet &)>;

/// The greedy application of a set of patterns, with folds.
static Rewrite greedy(MLIRContext *context, ArrayRef<Guard> guards,
                      StringRef name, const Populate &populate) {
  RewritePatternSet patterns(context);
  populate(patterns);
  applyGuards(patterns, guards);
  FrozenRewritePatternSet frozen(std::move(patterns));
  return {name.str(), [frozen](ModuleOp module) {
            // What does not settle is right all the same.
            (void)applyPatternsGreedily(module, frozen);
            return success();
          }};
}

/// The canonicalizations of the ops of one dialect.
static void populateCanonical(RewritePatternSet &patterns, StringRef dialect) {
  MLIRContext *context = patterns.getContext();
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (dialect.empty() || op.getDialectNamespace() == dialect)
      op.getCanonicalizationPatterns(patterns, context);
  for (Dialect *loaded : context->getLoadedDialects())
    if (dialect.empty() || loaded->getNamespace() == dialect)
      loaded->getCanonicalizationPatterns(patterns);
}

namespace {
struct PatternSet {
  std::string name;
  Populate populate;
};
} // namespace

static std::vector<PatternSet> canonicalizations() {
  std::vector<PatternSet> sets;
  for (StringRef dialect :
       {"", "affine", "arith", "linalg", "memref", "scf", "tensor", "vector"})
    sets.push_back({"canonicalize " + (dialect.empty() ? "all" : dialect.str()),
                    [dialect](RewritePatternSet &set) {
                      populateCanonical(set, dialect);
                    }});
  sets.push_back({"fold", [](RewritePatternSet &) {}});
  return sets;
}

/// The sets of patterns that upstream has beside the canonicalizations.
static std::vector<PatternSet> otherPatternSets() {
  std::vector<PatternSet> sets;
  auto add = [&](StringRef name, const Populate &populate) {
    sets.push_back({name.str(), populate});
  };
  add("merge-consecutive-slices", [](RewritePatternSet &set) {
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(set);
  });
  add("fold-tensor-empty", [](RewritePatternSet &set) {
    tensor::populateFoldTensorEmptyPatterns(set);
  });
  add("fold-subset-into-transfer", [](RewritePatternSet &set) {
    tensor::populateFoldTensorSubsetIntoVectorTransferPatterns(set);
  });
  add("fold-memref-alias", [](RewritePatternSet &set) {
    memref::populateFoldMemRefAliasOpPatterns(set);
  });
  add("resolve-result-dims", [](RewritePatternSet &set) {
    memref::populateResolveRankedShapedTypeResultDimsPatterns(set);
  });
  add("expand-strided-metadata", [](RewritePatternSet &set) {
    memref::populateExpandStridedMetadataPatterns(set);
  });
  add("fold-reshape-by-expansion", [](RewritePatternSet &set) {
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        set, [](OpOperand *) { return true; });
  });
  add("elementwise-to-linalg", [](RewritePatternSet &set) {
    linalg::populateElementwiseToLinalgConversionPatterns(set);
  });
  add("arith-expand", [](RewritePatternSet &set) {
    arith::populateArithExpandOpsPatterns(set);
    // Which zero they choose depends on the order of the operands; which
    // targets may use them is LowerMath's and Conversion's to say.
    llvm::erase_if(set.getNativePatterns(), [](const auto &pattern) {
      StringRef name = pattern->getRootKind()
                           ? pattern->getRootKind()->getStringRef()
                           : StringRef();
      return name == "arith.maximumf" || name == "arith.minimumf";
    });
  });
  add("affine-to-arith", [](RewritePatternSet &set) {
    populateAffineToStdConversionPatterns(set);
  });
  add("reduction-to-contract", [](RewritePatternSet &set) {
    vector::populateVectorReductionToContractPatterns(set);
  });
  return sets;
}

static void addFunctions(bool hoistsRightly, std::vector<Rewrite> &rewrites) {
  rewrites.push_back({"cse", [](ModuleOp module) {
                        IRRewriter rewriter(module.getContext());
                        DominanceInfo dominance(module);
                        eliminateCommonSubExpressions(rewriter, dominance,
                                                      module);
                        return success();
                      }});
  rewrites.push_back({"loop-invariant-code-motion", [](ModuleOp module) {
                        module.walk([](LoopLikeOpInterface loop) {
                          moveLoopInvariantCode(loop);
                        });
                        return success();
                      }});
  rewrites.push_back(
      {"hoist-loop-invariant-subsets", [hoistsRightly](ModuleOp module) {
         IRRewriter rewriter(module.getContext());
         SmallVector<LoopLikeOpInterface> loops;
         module.walk([&](LoopLikeOpInterface loop) { loops.push_back(loop); });
         for (LoopLikeOpInterface loop : loops)
           if (hoistsRightly)
             hoistSubsets(rewriter, loop);
           else
             (void)hoistLoopInvariantSubsets(rewriter, loop);
         return success();
       }});
  rewrites.push_back({"unroll", [](ModuleOp module) {
                        SmallVector<scf::ForOp> loops;
                        module.walk(
                            [&](scf::ForOp loop) { loops.push_back(loop); });
                        for (scf::ForOp loop : loops)
                          (void)loopUnrollFull(loop);
                        return success();
                      }});
  rewrites.push_back(
      {"peel-last-iteration", [](ModuleOp module) {
         IRRewriter rewriter(module.getContext());
         SmallVector<scf::ForOp> loops;
         module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
         for (scf::ForOp loop : loops) {
           scf::ForOp last;
           (void)scf::peelForLoopAndSimplifyBounds(rewriter, loop, last);
         }
         return success();
       }});
  rewrites.push_back({"forall-to-for", [](ModuleOp module) {
                        IRRewriter rewriter(module.getContext());
                        SmallVector<scf::ForallOp> loops;
                        module.walk([&](scf::ForallOp loop) {
                          if (loop.getOutputs().empty())
                            loops.push_back(loop);
                        });
                        for (scf::ForallOp loop : loops)
                          (void)scf::forallToForLoop(rewriter, loop);
                        return success();
                      }});
}

static std::vector<PatternSet> allPatternSets() {
  std::vector<PatternSet> sets = canonicalizations();
  llvm::append_range(sets, otherPatternSets());
  return sets;
}

std::set<std::string> rewrite_test::upstreamPatternNames(MLIRContext *context) {
  std::set<std::string> names;
  for (const PatternSet &set : allPatternSets()) {
    RewritePatternSet patterns(context);
    set.populate(patterns);
    for (const auto &pattern : patterns.getNativePatterns())
      names.insert(pattern->getDebugName().str());
  }
  return names;
}

std::vector<Rewrite>
rewrite_test::upstreamRewrites(MLIRContext *context,
                               const Protection &protection) {
  std::vector<Rewrite> rewrites;
  for (const PatternSet &set : allPatternSets())
    rewrites.push_back(
        greedy(context, protection.guards, set.name, set.populate));
  addFunctions(protection.hoistsRightly, rewrites);
  return rewrites;
}

Protection Protection::without(StringRef part) {
  Protection others;
  llvm::erase_if(others.guards,
                 [&](const Guard &guard) { return guard.name == part; });
  llvm::erase_if(others.forms,
                 [&](const Form &form) { return form.name == part; });
  others.hoistsRightly = part != "forked-tensors";
  return others;
}

bool Protection::isPartial() const {
  return guards.size() < upstreamGuards().size() ||
         forms.size() < foldableForms().size() || !hoistsRightly;
}

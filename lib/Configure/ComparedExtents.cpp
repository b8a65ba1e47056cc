//===- ComparedExtents.cpp - What a launch has to compare -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ComparedExtents.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace distaff;

bool distaff::agreesOnExtents(linalg::LinalgOp maker,
                              const ExtentFormulas &formulas) {
  SmallVector<AffineExpr> seen(maker.getNumLoops());
  for (OpOperand &operand : maker->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    for (auto [dim, expr] :
         llvm::enumerate(maker.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      AffineExpr formula = formulas.extentOf(operand.get(), dim);
      AffineExpr &known = seen[loop.getPosition()];
      if (!formula || (known && known != formula))
        return false;
      known = formula;
    }
  }
  return true;
}

llvm::SetVector<Operation *> distaff::chainOf(linalg::LinalgOp op) {
  llvm::SetVector<Operation *> chain;
  chain.insert(op);
  for (size_t at = 0; at < chain.size(); ++at)
    for (Value input : cast<linalg::LinalgOp>(chain[at]).getDpsInputs())
      if (auto maker = input.getDefiningOp<linalg::LinalgOp>();
          maker && linalg::isElementwise(maker) && maker->getNumResults() == 1)
        chain.insert(maker);
  return chain;
}

bool distaff::walksOneExtent(linalg::LinalgOp op,
                             const ExtentFormulas &formulas) {
  return !op.hasDynamicShape() || agreesOnExtents(op, formulas);
}

bool distaff::walksOneExtentBefore(linalg::LinalgOp op,
                                   const ExtentFormulas &formulas) {
  return llvm::all_of(chainOf(op), [&](Operation *walked) {
    return walked == op ||
           walksOneExtent(cast<linalg::LinalgOp>(walked), formulas);
  });
}

/// An operand of `op` that an elementwise op makes, of which a launch has
/// extents to compare, or of what is before it; null if there is none.
static OpOperand *findCompared(linalg::LinalgOp op,
                               const ExtentFormulas &formulas) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto maker = input->get().getDefiningOp<linalg::LinalgOp>();
        maker && linalg::isElementwise(maker) && maker->getNumResults() == 1 &&
        (!walksOneExtent(maker, formulas) ||
         !walksOneExtentBefore(maker, formulas)))
      return input;
  return nullptr;
}

/// What is read twice by the same map is one operand.
static void dropRepeated(linalg::GenericOp op) {
  for (unsigned later = op.getNumDpsInputs(); later-- > 1;)
    for (unsigned first = 0; first < later; ++first) {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      if (op.getInputs()[first] != op.getInputs()[later] ||
          maps[first] != maps[later])
        continue;
      Block *body = op.getBlock();
      body->getArgument(later).replaceAllUsesWith(body->getArgument(first));
      body->eraseArgument(later);
      op.getInputsMutable().erase(later);
      maps.erase(maps.begin() + later);
      op.setIndexingMapsAttr(
          Builder(op.getContext()).getAffineMapArrayAttr(maps));
      break;
    }
}

static linalg::GenericOp asGeneric(RewriterBase &rewriter,
                                   linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(*op))
    return generic;
  rewriter.setInsertionPoint(op);
  return *linalg::generalizeNamedOp(rewriter, op);
}

linalg::LinalgOp distaff::takeInCompared(RewriterBase &rewriter,
                                         linalg::LinalgOp op,
                                         const ExtentFormulas &formulas) {
  constexpr int mostOps = 64;
  for (int count = 0; count < mostOps; ++count) {
    OpOperand *compared = findCompared(op, formulas);
    if (!compared)
      return op;
    // The reader's own, for what others read as well would stay a result.
    Operation *original = compared->get().getDefiningOp();
    linalg::GenericOp reader = asGeneric(rewriter, op);
    rewriter.setInsertionPoint(reader);
    linalg::GenericOp maker =
        asGeneric(rewriter, cast<linalg::LinalgOp>(rewriter.clone(*original)));
    rewriter.modifyOpInPlace(reader, [&] {
      reader->replaceUsesOfWith(original->getResult(0), maker.getResult(0));
      dropRepeated(reader);
    });
    OpOperand *made = &*maker.getResult(0).use_begin();
    FailureOr<linalg::ElementwiseOpFusionResult> fused = failure();
    if (linalg::areElementwiseOpsFusable(made)) {
      rewriter.setInsertionPoint(reader);
      fused = linalg::fuseElementwiseOps(rewriter, made);
    }
    op = reader;
    if (failed(fused))
      return op;
    op = cast<linalg::LinalgOp>(fused->fusedOp);
    rewriter.replaceOp(reader, fused->replacements.lookup(reader.getResult(0)));
    rewriter.eraseOp(maker);
    if (original->use_empty())
      rewriter.eraseOp(original);
  }
  return op;
}

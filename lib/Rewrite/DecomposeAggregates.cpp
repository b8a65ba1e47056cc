//===- DecomposeAggregates.cpp - Decomposition of softmax -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/DecomposeAggregates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;

/// Allows the last of a softmax's ops to multiply by reciprocals: its divisors
/// are sums of exponentials of which one is 1, so that their reciprocals are
/// normal.
static void allowReciprocals(Operation *last) {
  last->walk([](arith::DivFOp op) {
    if (op.getType().isF32())
      op.setFastmath(op.getFastmath() | arith::FastMathFlags::arcp);
  });
}

LogicalResult distaff::decomposeAggregates(RewriterBase &rewriter,
                                           Operation *root,
                                           bool usesReciprocals) {
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  root->walk(
      [&](linalg::AggregatedOpInterface op) { aggregates.push_back(op); });
  for (linalg::AggregatedOpInterface op : aggregates) {
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    if (!isa<FloatType>(element))
      return op->emitOpError("is of ")
             << element
             << ", which has no exponential; extend it to a float before";
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return op->emitOpError("cannot be decomposed into linalg.generic");
    Operation *last = results->front().getDefiningOp();
    last->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (usesReciprocals)
      allowReciprocals(last);
    rewriter.replaceOp(op, *results);
  }
  return success();
}

//===- DecomposeAggregates.cpp - Ops that are several ops -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/DecomposeAggregates.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;

LogicalResult distaff::decomposeAggregates(RewriterBase &rewriter,
                                           Operation *root) {
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
    results->front().getDefiningOp()->setDiscardableAttrs(
        op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, *results);
  }
  return success();
}

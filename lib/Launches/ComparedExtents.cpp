//===- ComparedExtents.cpp - Equality of dynamic extents ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ComparedExtents.h"
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

bool distaff::agreeOnExtentsBefore(linalg::LinalgOp op,
                                   const ExtentFormulas &formulas) {
  return llvm::all_of(chainOf(op), [&](Operation *walked) {
    return walked == op ||
           agreesOnExtents(cast<linalg::LinalgOp>(walked), formulas);
  });
}

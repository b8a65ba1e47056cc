//===- ContractionView.cpp - Common view of contractions ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ContractionView.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vectortiles;

std::optional<ContractionView> ContractionView::get(Operation *op) {
  ContractionView view;
  if (auto contraction = dyn_cast<vector::ContractionOp>(op)) {
    view.maps = contraction.getIndexingMapsArray();
    for (vector::IteratorType kind : contraction.getIteratorTypesArray())
      view.reduced.push_back(kind == vector::IteratorType::reduction);
    contraction.getIterationBounds(view.extents);
    view.lhs = contraction.getLhs();
    view.rhs = contraction.getRhs();
    view.accumulator = contraction.getAcc();
    return view;
  }
  if (auto semiring = dyn_cast<core::ContractOp>(op)) {
    view.maps = semiring.getMaps();
    view.reduced = semiring.getReduced();
    view.extents = semiring.getBounds();
    view.lhs = semiring.getLhs();
    view.rhs = semiring.getRhs();
    view.accumulator = semiring.getAcc();
    view.mask = semiring.getMask();
    return view;
  }
  return std::nullopt;
}

bool vectortiles::isContraction(Operation *op) {
  if (auto semiring = dyn_cast<core::ContractOp>(op)) {
    // A logsumexp cannot be combined from partial results.
    auto lhs = dyn_cast<VectorType>(semiring.getLhs().getType());
    auto rhs = dyn_cast<VectorType>(semiring.getRhs().getType());
    return lhs && rhs && semiring.getCombiningKind().has_value();
  }
  return isa<vector::ContractionOp>(op);
}

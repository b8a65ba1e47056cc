//===- TileTrial.cpp - Trial tiling of an op ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TileTrial.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;
using namespace distaff::pcf;

bool pcf::isTilable(Operation *op) {
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  return destination && tilingOf(op) && destination.hasPureTensorSemantics() &&
         isMemoryEffectFree(op) && op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

bool pcf::mapsTiles(OpOperand &operand) {
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  return !op || op.getMatchingIndexingMap(&operand).isProjectedPermutation();
}

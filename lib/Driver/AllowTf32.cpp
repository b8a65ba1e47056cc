//===- AllowTf32.cpp - The flag --allow-tf32 ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Driver/AllowTf32.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

void distaff::allowTf32(ModuleOp module) {
  module.walk([](Operation *op) {
    auto contract = dyn_cast<core::ContractOp>(op);
    bool isProduct = contract &&
                     contract.getCombine() == core::CombineKind::Add &&
                     contract.getProductKind() == vector::CombiningKind::MUL;
    if (isProduct || isa<vector::ContractionOp>(op) || matchContraction(op))
      op->setAttr(allowTf32Name, UnitAttr::get(op->getContext()));
  });
}

//===- ComputedReads.cpp - Reads at computed positions --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/ComputedReads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

SmallVector<Value> distaff::guardsOf(tensor::ExtractOp read) {
  SmallVector<Value> guards;
  Value value = read;
  while (value.hasOneUse()) {
    auto select = dyn_cast<arith::SelectOp>(*value.user_begin());
    if (!select || select.getTrueValue() != value ||
        select.getFalseValue() == value)
      break;
    guards.push_back(select.getCondition());
    value = select;
  }
  return guards;
}

bool distaff::dividesIntegers(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op) &&
         !matchPattern(op->getOperand(1), m_Constant());
}

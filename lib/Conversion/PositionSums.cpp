//===- PositionSums.cpp - Index expressions as sums of terms --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PositionSums.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

void PositionSum::add(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    constant += number.getSExtValue();
  } else if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    add(sum.getLhs());
    add(sum.getRhs());
  } else {
    terms.push_back(value);
  }
}

PositionSum PositionSum::of(Value value) {
  PositionSum sum;
  sum.add(value);
  return sum;
}

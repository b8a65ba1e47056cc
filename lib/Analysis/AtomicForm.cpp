//===- AtomicForm.cpp - Updates of memory by one instruction --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/AtomicForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

/// Whether a value is the pattern of `number`, which is an integer itself or
/// not.
static bool isPatternOf(Value value, Value number) {
  auto cast = value.getDefiningOp<arith::BitcastOp>();
  return value == number ||
         (cast && cast.getIn() == number && isa<IntegerType>(value.getType()));
}

std::optional<AtomicForm> AtomicForm::of(memref::GenericAtomicRMWOp op) {
  Value old = op.getCurrentValue();
  Value next = op.getBody()->getTerminator()->getOperand(0);
  if (next == old)
    return AtomicForm();
  auto isOutside = [&](Value value) {
    return !op->isAncestor(value.getParentRegion()->getParentOp());
  };
  auto select = next.getDefiningOp<arith::SelectOp>();
  auto same = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                     : arith::CmpIOp();
  if (!same || same.getPredicate() != arith::CmpIPredicate::eq ||
      select.getFalseValue() != old || !isOutside(select.getTrueValue()))
    return std::nullopt;
  Value pattern = same.getLhs(), expected = same.getRhs();
  if (!isPatternOf(pattern, old))
    std::swap(pattern, expected);
  if (!isPatternOf(pattern, old) || !isOutside(expected))
    return std::nullopt;
  return AtomicForm{expected, select.getTrueValue()};
}

//===- Index.cpp - index operations ---------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"

using namespace distaff;
using namespace distaff::simt;

template <typename Op>
static void addBinary(OpRegistry &registry, IntegerBinary function) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    return t.elementwise(op, t.domain().binary(function, Kind::index().width));
  });
}

template <typename Op>
static void addCast(OpRegistry &registry, Conversion widening) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    Kind from = t.reg(op->getOperand(0)).kind,
         to = t.reg(op->getResult(0)).kind;
    Conversion conversion =
        to.width < from.width ? Conversion::Truncate : widening;
    return t.elementwise(op, t.domain().convert(conversion, from, to));
  });
}

static LogicalResult translateIndexCmp(index::CmpOp op, Translator &t) {
  // Both enumerations have the same order.
  auto predicate = arith::symbolizeCmpIPredicate(
      index::stringifyIndexCmpPredicate(op.getPred()));
  if (!predicate)
    return t.notModelled(op, "this predicate");
  return t.elementwise(op, t.domain().compare(*predicate, Kind::index().width));
}

static LogicalResult translateIndexConstant(index::ConstantOp op,
                                            Translator &t) {
  t.setConstant(t.reg(op.getResult()), 0, op.getValue().getSExtValue());
  return success();
}

static LogicalResult translateIndexBoolConstant(index::BoolConstantOp op,
                                                Translator &t) {
  t.setConstant(t.reg(op.getResult()), 0, op.getValue());
  return success();
}

static LogicalResult translateSizeOf(index::SizeOfOp op, Translator &t) {
  t.setConstant(t.reg(op.getResult()), 0, Kind::index().width);
  return success();
}

void distaff::simt::registerIndex(OpRegistry &registry) {
  addBinary<index::AddOp>(registry, IntegerBinary::Add);
  addBinary<index::SubOp>(registry, IntegerBinary::Sub);
  addBinary<index::MulOp>(registry, IntegerBinary::Mul);
  addBinary<index::DivSOp>(registry, IntegerBinary::DivS);
  addBinary<index::DivUOp>(registry, IntegerBinary::DivU);
  addBinary<index::CeilDivSOp>(registry, IntegerBinary::CeilDivS);
  addBinary<index::CeilDivUOp>(registry, IntegerBinary::CeilDivU);
  addBinary<index::FloorDivSOp>(registry, IntegerBinary::FloorDivS);
  addBinary<index::RemSOp>(registry, IntegerBinary::RemS);
  addBinary<index::RemUOp>(registry, IntegerBinary::RemU);
  addBinary<index::MaxSOp>(registry, IntegerBinary::MaxS);
  addBinary<index::MaxUOp>(registry, IntegerBinary::MaxU);
  addBinary<index::MinSOp>(registry, IntegerBinary::MinS);
  addBinary<index::MinUOp>(registry, IntegerBinary::MinU);
  addBinary<index::ShlOp>(registry, IntegerBinary::ShiftLeft);
  addBinary<index::ShrSOp>(registry, IntegerBinary::ShiftRightS);
  addBinary<index::ShrUOp>(registry, IntegerBinary::ShiftRightU);
  addBinary<index::AndOp>(registry, IntegerBinary::And);
  addBinary<index::OrOp>(registry, IntegerBinary::Or);
  addBinary<index::XOrOp>(registry, IntegerBinary::Xor);
  addCast<index::CastSOp>(registry, Conversion::SignExtend);
  addCast<index::CastUOp>(registry, Conversion::ZeroExtend);
  registry.add<index::CmpOp>(translateIndexCmp);
  registry.add<index::ConstantOp>(translateIndexConstant);
  registry.add<index::BoolConstantOp>(translateIndexBoolConstant);
  registry.add<index::SizeOfOp>(translateSizeOf);
}

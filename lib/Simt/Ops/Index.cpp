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

static OpRegistry::Translate indexBinary(IntegerBinary function) {
  return [=](Operation *op, Translator &t) {
    return t.elementwise(op, t.domain().binary(function, Kind::index().width));
  };
}

static OpRegistry::Translate indexCast(Conversion widening) {
  return [=](Operation *op, Translator &t) {
    Kind from = t.reg(op->getOperand(0)).kind,
         to = t.reg(op->getResult(0)).kind;
    Conversion conversion =
        to.width < from.width ? Conversion::Truncate : widening;
    return t.elementwise(op, t.domain().convert(conversion, from, to));
  };
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
  registry.add<index::AddOp>(indexBinary(IntegerBinary::Add));
  registry.add<index::SubOp>(indexBinary(IntegerBinary::Sub));
  registry.add<index::MulOp>(indexBinary(IntegerBinary::Mul));
  registry.add<index::DivSOp>(indexBinary(IntegerBinary::DivS));
  registry.add<index::DivUOp>(indexBinary(IntegerBinary::DivU));
  registry.add<index::CeilDivSOp>(indexBinary(IntegerBinary::CeilDivS));
  registry.add<index::CeilDivUOp>(indexBinary(IntegerBinary::CeilDivU));
  registry.add<index::FloorDivSOp>(indexBinary(IntegerBinary::FloorDivS));
  registry.add<index::RemSOp>(indexBinary(IntegerBinary::RemS));
  registry.add<index::RemUOp>(indexBinary(IntegerBinary::RemU));
  registry.add<index::MaxSOp>(indexBinary(IntegerBinary::MaxS));
  registry.add<index::MaxUOp>(indexBinary(IntegerBinary::MaxU));
  registry.add<index::MinSOp>(indexBinary(IntegerBinary::MinS));
  registry.add<index::MinUOp>(indexBinary(IntegerBinary::MinU));
  registry.add<index::ShlOp>(indexBinary(IntegerBinary::ShiftLeft));
  registry.add<index::ShrSOp>(indexBinary(IntegerBinary::ShiftRightS));
  registry.add<index::ShrUOp>(indexBinary(IntegerBinary::ShiftRightU));
  registry.add<index::AndOp>(indexBinary(IntegerBinary::And));
  registry.add<index::OrOp>(indexBinary(IntegerBinary::Or));
  registry.add<index::XOrOp>(indexBinary(IntegerBinary::Xor));
  registry.add<index::CastSOp>(indexCast(Conversion::SignExtend));
  registry.add<index::CastUOp>(indexCast(Conversion::ZeroExtend));
  registry.add<index::CmpOp>(translateIndexCmp);
  registry.add<index::ConstantOp>(translateIndexConstant);
  registry.add<index::BoolConstantOp>(translateIndexBoolConstant);
  registry.add<index::SizeOfOp>(translateSizeOf);
}

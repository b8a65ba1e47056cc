//===- AtomicForm.cpp - Atomic updates by one instruction -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Kernel/AtomicForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

/// Returns whether a value is the bit pattern of `number`, which may be an
/// integer itself.
static bool isPatternOf(Value value, Value number) {
  auto cast = value.getDefiningOp<arith::BitcastOp>();
  return value == number ||
         (cast && cast.getIn() == number && isa<IntegerType>(value.getType()));
}

/// Returns whether a value is defined outside of the body of an update.
static bool isOutside(memref::GenericAtomicRMWOp op, Value value) {
  return !op->isAncestor(value.getParentRegion()->getParentOp());
}

std::optional<AtomicForm> AtomicForm::of(memref::GenericAtomicRMWOp op) {
  Value old = op.getCurrentValue();
  Value next = op.getBody()->getTerminator()->getOperand(0);
  if (next == old)
    return AtomicForm();
  auto select = next.getDefiningOp<arith::SelectOp>();
  auto same = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                     : arith::CmpIOp();
  if (!same || same.getPredicate() != arith::CmpIPredicate::eq ||
      select.getFalseValue() != old || !isOutside(op, select.getTrueValue()))
    return std::nullopt;
  Value pattern = same.getLhs(), expected = same.getRhs();
  if (!isPatternOf(pattern, old))
    std::swap(pattern, expected);
  if (!isPatternOf(pattern, old) || !isOutside(op, expected))
    return std::nullopt;
  return AtomicForm{expected, select.getTrueValue()};
}

/// Returns the kind of update of an op on two numbers; nullopt for other ops.
static std::optional<arith::AtomicRMWKind> kindOf(Operation *op) {
  using K = arith::AtomicRMWKind;
  return llvm::TypeSwitch<Operation *, std::optional<K>>(op)
      .Case<arith::AddFOp, arith::SubFOp>([](auto) { return K::addf; })
      .Case([](arith::MulFOp) { return K::mulf; })
      .Case([](arith::MaximumFOp) { return K::maximumf; })
      .Case([](arith::MinimumFOp) { return K::minimumf; })
      .Case([](arith::MaxNumFOp) { return K::maxnumf; })
      .Case([](arith::MinNumFOp) { return K::minnumf; })
      .Case<arith::AddIOp, arith::SubIOp>([](auto) { return K::addi; })
      .Case([](arith::MulIOp) { return K::muli; })
      .Case([](arith::MaxSIOp) { return K::maxs; })
      .Case([](arith::MinSIOp) { return K::mins; })
      .Case([](arith::MaxUIOp) { return K::maxu; })
      .Case([](arith::MinUIOp) { return K::minu; })
      .Case([](arith::AndIOp) { return K::andi; })
      .Case([](arith::OrIOp) { return K::ori; })
      .Case([](arith::XOrIOp) { return K::xori; })
      .Default(std::nullopt);
}

std::optional<AtomicUpdate> AtomicUpdate::of(memref::GenericAtomicRMWOp op) {
  Value old = op.getCurrentValue();
  Value next = op.getBody()->getTerminator()->getOperand(0);
  if (isOutside(op, next))
    return AtomicUpdate{arith::AtomicRMWKind::assign, next};
  Operation *only = next.getDefiningOp();
  std::optional<arith::AtomicRMWKind> kind = only ? kindOf(only) : std::nullopt;
  if (!kind)
    return std::nullopt;
  bool isNegated = isa<arith::SubFOp, arith::SubIOp>(only);
  Value element = only->getOperand(0), operand = only->getOperand(1);
  if (element != old && !isNegated)
    std::swap(element, operand);
  if (element != old || !isOutside(op, operand))
    return std::nullopt;
  return AtomicUpdate{*kind, operand, isNegated};
}

//===- Affine.cpp - affine index operations -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "IndexMath.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Reg IndexMath::binary(IntegerBinary function, Reg a, Reg b) {
  Binary compute = t.domain().binary(function, Kind::index().width);
  Reg r = t.scratch(Kind::index());
  isModelled &= bool(compute);
  t.emit(op, [=](Agent &agent) {
    compute(agent.lanes(), agent.cells(a), agent.cells(b), agent.cells(r));
  });
  return r;
}

Reg IndexMath::modulo(Reg a, Reg b) {
  Reg quotient = binary(IntegerBinary::FloorDivS, a, b);
  return binary(IntegerBinary::Sub, a, binary(IntegerBinary::Mul, quotient, b));
}

Reg IndexMath::expression(AffineExpr expression, ArrayRef<Reg> dims,
                          ArrayRef<Reg> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return t.indexConstant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  auto both = cast<AffineBinaryOpExpr>(expression);
  Reg a = this->expression(both.getLHS(), dims, symbols);
  Reg b = this->expression(both.getRHS(), dims, symbols);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return binary(IntegerBinary::Add, a, b);
  case AffineExprKind::Mul:
    return binary(IntegerBinary::Mul, a, b);
  case AffineExprKind::Mod:
    return modulo(a, b);
  case AffineExprKind::FloorDiv:
    return binary(IntegerBinary::FloorDivS, a, b);
  case AffineExprKind::CeilDiv:
    return binary(IntegerBinary::CeilDivS, a, b);
  default:
    llvm_unreachable("leaves were handled above");
  }
}

LogicalResult IndexMath::finish() {
  return isModelled ? success()
                    : t.notModelled(op, "index arithmetic in this domain");
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Folds the results of a map by a function into the op's result.
static LogicalResult translateMap(Operation *op, AffineMap map,
                                  ValueRange operands, IntegerBinary fold,
                                  Translator &t) {
  SmallVector<Reg> values =
      llvm::map_to_vector(operands, [&](Value v) { return t.reg(v); });
  ArrayRef<Reg> dims = ArrayRef(values).take_front(map.getNumDims());
  ArrayRef<Reg> symbols = ArrayRef(values).drop_front(map.getNumDims());
  IndexMath math(op, t);
  Reg total = math.expression(map.getResult(0), dims, symbols);
  for (AffineExpr result : map.getResults().drop_front())
    total = math.binary(fold, total, math.expression(result, dims, symbols));
  math.assign(total, t.reg(op->getResult(0)));
  return math.finish();
}

static LogicalResult translateApply(affine::AffineApplyOp op, Translator &t) {
  return translateMap(op, op.getAffineMap(), op.getMapOperands(),
                      IntegerBinary::Add, t);
}

static LogicalResult translateMin(affine::AffineMinOp op, Translator &t) {
  return translateMap(op, op.getMap(), op.getOperands(), IntegerBinary::MinS,
                      t);
}

static LogicalResult translateMax(affine::AffineMaxOp op, Translator &t) {
  return translateMap(op, op.getMap(), op.getOperands(), IntegerBinary::MaxS,
                      t);
}

/// Translates the digits of a mixed-radix number, outermost first; the
/// outermost one is the remaining quotient, with or without a bound.
static LogicalResult translateDelinearize(affine::AffineDelinearizeIndexOp op,
                                          Translator &t) {
  IndexMath math(op, t);
  Reg rest = t.reg(op.getLinearIndex());
  SmallVector<OpFoldResult> basis = op.getMixedBasis();
  if (op.hasOuterBound())
    basis.erase(basis.begin());
  for (size_t i = basis.size(); i-- > 0;) {
    Reg size = t.indexRegister(basis[i]);
    Reg quotient = math.binary(IntegerBinary::FloorDivS, rest, size);
    Reg digit = math.binary(IntegerBinary::Sub, rest,
                            math.binary(IntegerBinary::Mul, quotient, size));
    math.assign(digit, t.reg(op.getResult(i + 1)));
    rest = quotient;
  }
  math.assign(rest, t.reg(op.getResult(0)));
  return math.finish();
}

static LogicalResult translateLinearize(affine::AffineLinearizeIndexOp op,
                                        Translator &t) {
  IndexMath math(op, t);
  SmallVector<OpFoldResult> basis = op.getMixedBasis();
  if (basis.size() == op.getMultiIndex().size())
    basis.erase(basis.begin());
  Reg total = t.indexConstant(0);
  for (auto [i, digit] : llvm::enumerate(op.getMultiIndex())) {
    if (i > 0)
      total =
          math.binary(IntegerBinary::Mul, total, t.indexRegister(basis[i - 1]));
    total = math.binary(IntegerBinary::Add, total, t.reg(digit));
  }
  math.assign(total, t.reg(op.getResult()));
  return math.finish();
}

void distaff::simt::registerAffine(OpRegistry &registry) {
  registry.add<affine::AffineApplyOp>(translateApply);
  registry.add<affine::AffineMinOp>(translateMin);
  registry.add<affine::AffineMaxOp>(translateMax);
  registry.add<affine::AffineDelinearizeIndexOp>(translateDelinearize);
  registry.add<affine::AffineLinearizeIndexOp>(translateLinearize);
}

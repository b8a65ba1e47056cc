//===- Math.cpp - math operations -----------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Math/IR/Math.h"
#include "../Translate/OpRegistry.h"

using namespace distaff;
using namespace distaff::simt;

template <typename Op, typename Function>
static void addFloat(OpRegistry &registry, Function function) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    FloatFormat format = t.reg(op->getOperand(0)).kind.format;
    if constexpr (std::is_same_v<Function, FloatTest>)
      return t.elementwise(op, t.domain().test(function, format));
    else if constexpr (std::is_same_v<Function, FloatBinary>)
      return t.elementwise(op, t.domain().binary(function, format));
    else
      return t.elementwise(op, t.domain().unary(function, format));
  });
}

template <typename Op>
static void addInteger(OpRegistry &registry, IntegerUnary function) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    unsigned width = t.reg(op->getOperand(0)).kind.width;
    return t.elementwise(op, t.domain().unary(function, width));
  });
}

static LogicalResult translateFma(math::FmaOp op, Translator &t) {
  FloatFormat format = t.reg(op.getA()).kind.format;
  return t.elementwise(op, t.domain().ternary(FloatTernary::Fma, format));
}

static LogicalResult translateClamp(math::ClampFOp op, Translator &t) {
  FloatFormat format = t.reg(op.getValue()).kind.format;
  Binary larger = t.domain().binary(FloatBinary::Maximum, format);
  Binary smaller = t.domain().binary(FloatBinary::Minimum, format);
  if (!larger || !smaller)
    return t.notModelled(op, "a clamp in this domain");
  return t.elementwise(op,
                       Ternary([=](int64_t n, const void *value,
                                   const void *low, const void *high, void *r) {
                         larger(n, value, low, r);
                         smaller(n, r, high, r);
                       }));
}

static LogicalResult translateSinCos(math::SincosOp op, Translator &t) {
  Reg a = t.reg(op.getOperand()), sine = t.reg(op.getSin()),
      cosine = t.reg(op.getCos());
  Unary sin = t.domain().unary(FloatUnary::Sin, a.kind.format);
  Unary cos = t.domain().unary(FloatUnary::Cos, a.kind.format);
  if (!sin || !cos || a.isTensor())
    return t.notModelled(op, "sine and cosine in this domain");
  t.emit(op, [=](Agent &agent) {
    sin(agent.numCells(a), agent.cells(a), agent.cells(sine));
    cos(agent.numCells(a), agent.cells(a), agent.cells(cosine));
  });
  return success();
}

static LogicalResult translateFPowI(math::FPowIOp op, Translator &t) {
  Reg base = t.reg(op.getLhs()), exponent = t.reg(op.getRhs()),
      r = t.reg(op.getResult());
  Unary toFloat =
      t.domain().convert(Conversion::SignedToFloat, exponent.kind, base.kind);
  Binary power = t.domain().binary(FloatBinary::Pow, base.kind.format);
  if (!toFloat || !power || base.isTensor())
    return t.notModelled(op, "an integer power in this domain");
  Reg converted = t.scratchLike(r);
  t.emit(op, [=](Agent &agent) {
    toFloat(agent.numCells(r), agent.cells(exponent), agent.cells(converted));
    power(agent.numCells(r), agent.cells(base), agent.cells(converted),
          agent.cells(r));
  });
  return success();
}

static void registerUnary(OpRegistry &registry) {
  addFloat<math::AbsFOp>(registry, FloatUnary::Abs);
  addFloat<math::SqrtOp>(registry, FloatUnary::Sqrt);
  addFloat<math::RsqrtOp>(registry, FloatUnary::Rsqrt);
  addFloat<math::CbrtOp>(registry, FloatUnary::Cbrt);
  addFloat<math::ExpOp>(registry, FloatUnary::Exp);
  addFloat<math::Exp2Op>(registry, FloatUnary::Exp2);
  addFloat<math::ExpM1Op>(registry, FloatUnary::ExpM1);
  addFloat<math::LogOp>(registry, FloatUnary::Log);
  addFloat<math::Log2Op>(registry, FloatUnary::Log2);
  addFloat<math::Log10Op>(registry, FloatUnary::Log10);
  addFloat<math::Log1pOp>(registry, FloatUnary::Log1P);
  addFloat<math::SinOp>(registry, FloatUnary::Sin);
  addFloat<math::CosOp>(registry, FloatUnary::Cos);
  addFloat<math::TanOp>(registry, FloatUnary::Tan);
  addFloat<math::SinhOp>(registry, FloatUnary::Sinh);
  addFloat<math::CoshOp>(registry, FloatUnary::Cosh);
  addFloat<math::TanhOp>(registry, FloatUnary::Tanh);
  addFloat<math::AsinOp>(registry, FloatUnary::Asin);
  addFloat<math::AcosOp>(registry, FloatUnary::Acos);
  addFloat<math::AtanOp>(registry, FloatUnary::Atan);
  addFloat<math::AsinhOp>(registry, FloatUnary::Asinh);
  addFloat<math::AcoshOp>(registry, FloatUnary::Acosh);
  addFloat<math::AtanhOp>(registry, FloatUnary::Atanh);
  addFloat<math::ErfOp>(registry, FloatUnary::Erf);
  addFloat<math::ErfcOp>(registry, FloatUnary::Erfc);
  addFloat<math::CeilOp>(registry, FloatUnary::Ceil);
  addFloat<math::FloorOp>(registry, FloatUnary::Floor);
  addFloat<math::TruncOp>(registry, FloatUnary::Trunc);
  addFloat<math::RoundOp>(registry, FloatUnary::Round);
  addFloat<math::RoundEvenOp>(registry, FloatUnary::RoundEven);
}

void distaff::simt::registerMath(OpRegistry &registry) {
  registerUnary(registry);
  addFloat<math::PowFOp>(registry, FloatBinary::Pow);
  addFloat<math::Atan2Op>(registry, FloatBinary::Atan2);
  addFloat<math::CopySignOp>(registry, FloatBinary::CopySign);
  addFloat<math::IsNaNOp>(registry, FloatTest::IsNaN);
  addFloat<math::IsInfOp>(registry, FloatTest::IsInf);
  addFloat<math::IsFiniteOp>(registry, FloatTest::IsFinite);
  addFloat<math::IsNormalOp>(registry, FloatTest::IsNormal);
  addInteger<math::AbsIOp>(registry, IntegerUnary::Abs);
  addInteger<math::CountLeadingZerosOp>(registry,
                                        IntegerUnary::CountLeadingZeros);
  addInteger<math::CountTrailingZerosOp>(registry,
                                         IntegerUnary::CountTrailingZeros);
  addInteger<math::CtPopOp>(registry, IntegerUnary::CountOnes);
  registry.add(translateFma);
  registry.add(translateClamp);
  registry.add(translateSinCos);
  registry.add(translateFPowI);
}

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
static void addMathFloat(OpRegistry &registry, Function function) {
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
static void addMathInteger(OpRegistry &registry, IntegerUnary function) {
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
  addMathFloat<math::AbsFOp>(registry, FloatUnary::Abs);
  addMathFloat<math::SqrtOp>(registry, FloatUnary::Sqrt);
  addMathFloat<math::RsqrtOp>(registry, FloatUnary::Rsqrt);
  addMathFloat<math::CbrtOp>(registry, FloatUnary::Cbrt);
  addMathFloat<math::ExpOp>(registry, FloatUnary::Exp);
  addMathFloat<math::Exp2Op>(registry, FloatUnary::Exp2);
  addMathFloat<math::ExpM1Op>(registry, FloatUnary::ExpM1);
  addMathFloat<math::LogOp>(registry, FloatUnary::Log);
  addMathFloat<math::Log2Op>(registry, FloatUnary::Log2);
  addMathFloat<math::Log10Op>(registry, FloatUnary::Log10);
  addMathFloat<math::Log1pOp>(registry, FloatUnary::Log1P);
  addMathFloat<math::SinOp>(registry, FloatUnary::Sin);
  addMathFloat<math::CosOp>(registry, FloatUnary::Cos);
  addMathFloat<math::TanOp>(registry, FloatUnary::Tan);
  addMathFloat<math::SinhOp>(registry, FloatUnary::Sinh);
  addMathFloat<math::CoshOp>(registry, FloatUnary::Cosh);
  addMathFloat<math::TanhOp>(registry, FloatUnary::Tanh);
  addMathFloat<math::AsinOp>(registry, FloatUnary::Asin);
  addMathFloat<math::AcosOp>(registry, FloatUnary::Acos);
  addMathFloat<math::AtanOp>(registry, FloatUnary::Atan);
  addMathFloat<math::AsinhOp>(registry, FloatUnary::Asinh);
  addMathFloat<math::AcoshOp>(registry, FloatUnary::Acosh);
  addMathFloat<math::AtanhOp>(registry, FloatUnary::Atanh);
  addMathFloat<math::ErfOp>(registry, FloatUnary::Erf);
  addMathFloat<math::ErfcOp>(registry, FloatUnary::Erfc);
  addMathFloat<math::CeilOp>(registry, FloatUnary::Ceil);
  addMathFloat<math::FloorOp>(registry, FloatUnary::Floor);
  addMathFloat<math::TruncOp>(registry, FloatUnary::Trunc);
  addMathFloat<math::RoundOp>(registry, FloatUnary::Round);
  addMathFloat<math::RoundEvenOp>(registry, FloatUnary::RoundEven);
}

void distaff::simt::registerMath(OpRegistry &registry) {
  registerUnary(registry);
  addMathFloat<math::PowFOp>(registry, FloatBinary::Pow);
  addMathFloat<math::Atan2Op>(registry, FloatBinary::Atan2);
  addMathFloat<math::CopySignOp>(registry, FloatBinary::CopySign);
  addMathFloat<math::IsNaNOp>(registry, FloatTest::IsNaN);
  addMathFloat<math::IsInfOp>(registry, FloatTest::IsInf);
  addMathFloat<math::IsFiniteOp>(registry, FloatTest::IsFinite);
  addMathFloat<math::IsNormalOp>(registry, FloatTest::IsNormal);
  addMathInteger<math::AbsIOp>(registry, IntegerUnary::Abs);
  addMathInteger<math::CountLeadingZerosOp>(registry,
                                            IntegerUnary::CountLeadingZeros);
  addMathInteger<math::CountTrailingZerosOp>(registry,
                                             IntegerUnary::CountTrailingZeros);
  addMathInteger<math::CtPopOp>(registry, IntegerUnary::CountOnes);
  registry.add<math::FmaOp>(translateFma);
  registry.add<math::ClampFOp>(translateClamp);
  registry.add<math::SincosOp>(translateSinCos);
  registry.add<math::FPowIOp>(translateFPowI);
}

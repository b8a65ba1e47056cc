//===- Math.cpp - math operations -----------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Math/IR/Math.h"
#include "../Translate/OpRegistry.h"
#include "FastMath.h"

using namespace distaff;
using namespace distaff::simt;

template <typename Function>
static OpRegistry::Translate mathFloat(Function function) {
  return [=](Operation *op, Translator &t) {
    FloatFormat format = t.reg(op->getOperand(0)).kind.format;
    if constexpr (std::is_same_v<Function, FloatTest>)
      return t.elementwise(op, t.domain().test(function, format));
    else if constexpr (std::is_same_v<Function, FloatBinary>)
      return t.elementwise(op,
                           relaxed(op, t, t.domain().binary(function, format)));
    else
      return t.elementwise(op,
                           relaxed(op, t, t.domain().unary(function, format)));
  };
}

static OpRegistry::Translate mathInteger(IntegerUnary function) {
  return [=](Operation *op, Translator &t) {
    unsigned width = t.reg(op->getOperand(0)).kind.width;
    return t.elementwise(op, t.domain().unary(function, width));
  };
}

static LogicalResult translateFma(math::FmaOp op, Translator &t) {
  FloatFormat format = t.reg(op.getA()).kind.format;
  return t.elementwise(
      op, relaxed(op, t, t.domain().ternary(FloatTernary::Fma, format)));
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

static void registerUnary(OpRegistry &registry) {
  registry.add<math::AbsFOp>(mathFloat(FloatUnary::Abs));
  registry.add<math::SqrtOp>(mathFloat(FloatUnary::Sqrt));
  registry.add<math::RsqrtOp>(mathFloat(FloatUnary::Rsqrt));
  registry.add<math::CbrtOp>(mathFloat(FloatUnary::Cbrt));
  registry.add<math::ExpOp>(mathFloat(FloatUnary::Exp));
  registry.add<math::Exp2Op>(mathFloat(FloatUnary::Exp2));
  registry.add<math::ExpM1Op>(mathFloat(FloatUnary::ExpM1));
  registry.add<math::LogOp>(mathFloat(FloatUnary::Log));
  registry.add<math::Log2Op>(mathFloat(FloatUnary::Log2));
  registry.add<math::Log10Op>(mathFloat(FloatUnary::Log10));
  registry.add<math::Log1pOp>(mathFloat(FloatUnary::Log1P));
  registry.add<math::SinOp>(mathFloat(FloatUnary::Sin));
  registry.add<math::CosOp>(mathFloat(FloatUnary::Cos));
  registry.add<math::TanOp>(mathFloat(FloatUnary::Tan));
  registry.add<math::SinhOp>(mathFloat(FloatUnary::Sinh));
  registry.add<math::CoshOp>(mathFloat(FloatUnary::Cosh));
  registry.add<math::TanhOp>(mathFloat(FloatUnary::Tanh));
  registry.add<math::AsinOp>(mathFloat(FloatUnary::Asin));
  registry.add<math::AcosOp>(mathFloat(FloatUnary::Acos));
  registry.add<math::AtanOp>(mathFloat(FloatUnary::Atan));
  registry.add<math::AsinhOp>(mathFloat(FloatUnary::Asinh));
  registry.add<math::AcoshOp>(mathFloat(FloatUnary::Acosh));
  registry.add<math::AtanhOp>(mathFloat(FloatUnary::Atanh));
  registry.add<math::ErfOp>(mathFloat(FloatUnary::Erf));
  registry.add<math::ErfcOp>(mathFloat(FloatUnary::Erfc));
  registry.add<math::CeilOp>(mathFloat(FloatUnary::Ceil));
  registry.add<math::FloorOp>(mathFloat(FloatUnary::Floor));
  registry.add<math::TruncOp>(mathFloat(FloatUnary::Trunc));
  registry.add<math::RoundOp>(mathFloat(FloatUnary::Round));
  registry.add<math::RoundEvenOp>(mathFloat(FloatUnary::RoundEven));
}

void distaff::simt::registerMath(OpRegistry &registry) {
  registerUnary(registry);
  registry.add<math::PowFOp>(mathFloat(FloatBinary::Pow));
  registry.add<math::Atan2Op>(mathFloat(FloatBinary::Atan2));
  registry.add<math::CopySignOp>(mathFloat(FloatBinary::CopySign));
  registry.add<math::IsNaNOp>(mathFloat(FloatTest::IsNaN));
  registry.add<math::IsInfOp>(mathFloat(FloatTest::IsInf));
  registry.add<math::IsFiniteOp>(mathFloat(FloatTest::IsFinite));
  registry.add<math::IsNormalOp>(mathFloat(FloatTest::IsNormal));
  registry.add<math::IPowIOp>([](Operation *op, Translator &t) {
    unsigned width = t.reg(op->getResult(0)).kind.width;
    return t.elementwise(op, t.domain().binary(IntegerBinary::Power, width));
  });
  registry.add<math::AbsIOp>(mathInteger(IntegerUnary::Abs));
  registry.add<math::CountLeadingZerosOp>(
      mathInteger(IntegerUnary::CountLeadingZeros));
  registry.add<math::CountTrailingZerosOp>(
      mathInteger(IntegerUnary::CountTrailingZeros));
  registry.add<math::CtPopOp>(mathInteger(IntegerUnary::CountOnes));
  registry.add<math::FmaOp>(translateFma);
  registry.add<math::ClampFOp>(translateClamp);
  registry.add<math::SincosOp>(translateSinCos);
}

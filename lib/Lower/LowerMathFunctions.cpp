//===- LowerMathFunctions.cpp - Accurate expansions in f32 ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function is a formula over F, a float value with operators. Three
// things make them accurate: exponents are kept in two parts (hyperbolic
// functions, expm1, erfc), angles are reduced in f64 with as much of 2/pi as
// their exponent needs (sin, cos, tan), and differences that cancel go through
// log1p or a Taylor polynomial (inverse hyperbolic functions).
//
//===----------------------------------------------------------------------===//
#include "LowerMathFunctions.h"
#include "FloatFormulas.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace distaff;
using namespace distaff::formulas;

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.693147180559945309417;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// Returns exp(x) 2^scale: the exponent x log2 e in two parts, the first one
/// rounded to f32, so that its error is not magnified.
F exponential(F x, double scale) {
  constexpr double log2E = 1.442695040888963407359924681;
  F high = x * log2E;
  F low = fma(x, x.constant(log2E), 0.0 - high);
  low = fma(x, x.constant(log2E - double(float(log2E))), low);
  F power = (high + scale).apply<math::Exp2Op>();
  F result = fma(power, low * kLn2, power);
  // 0 and infinity are final: `low` may be NaN there.
  Value final = compare(arith::CmpFPredicate::OEQ, power, power + power);
  return select(final, power, result);
}

F expM1(F x) {
  F taylor = polynomial(x, {1. / 40320, 1. / 5040, 1. / 720, 1. / 120, 1. / 24,
                            1. / 6, 1. / 2, 1});
  return select(less(absolute(x), 0.4), x * taylor, exponential(x, 0) - 1.0);
}

F sinh(F x) {
  F magnitude = absolute(x);
  F half = exponential(magnitude, -1);
  F large = copySign(half - 0.25 / half, x);
  F taylor = polynomial(
      x * x, {1. / 39916800, 1. / 362880, 1. / 5040, 1. / 120, 1. / 6});
  return select(less(magnitude, 1), fma(x * (x * x), taylor, x), large);
}

/// Returns erfc(x) by exp(-x^2) (1 + 2 x) exp(x^2) erfc(x) / (1 + 2 x): the
/// middle factors vary little along (x - 2) / (x + 2), as Shepherd and
/// Laframboise found (Mathematics of Computation 36, 1981). The polynomial
/// interpolates them at the Chebyshev nodes of 0 to 10.2, where erfc has become
/// 0.
F erfc(F x) {
  F a = absolute(x);
  a = select(less(a.constant(11), a), a.constant(11), a);
  F square = a * a;
  F rest = fma(a, a, 0.0 - square);
  F power = exponential(0.0 - square, 0);
  power = fma(power, 0.0 - rest, power);
  F product = polynomial((a - 2.0) / (a + 2.0),
                         {-0.00042251546983607113, -0.0012606343952938914,
                          0.0013287677429616451, 0.008661998435854912,
                          -0.008062068372964859, -0.05421387776732445,
                          0.16405519843101501, -0.16603043675422668,
                          -0.09276396036148071, 1.2769783735275269});
  F positive = product / (a * 2.0 + 1.0) * power;
  return select(less(x, 0), 2.0 - positive, positive);
}

F cosh(F x) {
  F half = exponential(absolute(x), -1);
  return half + 0.25 / half;
}

//===----------------------------------------------------------------------===//
// Exponentials of a CPU
//===----------------------------------------------------------------------===//

F exp2OfHost(F x) {
  x = clamped(x, -160, 130);
  Rounded n = roundInBits(x);
  return scaled(exp2OfFraction(x - n.whole), n);
}

/// Returns exp(n ln 2 + r) with |r| <= ln(2) / 2, ln 2 in two parts, of which
/// the first has so few bits that its products with n are exact. Coefficients
/// as above.
F expOfHost(F x) {
  constexpr double high = 0x1.62ep-1, low = 0x1.0bfbe8e7bcd5ep-15;
  x = clamped(x, -110, 90);
  Rounded n = roundInBits(x * (1 / kLn2));
  F rest = fma(n.whole, x.constant(-high), x);
  rest = fma(n.whole, x.constant(-low), rest);
  F fraction = polynomial(rest, {0.0013941116406063054, 0.008375132781144013,
                                 0.04166635280102047, 0.16666415437987242,
                                 0.5000000047139321, 1.0000000377334783, 1.0});
  return scaled(fraction, n);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// Returns the logarithm also for subnormal numbers, which upstream's
/// logarithms treat as the smallest normal one. `unit` is the logarithm of 2.
template <typename Op> F logarithm(F x, double unit) {
  Value small = less(x, 0x1p-126);
  F log = select(small, x * 0x1p24, x).apply<Op>();
  return select(small, log - 24 * unit, log);
}

F asinh(F x) {
  F a = absolute(x);
  F square = a * a;
  F sum = a + square / ((square + 1.0).apply<math::SqrtOp>() + 1.0);
  F large = a.apply<math::LogOp>() + kLn2;
  F result = select(less(a, 0x1p60), sum.apply<math::Log1pOp>(), large);
  return copySign(result, x);
}

F acosh(F x) {
  F t = x - 1.0;
  F sum = t + (t * (t + 2.0)).apply<math::SqrtOp>();
  F large = x.apply<math::LogOp>() + kLn2;
  F result = select(less(x, 0x1p60), sum.apply<math::Log1pOp>(), large);
  return select(less(x, 1), x.constant(std::nan("")), result);
}

F atanh(F x) {
  F a = absolute(x);
  F log = (a * 2.0 / (1.0 - a)).apply<math::Log1pOp>();
  F result = select(equal(a, 1), a.constant(INFINITY), log * 0.5);
  result = select(less(a.constant(1), a), a.constant(std::nan("")), result);
  return copySign(result, x);
}

/// Returns upstream's cube root, improved by one step of Newton's method.
F cbrt(F x) {
  Value small = less(absolute(x), 0x1p-100);
  F y = select(small, x * 0x1p60, x);
  F root = y.apply<math::CbrtOp>();
  root = root - (root - y / (root * root)) * (1. / 3);
  root = select(small, root * 0x1p-20, root);
  return select(compare(arith::CmpFPredicate::OEQ, x + x, x), x, root);
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

/// Describes x = (quadrant + rest 2 / pi) pi / 2 with |rest| <= pi / 4; the
/// quadrant is 0, 1, 2 or 3, in f64.
struct Angle {
  F quadrant, rest;
};

/// Computes x 2/pi modulo 4. x is y 2^(26 j) with y < 2^50, an integer unless j
/// = 0, and 2^(26 j) 2/pi modulo 4 is a constant in three parts. The first two
/// have 29 bits, so that their products with the 24 bits of y are exact.
Angle reduced(F x) {
  constexpr double parts[4][3] = {
      {0x1.45f306d000000p-1, 0x1.9391054000000p-30, 0x1.4fe13abe8fa9ap-59},
      {0x1.b939105000000p+0, 0x1.29fc275000000p-30, 0x1.f47d4d377036ep-60},
      {0x1.529fc27000000p+0, 0x1.5f47d4d000000p-30, 0x1.bb81b6c52b328p-61},
      {0x1.d5f47d4000000p+0, 0x1.a6ee06d000000p-29, 0x1.6295993c43904p-58}};
  F y = x.converted(x.builder->getF64Type());
  F size = absolute(y);
  F scale = y.constant(1), high = y.constant(parts[0][0]),
    middle = y.constant(parts[0][1]), low = y.constant(parts[0][2]);
  for (int j = 1; j < 4; ++j) {
    Value below = less(size, std::ldexp(1.0, 24 + 26 * j));
    scale = select(below, scale, y.constant(std::ldexp(1.0, -26 * j)));
    high = select(below, high, y.constant(parts[j][0]));
    middle = select(below, middle, y.constant(parts[j][1]));
    low = select(below, low, y.constant(parts[j][2]));
  }
  y = y * scale;
  F product = y * high;
  F turns = roundEven(product);
  F rest = (product - turns) + y * middle;
  F more = roundEven(rest);
  rest = (rest - more) + y * low;
  turns = turns + more;
  F quadrant = turns - (turns * 0.25).apply<math::FloorOp>() * 4.0;
  return {quadrant, (rest * (kPi / 2)).converted(x.builder->getF32Type())};
}

F sinOfRest(F x) {
  F z = x * x;
  F factor =
      polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  return fma(x * z, factor, x);
}

F cosOfRest(F x) {
  F z = x * x;
  return polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3,
                        4.166664568298827e-2, -0.5, 1});
}

/// Returns sin(x + shift pi / 2).
F sine(F x, bool shifted) {
  Angle angle = reduced(x);
  F s = sinOfRest(angle.rest), c = cosOfRest(angle.rest);
  Value odd = arith::OrIOp::create(*x.builder, x.loc, equal(angle.quadrant, 1),
                                   equal(angle.quadrant, 3));
  F magnitude = shifted ? select(odd, s, c) : select(odd, c, s);
  Value negative = shifted ? arith::OrIOp::create(*x.builder, x.loc,
                                                  equal(angle.quadrant, 1),
                                                  equal(angle.quadrant, 2))
                                 .getResult()
                           : less(angle.quadrant.constant(1), angle.quadrant);
  return select(negative, 0.0 - magnitude, magnitude);
}

F tangent(F x) {
  Angle angle = reduced(x);
  F s = sinOfRest(angle.rest), c = cosOfRest(angle.rest);
  Value odd = arith::OrIOp::create(*x.builder, x.loc, equal(angle.quadrant, 1),
                                   equal(angle.quadrant, 3));
  return select(odd, 0.0 - c, s) / select(odd, s, c);
}

/// Returns the arc tangent of a number that is not negative.
F arcTangent(F a) {
  Value large = less(a.constant(2.414213562373095), a);
  Value small = less(a, 0.4142135623730950);
  F z = select(large, -1.0 / a, select(small, a, (a - 1.0) / (a + 1.0)));
  F base = select(large, a.constant(kPi / 2),
                  select(small, a.constant(0), a.constant(kPi / 4)));
  F square = z * z;
  F factor = polynomial(square, {8.05374449538e-2, -1.38776856032e-1,
                                 1.99777106478e-1, -3.33329491539e-1});
  return base + fma(z * square, factor, z);
}

F atan(F x) { return copySign(arcTangent(absolute(x)), x); }

F atan2(F y, F x) {
  F a = absolute(y), b = absolute(x);
  F low = a.apply<arith::MinimumFOp>(b), high = a.apply<arith::MaximumFOp>(b);
  F ratio = select(equal(high, 0), high, low / high);
  ratio = select(equal(low, INFINITY), low.constant(1), ratio);
  F angle = arcTangent(ratio);
  angle = select(less(b, a), kPi / 2 - angle, angle);
  Value left = less(copySign(x.constant(1), x), 0);
  return copySign(select(left, kPi - angle, angle), y);
}

/// Emits the op itself, for upstream's pattern.
template <typename Op> F upstream(F x) { return x.apply<Op>(); }

/// Returns an odd function whose formula loses the sign of a zero: the function
/// of a zero is the zero.
template <auto function> F keepZero(F x) {
  return select(equal(x, 0), x, function(x));
}

/// Returns the formula of a function of f32, by the name of its op; null
/// without one.
Formula formulaOfSingle(StringRef name) {
  return llvm::StringSwitch<Formula>(name)
      .Case("math.expm1", expM1)
      .Case("math.sinh", sinh)
      .Case("math.cosh", cosh)
      .Case("math.asinh", asinh)
      .Case("math.acosh", acosh)
      .Case("math.atanh", atanh)
      .Case("math.cbrt", cbrt)
      .Case("math.erfc", erfc)
      .Case("math.atan", atan)
      .Case("math.erf", keepZero<upstream<math::ErfOp>>)
      .Case("math.tan", keepZero<tangent>)
      .Case("math.sin", keepZero<[](F x) { return sine(x, false); }>)
      .Case("math.cos", [](F x) { return sine(x, true); })
      .Case("math.log", [](F x) { return logarithm<math::LogOp>(x, kLn2); })
      .Case("math.log2", [](F x) { return logarithm<math::Log2Op>(x, 1); })
      .Case("math.log10",
            [](F x) {
              constexpr double log10Of2 = 0.301029995663981195213738894;
              return logarithm<math::Log2Op>(x, 1) * log10Of2;
            })
      .Default(nullptr);
}

} // namespace

LogicalResult distaff::expandExponential(Operation *op,
                                         RewriterBase &rewriter) {
  Type type = op->getResult(0).getType();
  if (!isa<math::ExpOp, math::Exp2Op>(op) ||
      !getElementTypeOrSelf(type).isF32())
    return failure();
  rewriter.setInsertionPoint(op);
  F x{&rewriter, op->getLoc(), op->getOperand(0)};
  rewriter.replaceOp(
      op, (isa<math::ExpOp>(op) ? expOfHost(x) : exp2OfHost(x)).value);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops that are no formula of floats
//===----------------------------------------------------------------------===//

/// Returns whether the magnitude is one of [least, largest], by bits: an 8-bit
/// float is computed with in a wider format, in which all its numbers are
/// normal.
static Value isBetween(F x, const APFloat &least, const APFloat &largest) {
  I bits = bitsOf(x);
  auto bitsOfNumber = [](const APFloat &number) {
    return number.bitcastToAPInt().getSExtValue();
  };
  I magnitude = bits & APInt::getSignedMaxValue(bits.width()).getSExtValue();
  return compare(arith::CmpIPredicate::ule, magnitude - bitsOfNumber(least),
                 bitsOfNumber(largest) - bitsOfNumber(least));
}

/// Returns whether a float is finite, infinite or normal; null for another op.
static Value expandClass(Operation *op, OpBuilder &builder) {
  if (!isa<math::IsFiniteOp, math::IsInfOp, math::IsNormalOp>(op))
    return nullptr;
  F x{&builder, op->getLoc(), op->getOperand(0)};
  if (isa<math::IsFiniteOp>(op))
    return equal(x - x, 0);
  if (isa<math::IsInfOp>(op)) {
    // A format without infinity can only be infinite in f32.
    F wide = x.converted(isDouble(x) ? builder.getF64Type()
                                     : Type(builder.getF32Type()));
    return equal(absolute(wide), INFINITY);
  }
  const llvm::fltSemantics &format =
      cast<FloatType>(getElementTypeOrSelf(x.value)).getFloatSemantics();
  return isBetween(x, APFloat::getSmallestNormalized(format),
                   APFloat::getLargest(format));
}

/// Returns whether upstream's expansion multiplies by no more than three
/// factors. More factors round more often, and the power in a reciprocal may
/// overflow where the result does not vanish.
static bool isShortProduct(const std::optional<APInt> &exponent) {
  return exponent && !exponent->isNegative() && exponent->ule(3);
}

/// Computes narrower types in f32. Fails for the ops that upstream expands.
static LogicalResult expandIntegerPower(math::FPowIOp op,
                                        RewriterBase &rewriter) {
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  std::optional<APInt> exponent;
  if (APInt constant; matchPattern(op.getRhs(), m_ConstantInt(&constant)))
    exponent = constant;
  bool isShort = isShortProduct(exponent);
  if (isShort && element.getWidth() >= 32)
    return failure();
  F x{&rewriter, op.getLoc(), op.getLhs()};
  F wide = x.converted(element.isF64() ? element : rewriter.getF32Type());
  F result = exponent && exponent->isAllOnes() ? wide.constant(1) / wide
             : isShort ? wide.with(math::FPowIOp::create(
                             rewriter, op.getLoc(), wide.value, op.getRhs()))
                       : powerByInteger(wide, op.getRhs());
  rewriter.replaceOp(op, result.converted(element).value);
  return success();
}

void distaff::expandRemainder(arith::RemFOp op, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  Type element = getElementTypeOrSelf(op.getType());
  Type computed = element.isF64() ? element : rewriter.getF32Type();
  auto operand = [&](Value value) {
    return F{&rewriter, op.getLoc(), value}.converted(computed);
  };
  F result = remainderOf(operand(op.getLhs()), operand(op.getRhs()));
  rewriter.replaceOp(op, result.converted(element).value);
}

void distaff::splitSincos(Operation *function, RewriterBase &rewriter) {
  function->walk([&](math::SincosOp op) {
    rewriter.setInsertionPoint(op);
    Value sine = math::SinOp::create(rewriter, op.getLoc(), op.getOperand());
    Value cosine = math::CosOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOp(op, {sine, cosine});
  });
}

LogicalResult distaff::expandAccurately(Operation *op, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  if (auto power = dyn_cast<math::IPowIOp>(op))
    return rewriter.replaceOp(op, powerOfIntegers(power, rewriter)), success();
  if (Value isOfClass = expandClass(op, rewriter))
    return rewriter.replaceOp(op, isOfClass), success();
  if (auto clamp = dyn_cast<math::ClampFOp>(op)) {
    F low{&rewriter, op->getLoc(), clamp.getMin()};
    F high = low.with(clamp.getMax()), x = low.with(clamp.getValue());
    rewriter.replaceOp(
        op,
        x.apply<arith::MaximumFOp>(low).apply<arith::MinimumFOp>(high).value);
    return success();
  }
  if (op->getNumResults() != 1 || op->getNumOperands() > 2)
    return failure();
  auto element =
      dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!element || element.getWidth() > 64)
    return failure();
  if (auto power = dyn_cast<math::FPowIOp>(op))
    return expandIntegerPower(power, rewriter);
  auto operand = [&](unsigned i) {
    return F{&rewriter, op->getLoc(), op->getOperand(i)};
  };
  if (!isa<FloatType>(getElementTypeOrSelf(op->getOperand(0))))
    return failure();
  bool isDouble = element.isF64();
  Type computed = isDouble ? Type(element) : rewriter.getF32Type();
  auto number = [&](unsigned i) { return operand(i).converted(computed); };
  auto replace = [&](F result) {
    rewriter.replaceOp(op, result.converted(element).value);
    return success();
  };
  if (isa<math::PowFOp>(op))
    return replace(powerOf(number(0), number(1)));
  if (isa<math::Atan2Op>(op))
    return replace(isDouble ? atan2OfDouble(number(0), number(1))
                            : atan2(number(0), number(1)));
  StringRef name = op->getName().getStringRef();
  Formula formula = isDouble ? formulaOfDouble(name) : formulaOfSingle(name);
  return formula ? replace(formula(number(0))) : failure();
}

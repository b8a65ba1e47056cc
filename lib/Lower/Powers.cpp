//===- Powers.cpp - Float and integer powers ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x|^y is 2^(y log2 |x|) with a logarithm of two floats, as an exponent of 127
// magnifies its error by that factor. Signs and the cases without a logarithm
// are those of C, Annex F.9.4.4: x^0 and 1^y are 1, even for NaN; an odd y
// keeps the sign of a zero and of an infinity.
//
//===----------------------------------------------------------------------===//
#include "FloatFormulas.h"
#include "LowerMathFunctions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace distaff;
using namespace distaff::formulas;

namespace {

/// Returns the binary logarithm of a number that is not negative; infinite for
/// 0 and infinity, and any number for NaN. Its relative error is below 2^-30.
DoubleWord logarithm(F x) {
  Value isSmall = less(x, 0x1p-126);
  F number = select(isSmall, x * 0x1p24, x);
  // number = m 2^e with m in [sqrt(1/2), sqrt(2)).
  I bits = bitsOf(number);
  I exponent = shiftSigned(bits - 0x3F3504F3, 23);
  F m = numberOf(bits - shiftLeft(exponent, 23), x);
  F e = x.with(arith::SIToFPOp::create(*x.builder, x.loc, x.value.getType(),
                                       exponent.value));
  e = select(isSmall, e - 24.0, e);
  // ln m = 2 atanh s = 2 (s + s^3 / 3 + ...), s = (m - 1) / (m + 1).
  F above = m - 1.0, below = m + 1.0;
  F belowRest = m - (below - 1.0);
  F s = above / below;
  F sRest = (fma(0.0 - s, below, above) - s * belowRest) / below;
  F z = s * s;
  F tail = s * (z * polynomial(z, {1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3}));
  constexpr double factor = 2.885390081777926814719849362; // 2 / ln 2
  F high = s * factor;
  F low = fma(s, s.constant(factor), 0.0 - high);
  low = fma(s, s.constant(factor - double(float(factor))), low);
  low = fma(sRest + tail, s.constant(factor), low);
  DoubleWord sum = fastTwoSum(e, high);
  DoubleWord result = fastTwoSum(sum.high, sum.low + low);
  Value isInfinite = compare(arith::CmpFPredicate::OEQ, x, x + x); // or 0
  F limit = select(equal(x, 0), x.constant(-INFINITY), x);
  return {select(isInfinite, limit, result.high),
          select(isInfinite, x.constant(0), result.low)};
}

/// Returns the same for a number of f32 or f64.
DoubleWord logarithmOf(F x) {
  return isDouble(x) ? logarithmOfDouble(x, LogarithmBase::Two) : logarithm(x);
}

/// An exponent, as a sum, and the parity that the sign of a power depends on.
struct Exponent {
  DoubleWord value;
  Value isWhole, isOdd;
};

/// Returns 2^x for |x| <= 1/2, of which all but the last rounding is below
/// 2^-28. The polynomial interpolates (2^x - 1 - x ln 2) / x^2 as others do.
F exp2OfFractionWord(DoubleWord x) {
  constexpr double ln2 = 0.6931471824645996, ln2Rest = -1.904654299957768e-09;
  F square = x.high * x.high;
  F tail =
      square * polynomial(x.high, {1.52909485499206e-05, 0.0001545316294512069,
                                   0.0013333522307609031, 0.009618082557277852,
                                   0.055504108714600736, 0.24022650760568126});
  DoubleWord linear =
      multiply(x, {x.high.constant(ln2), x.high.constant(ln2Rest)});
  DoubleWord one = fastTwoSum(x.high.constant(1), linear.high);
  return one.high + (one.low + (linear.low + tail));
}

/// Returns 2^(high + low), and 1 for NaN.
F exp2Of(DoubleWord exponent) {
  if (isDouble(exponent.high))
    return exp2OfDouble(exponent);
  F high = clamped(exponent.high, -300, 300);
  Value isModest = less(absolute(exponent.high), 300);
  F low = select(isModest, exponent.low, high.constant(0));
  // Beyond 252 the factors of `scaled` do not suffice; the result is 0 or
  // infinity.
  high = clamped(high, -250, 250);
  Rounded n = roundInBits(high);
  return scaled(exp2OfFractionWord(fastTwoSum(high - n.whole, low)), n);
}

F power(F x, Exponent y) {
  DoubleWord log = logarithmOf(absolute(x));
  F exponent = y.value.high * log.high;
  F rest = fma(y.value.high, log.high, 0.0 - exponent);
  rest = rest + y.value.high * log.low + y.value.low * log.high;
  F magnitude = exp2Of({exponent, rest});
  Value isNegative = less(copySign(x.constant(1), x), 0);
  F result = select(y.isOdd, copySign(magnitude, x), magnitude);
  // A negative number has no real root.
  I truth{x.builder, x.loc, y.isWhole};
  Value isNumber = less(x.constant(-INFINITY), x);
  Value hasRoot = either(truth, y.isWhole, equal(x, 0));
  Value isReal = arith::XOrIOp::create(*x.builder, x.loc,
                                       both(truth, isNegative, isNumber),
                                       truth.constant(-1).value);
  result =
      select(either(truth, hasRoot, isReal), result, x.constant(std::nan("")));
  Value isUnordered = compare(arith::CmpFPredicate::UNO, x, y.value.high);
  result = select(isUnordered, x + y.value.high, result);
  // (-1)^infinity is 1 as well.
  Value isOne = both(truth, equal(absolute(x), 1),
                     equal(absolute(y.value.high), INFINITY));
  isOne = either(truth, isOne, equal(x, 1));
  isOne = either(truth, isOne, equal(y.value.high + y.value.low, 0));
  return select(isOne, x.constant(1), result);
}

/// Returns the exponent for an integer of 32 bits, for f64 of 64 bits: the
/// integer without its last bits is exact as a float, and so are those bits.
Exponent exponentOf(I n, F like) {
  int64_t last = isDouble(like) ? 0x7FF : 0xFF;
  auto number = [&](I part) {
    return like.with(arith::SIToFPOp::create(*like.builder, like.loc,
                                             like.value.getType(), part.value));
  };
  F high = number(n & ~last), low = number(n & last);
  I truth = n.with(compare(arith::CmpIPredicate::ne, n & 1, 0));
  Value always = truth.constant(-1).value;
  DoubleWord sum = fastTwoSum(high, low);
  return {sum, always, truth.value};
}

/// Returns a 32-bit integer that is equivalent as an exponent of a float: in
/// f32 all numbers but 1 and -1 have 0 or infinity as a power by 2^31.
I narrowed(I n) {
  Type i32 = n.shaped(n.builder->getI32Type());
  if (n.width() == 32)
    return n;
  if (n.width() < 32)
    return n.with(arith::ExtSIOp::create(*n.builder, n.loc, i32, n.value));
  I most = n.constant(2147483646), least = n.constant(-2147483648);
  I odd = n & 1;
  I near = n.with(arith::MaxSIOp::create(
      *n.builder, n.loc,
      arith::MinSIOp::create(*n.builder, n.loc, n.value, most.value),
      least.value));
  return n.with(arith::TruncIOp::create(*n.builder, n.loc, i32,
                                        ((near & ~int64_t(1)) | odd).value));
}

/// Returns whether any element is true.
Value any(I truth) {
  if (!isa<VectorType>(truth.value.getType()))
    return truth.value;
  return vector::ReductionOp::create(*truth.builder, truth.loc,
                                     vector::CombiningKind::OR, truth.value);
}

/// Returns x^n by squaring, for an n that is not negative; n is unsigned.
Value powerBySquaring(I x, I n) {
  OpBuilder &b = *x.builder;
  Type type = x.value.getType();
  auto loop = scf::WhileOp::create(
      b, x.loc, TypeRange{type, type, type},
      ValueRange{x.constant(1).value, x.value, n.value},
      [](OpBuilder &inner, Location loc, ValueRange values) {
        I left{&inner, loc, values[2]};
        Value more = any(left.with(compare(arith::CmpIPredicate::ne, left, 0)));
        scf::ConditionOp::create(inner, loc, more, values);
      },
      [](OpBuilder &inner, Location loc, ValueRange values) {
        I result{&inner, loc, values[0]}, square{&inner, loc, values[1]},
            left{&inner, loc, values[2]};
        Value isOdd = compare(arith::CmpIPredicate::ne, left & 1, 0);
        scf::YieldOp::create(
            inner, loc,
            ValueRange{select(isOdd, result * square, result).value,
                       (square * square).value, shiftRight(left, 1).value});
      });
  return loop.getResult(0);
}

/// Returns x^n. For n < 0 it is 1 / x^|n|, which is 0 but for 1 and -1.
Value power(I x, I n) {
  Value isNegative = compare(arith::CmpIPredicate::slt, n, 0);
  I exponent = select(isNegative, n & 1, n);
  I result = x.with(powerBySquaring(x, exponent));
  Value isUnit = either(x, compare(arith::CmpIPredicate::eq, x, 1),
                        compare(arith::CmpIPredicate::eq, x, -1));
  I inverse = select(isUnit, result, x.constant(0));
  return select(isNegative, inverse, result).value;
}

} // namespace

F distaff::powerOf(F x, F y) {
  F half = y * 0.5;
  Value isWhole = compare(arith::CmpFPredicate::OEQ, roundEven(y), y);
  Value isOdd = compare(arith::CmpFPredicate::UNE, roundEven(half), half);
  I truth{x.builder, x.loc, isWhole};
  return power(x, {{y, y.constant(0)}, isWhole, both(truth, isWhole, isOdd)});
}

F distaff::powerByInteger(F x, Value exponent) {
  I n{x.builder, x.loc, exponent};
  if (!isDouble(x))
    n = narrowed(n);
  return power(x, exponentOf(n, x));
}

Value distaff::powerOfIntegers(math::IPowIOp op, OpBuilder &builder) {
  return power(I{&builder, op.getLoc(), op.getLhs()},
               I{&builder, op.getLoc(), op.getRhs()});
}

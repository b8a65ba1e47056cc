//===- DoubleFunctions.cpp - Functions of f64 without a library -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPUs have no instruction for these functions, and no library is linked. For
// an error within two units in the last place, values whose error would be
// magnified are sums of two numbers: logarithms and the exponents of powers,
// reduced angles. Polynomials interpolate at the zeros of Chebyshev's; the
// comment beside each has its interval, and its relative error is below 2^-53.
//
//===----------------------------------------------------------------------===//
#include "LowerMathFunctions.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace distaff;
using namespace distaff::formulas;

namespace {

constexpr double ln2 = 0.6931471805599453, ln2Rest = 2.3190468138462996e-17;
constexpr double halfPi = 1.5707963267948966,
                 halfPiRest = 6.123233995736766e-17;

DoubleWord constantWord(F like, double high, double low) {
  return {like.constant(high), like.constant(low)};
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// Represents 2^n (1 + fraction).
struct Power {
  F fraction;
  Rounded n;
};

/// Returns e^(x + rest) - 1 for |x| <= 0.35, where rest is below a unit of x.
F expM1OfSmall(F x, F rest) {
  F tail = polynomial( // (e^x - 1 - x) / x^2
      x, {1.6086781948613066e-10, 2.091836877654225e-09, 2.5052070676884162e-08,
          2.75572626528368e-07, 2.755731924760984e-06, 2.480158733702903e-05,
          0.00019841269841263152, 0.0013888888888878854, 0.008333333333333333,
          0.04166666666666668, 0.16666666666666666, 0.5});
  return x + fma(x * x, tail, fma(x, rest, rest));
}

/// Returns e^(x + rest), where rest is below 2^-40. \pre |x| < 2^20
Power expOf(F x, F rest) {
  constexpr double high = 0x1.62e42fefa38p-1, low = 5.497923018708371e-14;
  Rounded n = roundInBits(x * (1 / ln2));
  F reduced = fma(n.whole, x.constant(-high), x); // exact
  DoubleWord r = twoSum(reduced, n.whole * -low);
  r = twoSum(r.high, r.low + rest);
  return {expM1OfSmall(r.high, r.low), n};
}

F exponential(F x) {
  F near = clamped(x, -800, 800);
  Power power = expOf(near, x.constant(0));
  return scaled(power.fraction + 1.0, power.n);
}

F exp2OfWord(DoubleWord x) {
  Value isModest = less(absolute(x.high), 1100);
  F low = select(isModest, x.low, x.low.constant(0));
  F high = clamped(x.high, -1100, 1100);
  Rounded n = roundInBits(high);
  DoubleWord fraction = fastTwoSum(high - n.whole, low);
  DoubleWord r = multiply(fraction, constantWord(x.high, ln2, ln2Rest));
  return scaled(expM1OfSmall(r.high, r.low) + 1.0, n);
}

F expM1(F x) {
  F near = clamped(x, -800, 800);
  Power power = expOf(near, x.constant(0));
  // 2^n - 1 is exact for few n; for others one of the two terms is rounded
  // away.
  Rounded one = {power.n.whole, power.n.integer};
  F unit = scaled(x.constant(1), one);
  F split = (unit - 1.0) + unit * power.fraction;
  F whole = scaled(power.fraction + 1.0, power.n) - 1.0;
  F result = select(less(absolute(power.n.whole), 50), split, whole);
  return select(equal(x, 0), x, result);
}

F sinh(F x) {
  F a = absolute(x);
  Power power = expOf(clamped(a, 0, 800), x.constant(0));
  Rounded n = {power.n.whole, power.n.integer - 1};
  F half = scaled(power.fraction + 1.0, n);
  F large = copySign(half - 0.25 / half, x);
  F square = x * x;
  F tail = polynomial( // (sinh(r) / r - 1) / r^2, r^2 <= 1
      square,
      {8.309171941866942e-18, 2.8112909646770106e-15, 7.647165414593481e-13,
       1.605904382690051e-10, 2.505210838547607e-08, 2.7557319223985825e-06,
       0.0001984126984126984, 0.008333333333333333, 0.16666666666666666});
  F result = select(less(a, 1), fma(x * square, tail, x), large);
  return select(compare(arith::CmpFPredicate::UNO, x, x), x, result);
}

F cosh(F x) {
  Power power = expOf(clamped(absolute(x), 0, 800), x.constant(0));
  Rounded n = {power.n.whole, power.n.integer - 1};
  F half = scaled(power.fraction + 1.0, n);
  return select(compare(arith::CmpFPredicate::UNO, x, x), x,
                half + 0.25 / half);
}

F tanh(F x) {
  F a = absolute(x), square = x * x;
  F tail = polynomial( // (tanh(r) / r - 1) / r^2, r <= 0.55
      square,
      {-6.421487876325124e-08, 3.235563695343108e-07, -9.918861590116004e-07,
       2.584304738846231e-06, -6.441751959852067e-06, 1.5916501305484596e-05,
       -3.927788812371056e-05, 9.69153202409682e-05, -0.0002391291082098138,
       0.0005900274404932426, -0.001455834387026876, 0.0035921280365715617,
       -0.008863235529902173, 0.021869488536155203, -0.05396825396825397,
       0.13333333333333333, -0.3333333333333333});
  F small = fma(x * square, tail, x);
  F large = 1.0 - 2.0 / (exponential(a * 2.0) + 1.0);
  return copySign(select(less(a, 0.55), small, large), x); // also for 0
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// Returns the logarithm by 2 atanh(s) / s - 2 = 2 (s^2 / 3 + s^4 / 5 + ...),
/// with the first term as a sum.
DoubleWord logarithmOfFraction(F m) {
  F above = m - 1.0, below = m + 1.0;
  F belowRest = m - (below - 1.0);
  F quotient = above / below;
  F rest = (fma(0.0 - quotient, below, above) - quotient * belowRest) / below;
  DoubleWord s = {quotient, rest};
  DoubleWord z = multiply(s, s);
  DoubleWord third =
      multiply(z, constantWord(m, 0.3333333333333333, 1.850371707708594e-17));
  F tail = polynomial( // s^2 <= 0.0295
      z.high, {0.05381433711821606, 0.05228139187889103, 0.05883407651703041,
               0.06666648241986646, 0.07692307880906304, 0.09090909089826257,
               0.11111111111114222, 0.14285714285714282, 0.2});
  DoubleWord factor =
      fastTwoSum(third.high, fma(z.high * z.high, tail, third.low));
  return add(s, multiply(s, factor));
}

/// Returns NaN for numbers below 0 and NaN, and `result` otherwise.
F ofPositive(F x, F result) {
  F none = select(less(x, 0), x.constant(std::nan("")), x);
  Value isNone = either({x.builder, x.loc, less(x, 0)}, less(x, 0),
                        compare(arith::CmpFPredicate::UNO, x, x));
  return select(isNone, none, result);
}

template <LogarithmBase base> F log(F x) {
  return ofPositive(x, logarithmOfDouble(absolute(x), base).high);
}

F log1p(F x) {
  F sum = x + 1.0;
  F lost = twoSum(x, x.constant(1)).low;
  DoubleWord log = logarithmOfDouble(sum, LogarithmBase::E);
  F result = log.high + (log.low + lost / sum);
  // The cases in which x itself is the result, and infinite logarithms.
  Value isFinal =
      compare(arith::CmpFPredicate::OEQ, log.high, log.high + log.high);
  F final = select(equal(sum, 1), x, log.high);
  isFinal = either({x.builder, x.loc, isFinal}, isFinal, equal(sum, 1));
  result = select(isFinal, final, result);
  return ofPositive(sum, result);
}

F asinh(F x) {
  F a = absolute(x), square = a * a;
  F root = (square + 1.0).apply<math::SqrtOp>();
  F sum = a + square / (root + 1.0);
  F result =
      select(less(a, 0x1p100), log1p(sum), log<LogarithmBase::E>(a) + ln2);
  return copySign(result, x);
}

F acosh(F x) {
  F t = x - 1.0;
  F sum = t + (t * (t + 2.0)).apply<math::SqrtOp>();
  F result =
      select(less(x, 0x1p100), log1p(sum), log<LogarithmBase::E>(x) + ln2);
  return select(less(x, 1), x.constant(std::nan("")), result);
}

F atanh(F x) {
  F a = absolute(x);
  F result = log1p(a * 2.0 / (1.0 - a)) * 0.5;
  result = select(equal(a, 1), a.constant(INFINITY), result);
  result = select(less(a.constant(1), a), a.constant(std::nan("")), result);
  return copySign(result, x);
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

/// Describes x = quadrant pi / 2 + rest with |rest| <= pi / 4; the quadrant is
/// below 4.
struct Angle {
  I quadrant;
  DoubleWord rest;
};

/// 64 zeros, then the bits of 2 / pi after its point.
constexpr uint64_t bitsOfTwoByPi[] = {0,
                                      0xa2f9836e4e441529,
                                      0xfc2757d1f534ddc0,
                                      0xdb6295993c439041,
                                      0xfe5163abdebbc561,
                                      0xb7246e3a424dd2e0,
                                      0x06492eea09d1921c,
                                      0xfe1deb1cb129a73e,
                                      0xe88235f52ebb4484,
                                      0xe99c7026b45f7e41,
                                      0x3991d639835339f4,
                                      0x9c845f8bbdf9283b,
                                      0x1ff897ffde05980f,
                                      0xef2f118b5a0a6d1f,
                                      0x6d367ecf27cb09b7,
                                      0x4f463f669e5fea2d,
                                      0x7527bac7ebe5f17b,
                                      0x3d0739f78a5292ea,
                                      0x6bfb5fb11f8d5d08,
                                      0x56033046fc7b6bab};

/// Returns 192 bits of that from a place on, the first ones first.
std::array<I, 3> windowAt(I place) {
  SmallVector<I> words;
  for (uint64_t word : bitsOfTwoByPi)
    words.push_back(place.constant(word));
  // Selects the words from number place / 64 on by its bits: by 16 words first,
  // ...
  for (int step = 16; step; step /= 2) {
    Value moves =
        compare(arith::CmpIPredicate::ne, place & (int64_t(step) << 6), 0);
    size_t needed = step - 1 + 4;
    for (size_t i = 0; i < needed; ++i)
      if (i + step < words.size())
        words[i] = select(moves, words[i + step], words[i]);
    words.truncate(std::min(words.size(), needed));
  }
  I left = place & 63, right = left.constant(63) - left;
  auto joined = [&](size_t i) {
    return shiftLeft(words[i], left) |
           shiftRight(shiftRight(words[i + 1], 1), right);
  };
  return {joined(0), joined(1), joined(2)};
}

/// Returns the lower 192 bits of a product, the first ones first.
std::array<I, 3> product(I factor, std::array<I, 3> number) {
  OpBuilder &b = *factor.builder;
  auto multiplied = [&](I word) {
    return arith::MulUIExtendedOp::create(b, factor.loc, factor.value,
                                          word.value);
  };
  auto carry = [&](I sum, I part) {
    Value wraps = compare(arith::CmpIPredicate::ult, sum, part);
    return select(wraps, sum.constant(1), sum.constant(0));
  };
  auto last = multiplied(number[2]), middle = multiplied(number[1]);
  I low = factor.with(last.getLow());
  I sum = factor.with(last.getHigh()) + factor.with(middle.getLow());
  I high = factor.with(middle.getHigh()) + factor * number[0] +
           carry(sum, factor.with(last.getHigh()));
  return {high, sum, low};
}

/// Returns value 2^exponent for an integer value.
F numberFrom(I value, F like, int exponent, bool isSigned) {
  Type type = like.value.getType();
  Value number =
      isSigned
          ? arith::SIToFPOp::create(*like.builder, like.loc, type, value.value)
                .getResult()
          : arith::UIToFPOp::create(*like.builder, like.loc, type, value.value);
  return like.with(number) * std::ldexp(1.0, exponent);
}

/// Implements Payne and Hanek's reduction (SIGNUM Newsletter 18, 1983): x = m
/// 2^e with an integer m; the bits of 2 / pi that make x 2 / pi a multiple of 4
/// are skipped. \pre x is not negative, and finite
Angle reduced(F x) {
  I bits = bitsOf(x);
  I exponent = shiftRight(bits, 52);
  I mantissa = (bits & ((int64_t(1) << 52) - 1)) | (int64_t(1) << 52);
  // The place of the first bit is e - 2, after 64 zeros; numbers below pi / 4
  // are their own rest.
  I place = exponent - (1075 + 2 - 64);
  place = place.with(arith::MaxSIOp::create(*x.builder, x.loc, place.value,
                                            place.constant(0).value));
  place = place.with(arith::MinSIOp::create(*x.builder, x.loc, place.value,
                                            place.constant(1033).value));
  std::array<I, 3> turns = product(mantissa, windowAt(place));
  I quadrant = shiftRight(turns[0] + (int64_t(1) << 61), 62);
  I high = shiftLeft(turns[0], 2) | shiftRight(turns[1], 62);
  I low = shiftLeft(turns[1], 2) | shiftRight(turns[2], 62);
  DoubleWord fraction = twoSum(numberFrom(shiftSigned(high, 32), x, -32, true),
                               numberFrom(high & 0xFFFFFFFF, x, -64, false));
  fraction =
      twoSum(fraction.high, fraction.low + numberFrom(low, x, -128, false));
  DoubleWord rest = multiply(fraction, constantWord(x, halfPi, halfPiRest));
  Value isSmall = less(x, 0.7853981633974483);
  return {select(isSmall, quadrant.constant(0), quadrant),
          {select(isSmall, x, rest.high),
           select(isSmall, x.constant(0), rest.low)}};
}

DoubleWord sinOfRest(DoubleWord x) {
  F z = x.high * x.high;
  F tail = polynomial( // (sin(r) / r - 1) / r^2, r <= pi / 4
      z, {-7.586681777999908e-13, 1.6058531358729018e-10,
          -2.5052106230805403e-08, 2.7557319219334436e-06,
          -0.0001984126984126506, 0.008333333333333331, -0.16666666666666666});
  F rest = fma(z * -0.5, x.low, x.low);
  return fastTwoSum(x.high, fma(x.high * z, tail, rest));
}

DoubleWord cosOfRest(DoubleWord x) {
  DoubleWord z = twoProduct(x.high, x.high);
  F tail = polynomial( // (cos(r) - 1 + r^2 / 2) / r^4
      z.high,
      {4.745863373444178e-14, -1.1470460742912306e-11, 2.0876755790167413e-09,
       -2.7557319221400193e-07, 2.4801587301584642e-05, -0.0013888888888888887,
       0.041666666666666664});
  DoubleWord one = fastTwoSum(x.high.constant(1), z.high * -0.5);
  F rest = fma(z.high * z.high, tail, one.low);
  rest = rest - fma(x.high, x.low, z.low * 0.5);
  return fastTwoSum(one.high, rest);
}

Value hasBit(I quadrant, int64_t bit) {
  return compare(arith::CmpIPredicate::ne, quadrant & bit, 0);
}

/// Returns NaN for infinity, which has no angle, and `result` otherwise.
F ofFinite(F x, F result) {
  F difference = x - x;
  return select(equal(difference, 0), result, difference);
}

F sine(F x) {
  Angle angle = reduced(absolute(x));
  F result = select(hasBit(angle.quadrant, 1), cosOfRest(angle.rest).high,
                    sinOfRest(angle.rest).high);
  result = select(hasBit(angle.quadrant, 2), 0.0 - result, result);
  // The function is odd; for 0, it is x.
  result = select(less(x, 0), 0.0 - result, result);
  return ofFinite(x, select(equal(x, 0), x, result));
}

F cosine(F x) {
  Angle angle = reduced(absolute(x));
  F result = select(hasBit(angle.quadrant, 1), sinOfRest(angle.rest).high,
                    cosOfRest(angle.rest).high);
  Value isNegative = hasBit(angle.quadrant + 1, 2);
  return ofFinite(x, select(isNegative, 0.0 - result, result));
}

F tangent(F x) {
  Angle angle = reduced(absolute(x));
  DoubleWord s = sinOfRest(angle.rest), c = cosOfRest(angle.rest);
  Value isOdd = hasBit(angle.quadrant, 1);
  DoubleWord above = {select(isOdd, 0.0 - c.high, s.high),
                      select(isOdd, 0.0 - c.low, s.low)};
  DoubleWord below = {select(isOdd, s.high, c.high),
                      select(isOdd, s.low, c.low)};
  F quotient = above.high / below.high;
  F rest = fma(0.0 - quotient, below.high, above.high) + above.low -
           quotient * below.low;
  F result = quotient + rest / below.high;
  result = select(less(x, 0), 0.0 - result, result);
  return ofFinite(x, select(equal(x, 0), x, result));
}

/// Returns the arc tangent of a number that is not negative.
F arcTangent(F a) {
  Value isLarge = less(a.constant(2.414213562373095), a);
  Value isSmall = less(a, 0.414213562373095);
  F z = select(isLarge, -1.0 / a, select(isSmall, a, (a - 1.0) / (a + 1.0)));
  auto base = [&](double half, double quarter) {
    return select(isLarge, a.constant(half),
                  select(isSmall, a.constant(0), a.constant(quarter)));
  };
  F square = z * z;
  F tail = polynomial( // (atan(r) / r - 1) / r^2, r^2 <= 0.1716
      square,
      {-0.007785348601038045, 0.019649227392678714, -0.028519334960223543,
       0.033549668593402394, -0.036866665944872916, 0.039976833805514096,
       -0.043475894072511116, 0.04761886570584184, -0.05263156849081033,
       0.05882352896831664, -0.06666666665310328, 0.07692307692278799,
       -0.09090909090908685, 0.11111111111111108, -0.14285714285714285, 0.2,
       -0.3333333333333333});
  F rest = fma(z * square, tail, base(halfPiRest, halfPiRest / 2));
  DoubleWord sum = fastTwoSum(base(halfPi, halfPi / 2), z);
  return sum.high + (sum.low + rest);
}

F atan(F x) { return copySign(arcTangent(absolute(x)), x); }

F atan2(F y, F x) {
  F a = absolute(y), b = absolute(x);
  F low = a.apply<arith::MinimumFOp>(b), high = a.apply<arith::MaximumFOp>(b);
  F ratio = select(equal(high, 0), high, low / high);
  ratio = select(equal(low, INFINITY), low.constant(1), ratio);
  F angle = arcTangent(ratio);
  angle = select(less(b, a), halfPi - (angle - halfPiRest), angle);
  Value left = less(copySign(x.constant(1), x), 0);
  return copySign(select(left, 2 * halfPi - (angle - 2 * halfPiRest), angle),
                  y);
}

F root(F x) { return x.apply<math::SqrtOp>(); }
F asin(F x) { return atan2(x, root((1.0 - x) * (x + 1.0))); }
F acos(F x) { return atan2(root(1.0 - x), root(x + 1.0)) * 2.0; }

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// Divides the exponent by 3 and applies Halley's method.
F cbrt(F x) {
  F a = absolute(x);
  Value isSmall = less(a, 0x1p-1000), isLarge = less(a.constant(0x1p1000), a);
  F y = select(isSmall, a * 0x1p300, select(isLarge, a * 0x1p-300, a));
  I third = bitsOf(y);
  third = third.apply<arith::DivUIOp>(third.constant(3)) + 0x2A9F7893782DA1CE;
  F estimate = numberOf(third, x);
  for (int i = 0; i < 3; ++i) {
    F cube = estimate * estimate * estimate;
    estimate = estimate * ((cube + y * 2.0) / (cube * 2.0 + y));
  }
  // A step of Newton's method, with an exact square.
  DoubleWord square = twoProduct(estimate, estimate);
  F cubeHigh = square.high * estimate;
  F cubeLow =
      fma(square.high, estimate, 0.0 - cubeHigh) + square.low * estimate;
  F error = (cubeHigh - y) + cubeLow;
  estimate = estimate - error / (square.high * 3.0);
  estimate = select(isSmall, estimate * 0x1p-100,
                    select(isLarge, estimate * 0x1p100, estimate));
  F result = copySign(estimate, x);
  return select(compare(arith::CmpFPredicate::UEQ, x + x, x), x, result);
}

/// Returns erfc(x) as e^-x^2 (1 + 2 x) e^x^2 erfc(x) / (1 + 2 x), as in f32.
/// \pre x is in [0, 28]
F erfcOfPositive(F x) {
  DoubleWord square = twoProduct(x, x);
  Power power = expOf(0.0 - square.high, 0.0 - square.low);
  F factor = polynomial( // in t = (x - 2) / (x + 2)
      (x - 2.0) / (x + 2.0), {-2.4800215521092145e-10, -8.090156379710388e-10,
                              7.07788239492963e-10,    5.7085161069079735e-09,
                              4.420002833275784e-09,   -1.3433587828717409e-08,
                              -3.0304201094903873e-08, -1.0625282469056265e-08,
                              5.77846815864492e-08,    1.3639487275752437e-07,
                              9.966024432288781e-08,   -2.3868819190762506e-07,
                              -8.023725094439471e-07,  -7.1226625130134e-07,
                              1.4848734803894157e-06,  5.232123461712843e-06,
                              3.718507208667704e-06,   -1.3495605013242449e-05,
                              -3.642551563326192e-05,  -1.5092659593458518e-06,
                              0.00015103957855411637,  0.00020636713453659052,
                              -0.0004543408782719122,  -0.001456813941001006,
                              0.0012713389692606324,   0.008722653875458567,
                              -0.008034015082551275,   -0.05422000099203239,
                              0.1640512800334443,      -0.1660303976152894,
                              -0.09276382658574601,    1.2769783815525286});
  F quotient = factor / (x * 2.0 + 1.0);
  return scaled(fma(quotient, power.fraction, quotient), power.n);
}

F erfc(F x) {
  F positive = erfcOfPositive(clamped(absolute(x), 0, 28));
  return select(less(x, 0), 2.0 - positive, positive);
}

F erf(F x) {
  F a = absolute(x), square = x * x;
  F tail = polynomial( // erf(r) / r - 1, r <= 1
      square,
      {1.0234910735667391e-15, -2.565756308325045e-14, 4.4143876160686014e-13,
       -6.7038645696110264e-12, 9.421931953721263e-11, -1.2290488135612006e-09,
       1.4807188745599973e-08, -1.636584450650579e-07, 1.646211435963896e-06,
       -1.4925650358250584e-05, 0.00012055332981786873, -0.0008548327023450818,
       0.005223977625442188, -0.026866170645131252, 0.11283791670955126,
       -0.37612638903183754, 0.1283791670955126});
  F small = fma(x, tail, x);
  F large = copySign(1.0 - erfcOfPositive(clamped(a, 0, 28)), x);
  return select(less(a, 1), small, large);
}

} // namespace

DoubleWord distaff::logarithmOfDouble(F x, LogarithmBase base) {
  Value isSmall = less(x, 0x1p-1022);
  F number = select(isSmall, x * 0x1p54, x);
  // number = m 2^e with m in [sqrt(1/2), sqrt(2)).
  I bits = bitsOf(number);
  I exponent = shiftSigned(bits - 0x3FE6A09E667F3BCD, 52);
  F m = numberOf(bits - shiftLeft(exponent, 52), x);
  F e = numberFrom(exponent, x, 0, true);
  e = select(isSmall, e - 54.0, e);
  DoubleWord unit =
      base == LogarithmBase::Two // 1 / ln base
          ? constantWord(x, 1.4426950408889634, 2.0355273740931033e-17)
          : base == LogarithmBase::Ten
                ? constantWord(x, 0.4342944819032518, 1.098319650216765e-17)
                : constantWord(x, 1, 0);
  DoubleWord fraction = logarithmOfFraction(m);
  fraction = multiply({fraction.high * 2.0, fraction.low * 2.0}, unit);
  DoubleWord whole = {e, e.constant(0)};
  if (base != LogarithmBase::Two)
    whole = multiply(whole, multiply(unit, constantWord(x, ln2, ln2Rest)));
  DoubleWord sum = add(whole, fraction);
  Value isFinal = compare(arith::CmpFPredicate::OEQ, x, x + x); // 0, infinity
  F limit = select(equal(x, 0), x.constant(-INFINITY), x);
  return {select(isFinal, limit, sum.high),
          select(isFinal, x.constant(0), sum.low)};
}

F distaff::exp2OfDouble(DoubleWord x) { return exp2OfWord(x); }

F distaff::atan2OfDouble(F y, F x) { return atan2(y, x); }

Formula distaff::formulaOfDouble(StringRef name) {
  return llvm::StringSwitch<Formula>(name)
      .Case("math.acos", acos)
      .Case("math.acosh", acosh)
      .Case("math.asin", asin)
      .Case("math.asinh", asinh)
      .Case("math.atan", atan)
      .Case("math.atanh", atanh)
      .Case("math.cbrt", cbrt)
      .Case("math.cos", cosine)
      .Case("math.cosh", cosh)
      .Case("math.erf", erf)
      .Case("math.erfc", erfc)
      .Case("math.exp", exponential)
      .Case("math.exp2", [](F x) { return exp2OfWord({x, x.constant(0)}); })
      .Case("math.expm1", expM1)
      .Case("math.log", log<LogarithmBase::E>)
      .Case("math.log10", log<LogarithmBase::Ten>)
      .Case("math.log1p", log1p)
      .Case("math.log2", log<LogarithmBase::Two>)
      .Case("math.sin", sine)
      .Case("math.sinh", sinh)
      .Case("math.tan", tangent)
      .Case("math.tanh", tanh)
      .Default(nullptr);
}

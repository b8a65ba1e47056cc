//===- Bounded.cpp - Numbers with an error bound --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation computes its value in double and propagates the errors of its
// operands, and ends in `rounded`, which adds the rounding of its type and of
// double itself, and decides about infinity.
//
//===----------------------------------------------------------------------===//
#include "Bounded.h"
#include "Ieee.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>

using namespace distaff::simt;

namespace {

#pragma STDC FP_CONTRACT OFF

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double roundoffOfDouble = 0x1p-53;
// Covers the second-order terms that the formulas omit.
constexpr double safety = 1.001;

bool isExact(Bounded a) { return a.bound == 0 && !a.undecided; }

/// Returns the error of `roundings` roundings in `format` of numbers up to
/// `size`.
double roundingError(FloatFormat format, double size, double roundings = 1) {
  double perRounding = unitRoundoff(format) + roundoffOfDouble;
  return roundings * (perRounding * size + subnormalRoundoff(format));
}

/// Returns a non-finite result, which is exact when an operand forced it.
Bounded nonFinite(double value, bool undecided, bool forced) {
  return {value, forced ? 0 : infinity, undecided};
}

/// Returns the representation of an infinity: NaN in formats without one.
double infinityIn(FloatFormat format, double sign) {
  return traitsOf(format).hasInfinity
             ? std::copysign(infinity, sign)
             : std::numeric_limits<double>::quiet_NaN();
}

Bounded rounded(FloatFormat format, double value, double error, bool undecided,
                double roundings = 1) {
  if (!std::isfinite(value))
    return nonFinite(std::isinf(value) ? infinityIn(format, value) : value,
                     undecided, error == 0);
  if (value == 0 && error == 0)
    return {value, 0, undecided};
  double rounding = roundingError(format, std::abs(value) + error, roundings);
  double bound = error * safety + rounding;
  double size = std::abs(value);
  if (size + bound > largestFinite(format)) {
    // Certainly beyond the largest number, even if a program fuses: the result
    // is an infinity.
    if (size - bound > largestFinite(format) * (1 + unitRoundoff(format)))
      return {infinityIn(format, value), 0, undecided};
    // One rounding is that of the number itself, the others come before it.
    double before = roundings > 1 ? rounding : 0;
    if (!std::isfinite(roundTo(format, size + error * safety + before)))
      bound = infinity;
  }
  return {value, std::isnan(bound) ? infinity : bound, undecided};
}

/// Returns whether a number rounded to double rounds to `format` like the exact
/// one: its neighbors in double do, too.
bool roundsAlike(FloatFormat format, double value) {
  if (traitsOf(format).digits == 53)
    return true;
  double result = roundTo(format, value);
  return roundTo(format, std::nextafter(value, infinity)) == result &&
         roundTo(format, std::nextafter(value, -infinity)) == result;
}

/// Returns the result of a correctly rounded operation on exact operands;
/// `residual` is the rounding error of double. The result is exact if neither
/// rounds.
Bounded roundedOnce(FloatFormat format, double value, double residual = 0) {
  if (residual == 0 && roundTo(format, value) == value)
    return {value, 0, false};
  Bounded result = rounded(format, value, 0, false);
  result.isRounded = std::isfinite(result.bound) &&
                     (residual == 0 || roundsAlike(format, value));
  return result;
}

/// Returns a sum of operands with a total error `error`. Near the largest
/// number of the format its rounded value decides: the error of one rounding,
/// added on both sides, would reach an infinity that no sum reaches. For
/// products this does not hold, since a program may fuse them and not round.
Bounded roundedSum(FloatFormat format, double value, double error,
                   bool undecided) {
  double off = error * safety + roundoffOfDouble * std::abs(value);
  double furthest =
      std::abs(value) + off + roundingError(format, std::abs(value));
  if (furthest > largestFinite(format)) {
    double low = roundTo(format, value - off),
           high = roundTo(format, value + off);
    if (std::isfinite(low) && std::isfinite(high))
      return {value, std::max({value - low, high - value, 0.0}), undecided};
  }
  return rounded(format, value, error, undecided);
}

/// Returns the rounding error of a + b in double (Knuth's two-sum).
double residualOfSum(double a, double b) {
  double sum = a + b, second = sum - a;
  return (a - (sum - second)) + (b - second);
}

/// Returns the rounding error of a * b in double. A product that underflows has
/// one.
double residualOfProduct(double a, double b) {
  double product = a * b;
  bool underflows = std::abs(product) < 0x1p-960 && a != 0 && b != 0;
  return underflows ? infinity : std::fma(a, b, -product);
}

/// Returns |factor| * error, and 0 for no error even if the factor is infinite.
double scaled(double factor, double error) {
  return error == 0 ? 0 : std::abs(factor) * error;
}

double errorOfProduct(Bounded a, Bounded b) {
  return scaled(a.value, b.bound) + scaled(b.value, a.bound) +
         scaled(a.bound, b.bound);
}

} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Bounded bounded::add(FloatFormat format, Bounded a, Bounded b) {
  double value = a.value + b.value;
  bool undecided = a.undecided || b.undecided;
  if (isExact(a) && isExact(b) && std::isfinite(value))
    return roundedOnce(format, value, residualOfSum(a.value, b.value));
  if (!std::isfinite(value)) // An infinity absorbs finite errors.
    return nonFinite(value, undecided,
                     std::isfinite(a.bound) && std::isfinite(b.bound));
  return roundedSum(format, value, a.bound + b.bound, undecided);
}

/// The factor for the loss of the bounds in double, per step.
constexpr double safetyOfStep = 1 + 0x1p-48;

Bounded bounded::addOfMany(FloatFormat format, Bounded before, Bounded term,
                           int64_t terms) {
  Bounded sum = add(format, before, term);
  sum.isRounded = false;
  auto isWhole = [](Bounded a) {
    return isExact(a) && std::nearbyint(a.value) == a.value;
  };
  double u = unitRoundoff(format) + roundoffOfDouble;
  double magnitude = std::abs(term.value) + term.bound;
  double ofAll = double(terms) * magnitude;
  if (!std::isfinite(sum.value) || !std::isfinite(sum.bound) ||
      (isWhole(before) && isWhole(term) && ofAll * u < 1))
    return sum;
  // In another order a partial sum may overflow.
  bool mayOverflow = ofAll > largestFinite(format);
  double size = std::abs(sum.value) + before.bound + term.bound;
  return {sum.value,
          (before.bound + term.bound + u * size + u * ofAll) * safetyOfStep +
              subnormalRoundoff(format),
          uint8_t(sum.undecided || mayOverflow)};
}

Bounded bounded::multiplyOfMany(FloatFormat format, Bounded before,
                                Bounded factor, int64_t factors) {
  Bounded product = multiply(format, before, factor);
  product.isRounded = false;
  if (!std::isfinite(product.value))
    return product;
  // One more rounding of the value, and of the underflow of both operands.
  product.bound +=
      (unitRoundoff(format) + roundoffOfDouble) * std::abs(product.value) +
      2 * subnormalRoundoff(format);
  // In another order a partial product may overflow, or underflow so far that a
  // large factor cannot restore it.
  double size = std::abs(factor.value) + factor.bound;
  if (size > 1 &&
      double(factors) * std::log2(size) > std::log2(largestFinite(format)) - 2)
    product.undecided = true;
  return product;
}

Bounded bounded::subtract(FloatFormat format, Bounded a, Bounded b) {
  return add(format, a, negate(b));
}

Bounded bounded::multiply(FloatFormat format, Bounded a, Bounded b) {
  double value = a.value * b.value;
  bool undecided = a.undecided || b.undecided;
  if (isExact(a) && isExact(b) && std::isfinite(value))
    return roundedOnce(format, value, residualOfProduct(a.value, b.value));
  if (!std::isfinite(value)) {
    bool forced =
        bounded::isSurelyNaN(a) || bounded::isSurelyNaN(b) ||
        (std::abs(a.value) > a.bound && std::abs(b.value) > b.bound) ||
        (isExact(a) && isExact(b));
    return nonFinite(value, undecided, forced);
  }
  Bounded product = rounded(format, value, errorOfProduct(a, b), undecided);
  // The addition of zero and a number with an undecided sign.
  bool mayBeNegative = std::abs(a.value) <= a.bound && a.bound > 0;
  mayBeNegative |= std::abs(b.value) <= b.bound && b.bound > 0;
  if (value == 0 && product.bound == 0 && mayBeNegative)
    product.bound = signOfZeroOnly;
  return product;
}

/// Returns a quotient with an error of `roundings` roundings.
static Bounded quotientOf(FloatFormat format, Bounded a, Bounded b,
                          double roundings) {
  double value = a.value / b.value;
  bool undecided = a.undecided || b.undecided;
  if (isExact(a) && isExact(b))
    return rounded(format, value, 0, undecided, roundings);
  if (!std::isfinite(value))
    return nonFinite(value, undecided,
                     bounded::isSurelyNaN(a) || bounded::isSurelyNaN(b) ||
                         (std::isinf(a.value) && std::isfinite(a.bound) &&
                          std::abs(b.value) > b.bound));
  double nearestDivisor = std::abs(b.value) - b.bound;
  double error = infinity;
  if (nearestDivisor > 0)
    error = (a.bound + scaled(value, b.bound)) / nearestDivisor;
  return rounded(format, value, error, undecided, roundings);
}

Bounded bounded::divide(FloatFormat format, Bounded a, Bounded b) {
  // Targets divide with up to 2 units in the last place, except for known
  // numbers.
  Bounded quotient = quotientOf(format, a, b, /*roundings=*/4);
  quotient.isRounded = isExact(a) && isExact(b) && quotient.bound > 0 &&
                       std::isfinite(quotient.bound) &&
                       roundsAlike(format, quotient.value);
  return quotient;
}

Bounded bounded::multiplyByReciprocal(FloatFormat format, Bounded a,
                                      Bounded b) {
  // The bound of docs/ScalarOps.md for f32: 2.5 units in the last place.
  return format == FloatFormat::F32 ? quotientOf(format, a, b, /*roundings=*/5)
                                    : divide(format, a, b);
}

Bounded bounded::remainder(FloatFormat format, Bounded a, Bounded b) {
  double value = std::fmod(a.value, b.value);
  bool undecided = a.undecided || b.undecided;
  if (isExact(a) && isExact(b))
    return {value, 0, undecided}; // fmod is exact
  double ratio = a.value / b.value;
  double slack = (a.bound + scaled(ratio, b.bound)) / std::abs(b.value);
  if (std::trunc(ratio - slack) != std::trunc(ratio + slack))
    return {value, infinity, undecided};
  double error = a.bound + scaled(std::trunc(ratio), b.bound);
  return rounded(format, value, error, undecided);
}

Bounded bounded::fma(FloatFormat format, Bounded a, Bounded b, Bounded c) {
  Bounded product = multiply(format, a, b);
  Bounded unfused = add(format, product, c);
  double exact = a.value * b.value;
  if (std::isfinite(product.value) || !std::isfinite(exact))
    return unfused;
  // The product alone overflows; a fused sum may be finite again.
  double value = exact + c.value;
  Bounded fused =
      rounded(format, value, errorOfProduct(a, b) + c.bound, unfused.undecided);
  bool agree = fused.value == unfused.value ||
               (std::isnan(fused.value) && std::isnan(unfused.value));
  if (fused.bound == 0 && agree)
    return unfused;
  return {value, infinity, unfused.undecided};
}

Bounded bounded::negate(Bounded a) {
  return {-a.value, a.bound, a.undecided, a.isRounded};
}

Bounded bounded::absolute(Bounded a) {
  return {std::abs(a.value), a.bound, a.undecided, a.isRounded};
}

Bounded bounded::copySign(Bounded a, Bounded b) {
  Bounded result = {std::copysign(a.value, b.value), a.bound,
                    a.undecided || b.undecided};
  if (b.bound > 0 && !(std::abs(b.value) > b.bound))
    result.bound += 2 * std::abs(a.value);
  return result;
}

Bounded bounded::power(FloatFormat format, Bounded a, Bounded b) {
  double value = std::pow(a.value, b.value);
  bool undecided = a.undecided || b.undecided;
  double error = 0;
  if (!isExact(a) || !isExact(b)) {
    // The power is monotone in each operand while the base stays positive. A
    // NaN to the power of 0 is 1.
    if (!(a.value - a.bound > 0) || !std::isfinite(b.value + b.bound))
      return {value, infinity, undecided};
    for (double base : {a.value - a.bound, a.value + a.bound})
      for (double exponent : {b.value - b.bound, b.value + b.bound})
        error = std::max(error, std::abs(std::pow(base, exponent) - value));
  }
  // A target may compute exp2(b log2 a): the exponent's rounding is magnified.
  double exponent = std::abs(b.value * std::log2(std::abs(a.value)));
  double roundings = 8 + (std::isfinite(exponent) ? 2 * exponent : 0);
  return rounded(format, value, error, undecided, roundings);
}

Bounded bounded::arcTangent2(FloatFormat format, Bounded a, Bounded b) {
  double value = std::atan2(a.value, b.value);
  double radius = std::hypot(a.value, b.value) - a.bound - b.bound;
  double error = 0;
  if (!isExact(a) || !isExact(b))
    error = radius > 0 ? (a.bound + b.bound) / radius : infinity;
  // The branch cut along the negative x axis.
  if (b.value - b.bound < 0 && a.bound > 0 && std::abs(a.value) <= a.bound)
    error = infinity;
  return rounded(format, value, error, a.undecided || b.undecided, 8);
}

/// Bounds |min(a', b') - min(a, b)| by max(|a' - a|, |b' - b|), or tighter when
/// one operand is certainly the result.
static Bounded extremum(double value, Bounded a, Bounded b, bool smaller) {
  bool undecided = a.undecided || b.undecided;
  if (std::isnan(a.value) || std::isnan(b.value)) {
    if (bounded::isSurelyNaN(a) || bounded::isSurelyNaN(b)) {
      Bounded other = bounded::isSurelyNaN(a) ? b : a;
      // minimum returns the NaN, minNum the number, as in `value`.
      bool isOther = !std::isnan(value) || std::isnan(other.value);
      return {value, isOther ? other.bound : 0, undecided};
    }
    return {value, infinity, undecided};
  }
  double distance = smaller ? b.value - a.value : a.value - b.value;
  if (distance > a.bound + b.bound)
    return {value, a.bound, undecided};
  if (-distance > a.bound + b.bound)
    return {value, b.bound, undecided};
  return {value, std::max(a.bound, b.bound), undecided};
}

Bounded bounded::minimum(Bounded a, Bounded b) {
  return extremum(ieee::minimum(a.value, b.value), a, b, true);
}
Bounded bounded::maximum(Bounded a, Bounded b) {
  return extremum(ieee::maximum(a.value, b.value), a, b, false);
}
/// Returns the bound for two zeros, each of which may be the result.
static Bounded ofEitherZero(Bounded result, Bounded a, Bounded b) {
  if (result.bound == 0 && a.value == 0 && b.value == 0 &&
      std::signbit(a.value) != std::signbit(b.value))
    result.bound = bounded::signOfZeroOnly;
  return result;
}
Bounded bounded::minNum(Bounded a, Bounded b) {
  return ofEitherZero(extremum(ieee::minNum(a.value, b.value), a, b, true), a,
                      b);
}
Bounded bounded::maxNum(Bounded a, Bounded b) {
  return ofEitherZero(extremum(ieee::maxNum(a.value, b.value), a, b, false), a,
                      b);
}

/// Returns the error of a function's value at an end of the operand's interval.
/// NaN: the interval leaves the function's domain. The same infinity is no
/// error.
static double errorAt(double end, double value) {
  if (std::isnan(end))
    return infinity;
  return end == value ? 0 : std::abs(end - value);
}

Bounded bounded::apply(FloatFormat format, const Function &function,
                       Bounded a) {
  double value = function.apply(a.value);
  if (std::isnan(a.value))
    return {value, bounded::isSurelyNaN(a) ? 0 : infinity, a.undecided};
  double error = 0;
  if (a.bound > 0) {
    double low = a.value - a.bound, high = a.value + a.bound;
    if (function.slope)
      error = a.bound * std::max({std::abs(function.slope(low)),
                                  std::abs(function.slope(a.value)),
                                  std::abs(function.slope(high))});
    else if (!std::isinf(a.value))
      error = std::max(errorAt(function.apply(low), value),
                       errorAt(function.apply(high), value));
    if (std::isnan(error))
      error = infinity;
  }
  if (std::isfinite(value) && function.roundings == 0)
    return {value, error, a.undecided};
  if (value != 0 && std::isfinite(value))
    error += function.absolute;
  Bounded result =
      rounded(format, value, error, a.undecided, function.roundings);
  result.isRounded = function.roundsOnce && isExact(a) && result.bound > 0 &&
                     std::isfinite(result.bound) && roundsAlike(format, value);
  return result;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Returns the exponent of the lowest set bit of a finite number other than 0.
static int lowestBit(double value) {
  constexpr int fractionBits = 52, bias = 1023;
  auto bits = llvm::bit_cast<uint64_t>(value);
  int exponent = int(bits >> fractionBits & 0x7ff);
  uint64_t significand = (bits & ((uint64_t(1) << fractionBits) - 1)) |
                         uint64_t(exponent != 0) << fractionBits;
  return std::max(exponent, 1) - bias - fractionBits +
         llvm::countr_zero(significand);
}

void bounded::Sum::addTerm(double term, double termError, bool isUndecided) {
  undecided |= isUndecided;
  value += term;
  if (term == 0 && termError == 0)
    return;
  (term > 0 ? positive : negative) += std::abs(term);
  largest = std::max(largest, std::abs(term));
  error += termError;
  ++terms;
}

void bounded::Sum::add(Bounded term) {
  if (term.value != 0)
    grid = std::min(grid, lowestBit(term.value));
  addTerm(term.value, term.bound, term.undecided);
}

void bounded::Sum::addProduct(Bounded a, Bounded b) {
  if (std::abs(b.value) == 1 && isExact(b))
    return add(b.value < 0 ? negate(a) : a);
  double product = a.value * b.value;
  // Also if the product underflows: the grid then records it.
  if (a.value != 0 && b.value != 0)
    grid = std::min(grid, lowestBit(a.value) + lowestBit(b.value));
  double productError = scaled(a.value, b.bound) + scaled(b.value, a.bound) +
                        scaled(a.bound, b.bound);
  products += std::abs(product) + productError;
  addTerm(product, productError, a.undecided || b.undecided);
}

bool bounded::Sum::isExactInEveryOrder(FloatFormat format) const {
  double larger = std::max(positive, negative);
  return error == 0 && !undecided &&
         std::ldexp(1.0, grid) >= 2 * subnormalRoundoff(format) &&
         larger <= std::ldexp(1.0, grid + traitsOf(format).digits) &&
         larger <= largestFinite(format);
}

double bounded::Sum::partialSums() const {
  if (terms < 2)
    return 0;
  double count = double(terms), size = std::abs(value);
  double sums = size;
  if (largest > 0) {
    // min(k m, L, |S| + (n - k) m) over k = 2, ..., n: L = max(P, N), minus the
    // shortfall of the first groups and of the last ones.
    double larger = std::max({positive, negative, largest});
    double first = std::floor(larger / largest);
    double last = std::floor((larger - size) / largest);
    sums = larger * count -
           (larger * first - largest * first * (first + 1) / 2) -
           ((larger - size) * (last + 1) - largest * last * (last + 1) / 2) -
           largest;
    sums = std::max(sums, size);
  }
  return sums + (count - 1) * error;
}

Bounded bounded::Sum::result(FloatFormat format) const {
  if (!std::isfinite(value))
    return nonFinite(value, undecided, std::isfinite(error));
  if (terms == 0 || isExactInEveryOrder(format))
    return {value, 0, undecided};
  double u = unitRoundoff(format) + roundoffOfDouble;
  // Every later addition magnifies the rounding error of an addition.
  double growth = std::exp(double(terms) * u);
  double rounding = u * (partialSums() + products) * growth;
  double bound =
      error * safety + rounding + double(terms) * subnormalRoundoff(format);
  // In some order the terms of one sign may come first and overflow. If the
  // terms of the other sign are not large enough to overflow too, a sum beyond
  // the largest number is an infinity in every order.
  double finite = largestFinite(format);
  double larger = std::max(positive, negative);
  double smaller = std::min(positive, negative);
  if (larger + bound > finite) {
    bool certain =
        std::abs(value) - bound > finite * (1 + u) && smaller + bound < finite;
    if (certain && traitsOf(format).hasInfinity)
      return {std::copysign(infinity, value), 0, undecided};
    bound = infinity;
  }
  return {value, bound, undecided};
}

void bounded::Product::multiply(Bounded factor) {
  undecided |= factor.undecided;
  if (!std::isfinite(factor.value) && std::isfinite(factor.bound))
    forced = true;
  if (isExact(factor) && factor.value == 1)
    return;
  if (residual == 0)
    residual = residualOfProduct(value, factor.value);
  value *= factor.value;
  double magnitude = std::abs(factor.value) + factor.bound;
  reach *= magnitude;
  above *= std::max(magnitude, 1.0);
  double least = std::max(std::abs(factor.value) - factor.bound, 0.0);
  if (isExact(factor) && least == 0)
    isZero = true; // zero times any lost partial product is 0
  else
    below *= std::min(least, 1.0);
  mayVanish |= factor.bound > 0 && !(least > 0);
  ++factors;
}

Bounded bounded::Product::result(FloatFormat format) const {
  double finite = largestFinite(format);
  double growth = double(factors) * (unitRoundoff(format) + roundoffOfDouble);
  if (!std::isfinite(value))
    return nonFinite(value, undecided,
                     forced ? !mayVanish
                            : traitsOf(format).hasInfinity && below == 1 &&
                                  reach == std::abs(value));
  if (above * std::exp(growth) > finite) {
    // Without a factor below 1, no order returns from beyond the largest
    // number.
    bool certain = below == 1 && !mayVanish && value != 0 &&
                   std::abs(value) * std::exp(-growth) > finite;
    if (certain && reach == std::abs(value) && traitsOf(format).hasInfinity)
      return {std::copysign(infinity, value), 0, undecided};
    return {value, infinity, undecided};
  }
  bool normal = below >= std::ldexp(1.0, traitsOf(format).minExponent);
  bool isExactInEveryOrder = reach == std::abs(value) && residual == 0 &&
                             normal && roundTo(format, value) == value;
  if (isZero || isExactInEveryOrder)
    return {value, 0, undecided};
  double lost = double(factors) * subnormalRoundoff(format) * above;
  double bound = (reach - std::abs(value)) * safety +
                 std::expm1(growth) * reach + (normal ? 0 : lost);
  return {value, bound, undecided};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Bounded bounded::convert(FloatFormat format, Bounded a) {
  if (std::isinf(a.value))
    return {infinityIn(format, a.value), a.bound, a.undecided};
  if (std::isnan(a.value))
    return a;
  if (isExact(a))
    return roundedOnce(format, a.value);
  return rounded(format, a.value, a.bound, a.undecided);
}

/// Returns the rounding error of the conversion to double.
static double residualOf(__int128 number) {
  return double(number - __int128(double(number)));
}

Bounded bounded::fromSigned(FloatFormat format, BoundedInteger a) {
  Bounded result = roundedOnce(format, double(a.value), residualOf(a.value));
  result.undecided = a.undecided;
  return result;
}

Bounded bounded::fromUnsigned(FloatFormat format, BoundedInteger a,
                              unsigned width) {
  uint64_t number = ieee::zeroExtended(a.value, width);
  Bounded result = roundedOnce(format, double(number), residualOf(number));
  result.undecided = a.undecided;
  return result;
}

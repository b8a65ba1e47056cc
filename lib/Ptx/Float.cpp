//===- Float.cpp - Floats of every format, rounded once -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Float.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace distaff::ptx {
namespace {

constexpr unsigned mostBits = 126;

unsigned width(Mantissa value) {
  uint64_t high = value >> 64, low = uint64_t(value);
  return high  ? 128 - __builtin_clzll(high)
         : low ? 64 - __builtin_clzll(low)
               : 0;
}

uint64_t ones(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

/// Shifts the mantissa; bits that are shifted out become sticky.
void shiftRight(Exact &value, unsigned amount) {
  if (amount >= 128) {
    value.sticky |= value.mantissa != 0;
    value.mantissa = 0;
  } else if (amount > 0) {
    value.sticky |= (value.mantissa & ((Mantissa(1) << amount) - 1)) != 0;
    value.mantissa >>= amount;
  }
  value.exponent += amount;
}

/// Makes the mantissa as long as possible, so that a sum loses no bits.
void normalize(Exact &value) {
  int shift = int(mostBits) - 1 - int(width(value.mantissa));
  if (value.mantissa == 0)
    return;
  assert(shift >= -1 && "a mantissa has up to 126 bits");
  value.mantissa <<= shift;
  value.exponent -= shift;
}

/// Drops the bits below `amount` with the given rounding.
Mantissa roundBits(const Exact &value, unsigned amount, Rounding rounding) {
  if (amount == 0 && !value.sticky)
    return value.mantissa;
  Mantissa kept = amount >= 128 ? 0 : value.mantissa >> amount;
  Mantissa rest =
      amount >= 128 ? value.mantissa : value.mantissa - (kept << amount);
  bool inexact = rest != 0 || value.sticky;
  if (rounding == Rounding::Up || rounding == Rounding::Down)
    return kept + (inexact && value.negative == (rounding == Rounding::Down));
  if (rounding == Rounding::Zero || amount == 0 || amount > 127)
    return kept;
  Mantissa tie = Mantissa(1) << (amount - 1);
  bool above = rest > tie || (rest == tie && value.sticky);
  bool isTie = rest == tie && !value.sticky;
  bool up =
      above || (isTie && (rounding == Rounding::NearestAway || (kept & 1)));
  return kept + up;
}

uint64_t canonicalNan(FloatFormat format) {
  if (format == wide)
    return ones(12) << 51;
  return ones(format.bits() - 1);
}

uint64_t infinityOf(FloatFormat format) {
  return ones(format.exponentBits) << format.mantissaBits;
}

/// Returns the first pattern that is no finite number.
uint64_t firstBeyond(FloatFormat format) {
  return format.isFinite ? ones(format.bits() - 1) : infinityOf(format);
}

Exact infinite(bool negative) {
  return {Exact::Kind::Infinite, negative, 0, 0, false};
}
Exact notANumber() { return {Exact::Kind::NaN, false, 0, 0, false}; }
Exact zero(bool negative) {
  return {Exact::Kind::Finite, negative, 0, 0, false};
}

} // namespace

Exact decode(uint64_t bits, FloatFormat format) {
  uint64_t fraction = bits & ones(format.mantissaBits);
  uint64_t exponent = (bits >> format.mantissaBits) & ones(format.exponentBits);
  bool negative = (bits >> (format.bits() - 1)) & 1;
  int bias = int(ones(format.exponentBits) / 2);
  if (format.isFinite ? (bits & ones(format.bits() - 1)) == firstBeyond(format)
                      : exponent == ones(format.exponentBits) && fraction)
    return notANumber();
  if (!format.isFinite && exponent == ones(format.exponentBits))
    return infinite(negative);
  if (exponent == 0)
    ++exponent;
  else
    fraction |= uint64_t(1) << format.mantissaBits;
  return {Exact::Kind::Finite, negative, fraction,
          int(exponent) - bias - int(format.mantissaBits), false};
}

Exact fromInteger(bool negative, uint64_t magnitude) {
  return {Exact::Kind::Finite, negative, magnitude, 0, false};
}

uint64_t round(const Exact &value, FloatFormat format, Rounding rounding) {
  if (value.kind == Exact::Kind::NaN)
    return canonicalNan(format);
  uint64_t sign = uint64_t(value.negative) << (format.bits() - 1);
  uint64_t beyond = firstBeyond(format);
  uint64_t overflow = format.isFinite ? beyond - 1 : beyond;
  if (value.kind == Exact::Kind::Infinite)
    return sign | overflow;
  if (value.isZero())
    return sign;

  Exact number = value;
  if (number.sticky) // room for the bits that are rounded off
    normalize(number);
  int bias = int(ones(format.exponentBits) / 2);
  // The result counts units of 2^unit.
  int top = number.exponent + int(width(number.mantissa)) - 1;
  int unit = std::max(top, 1 - bias) - int(format.mantissaBits);
  Mantissa units;
  assert(number.exponent - unit < 128 && "a number has no more bits below");
  if (unit <= number.exponent)
    units = number.mantissa << (number.exponent - unit);
  else
    units = roundBits(number, unit - number.exponent, rounding);
  uint64_t result = uint64_t(units);
  if (result >> format.mantissaBits) // a carry raises the exponent
    result += uint64_t(unit + int(format.mantissaBits) + bias - 1)
              << format.mantissaBits;
  bool away = rounding == Rounding::Nearest ||
              rounding == Rounding::NearestAway ||
              rounding == (value.negative ? Rounding::Down : Rounding::Up);
  bool isTooLarge = result >= beyond || top > bias + 1;
  if (isTooLarge)
    result = away ? overflow : beyond - 1;
  return sign | result;
}

Exact multiply(const Exact &a, const Exact &b) {
  bool negative = a.negative != b.negative;
  if (a.kind == Exact::Kind::NaN || b.kind == Exact::Kind::NaN ||
      (a.kind == Exact::Kind::Infinite && b.isZero()) ||
      (b.kind == Exact::Kind::Infinite && a.isZero()))
    return notANumber();
  if (a.kind == Exact::Kind::Infinite || b.kind == Exact::Kind::Infinite)
    return infinite(negative);
  return {Exact::Kind::Finite, negative, a.mantissa * b.mantissa,
          a.exponent + b.exponent, false};
}

Exact add(const Exact &a, const Exact &b, Rounding rounding) {
  if (a.kind == Exact::Kind::NaN || b.kind == Exact::Kind::NaN)
    return notANumber();
  bool bothInfinite =
      a.kind == Exact::Kind::Infinite && b.kind == Exact::Kind::Infinite;
  if (bothInfinite)
    return a.negative == b.negative ? a : notANumber();
  if (a.kind == Exact::Kind::Infinite || b.kind == Exact::Kind::Infinite)
    return a.kind == Exact::Kind::Infinite ? a : b;
  if (a.isZero() && b.isZero())
    return zero(a.negative == b.negative ? a.negative
                                         : rounding == Rounding::Down);
  if (a.isZero() || b.isZero())
    return a.isZero() ? b : a;
  Exact x = a, y = b;
  normalize(x);
  normalize(y);
  if (x.exponent < y.exponent)
    std::swap(x, y);
  // Only the smaller one loses bits, and then less than half of the larger one
  // can cancel.
  shiftRight(y, x.exponent - y.exponent);
  Exact sum = x;
  sum.sticky = y.sticky;
  if (x.negative == y.negative) {
    sum.mantissa += y.mantissa;
    return sum;
  }
  // If y is a little larger than its bits, a little more is subtracted.
  Mantissa taken = y.mantissa + y.sticky;
  sum.negative = x.mantissa >= taken ? x.negative : y.negative;
  sum.mantissa = x.mantissa >= taken ? x.mantissa - taken : taken - x.mantissa;
  if (sum.isZero())
    return zero(rounding == Rounding::Down);
  return sum;
}

Exact divide(const Exact &a, const Exact &b) {
  bool negative = a.negative != b.negative;
  bool sameKind = a.kind == Exact::Kind::Infinite && b.kind == a.kind;
  if (a.kind == Exact::Kind::NaN || b.kind == Exact::Kind::NaN || sameKind ||
      (a.isZero() && b.isZero()))
    return notANumber();
  if (a.kind == Exact::Kind::Infinite || b.isZero())
    return infinite(negative);
  if (b.kind == Exact::Kind::Infinite || a.isZero())
    return zero(negative);
  Exact x = a;
  normalize(x);
  Mantissa quotient = x.mantissa / b.mantissa;
  return {Exact::Kind::Finite, negative, quotient, x.exponent - b.exponent,
          quotient * b.mantissa != x.mantissa};
}

Exact squareRoot(const Exact &a) {
  if (a.kind == Exact::Kind::NaN || a.isZero())
    return a;
  if (a.negative)
    return notANumber();
  if (a.kind == Exact::Kind::Infinite)
    return a;
  Exact x = a;
  normalize(x);
  if (x.exponent & 1)
    shiftRight(x, 1); // the last bits of a normalised number are 0
  Mantissa root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    Mantissa trial = root | (Mantissa(1) << bit);
    if (trial * trial <= x.mantissa)
      root = trial;
  }
  return {Exact::Kind::Finite, false, root, x.exponent / 2,
          root * root != x.mantissa};
}

Exact roundToWhole(const Exact &a, Rounding rounding) {
  if (a.kind != Exact::Kind::Finite || a.exponent >= 0)
    return a;
  Exact whole = a;
  whole.mantissa = roundBits(a, -a.exponent, rounding);
  whole.exponent = 0;
  whole.sticky = false;
  return whole;
}

double toDouble(uint64_t bits, FloatFormat format) {
  double value;
  if (format == single) {
    float narrow;
    uint32_t word = uint32_t(bits);
    std::memcpy(&narrow, &word, 4);
    return narrow;
  }
  uint64_t result = format == wide ? bits : round(decode(bits, format), wide);
  std::memcpy(&value, &result, 8);
  return value;
}

uint64_t fromDouble(double value, FloatFormat format, Rounding rounding) {
  if (format == single && rounding == Rounding::Nearest && !std::isnan(value)) {
    float narrow = float(value);
    uint32_t word;
    std::memcpy(&word, &narrow, 4);
    return word;
  }
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return round(decode(bits, wide), format, rounding);
}

bool isNan(uint64_t bits, FloatFormat format) {
  uint64_t magnitude = bits & ones(format.bits() - 1);
  return magnitude > infinityOf(format);
}

uint64_t flush(uint64_t bits, FloatFormat format) {
  uint64_t magnitude = bits & ones(format.bits() - 1);
  if (magnitude >> format.mantissaBits)
    return bits;
  return bits & (uint64_t(1) << (format.bits() - 1));
}

} // namespace distaff::ptx

//===- Ieee.cpp - Scalar IEEE 754 and integer arithmetic ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Double rounding is harmless when the first rounding is to odd: an inexact
// result gets an odd last digit, which is never a tie for the second rounding.
//
//===----------------------------------------------------------------------===//
#include "Ieee.h"

using namespace distaff::simt;

// The host compiler must not fuse a * b + c.
#pragma STDC FP_CONTRACT OFF

/// Returns a + b rounded to odd.
static double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double fromB = sum - a;
  double error = (a - (sum - fromB)) + (b - fromB);
  if (error == 0 || (bitCast<uint64_t>(sum) & 1))
    return sum;
  return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}

double ieee::fma(FloatFormat format, double a, double b, double c) {
  if (format == FloatFormat::F64)
    return canonical(std::fma(a, b, c));
  if (format == FloatFormat::F32)
    return canonical(std::fma(float(a), float(b), float(c)));
  // Products of narrow formats are exact in double.
  return canonical(roundTo(format, addToOdd(a * b, c)));
}

int64_t ieee::multiplyHighSigned(int64_t a, int64_t b, unsigned width) {
  return wrap(uint64_t((__int128(a) * b) >> width), width);
}

int64_t ieee::multiplyHighUnsigned(int64_t a, int64_t b, unsigned width) {
  unsigned __int128 product = zeroExtended(a, width);
  product *= zeroExtended(b, width);
  return wrap(uint64_t(product >> width), width);
}

int64_t ieee::toSigned(double value, unsigned width) {
  if (std::isnan(value))
    return 0;
  double limit = std::ldexp(1.0, int(width) - 1);
  if (value >= limit)
    return largestSigned(width);
  if (value < -limit)
    return smallestSigned(width);
  return int64_t(value);
}

int64_t ieee::toUnsigned(double value, unsigned width) {
  if (!(value > 0))
    return 0;
  if (value >= std::ldexp(1.0, int(width)))
    return -1;
  return wrap(uint64_t(value), width);
}

/// Returns the double with the digits of `value` that `format` may need, and an
/// odd last digit if some were dropped (rounding to odd).
static double integerToOdd(uint64_t value) {
  constexpr uint64_t exact = uint64_t(1) << 53;
  if (value < exact)
    return double(value);
  unsigned shift = 0;
  uint64_t rest = value;
  for (; rest >= exact; rest >>= 1)
    ++shift;
  bool inexact = (rest << shift) != value;
  return std::ldexp(double(rest | inexact), shift);
}

double ieee::fromUnsigned(FloatFormat format, uint64_t value) {
  if (format == FloatFormat::F64)
    return double(value);
  return roundTo(format, integerToOdd(value));
}

double ieee::fromSigned(FloatFormat format, int64_t value) {
  if (format == FloatFormat::F64)
    return double(value);
  if (value >= 0)
    return fromUnsigned(format, value);
  return -fromUnsigned(format, -uint64_t(value));
}

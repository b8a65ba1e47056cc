//===- PtxFloat.cpp - IEEE formats narrower than double -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxFloat.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace distaff::ptx {

double decodeFloat(uint64_t bits, FloatFormat format) {
  auto [exponentBits, mantissaBits] = format;
  uint64_t mantissa = bits & llvm::maskTrailingOnes<uint64_t>(mantissaBits);
  int maximum = (1 << exponentBits) - 1;
  int exponent = (bits >> mantissaBits) & maximum;
  int bias = maximum / 2;
  double magnitude;
  if (exponent == maximum)
    magnitude = mantissa ? NAN : HUGE_VAL;
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, 1 - bias - int(mantissaBits));
  else
    magnitude = std::ldexp(mantissa + (uint64_t(1) << mantissaBits),
                           exponent - bias - int(mantissaBits));
  bool negative = (bits >> (exponentBits + mantissaBits)) & 1;
  return negative ? -magnitude : magnitude;
}

uint64_t encodeFloat(double value, FloatFormat format, Rounding rounding) {
  auto [exponentBits, mantissaBits] = format;
  int bias = (1 << (exponentBits - 1)) - 1;
  uint64_t infinity = llvm::maskTrailingOnes<uint64_t>(exponentBits)
                      << mantissaBits;
  if (std::isnan(value))
    return infinity | llvm::maskTrailingOnes<uint64_t>(mantissaBits);
  bool negative = std::signbit(value);
  uint64_t sign = uint64_t(negative) << (exponentBits + mantissaBits);
  double magnitude = std::fabs(value);
  if (std::isinf(value))
    return sign | infinity;
  if (magnitude == 0)
    return sign;

  // The magnitude is `units` times 2^unit, where units has mantissaBits + 1
  // bits, fewer for a subnormal.
  int unit = std::max(std::ilogb(magnitude), 1 - bias) - int(mantissaBits);
  double units = std::ldexp(magnitude, -unit);
  bool away = rounding == (negative ? Rounding::Down : Rounding::Up);
  units = rounding == Rounding::Nearest ? std::nearbyint(units)
          : away                        ? std::ceil(units)
                                        : std::floor(units);
  uint64_t implicit = uint64_t(1) << mantissaBits;
  uint64_t bits = units;
  if (bits >= implicit) // a carry out of the mantissa raises the exponent
    bits += (uint64_t(unit + int(mantissaBits) + bias - 1)) << mantissaBits;
  if (bits >= infinity)
    bits = rounding == Rounding::Nearest || away ? infinity : infinity - 1;
  return sign | bits;
}

} // namespace distaff::ptx

//===- Float.h - Floats of every format, rounded once -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A finite number is represented as sign * mantissa * 2^exponent with a
// mantissa of up to 126 bits; sums, products, quotients and roots of them are
// exact but for a sticky bit far below, and are rounded once into a format:
//
//   round(multiply(decode(a, half), decode(b, half)), half, Rounding::Zero)
//
// 1.5 in f16 is 0x3E00: {Finite, +, 0x600, -10}. f32 and f64 to nearest use the
// host's own arithmetic; the tests compare the two.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_FLOAT_H
#define DISTAFF_LIB_PTX_FLOAT_H

#include <cstdint>

namespace distaff::ptx {

/// Describes a format: one sign bit, then these fields.
struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  /// Whether it has no infinity: the largest exponent holds numbers and one
  /// NaN.
  bool isFinite = false;

  unsigned bits() const { return 1 + exponentBits + mantissaBits; }
  constexpr bool operator==(const FloatFormat &) const = default;
};
inline constexpr FloatFormat half = {5, 10}, bfloat = {8, 7}, single = {8, 23},
                             wide = {11, 52}, tensor = {8, 10},
                             e4m3 = {4, 3, true}, e5m2 = {5, 2};

enum class Rounding { Nearest, Zero, Down, Up, NearestAway };

using Mantissa = unsigned __int128;

/// A number before it is rounded.
struct Exact {
  enum class Kind { Finite, Infinite, NaN };
  Kind kind = Kind::Finite;
  bool negative = false;
  /// If finite: mantissa * 2^exponent, and a little more in magnitude if
  /// sticky, less than the mantissa's last bit.
  Mantissa mantissa = 0;
  int exponent = 0;
  bool sticky = false;

  bool isZero() const {
    return kind == Kind::Finite && mantissa == 0 && !sticky;
  }
};

Exact decode(uint64_t bits, FloatFormat format);
Exact fromInteger(bool negative, uint64_t magnitude);

/// Rounds a value. A NaN becomes the canonical one: all bits set but the sign;
/// for f64 only the exponent and the first bit of the mantissa. A value that is
/// too large becomes infinity or the largest number, as the rounding mode
/// requires.
uint64_t round(const Exact &value, FloatFormat format,
               Rounding rounding = Rounding::Nearest);

Exact multiply(const Exact &a, const Exact &b);
/// Returns the sum; `rounding` decides the sign of a zero sum.
Exact add(const Exact &a, const Exact &b, Rounding rounding);
Exact divide(const Exact &a, const Exact &b);
Exact squareRoot(const Exact &a);
/// Rounds to an integral number, for example 2.5 to Nearest is 2.
Exact roundToWhole(const Exact &a, Rounding rounding);

/// Convert a number of a format narrower than double to double, and back with
/// one rounding.
double toDouble(uint64_t bits, FloatFormat format);
uint64_t fromDouble(double value, FloatFormat format,
                    Rounding rounding = Rounding::Nearest);

bool isNan(uint64_t bits, FloatFormat format);
/// Replaces a subnormal by the zero of its sign.
uint64_t flush(uint64_t bits, FloatFormat format);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_FLOAT_H

//===- FloatFormat.h - Floating-point formats, bit by bit -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A format is a set of real numbers with a bit pattern for each: `decode`
// returns the number, `encode` the pattern of the number nearest to a double
// (ties to the even pattern), with the format's own rules for overflow.
//
//   F16:        encode(1 + 2^-11) = 0x3C00   a tie goes to the even pattern
//   F16:        encode(65520)     = 0x7C00   halfway to 2^16 is infinity
//   F8E4M3FN:   encode(465)       = 0x7F     no infinity: NaN
//   F8E4M3FNUZ: encode(-0.0)      = 0x00     no negative zero
//
// Arithmetic in a narrow format: compute in a wider one that makes the double
// rounding innocuous, then encode once. float is wide enough for add, sub, mul,
// div and sqrt of formats of at most 11 digits, for 24 >= 2 * 11 + 2; double
// for float. It is not innocuous for fma, which Ieee.h rounds to odd in
// between.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_VALUES_FLOATFORMAT_H
#define DISTAFF_LIB_SIMT_VALUES_FLOATFORMAT_H

#include <cstdint>
#include <cstring>

namespace distaff::simt {

enum class FloatFormat : uint8_t {
  F16,
  BF16,
  F32,
  F64,
  TF32,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
};

struct FloatTraits {
  int width;        // bits of a pattern
  int digits;       // binary digits of the significand, the hidden one included
  int minExponent;  // 2^minExponent is the smallest normal number
  uint64_t largest; // pattern of the largest finite number
  bool hasInfinity;
  bool hasNegativeZero; // if not, that pattern is the only NaN
};

/// Returns the properties of a format (IEEE 754; OCP 8-bit floating point; the
/// FNUZ forms as in the "8-bit numerical formats for deep neural networks"
/// paper).
constexpr FloatTraits traitsOf(FloatFormat format) {
  switch (format) {
  case FloatFormat::F16:
    return {16, 11, -14, 0x7BFF, true, true};
  case FloatFormat::BF16:
    return {16, 8, -126, 0x7F7F, true, true};
  case FloatFormat::F32:
    return {32, 24, -126, 0x7F7FFFFF, true, true};
  case FloatFormat::F64:
    return {64, 53, -1022, 0x7FEFFFFFFFFFFFFF, true, true};
  case FloatFormat::TF32:
    return {19, 11, -126, 0x3FBFF, true, true};
  case FloatFormat::F8E4M3FN:
    return {8, 4, -6, 0x7E, false, true};
  case FloatFormat::F8E5M2:
    return {8, 3, -14, 0x7B, true, true};
  case FloatFormat::F8E4M3FNUZ:
    return {8, 4, -7, 0x7F, false, false};
  case FloatFormat::F8E5M2FNUZ:
    return {8, 3, -15, 0x7F, false, false};
  }
  return {};
}

/// Returns the number of a pattern; a NaN keeps its sign and, if it fits, its
/// payload.
double decode(FloatFormat format, uint64_t bits);

/// Returns the pattern of the number of `format` nearest to `value`.
uint64_t encode(FloatFormat format, double value);

/// Returns decode(encode(value)).
double roundTo(FloatFormat format, double value);

/// Returns half the distance between 1 and the next number: the largest
/// relative error of a rounding to a normal number.
double unitRoundoff(FloatFormat format);

/// Returns half the smallest positive number: the largest absolute error of a
/// rounding to a subnormal number.
double subnormalRoundoff(FloatFormat format);

/// Returns the largest finite number.
double largestFinite(FloatFormat format);

//===----------------------------------------------------------------------===//
// Branch-free conversions for loops over arrays
//===----------------------------------------------------------------------===//

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

inline float decodeF16(uint16_t bits) {
  // Read as a float with the exponent still biased by 15, then scale: this is
  // exact for subnormals too. Infinity and NaN get the rest of the exponent.
  uint32_t magnitude = uint32_t(bits & 0x7FFF) << 13;
  uint32_t scaled = bitCast<uint32_t>(bitCast<float>(magnitude) * 0x1p112f);
  if (magnitude >= 0x0F800000)
    scaled |= 0x7F800000;
  return bitCast<float>(scaled | uint32_t(bits & 0x8000) << 16);
}

inline uint16_t encodeF16(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t sign = bits & 0x80000000;
  bits ^= sign;
  // Adding 2^-1's multiple makes the float adder round a subnormal result.
  uint32_t subnormal =
      bitCast<uint32_t>(bitCast<float>(bits) + 0.5f) - 0x3F000000;
  uint32_t odd = (bits >> 13) & 1;
  uint32_t normal = (bits - 0x38000000 + 0xFFF + odd) >> 13;
  uint32_t result = bits < 0x38800000 ? subnormal : normal;
  if (bits >= 0x47800000) // 2^16 and above
    result = 0x7C00;
  if (bits > 0x7F800000)
    result = 0x7E00 | ((bits >> 13) & 0x3FF);
  return uint16_t(result | sign >> 16);
}

inline float decodeBF16(uint16_t bits) {
  return bitCast<float>(uint32_t(bits) << 16);
}

inline uint16_t encodeBF16(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    rounded = bits >> 16 | 0x40;
  return uint16_t(rounded);
}

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_VALUES_FLOATFORMAT_H

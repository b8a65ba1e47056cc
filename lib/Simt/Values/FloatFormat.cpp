//===- FloatFormat.cpp - Floating-point formats, bit by bit ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One encoder and one decoder for all formats, driven by the format's traits. A
// pattern without its sign is `exponent << (digits - 1) | fraction`, so that
// rounding up the largest fraction carries into the exponent.
//
//===----------------------------------------------------------------------===//
#include "FloatFormat.h"
#include <cmath>
#include <limits>

using namespace distaff::simt;

namespace {

constexpr uint64_t fractionOfDouble = (uint64_t(1) << 52) - 1;

uint64_t signBit(const FloatTraits &traits) {
  return uint64_t(1) << (traits.width - 1);
}

/// Returns infinity: exponent field all ones, fraction zero. \pre hasInfinity
uint64_t infinityBits(const FloatTraits &traits) { return traits.largest + 1; }

int bias(const FloatTraits &traits) { return 1 - traits.minExponent; }

uint64_t encodeNaN(const FloatTraits &traits, uint64_t bits) {
  if (!traits.hasNegativeZero)
    return signBit(traits);
  uint64_t sign = bits >> 63 ? signBit(traits) : 0;
  if (!traits.hasInfinity)
    return sign | (traits.largest + 1);
  int dropped = 53 - traits.digits;
  uint64_t quiet = uint64_t(1) << (traits.digits - 2);
  return sign | infinityBits(traits) | quiet |
         ((bits & fractionOfDouble) >> dropped);
}

/// Returns value shifted right, rounded to the nearest integer, ties to even.
uint64_t shiftRounded(uint64_t value, int shift) {
  if (shift == 0)
    return value;
  if (shift > 63)
    return 0;
  uint64_t quotient = value >> shift;
  uint64_t rest = value & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  return quotient + (rest > half || (rest == half && (quotient & 1)));
}

} // namespace

uint64_t distaff::simt::encode(FloatFormat format, double value) {
  uint64_t bits = bitCast<uint64_t>(value);
  if (format == FloatFormat::F64)
    return bits;
  FloatTraits traits = traitsOf(format);
  if (std::isnan(value))
    return encodeNaN(traits, bits);

  uint64_t sign = bits >> 63 ? signBit(traits) : 0;
  uint64_t magnitude = 0;
  if (std::isinf(value)) {
    magnitude = traits.largest + 1;
  } else if (int exponentField = int(bits >> 52) & 0x7FF) {
    // Every other format rounds a double's subnormals to zero.
    int exponent = exponentField - 1023;
    uint64_t significand = (bits & fractionOfDouble) | (uint64_t(1) << 52);
    int belowNormal = std::max(0, traits.minExponent - exponent);
    magnitude = shiftRounded(significand, 53 - traits.digits + belowNormal);
    if (belowNormal == 0) {
      // The hidden digit counts as one step of the exponent field.
      uint64_t field = exponent + bias(traits) - 1;
      magnitude += field << (traits.digits - 1);
    }
  }
  if (magnitude > traits.largest)
    magnitude = traits.largest + 1;
  if (!traits.hasNegativeZero) {
    if (magnitude > traits.largest)
      return signBit(traits);
    if (magnitude == 0)
      return 0;
  }
  return sign | magnitude;
}

double distaff::simt::decode(FloatFormat format, uint64_t bits) {
  if (format == FloatFormat::F64)
    return bitCast<double>(bits);
  if (format == FloatFormat::F32)
    return bitCast<float>(uint32_t(bits));
  FloatTraits traits = traitsOf(format);
  bool negative = bits & signBit(traits);
  uint64_t magnitude = bits & (signBit(traits) - 1);
  if (!traits.hasNegativeZero && negative && magnitude == 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (magnitude > traits.largest) {
    uint64_t fraction = magnitude & ((uint64_t(1) << (traits.digits - 1)) - 1);
    bool isNaN = !traits.hasInfinity || fraction != 0;
    uint64_t special = uint64_t(0x7FF) << 52;
    if (isNaN)
      special |= uint64_t(1) << 51 | fraction << (53 - traits.digits);
    return bitCast<double>(special | uint64_t(negative) << 63);
  }
  int field = int(magnitude >> (traits.digits - 1));
  uint64_t fraction = magnitude & ((uint64_t(1) << (traits.digits - 1)) - 1);
  if (field > 0)
    fraction |= uint64_t(1) << (traits.digits - 1);
  int exponent = std::max(field, 1) - bias(traits);
  double value = std::ldexp(double(fraction), exponent - (traits.digits - 1));
  return negative ? -value : value;
}

double distaff::simt::roundTo(FloatFormat format, double value) {
  if (format == FloatFormat::F64)
    return value;
  if (format == FloatFormat::F32)
    return float(value);
  return decode(format, encode(format, value));
}

double distaff::simt::unitRoundoff(FloatFormat format) {
  return std::ldexp(1.0, -traitsOf(format).digits);
}

double distaff::simt::subnormalRoundoff(FloatFormat format) {
  FloatTraits traits = traitsOf(format);
  return std::ldexp(1.0, traits.minExponent - traits.digits);
}

double distaff::simt::largestFinite(FloatFormat format) {
  return decode(format, traitsOf(format).largest);
}

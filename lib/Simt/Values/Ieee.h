//===- Ieee.h - Scalar IEEE 754 and integer arithmetic ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file defines the operations that C++ leaves open or spells differently,
// on float, double and 64-bit patterns of integers of any width:
//
//   * minimum and maximum propagate NaN, -0 < +0; minNum and maxNum prefer a
//     number to NaN, and -0 < +0 here too, so that a result never depends on
//     the order of the operands (equal replicas stay equal);
//  * fma of a narrow format, rounded once;
//   * integers: a value of width w is held sign-extended in an int64_t, where
//     the index type has w = 64; `wrap` restores that form of a result, and
//     `zeroExtended` returns the unsigned value.
//
// Arithmetic always returns the canonical quiet NaN; data movement does not use
// these functions and keeps the bits of a NaN.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_VALUES_IEEE_H
#define DISTAFF_LIB_SIMT_VALUES_IEEE_H

#include "FloatFormat.h"
#include <cmath>
#include <limits>

namespace distaff::simt::ieee {

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

template <typename T> T canonical(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}

/// Returns whether a < b, with -0 below +0. \pre no operand is NaN
template <typename T> bool below(T a, T b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

template <typename T> T minimum(T a, T b) {
  if (a != a || b != b)
    return std::numeric_limits<T>::quiet_NaN();
  return below(b, a) ? b : a;
}

template <typename T> T maximum(T a, T b) {
  if (a != a || b != b)
    return std::numeric_limits<T>::quiet_NaN();
  return below(a, b) ? b : a;
}

template <typename T> T minNum(T a, T b) {
  if (a != a)
    return canonical(b);
  if (b != b)
    return a;
  return below(b, a) ? b : a;
}

template <typename T> T maxNum(T a, T b) {
  if (a != a)
    return canonical(b);
  if (b != b)
    return a;
  return below(a, b) ? b : a;
}

/// Returns a * b + c, rounded once to `format`; all three are numbers of that
/// format.
double fma(FloatFormat format, double a, double b, double c);

/// Returns the integer nearest to value, ties to even (math.roundeven).
template <typename T> T roundEven(T value) { return std::nearbyint(value); }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

inline int64_t wrap(uint64_t value, unsigned width) {
  unsigned unused = 64 - width;
  return int64_t(value << unused) >> unused;
}

inline uint64_t zeroExtended(int64_t value, unsigned width) {
  unsigned unused = 64 - width;
  return uint64_t(value) << unused >> unused;
}

inline int64_t smallestSigned(unsigned width) {
  return wrap(uint64_t(1) << (width - 1), width);
}

inline int64_t largestSigned(unsigned width) {
  return int64_t((uint64_t(1) << (width - 1)) - 1);
}

/// Returns the upper half of a product of two values of `width` bits.
int64_t multiplyHighSigned(int64_t a, int64_t b, unsigned width);
int64_t multiplyHighUnsigned(int64_t a, int64_t b, unsigned width);

/// Returns value rounded towards zero, as arith.fptosi and fptoui convert it; a
/// value that does not fit saturates, NaN gives 0 (as PTX's cvt does).
int64_t toSigned(double value, unsigned width);
int64_t toUnsigned(double value, unsigned width);

/// Returns the number of `format` nearest to an integer, rounded once.
double fromSigned(FloatFormat format, int64_t value);
double fromUnsigned(FloatFormat format, uint64_t value);

} // namespace distaff::simt::ieee

#endif // DISTAFF_LIB_SIMT_VALUES_IEEE_H

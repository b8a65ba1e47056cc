//===- NarrowFloat.h - Descriptions of the 8-bit float formats --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An 8-bit float has a sign, an exponent field and `mantissaBits` bits of
// fraction; the exponent field is biased by `bias`. Formats differ in what the
// patterns at the ends mean:
//
//               largest       the pattern after it   NaN         -0
//   f8E4M3FN    0x7E 448      NaN                    0x7F        0x80
//   f8E5M2      0x7B 57344    infinity               0x7D..0x7F  0x80
//   f8E4M3FNUZ  0x7F 240      NaN                    0x80        none
//   f8E5M2FNUZ  0x7F 57344    NaN                    0x80        none
//
// OCP 8-bit Floating Point Specification, section 5; for the FNUZ forms "8-bit
// Numerical Formats for Deep Neural Networks" (Noune et al., 2022).
//
// A value that rounds to more than the largest number becomes the pattern after
// it, with the value's sign. The first such magnitude is halfway to the next
// number that the format would have, or just above it where ties go to the
// largest (an even pattern): 464 is still 448 in f8E4M3FN, 61440 is infinity in
// f8E5M2.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TARGET_NARROWFLOAT_H
#define DISTAFF_TARGET_NARROWFLOAT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace distaff {

struct NarrowFloat {
  llvm::StringLiteral name; // name of the type in IR
  int64_t mantissaBits;
  int64_t bias;
  uint8_t largest; // pattern of the largest finite number
  uint8_t nan;     // pattern of a quiet NaN
  bool hasNegativeZero;

  constexpr uint8_t tooLarge() const { return largest + 1; }
  constexpr bool hasInfinity() const { return tooLarge() != nan; }
};

inline constexpr NarrowFloat f8E4M3FN = {"f8E4M3FN", 3, 7, 0x7E, 0x7F, true};
inline constexpr NarrowFloat f8E5M2 = {"f8E5M2", 2, 15, 0x7B, 0x7E, true};
inline constexpr NarrowFloat f8E4M3FNUZ = {"f8E4M3FNUZ", 3,    8,
                                           0x7F,         0x80, false};
inline constexpr NarrowFloat f8E5M2FNUZ = {"f8E5M2FNUZ", 2,    16,
                                           0x7F,         0x80, false};

/// Returns the format of that name, or null.
const NarrowFloat *lookupNarrowFloat(llvm::StringRef name);

/// Describes an IEEE format that 8-bit floats are converted from and to.
struct WideFloat {
  int64_t width;
  int64_t mantissaBits;

  constexpr int64_t bias() const {
    return (int64_t(1) << (width - mantissaBits - 2)) - 1;
  }
  constexpr uint64_t infinity() const {
    return ((uint64_t(1) << (width - 1 - mantissaBits)) - 1) << mantissaBits;
  }
  /// Returns the pattern of 2^exponent, a normal number.
  constexpr uint64_t powerOfTwo(int64_t exponent) const {
    return uint64_t(exponent + bias()) << mantissaBits;
  }
};

/// Returns the pattern in `wide` of the smallest positive number that is too
/// large for `narrow`.
/// \pre wide has more digits, and normal numbers of that size
/// \post rounded to `narrow` it is tooLarge(), and the number before it largest
constexpr uint64_t firstTooLarge(const NarrowFloat &narrow,
                                 const WideFloat &wide) {
  int64_t dropped = wide.mantissaBits - narrow.mantissaBits;
  uint64_t rebias = uint64_t(wide.bias() - narrow.bias) << wide.mantissaBits;
  uint64_t tie = (uint64_t(narrow.largest) << dropped) +
                 (uint64_t(1) << (dropped - 1)) + rebias;
  return tie + (narrow.largest % 2 == 0);
}

} // namespace distaff

#endif // DISTAFF_TARGET_NARROWFLOAT_H

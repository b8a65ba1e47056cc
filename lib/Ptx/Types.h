//===- Types.h - Types of instructions --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_TYPES_H
#define DISTAFF_LIB_PTX_TYPES_H

#include "Float.h"

#include <cassert>
#include <optional>
#include <string_view>

namespace distaff::ptx {

using Wide = __int128;

struct Type {
  enum class Kind { Bits, Unsigned, Signed, Float, Predicate };
  Kind kind = Kind::Bits;
  unsigned bits = 32;    ///< width of one element
  bool isPaired = false; ///< f16x2: two in a word
  FloatFormat format = single;

  bool isFloat() const { return kind == Kind::Float; }
  bool isSigned() const { return kind == Kind::Signed; }
  bool isInteger() const {
    return kind == Kind::Unsigned || kind == Kind::Signed;
  }
  unsigned registerBits() const { return isPaired ? 2 * bits : bits; }
  uint64_t mask() const {
    assert(bits > 0 && bits <= 64 && "an element has 1 to 64 bits");
    return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  }
  /// Returns the number that an integer's bits represent.
  Wide extend(uint64_t value) const {
    value &= mask();
    bool negative = isSigned() && (value >> (bits - 1) & 1);
    return negative ? Wide(value) - (Wide(1) << bits) : Wide(value);
  }
};

/// Returns the product modulo 2^128, in which every product of two 64-bit
/// numbers has its bits.
inline unsigned __int128 product(Wide a, Wide b) {
  return static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);
}

/// Parses "u32", "f16x2", "pred"; returns none for a word that is no type.
/// "e4m3x2" and "tf32" are types of conversions and of mma.
std::optional<Type> parseType(std::string_view word);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_TYPES_H

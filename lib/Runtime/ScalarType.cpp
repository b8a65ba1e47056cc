//===- ScalarType.cpp - Element types of arrays outside MLIR --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/ScalarType.h"

#include <array>
#include <cassert>
#include <cmath>
#include <cstring>

namespace distaff::runtime {
namespace {

struct Row {
  ScalarType type;
  std::string_view name;
  std::string_view descr;
  int64_t bytes;
  bool isFloat;
  int64_t packedBits = 0; ///< width, if elements share bytes in a kernel
};

constexpr std::array<Row, 16> rows = {{
    {ScalarType::I1, "i1", "|b1", 1, false},
    {ScalarType::I2, "i2", "|i1", 1, false, 2},
    {ScalarType::I4, "i4", "|i1", 1, false, 4},
    {ScalarType::I8, "i8", "|i1", 1, false},
    {ScalarType::I16, "i16", "<i2", 2, false},
    {ScalarType::I32, "i32", "<i4", 4, false},
    {ScalarType::I64, "i64", "<i8", 8, false},
    {ScalarType::Index, "index", "<i8", 8, false},
    {ScalarType::F16, "f16", "<f2", 2, true},
    {ScalarType::BF16, "bf16", "<u2", 2, true},
    {ScalarType::F32, "f32", "<f4", 4, true},
    {ScalarType::F64, "f64", "<f8", 8, true},
    {ScalarType::F8E4M3FN, "f8E4M3FN", "|u1", 1, true},
    {ScalarType::F8E5M2, "f8E5M2", "|u1", 1, true},
    {ScalarType::F8E4M3FNUZ, "f8E4M3FNUZ", "|u1", 1, true},
    {ScalarType::F8E5M2FNUZ, "f8E5M2FNUZ", "|u1", 1, true},
}};

constexpr bool areInOrder() {
  for (size_t at = 0; at < rows.size(); ++at)
    if (static_cast<size_t>(rows[at].type) != at || rows[at].bytes < 1)
      return false;
  return true;
}
static_assert(areInOrder(), "rows are in the order of the enum");

const Row &row(ScalarType type) {
  assert(static_cast<size_t>(type) < rows.size() && "a type has a row");
  return rows[static_cast<size_t>(type)];
}

/// The meaning of the patterns at the ends of a format.
enum class Ends {
  Ieee,     ///< infinities, NaNs
  NaN,      ///< all ones are NaN, of either sign (FN)
  OnlyZero, ///< all are numbers, except NaN in place of -0 (FNUZ)
};

/// A binary interchange format narrower than 32 bits.
struct SmallFloat {
  int mantissaBits;
  int exponentBits;
  Ends ends;

  bool hasInfinity() const { return ends == Ends::Ieee; }
  bool hasNegativeZero() const { return ends != Ends::OnlyZero; }
  int bias() const { return (1 << (exponentBits - 1)) - hasNegativeZero(); }
  int signBit() const { return mantissaBits + exponentBits; }
  uint32_t exponentOnes() const {
    return ((1u << exponentBits) - 1) << mantissaBits;
  }
  uint32_t allOnes() const { return (1u << signBit()) - 1; }
  uint32_t quietNaN() const {
    return hasInfinity()       ? exponentOnes() | 1u << (mantissaBits - 1)
           : hasNegativeZero() ? allOnes()
                               : 1u << signBit();
  }
  uint32_t largestFinite() const {
    return hasInfinity()       ? exponentOnes() - 1
           : hasNegativeZero() ? allOnes() - 1
                               : allOnes();
  }

  uint32_t encode(double value) const {
    uint32_t sign = std::signbit(value) ? 1u << signBit() : 0;
    if (std::isnan(value))
      return sign | quietNaN();
    uint32_t overflow = hasInfinity() ? exponentOnes() : quietNaN();
    double magnitude = std::fabs(value);
    if (std::isinf(magnitude))
      return sign | overflow;
    if (magnitude == 0)
      return hasNegativeZero() ? sign : 0;
    int exponent = std::max(std::ilogb(magnitude), 1 - bias());
    // nearbyint rounds to nearest even in the default environment.
    auto scaled = static_cast<uint64_t>(
        std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent)));
    // A carry out of the mantissa correctly increments the exponent.
    uint64_t bits =
        scaled + (static_cast<uint64_t>(exponent + bias() - 1) << mantissaBits);
    if (bits == 0 && !hasNegativeZero())
      return 0;
    return sign |
           (bits > largestFinite() ? overflow : static_cast<uint32_t>(bits));
  }

  double decode(uint32_t bits) const {
    double sign = bits >> signBit() & 1 ? -1.0 : 1.0;
    uint32_t magnitude = bits & allOnes();
    if (!hasNegativeZero() && bits == quietNaN())
      return std::nan("");
    if (magnitude > largestFinite())
      return hasInfinity() && (magnitude & ((1u << mantissaBits) - 1)) == 0
                 ? sign * HUGE_VAL
                 : std::copysign(std::nan(""), sign);
    int exponent = static_cast<int>(magnitude >> mantissaBits);
    double mantissa = magnitude & ((1u << mantissaBits) - 1);
    if (exponent != 0)
      mantissa += 1u << mantissaBits;
    return sign *
           std::ldexp(mantissa, std::max(exponent, 1) - bias() - mantissaBits);
  }
};

SmallFloat smallFloat(ScalarType type) {
  switch (type) {
  case ScalarType::BF16:
    return {7, 8, Ends::Ieee};
  case ScalarType::F8E4M3FN:
    return {3, 4, Ends::NaN};
  case ScalarType::F8E5M2:
    return {2, 5, Ends::Ieee};
  case ScalarType::F8E4M3FNUZ:
    return {3, 4, Ends::OnlyZero};
  case ScalarType::F8E5M2FNUZ:
    return {2, 5, Ends::OnlyZero};
  default:
    assert(type == ScalarType::F16 && "other floats are the host's own");
    return {10, 5, Ends::Ieee};
  }
}

/// Returns the low bits of a number, sign-extended.
int8_t lowSigned(int64_t value, int64_t bits) {
  int64_t sign = int64_t(1) << (bits - 1);
  return static_cast<int8_t>((value & (2 * sign - 1) ^ sign) - sign);
}

template <typename T> void put(T value, void *element) {
  std::memcpy(element, &value, sizeof(T));
}
template <typename T> T get(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

} // namespace

std::string_view name(ScalarType type) { return row(type).name; }
int64_t byteSize(ScalarType type) { return row(type).bytes; }
int64_t bitsInMemory(ScalarType type) {
  return row(type).packedBits ? row(type).packedBits : 8 * row(type).bytes;
}
int64_t bytesInMemory(int64_t elements, int64_t bits) {
  if (bits >= 8)
    return elements * (bits / 8);
  int64_t perByte = 8 / bits;
  return elements / perByte + (elements % perByte != 0);
}
bool isFloat(ScalarType type) { return row(type).isFloat; }
std::string_view npyDescr(ScalarType type) { return row(type).descr; }

std::optional<ScalarType> parseScalarType(std::string_view name) {
  for (const Row &candidate : rows)
    if (candidate.name == name)
      return candidate.type;
  return std::nullopt;
}

void storeInteger(ScalarType type, int64_t value, void *element) {
  assert(!isFloat(type) && "an integer is stored as one");
  if (type == ScalarType::I1)
    return put<uint8_t>(value & 1, element);
  if (int64_t bits = row(type).packedBits)
    return put<int8_t>(lowSigned(value, bits), element);
  switch (byteSize(type)) {
  case 1:
    return put<int8_t>(static_cast<int8_t>(value), element);
  case 2:
    return put<int16_t>(static_cast<int16_t>(value), element);
  case 4:
    return put<int32_t>(static_cast<int32_t>(value), element);
  default:
    return put<int64_t>(value, element);
  }
}

int64_t loadInteger(ScalarType type, const void *element) {
  assert(!isFloat(type) && "an integer is loaded as one");
  if (type == ScalarType::I1)
    return get<uint8_t>(element) & 1;
  if (int64_t bits = row(type).packedBits)
    return lowSigned(get<uint8_t>(element), bits);
  switch (byteSize(type)) {
  case 1:
    return get<int8_t>(element);
  case 2:
    return get<int16_t>(element);
  case 4:
    return get<int32_t>(element);
  default:
    return get<int64_t>(element);
  }
}

std::vector<unsigned char> packNumbers(const std::vector<unsigned char> &bytes,
                                       int64_t bits, int64_t stride) {
  size_t perByte = 8 / stride;
  std::vector<unsigned char> packed((bytes.size() + perByte - 1) / perByte);
  for (size_t i = 0; i < bytes.size(); ++i)
    packed[i / perByte] |= (bytes[i] & ((1 << bits) - 1))
                           << i % perByte * stride;
  return packed;
}

std::vector<unsigned char>
unpackNumbers(const std::vector<unsigned char> &packed, int64_t bits,
              int64_t stride, int64_t count) {
  int64_t perByte = 8 / stride;
  std::vector<unsigned char> bytes(count);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = packed[i / perByte] >> i % perByte * stride & ((1 << bits) - 1);
  return bytes;
}

void storeDouble(ScalarType type, double value, void *element) {
  if (!isFloat(type))
    return storeInteger(type, static_cast<int64_t>(value), element);
  if (type == ScalarType::F64)
    return put<double>(value, element);
  if (type == ScalarType::F32)
    return put<float>(static_cast<float>(value), element);
  uint32_t bits = smallFloat(type).encode(value);
  if (byteSize(type) == 2)
    return put<uint16_t>(static_cast<uint16_t>(bits), element);
  put<uint8_t>(static_cast<uint8_t>(bits), element);
}

double loadDouble(ScalarType type, const void *element) {
  if (!isFloat(type))
    return static_cast<double>(loadInteger(type, element));
  if (type == ScalarType::F64)
    return get<double>(element);
  if (type == ScalarType::F32)
    return get<float>(element);
  uint32_t bits =
      byteSize(type) == 2 ? get<uint16_t>(element) : get<uint8_t>(element);
  return smallFloat(type).decode(bits);
}

} // namespace distaff::runtime

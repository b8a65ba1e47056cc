//===- Integer.cpp - Integer arithmetic -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <algorithm>

namespace distaff::ptx {
namespace {

uint64_t clampTo32(Wide value) {
  return uint64_t(std::clamp<Wide>(value, INT32_MIN, INT32_MAX));
}

/// Takes an integer type of 16 bits or more.
std::optional<Type> integerType(Decoding &d) {
  std::optional<Type> type = d.type();
  return type && type->isInteger() && type->bits >= 16 ? type : std::nullopt;
}

/// Decodes add{.sat}.type d, a, b.
template <bool subtracts> Execute decodeAdd(Decoding &d) {
  bool saturates = d.take("sat");
  std::optional<Type> type = integerType(d);
  if (!type || (saturates && (type->bits != 32 || !type->isSigned())))
    return {};
  if (saturates)
    return lanewise<2>(d, *type, [t = *type](uint64_t a, uint64_t b) {
      Wide x = t.extend(a), y = t.extend(b);
      return clampTo32(subtracts ? x - y : x + y);
    });
  return lanewise<2>(d, *type, [](uint64_t a, uint64_t b) {
    return subtracts ? a - b : a + b;
  });
}

enum class Part { Low, High, Wide };

/// Returns the part that mul and mad keep of a product of `bits` wide factors.
uint64_t partOf(unsigned __int128 product, Part part, unsigned bits) {
  return uint64_t(part == Part::High ? product >> bits : product);
}

std::optional<Part> takePart(Decoding &d, const char *high = "hi") {
  constexpr Part parts[] = {Part::Low, Part::High, Part::Wide};
  if (std::optional<unsigned> choice = d.takeOne({"lo", high, "wide"}))
    return parts[*choice];
  return std::nullopt;
}

/// Decodes mul.{lo,hi,wide}.type d, a, b.
Execute decodeMultiply(Decoding &d) {
  std::optional<Part> part = takePart(d);
  std::optional<Type> type = integerType(d);
  if (!part || !type || (*part == Part::Wide && type->bits == 64))
    return {};
  Type result = *type;
  if (*part == Part::Wide)
    result.bits *= 2;
  return lanewise<2>(d, result, std::array{*type, *type},
                     [t = *type, p = *part](uint64_t a, uint64_t b) {
                       return partOf(product(t.extend(a), t.extend(b)), p,
                                     t.bits);
                     });
}

/// Decodes mad.{lo,hi,wide}{.sat}.type d, a, b, c.
Execute decodeMultiplyAdd(Decoding &d) {
  std::optional<Part> part = takePart(d);
  bool saturates = d.take("sat");
  std::optional<Type> type = integerType(d);
  if (!part || !type || (*part == Part::Wide && type->bits == 64))
    return {};
  if (saturates &&
      (*part != Part::High || type->bits != 32 || !type->isSigned()))
    return {};
  Type addend = *type;
  if (*part == Part::Wide)
    addend.bits *= 2;
  return lanewise<3>(
      d, addend, std::array{*type, *type, addend},
      [t = *type, p = *part, saturates](uint64_t a, uint64_t b, uint64_t c) {
        Wide x = t.extend(a), y = t.extend(b);
        if (saturates) // it has 32 bits, so the product fits
          return clampTo32((x * y >> 32) + t.extend(c));
        return partOf(product(x, y), p, t.bits) + c;
      });
}

/// Returns the lowest 24 bits of a factor.
Wide factor24(uint64_t value, bool isSigned) {
  value &= 0xFFFFFF;
  return isSigned && (value >> 23) ? Wide(value) - (1 << 24) : Wide(value);
}

/// Decodes mul24, which keeps bits 0 to 31 or 16 to 47 of the 48 bits of a
/// product.
template <bool adds> Execute decodeMultiply24(Decoding &d) {
  std::optional<Part> part = takePart(d);
  bool saturates = adds && d.take("sat");
  std::optional<Type> type = integerType(d);
  if (!part || *part == Part::Wide || !type || type->bits != 32 ||
      (saturates && (*part != Part::High || !type->isSigned())))
    return {};
  bool isSigned = type->isSigned();
  unsigned shift = *part == Part::High ? 16 : 0;
  auto upper = [=](uint64_t a, uint64_t b) {
    return (factor24(a, isSigned) * factor24(b, isSigned)) >> shift;
  };
  if constexpr (adds)
    return lanewise<3>(d, *type, [=](uint64_t a, uint64_t b, uint64_t c) {
      if (saturates)
        return clampTo32(upper(a, b) + int32_t(c));
      return uint64_t(upper(a, b)) + c;
    });
  else
    return lanewise<2>(d, *type, [=](uint64_t a, uint64_t b) {
      return uint64_t(upper(a, b));
    });
}

/// Decodes a division. Division by 0 gives all ones, its remainder the
/// dividend.
template <bool isRest> Execute decodeDivide(Decoding &d) {
  std::optional<Type> type = integerType(d);
  if (!type)
    return {};
  return lanewise<2>(d, *type, [t = *type](uint64_t a, uint64_t b) {
    Wide x = t.extend(a), y = t.extend(b);
    if (y == 0)
      return isRest ? uint64_t(x) : ~uint64_t(0);
    return uint64_t(isRest ? x % y : x / y);
  });
}

template <bool isNegation> Execute decodeIntegerSign(Decoding &d) {
  std::optional<Type> type = integerType(d);
  if (!type || !type->isSigned())
    return {};
  return lanewise<1>(d, *type, [t = *type](uint64_t a) {
    Wide x = t.extend(a);
    return uint64_t(isNegation || x < 0 ? -x : x);
  });
}

template <bool isMax> Execute decodeIntegerExtremum(Decoding &d) {
  std::optional<Type> type = integerType(d);
  if (!type)
    return {};
  return lanewise<2>(d, *type, [t = *type](uint64_t a, uint64_t b) {
    return (t.extend(a) < t.extend(b)) == isMax ? b : a;
  });
}

/// Decodes sad: c + |a - b|.
Execute decodeDistance(Decoding &d) {
  std::optional<Type> type = integerType(d);
  if (!type)
    return {};
  return lanewise<3>(d, *type, [t = *type](uint64_t a, uint64_t b, uint64_t c) {
    Wide distance = t.extend(a) - t.extend(b);
    return c + uint64_t(distance < 0 ? -distance : distance);
  });
}

Wide elementOf(uint64_t word, unsigned i, unsigned bits, bool isSigned) {
  Type type = {isSigned ? Type::Kind::Signed : Type::Kind::Unsigned, bits,
               false, single};
  return type.extend(word >> (i * bits));
}

/// Decodes dp4a.atype.btype d, a, b, c: c plus the dot product of 4 bytes and 4
/// bytes.
Execute decodeDot4(Decoding &d) {
  std::optional<unsigned> a = d.takeOne({"u32", "s32"});
  std::optional<unsigned> b = d.takeOne({"u32", "s32"});
  if (!a || !b)
    return {};
  return lanewise<3>(d, b32Type, [=](uint64_t x, uint64_t y, uint64_t c) {
    Wide sum = 0;
    for (unsigned i = 0; i < 4; ++i)
      sum += elementOf(x, i, 8, *a) * elementOf(y, i, 8, *b);
    return uint64_t(sum) + c;
  });
}

/// Decodes dp2a.{lo,hi}.atype.btype: 2 halves with the lower or upper 2 bytes.
Execute decodeDot2(Decoding &d) {
  std::optional<unsigned> upper = d.takeOne({"lo", "hi"});
  std::optional<unsigned> a = d.takeOne({"u32", "s32"});
  std::optional<unsigned> b = d.takeOne({"u32", "s32"});
  if (!upper || !a || !b)
    return {};
  return lanewise<3>(d, b32Type, [=](uint64_t x, uint64_t y, uint64_t c) {
    Wide sum = 0;
    for (unsigned i = 0; i < 2; ++i)
      sum += elementOf(x, i, 16, *a) * elementOf(y, i + 2 * *upper, 8, *b);
    return uint64_t(sum) + c;
  });
}

constexpr Row integerTable[] = {
    {"add", decodeAdd<false>},
    {"sub", decodeAdd<true>},
    {"mul", decodeMultiply},
    {"mad", decodeMultiplyAdd},
    {"mul24", decodeMultiply24<false>},
    {"mad24", decodeMultiply24<true>},
    {"div", decodeDivide<false>},
    {"rem", decodeDivide<true>},
    {"abs", decodeIntegerSign<false>},
    {"neg", decodeIntegerSign<true>},
    {"min", decodeIntegerExtremum<false>},
    {"max", decodeIntegerExtremum<true>},
    {"sad", decodeDistance},
    {"dp4a", decodeDot4},
    {"dp2a", decodeDot2},
};

} // namespace

std::span<const Row> integerRows() { return integerTable; }

} // namespace distaff::ptx

//===- IeeeConvert.cpp - Conversions between formats and widths -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "IeeeDomain.h"

using namespace distaff;
using namespace distaff::simt;

uint64_t ieee::patternOf(Kind kind, const void *cell) {
  uint64_t bits = 0;
  if (kind.isFloat) {
    std::memcpy(&bits, cell, cellBytes(kind));
    return bits;
  }
  std::memcpy(&bits, cell, sizeof(bits));
  return zeroExtended(int64_t(bits), kind.width);
}

void ieee::setPattern(Kind kind, uint64_t bits, void *cell) {
  if (kind.isFloat) {
    std::memcpy(cell, &bits, cellBytes(kind));
    return;
  }
  int64_t value = wrap(bits, kind.width);
  std::memcpy(cell, &value, sizeof(value));
}

double ieee::numberOf(Kind kind, const void *cell) {
  if (kind.isFloat)
    return decode(kind.format, patternOf(kind, cell));
  int64_t value;
  std::memcpy(&value, cell, sizeof(value));
  return double(value);
}

static Unary floatToFloat(FloatFormat from, FloatFormat to) {
  return ieee::withCodec(from, [&](auto source) -> Unary {
    return ieee::withCodec(to, [&](auto target) -> Unary {
      using In = typename decltype(source)::Cell;
      using Out = typename decltype(target)::Cell;
      using Number = typename decltype(target)::Number;
      return [=](int64_t n, const void *a, void *r) {
        auto *in = static_cast<const In *>(a);
        auto *out = static_cast<Out *>(r);
        for (int64_t i = 0; i < n; ++i) {
          // Converts double to a narrow format in one rounding.
          if constexpr (std::is_same_v<In, double> &&
                        !std::is_floating_point_v<Out>)
            out[i] = Out(encode(to, in[i]));
          else
            out[i] = target.store(Number(source.load(in[i])));
        }
      };
    });
  });
}

static Unary floatToInteger(FloatFormat from, unsigned width, bool isSigned) {
  return ieee::withCodec(from, [&](auto source) -> Unary {
    using In = typename decltype(source)::Cell;
    return [=](int64_t n, const void *a, void *r) {
      auto *in = static_cast<const In *>(a);
      auto *out = static_cast<int64_t *>(r);
      for (int64_t i = 0; i < n; ++i) {
        double number = source.load(in[i]);
        out[i] = isSigned ? ieee::toSigned(number, width)
                          : ieee::toUnsigned(number, width);
      }
    };
  });
}

static Unary integerToFloat(unsigned width, FloatFormat to, bool isSigned) {
  return ieee::withCodec(to, [&](auto target) -> Unary {
    using Out = typename decltype(target)::Cell;
    using Number = typename decltype(target)::Number;
    return [=](int64_t n, const void *a, void *r) {
      auto *in = static_cast<const int64_t *>(a);
      auto *out = static_cast<Out *>(r);
      for (int64_t i = 0; i < n; ++i)
        // The number is one of the format's: storing it does not round.
        out[i] = target.store(Number(
            isSigned
                ? ieee::fromSigned(to, in[i])
                : ieee::fromUnsigned(to, ieee::zeroExtended(in[i], width))));
    };
  });
}

static Unary integerToInteger(unsigned from, unsigned to, bool zeroExtend) {
  return [=](int64_t n, const void *a, void *r) {
    auto *in = static_cast<const int64_t *>(a);
    auto *out = static_cast<int64_t *>(r);
    for (int64_t i = 0; i < n; ++i) {
      uint64_t value = zeroExtend ? ieee::zeroExtended(in[i], from) : in[i];
      out[i] = ieee::wrap(value, to);
    }
  };
}

Unary ieee::convert(Conversion conversion, Kind from, Kind to) {
  switch (conversion) {
  case Conversion::FloatToFloat:
    return floatToFloat(from.format, to.format);
  case Conversion::FloatToSigned:
    return floatToInteger(from.format, to.width, true);
  case Conversion::FloatToUnsigned:
    return floatToInteger(from.format, to.width, false);
  case Conversion::SignedToFloat:
    return integerToFloat(from.width, to.format, true);
  case Conversion::UnsignedToFloat:
    return integerToFloat(from.width, to.format, false);
  case Conversion::SignExtend:
  case Conversion::Truncate:
    return integerToInteger(from.width, to.width, false);
  case Conversion::ZeroExtend:
    return integerToInteger(from.width, to.width, true);
  }
  return {};
}

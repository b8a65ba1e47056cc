//===- Convert.cpp - Conversions ------------------------------------------===//
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

/// The words between cvt and its types.
struct ConversionStyle {
  std::optional<Rounding> rounding;
  bool toWhole = false; ///< rni, rzi, rmi, rpi
  bool flushes = false, saturates = false, isFinite = false, rectifies = false;
};

ConversionStyle takeStyle(Decoding &d) {
  ConversionStyle style;
  constexpr Rounding whole[] = {Rounding::Nearest, Rounding::Zero,
                                Rounding::Down, Rounding::Up};
  if (std::optional<unsigned> choice =
          d.takeOne({"rni", "rzi", "rmi", "rpi"})) {
    style.rounding = whole[*choice];
    style.toWhole = true;
  } else if (d.take("rna")) {
    style.rounding = Rounding::NearestAway;
  } else {
    style.rounding = d.rounding();
  }
  style.isFinite = d.take("satfinite");
  style.rectifies = d.take("relu");
  style.flushes = d.take("ftz");
  style.saturates = d.take("sat");
  // The manual writes .relu before .satfinite, compilers both ways.
  style.isFinite |= d.take("satfinite");
  return style;
}

Rounding roundingOf(const ConversionStyle &style) {
  return style.rounding.value_or(Rounding::Nearest);
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

uint64_t integerToInteger(const Type &to, const Type &from, bool saturates,
                          uint64_t a) {
  Wide value = from.extend(a);
  if (saturates) {
    Wide low = to.isSigned() ? -(Wide(1) << (to.bits - 1)) : Wide(0);
    Wide high = (Wide(1) << (to.isSigned() ? to.bits - 1 : to.bits)) - 1;
    value = std::clamp(value, low, high);
  }
  // The destination's register may be wider: the type defines the extension.
  return uint64_t(to.extend(uint64_t(value)));
}

/// Converts a float to an integer. Out of range clamps; NaN is 0, but the least
/// number if either type has 64 bits.
uint64_t floatToInteger(const Type &to, const Type &from,
                        const ConversionStyle &style, uint64_t a) {
  if (style.flushes)
    a = flush(a, from.format);
  Exact value = decode(a & from.mask(), from.format);
  if (value.kind == Exact::Kind::NaN)
    return from.bits == 64 || to.bits == 64 ? uint64_t(1) << (to.bits - 1) : 0;
  value = roundToWhole(value, roundingOf(style));
  Wide low = to.isSigned() ? -(Wide(1) << (to.bits - 1)) : Wide(0);
  Wide high = (Wide(1) << (to.isSigned() ? to.bits - 1 : to.bits)) - 1;
  bool isLarge = value.kind == Exact::Kind::Infinite || value.exponent > 64;
  Wide magnitude =
      isLarge && value.mantissa != 0 ? Wide(1) << 100
      : value.kind == Exact::Kind::Infinite
          ? Wide(1) << 100
          : Wide(value.mantissa << std::clamp(value.exponent, 0, 64));
  Wide clamped = std::clamp(value.negative ? -magnitude : magnitude, low, high);
  return uint64_t(to.extend(uint64_t(clamped)));
}

uint64_t finish(const Type &to, const ConversionStyle &style, uint64_t bits) {
  FloatFormat f = to.format;
  uint64_t sign = uint64_t(1) << (f.bits() - 1);
  bool nan = !f.isFinite && isNan(bits, f);
  if (style.flushes && f == single)
    bits = flush(bits, f);
  if (style.rectifies && (bits & sign) && !nan)
    bits = 0;
  uint64_t infinity = ((uint64_t(1) << f.exponentBits) - 1) << f.mantissaBits;
  if (style.isFinite && !f.isFinite && (bits & ~sign) == infinity)
    bits -= 1;
  if (style.saturates) {
    uint64_t one = uint64_t((1 << (f.exponentBits - 1)) - 1) << f.mantissaBits;
    bits = nan || (bits & sign) ? 0 : std::min(bits, one);
  }
  return bits;
}

uint64_t toFloat(const Type &to, const ConversionStyle &style,
                 const Exact &value) {
  return finish(to, style, round(value, to.format, roundingOf(style)));
}

uint64_t floatToFloat(const Type &to, const Type &from,
                      const ConversionStyle &style, uint64_t a) {
  if (style.flushes && from.format == single)
    a = flush(a, single);
  Exact value = decode(a & from.mask(), from.format);
  if (style.toWhole)
    value = roundToWhole(value, roundingOf(style));
  return toFloat(to, style, value);
}

uint64_t integerToFloat(const Type &to, const Type &from,
                        const ConversionStyle &style, uint64_t a) {
  Wide value = from.extend(a);
  return toFloat(to, style,
                 fromInteger(value < 0, uint64_t(value < 0 ? -value : value)));
}

/// Returns whether neither type has all values of the other. ptxas rounds to
/// nearest without a rounding, for these two types alone.
bool isBetweenHalves(const Type &to, const Type &from) {
  return (to.format == half && from.format == bfloat) ||
         (to.format == bfloat && from.format == half);
}

bool isNarrower(const FloatFormat &to, const FloatFormat &from) {
  return to.mantissaBits < from.mantissaBits ||
         to.exponentBits < from.exponentBits;
}

/// Returns whether ptxas refuses the conversion as one without a rounding.
bool lacksRounding(const Type &to, const Type &from,
                   const ConversionStyle &style) {
  if (style.rounding || (to.isInteger() && from.isInteger()))
    return false;
  return to.isInteger() || from.isInteger() ||
         (isNarrower(to.format, from.format) && !isBetweenHalves(to, from));
}

/// Returns whether a conversion exists with these words.
bool exists(const Type &to, const Type &from, const ConversionStyle &style) {
  if (to.isInteger() && from.isInteger())
    return !style.rounding && !style.flushes && !style.rectifies &&
           !style.isFinite;
  if (to.isInteger())
    return style.toWhole && !style.rectifies && !style.isFinite &&
           (!style.flushes || from.format == single);
  if (from.isInteger())
    return style.rounding && !style.toWhole && !style.flushes &&
           !style.rectifies && !style.isFinite &&
           *style.rounding != Rounding::NearestAway;
  if (from.format == to.format)
    return !style.rectifies && !style.isFinite &&
           (!style.rounding || style.toWhole);
  // ptxas accepts a rounding from bf16 to f32, which has no effect.
  bool mayDiffer = isBetweenHalves(to, from) ||
                   (from.format == bfloat && to.format == single);
  bool hasRounding = style.rounding.has_value();
  return (mayDiffer || hasRounding == isNarrower(to.format, from.format)) &&
         !style.toWhole &&
         (style.rounding != Rounding::NearestAway || to.format == tensor) &&
         (!style.flushes || from.format == single || to.format == single);
}

/// Decodes cvt{...}.dtype.atype d, a.
Execute decodeOne(Decoding &d) {
  ConversionStyle style = takeStyle(d);
  std::optional<Type> to = d.type(), from = d.type();
  auto isPlain = [](const std::optional<Type> &type) {
    return type && !type->isPaired && type->format != tensor &&
           type->kind != Type::Kind::Bits &&
           type->kind != Type::Kind::Predicate;
  };
  if (!isPlain(to) || !isPlain(from))
    return {};
  if (lacksRounding(*to, *from, style))
    d.reject("no rounding", "a conversion that may be inexact");
  else if (!exists(*to, *from, style))
    return {};
  auto convert = [=, t = *to, f = *from](uint64_t a) {
    if (t.isFloat())
      return f.isFloat() ? floatToFloat(t, f, style, a)
                         : integerToFloat(t, f, style, a);
    return f.isFloat() ? floatToInteger(t, f, style, a)
                       : integerToInteger(t, f, style.saturates, a);
  };
  return lanewise<1>(d, *to, std::array{*from}, convert, Width::AtLeast);
}

/// Decodes cvt.rna.tf32.f32: 10 bits of mantissa in place of 23.
Execute decodeTensor(Decoding &d) {
  ConversionStyle style = takeStyle(d);
  if (!d.take("tf32") || !d.take("f32") || style.toWhole || style.flushes ||
      style.saturates)
    return {};
  if (!style.rounding)
    d.reject("no rounding", "a conversion that may be inexact");
  Type type = {Type::Kind::Float, 32, false, tensor};
  return lanewise<1>(d, b32Type, [=](uint64_t a) {
    return toFloat(type, style, decode(a & 0xFFFFFFFF, single)) << 13;
  });
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// Decodes cvt.rnd{.relu}{.satfinite}.{f16x2,bf16x2,e4m3x2,e5m2x2}.f32 d, a, b:
/// a becomes the upper one.
Execute decodePair(Decoding &d) {
  ConversionStyle style = takeStyle(d);
  std::optional<Type> to = d.type();
  if (!to || !to->isPaired || !d.take("f32") || style.toWhole ||
      style.flushes || style.saturates || (to->bits == 8 && !style.isFinite) ||
      style.rounding == Rounding::NearestAway)
    return {};
  if (!style.rounding)
    d.reject("no rounding", "a conversion that may be inexact");
  Type from = {Type::Kind::Float, 32, false, single};
  return lanewise<2>(d, *to, std::array{from, from},
                     [=, t = *to](uint64_t a, uint64_t b) {
                       return floatToFloat(t, from, style, a) << t.bits |
                              floatToFloat(t, from, style, b);
                     });
}

/// Decodes cvt.rn{.relu}.f16x2.e4m3x2 and cvt.rn.satfinite{.relu}.e4m3x2.f16x2.
Execute decodeNarrow(Decoding &d) {
  ConversionStyle style = takeStyle(d);
  std::optional<Type> to = d.type(), from = d.type();
  bool arePairs = to && from && to->isPaired && from->isPaired;
  if (!arePairs || style.rounding != Rounding::Nearest || style.toWhole ||
      style.flushes || style.saturates)
    return {};
  bool widens = to->format == half && from->bits == 8 && !style.isFinite;
  bool narrows = to->bits == 8 && from->format == half && style.isFinite;
  if (!widens && !narrows)
    return {};
  return lanewise<1>(d, *to, std::array{*from},
                     [=, t = *to, f = *from](uint64_t a) {
                       return floatToFloat(t, f, style, a >> f.bits) << t.bits |
                              floatToFloat(t, f, style, a);
                     });
}

/// Decodes cvt.pack.sat.{u8,s8,u4,s4,u2,s2,u16,s16}.s32{.b32} d, a, b{, c}: a
/// and b saturated, a above b, and c shifted up above both.
Execute decodePackedConversion(Decoding &d) {
  constexpr unsigned widths[] = {16, 16, 8, 8, 4, 4, 2, 2};
  if (!d.take("pack") || !d.take("sat"))
    return {};
  std::optional<unsigned> to =
      d.takeOne({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (!to || !d.take("s32"))
    return {};
  unsigned bits = widths[*to];
  bool hasRest = d.take("b32");
  if (hasRest != (bits < 16))
    return {};
  Type narrow = {*to & 1 ? Type::Kind::Signed : Type::Kind::Unsigned, bits,
                 false, single};
  auto pair = [=](uint64_t a, uint64_t b) {
    return (integerToInteger(narrow, s32Type, true, a) & narrow.mask())
               << bits |
           (integerToInteger(narrow, s32Type, true, b) & narrow.mask());
  };
  if (!hasRest)
    return lanewise<2>(d, s32Type, pair);
  return lanewise<3>(d, s32Type, [=](uint64_t a, uint64_t b, uint64_t c) {
    return c << (2 * bits) | pair(a, b);
  });
}

constexpr Row convertTable[] = {{"cvt", decodeOne},
                                {"cvt", decodeTensor},
                                {"cvt", decodePair},
                                {"cvt", decodeNarrow},
                                {"cvt", decodePackedConversion}};

} // namespace

std::span<const Row> convertRows() { return convertTable; }

} // namespace distaff::ptx

//===- FloatArithmetic.cpp - Float arithmetic -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes add, sub, mul, fma, div, min, max, neg, abs and copysign of f64, f32,
// f16, bf16 and pairs of the latter two. Every result is the exact one rounded
// once.
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <bit>
#include <cmath>

namespace distaff::ptx {
namespace {

enum class Op { Add, Subtract, Multiply, Fma, Divide };

/// The modifiers that all these instructions share.
struct ArithmeticStyle {
  FloatFormat format = single;
  Rounding rounding = Rounding::Nearest;
  bool flushes = false, saturates = false, rectifies = false;

  uint64_t enter(uint64_t bits) const {
    return flushes ? flush(bits, format) : bits;
  }
  uint64_t leave(uint64_t bits) const {
    if (flushes)
      bits = flush(bits, format);
    uint64_t sign = uint64_t(1) << (format.bits() - 1);
    bool isNegative = bits & sign;
    if (saturates) {
      uint64_t one = uint64_t((1 << (format.exponentBits - 1)) - 1)
                     << format.mantissaBits;
      bool isNothing = isNegative || isNan(bits, format);
      return isNothing ? 0 : std::min(bits, one);
    }
    return rectifies && isNegative && !isNan(bits, format) ? 0 : bits;
  }
};

Exact computeExactly(Op op, Exact a, Exact b, Exact c, Rounding rounding) {
  switch (op) {
  case Op::Subtract:
    b.negative = !b.negative;
    return add(a, b, rounding);
  case Op::Add:
    return add(a, b, rounding);
  case Op::Multiply:
    return multiply(a, b);
  case Op::Fma:
    return add(multiply(a, b), c, rounding);
  case Op::Divide:
    return divide(a, b);
  }
  return a;
}

/// Computes a result rounded to nearest, as the host does.
template <typename Host> Host computeOnHost(Op op, Host a, Host b, Host c) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Subtract:
    return a - b;
  case Op::Multiply:
    return a * b;
  case Op::Fma:
    return std::fma(a, b, c);
  case Op::Divide:
    return a / b;
  }
  return a;
}

uint64_t compute(Op op, uint64_t a, uint64_t b, uint64_t c,
                 const ArithmeticStyle &style) {
  a = style.enter(a);
  b = style.enter(b);
  c = style.enter(c);
  uint64_t result = 0;
  bool onHost = style.rounding == Rounding::Nearest;
  if (onHost && style.format == single) {
    auto host = [](uint64_t bits) {
      return std::bit_cast<float>(uint32_t(bits));
    };
    result =
        std::bit_cast<uint32_t>(computeOnHost(op, host(a), host(b), host(c)));
  } else if (onHost && style.format == wide) {
    auto host = [](uint64_t bits) { return std::bit_cast<double>(bits); };
    result =
        std::bit_cast<uint64_t>(computeOnHost(op, host(a), host(b), host(c)));
  } else {
    FloatFormat f = style.format;
    result = round(computeExactly(op, decode(a, f), decode(b, f), decode(c, f),
                                  style.rounding),
                   f, style.rounding);
  }
  if (isNan(result, style.format))
    result = round({Exact::Kind::NaN, false, 0, 0, false}, style.format);
  return style.leave(result);
}

/// Applies a function of elements to one, or to both of a pair.
template <typename Function>
uint64_t onElements(const Type &type, uint64_t a, uint64_t b, uint64_t c,
                    Function function) {
  if (!type.isPaired)
    return function(a & type.mask(), b & type.mask(), c & type.mask());
  uint64_t high =
      function(a >> 16 & 0xFFFF, b >> 16 & 0xFFFF, c >> 16 & 0xFFFF);
  return high << 16 | function(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF);
}

bool isNumber(const std::optional<Type> &type) {
  return type && type->isFloat() && type->bits >= 16 && type->format != tensor;
}

/// Returns whether a type allows ftz, sat and roundings; bf16 has neither of
/// the first two.
bool allows(const Type &type, const ArithmeticStyle &style) {
  bool isHalf = type.bits == 16;
  if (type.format == wide || type.format == bfloat)
    if (style.flushes || style.saturates)
      return false;
  return !isHalf || style.rounding == Rounding::Nearest;
}

/// Returns the sign bits of a type's elements.
uint64_t signsOf(const Type &type) {
  uint64_t sign = uint64_t(1) << (type.bits - 1);
  return type.isPaired ? sign << type.bits | sign : sign;
}

template <Op op> Execute decodeArithmetic(Decoding &d) {
  ArithmeticStyle style;
  std::optional<Rounding> rounding = d.rounding();
  style.rounding = rounding.value_or(Rounding::Nearest);
  style.flushes = d.take("ftz");
  if (op == Op::Fma)
    style.rectifies = d.take("relu");
  style.saturates = !style.rectifies && d.take("sat");
  std::optional<Type> type = d.type();
  if (!isNumber(type) || (op == Op::Fma && !rounding))
    return {};
  style.format = type->format;
  bool rectifies = style.rectifies && type->bits != 16;
  if (!allows(*type, style) || rectifies)
    return {};
  if constexpr (op == Op::Fma)
    return lanewise<3>(
        d, *type, [=, t = *type](uint64_t a, uint64_t b, uint64_t c) {
          return onElements(t, a, b, c,
                            [&](uint64_t x, uint64_t y, uint64_t z) {
                              return compute(op, x, y, z, style);
                            });
        });
  else
    return lanewise<2>(d, *type, [=, t = *type](uint64_t a, uint64_t b) {
      return onElements(t, a, b, 0, [&](uint64_t x, uint64_t y, uint64_t) {
        return compute(op, x, y, 0, style);
      });
    });
}

} // namespace

Execute decodeContractedSum(Decoding &d, const Contraction &contraction,
                            const Factors &factors) {
  ArithmeticStyle style;
  style.flushes = d.take("ftz");
  style.saturates = d.take("sat");
  std::optional<Type> type = d.type();
  if (!isNumber(type))
    return {};
  style.format = type->format;
  bool subtracts = d.root() == "sub", isFirst = contraction.operand == 1;
  Destination to = d.destination(0, *type);
  Source addend = d.source(isFirst ? 2 : 1, *type);
  if (!allows(*type, style) || !d.complete(3))
    return {};
  bool negatesProduct = contraction.negated != (subtracts && !isFirst);
  uint64_t signs = signsOf(*type), ofProduct = negatesProduct ? signs : 0,
           ofAddend = subtracts && isFirst ? signs : 0;
  return [=, t = *type](Turn &turn) {
    Mask unwritten = 0;
    std::array<Lanes, 3> scratch;
    const Lanes &a = turn.read(factors[0], scratch[0], unwritten);
    const Lanes &b = turn.read(factors[1], scratch[1], unwritten);
    const Lanes &c = turn.read(addend, scratch[2], unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      turn.write(to, lane,
                 onElements(t, a[lane] ^ ofProduct, b[lane], c[lane] ^ ofAddend,
                            [&](uint64_t x, uint64_t y, uint64_t z) {
                              return compute(Op::Fma, x, y, z, style);
                            }));
    });
    turn.mark(to, unwritten);
  };
}

Execute decodeContractedProduct(Decoding &d, const Factors &kept) {
  d.take("ftz");
  std::optional<Type> type = d.type();
  if (!isNumber(type))
    return {};
  Factors from = {d.source(1, *type), d.source(2, *type)};
  return [=](Turn &turn) {
    Mask unwritten[2] = {0, 0};
    for (size_t i = 0; i < 2; ++i) {
      Lanes scratch;
      const Lanes &values = turn.read(from[i], scratch, unwritten[i]);
      Destination to = {kept[i].reg, ~uint64_t(0)};
      forEachLane(turn.active,
                  [&](unsigned lane) { turn.write(to, lane, values[lane]); });
      turn.mark(to, unwritten[i]);
    }
  };
}

namespace {

/// Decodes div{.approx,.full,.rnd}{.ftz}.f32 and div.rnd.f64.
Execute decodeDivide(Decoding &d) {
  ArithmeticStyle style;
  bool isLoose = d.takeOne({"approx", "full"}).has_value();
  std::optional<Rounding> rounding;
  if (!isLoose)
    rounding = d.rounding();
  style.rounding = rounding.value_or(Rounding::Nearest);
  style.flushes = d.take("ftz");
  std::optional<Type> type = d.type();
  if (!isNumber(type) || type->bits < 32 || (!isLoose && !rounding) ||
      (isLoose && type->bits != 32))
    return {};
  style.format = type->format;
  if (!allows(*type, style))
    return {};
  return lanewise<2>(d, *type, [=](uint64_t a, uint64_t b) {
    return compute(Op::Divide, a, b, 0, style);
  });
}

//===----------------------------------------------------------------------===//
// Extrema and signs
//===----------------------------------------------------------------------===//

struct Extremum {
  FloatFormat format;
  bool isMax, propagatesNan, flushes, xorsSigns;
};

/// Returns the extremum. -0 is less than +0; without .NaN a number is preferred
/// to a NaN.
uint64_t choose(uint64_t a, uint64_t b, const Extremum &how) {
  uint64_t sign = uint64_t(1) << (how.format.bits() - 1);
  uint64_t signs = (a ^ b) & sign;
  if (how.flushes) {
    a = flush(a, how.format);
    b = flush(b, how.format);
  }
  if (how.xorsSigns) {
    a &= ~sign;
    b &= ~sign;
  }
  bool aIsNan = isNan(a, how.format), bIsNan = isNan(b, how.format);
  if ((aIsNan && bIsNan) || (how.propagatesNan && (aIsNan || bIsNan)))
    return round({Exact::Kind::NaN, false, 0, 0, false}, how.format);
  uint64_t chosen;
  if (aIsNan || bIsNan) {
    chosen = aIsNan ? b : a;
  } else {
    double x = toDouble(a, how.format), y = toDouble(b, how.format);
    bool aIsLess = x < y || (x == y && std::signbit(x));
    chosen = aIsLess == how.isMax ? b : a;
  }
  return how.xorsSigns ? chosen | signs : chosen;
}

/// Decodes min{.ftz}{.NaN}{.xorsign.abs}.type.
template <bool isMax> Execute decodeFloatExtremum(Decoding &d) {
  Extremum how = {};
  how.isMax = isMax;
  how.flushes = d.take("ftz");
  how.propagatesNan = d.take("NaN");
  how.xorsSigns = d.take("xorsign");
  if (how.xorsSigns && !d.take("abs"))
    return {};
  std::optional<Type> type = d.type();
  if (!isNumber(type))
    return {};
  bool isWide = type->format == wide;
  if ((isWide && (how.flushes || how.propagatesNan || how.xorsSigns)) ||
      (type->format == bfloat && how.flushes))
    return {};
  how.format = type->format;
  return lanewise<2>(d, *type, [=, t = *type](uint64_t a, uint64_t b) {
    return onElements(t, a, b, 0, [&](uint64_t x, uint64_t y, uint64_t) {
      return choose(x, y, how);
    });
  });
}

template <bool isNegation> Execute decodeFloatSign(Decoding &d) {
  bool flushes = d.take("ftz");
  std::optional<Type> type = d.type();
  if (!isNumber(type) ||
      (flushes && (type->format == wide || type->format == bfloat)))
    return {};
  return lanewise<1>(d, *type, [=, t = *type](uint64_t a) {
    return onElements(t, a, 0, 0, [&](uint64_t x, uint64_t, uint64_t) {
      uint64_t sign = uint64_t(1) << (t.bits - 1);
      if (flushes)
        x = flush(x, t.format);
      return isNegation ? x ^ sign : x & ~sign;
    });
  });
}

/// Decodes copysign d, a, b: b with the sign of a.
Execute decodeCopysign(Decoding &d) {
  std::optional<Type> type = d.type();
  if (!isNumber(type) || type->bits < 32)
    return {};
  uint64_t sign = uint64_t(1) << (type->bits - 1);
  return lanewise<2>(d, *type, [=](uint64_t a, uint64_t b) {
    return (b & ~sign) | (a & sign);
  });
}

constexpr Row floatTable[] = {
    {"add", decodeArithmetic<Op::Add>},
    {"sub", decodeArithmetic<Op::Subtract>},
    {"mul", decodeArithmetic<Op::Multiply>},
    {"fma", decodeArithmetic<Op::Fma>},
    {"mad", decodeArithmetic<Op::Fma>},
    {"div", decodeDivide},
    {"min", decodeFloatExtremum<false>},
    {"max", decodeFloatExtremum<true>},
    {"neg", decodeFloatSign<true>},
    {"abs", decodeFloatSign<false>},
    {"copysign", decodeCopysign},
};

} // namespace

std::span<const Row> floatRows() { return floatTable; }

} // namespace distaff::ptx

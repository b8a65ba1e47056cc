//===- PtxArithmetic.cpp - What PTX's arithmetic computes -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxArithmetic.h"
#include "NarrowReference.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace distaff::ptx {

namespace {

using llvm::ArrayRef;
using llvm::StringRef;

struct Type {
  char kind; ///< b, s, u, p(redicate), f, B(float)
  unsigned bits;

  bool isFloat() const { return kind == 'f' || kind == 'B'; }
};

std::optional<Type> parseType(StringRef text) {
  if (text == "pred")
    return Type{'p', 1};
  char kind = text.starts_with("bf") ? 'B' : text.front();
  unsigned bits = 0;
  if (!StringRef("bsufB").contains(kind) ||
      text.drop_front(kind == 'B' ? 2 : 1).getAsInteger(10, bits))
    return std::nullopt;
  return Type{kind, bits};
}

double toDouble(uint64_t bits, Type type) {
  if (type.bits == 64)
    return llvm::bit_cast<double>(bits);
  return decodeFloat(bits, type.kind == 'B'  ? bfloat
                           : type.bits == 16 ? half
                                             : single);
}

uint64_t fromDouble(double value, Type type,
                    Rounding rounding = Rounding::Nearest) {
  if (type.bits == 64)
    return llvm::bit_cast<uint64_t>(value);
  return encodeFloat(value,
                     type.kind == 'B'  ? bfloat
                     : type.bits == 16 ? half
                                       : single,
                     rounding);
}

/// a * b + c rounded to odd: an inexact sum gets a last bit of 1, so that
/// rounding it again, to fewer bits, rounds the exact sum. \pre a * b is exact.
double fmaToOdd(double a, double b, double c) {
  double product = a * b, sum = product + c;
  double rest = sum - product;
  double error = (product - (sum - rest)) + (c - rest);
  if (!std::isfinite(sum) || error == 0 || (llvm::bit_cast<uint64_t>(sum) & 1))
    return sum;
  return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}

using Wide = __int128;

Wide extend(uint64_t bits, Type type) {
  if (type.kind == 's')
    return llvm::SignExtend64(bits, type.bits);
  return bits & llvm::maskTrailingOnes<uint64_t>(type.bits);
}

/// Integer instructions of two operands, on extended values.
using IntegerFunction = Wide (*)(Wide, Wide);

std::optional<Arithmetic> integerBinary(StringRef root, Type type) {
  auto function =
      llvm::StringSwitch<IntegerFunction>(root)
          .Case("add", [](Wide a, Wide b) { return a + b; })
          .Case("sub", [](Wide a, Wide b) { return a - b; })
          .Case("min", [](Wide a, Wide b) { return std::min(a, b); })
          .Case("max", [](Wide a, Wide b) { return std::max(a, b); })
          .Case("and", [](Wide a, Wide b) { return a & b; })
          .Case("or", [](Wide a, Wide b) { return a | b; })
          .Case("xor", [](Wide a, Wide b) { return a ^ b; })
          .Case("div", [](Wide a, Wide b) { return b ? a / b : Wide(-1); })
          .Case("rem", [](Wide a, Wide b) { return b ? a % b : a; })
          .Default(nullptr);
  if (!function)
    return std::nullopt;
  return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t) {
                      return uint64_t(
                          function(extend(a, type), extend(b, type)));
                    },
                    2};
}

std::optional<Arithmetic> integerUnary(StringRef root, Type type) {
  using Function = uint64_t (*)(Wide, unsigned);
  auto function =
      llvm::StringSwitch<Function>(root)
          .Case("neg", [](Wide a, unsigned) { return uint64_t(-a); })
          .Case("not", [](Wide a, unsigned) { return uint64_t(~a); })
          .Case("abs",
                [](Wide a, unsigned) { return uint64_t(a < 0 ? -a : a); })
          .Case("popc",
                [](Wide a, unsigned) {
                  return uint64_t(llvm::popcount(uint64_t(a)));
                })
          .Case("clz",
                [](Wide a, unsigned bits) {
                  return uint64_t(llvm::countl_zero(uint64_t(a)) - (64 - bits));
                })
          .Case("brev",
                [](Wide a, unsigned bits) {
                  return llvm::reverseBits(uint64_t(a)) >> (64 - bits);
                })
          .Default(nullptr);
  if (!function)
    return std::nullopt;
  return Arithmetic{[=](uint64_t a, uint64_t, uint64_t) {
                      return function(extend(a, type), type.bits);
                    },
                    1};
}

/// mul and mad: .lo and .hi halves of the product, or all of it.
std::optional<Arithmetic> multiply(StringRef root, StringRef part, Type type) {
  if ((root != "mul" && root != "mad") ||
      (part != "lo" && part != "hi" && part != "wide"))
    return std::nullopt;
  unsigned shift = part == "hi" ? type.bits : 0;
  Type addend = part == "wide" ? Type{type.kind, 2 * type.bits} : type;
  bool adds = root == "mad";
  return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t c) {
                      Wide product = extend(a, type) * extend(b, type);
                      return uint64_t((product >> shift) +
                                      (adds ? extend(c, addend) : 0));
                    },
                    adds ? 3u : 2u};
}

/// Amounts beyond the width shift everything out.
std::optional<Arithmetic> shift(StringRef root, Type type) {
  if (root != "shl" && root != "shr")
    return std::nullopt;
  bool left = root == "shl";
  return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t) {
                      unsigned amount =
                          std::min<uint64_t>(b & 0xFFFFFFFF, type.bits);
                      Wide value = extend(a, type);
                      return uint64_t(left ? value << amount : value >> amount);
                    },
                    2};
}

/// shf: the pair (b, a) shifted as 64 bits; .l gives the high word of it.
std::optional<Arithmetic> funnelShift(ArrayRef<std::string> opcode) {
  if (opcode.size() != 4 || opcode[3] != "b32")
    return std::nullopt;
  bool left = opcode[1] == "l", wraps = opcode[2] == "wrap";
  return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t c) {
                      uint64_t amount =
                          wraps ? c & 31
                                : std::min<uint64_t>(c & 0xFFFFFFFF, 32);
                      uint64_t pair = (b << 32) | (a & 0xFFFFFFFF);
                      return left ? (pair << amount) >> 32 : pair >> amount;
                    },
                    3};
}

/// bfe: c bits of a from bit b on, extended by 0 or by the field's last bit.
Arithmetic extractField(Type type) {
  return {[=](uint64_t a, uint64_t b, uint64_t c) {
            unsigned position = b & 0xFF, length = c & 0xFF;
            auto bit = [&](unsigned i) { return (a >> i) & 1; };
            uint64_t result = 0;
            uint64_t fill =
                type.kind == 'u' || length == 0
                    ? 0
                    : bit(std::min(position + length - 1, type.bits - 1));
            for (unsigned i = 0; i < type.bits; ++i) {
              bool inside = i < length && position + i < type.bits;
              result |= (inside ? bit(position + i) : fill) << i;
            }
            return result;
          },
          3};
}

/// prmt: nibble i of c picks byte i of the result among the 8 bytes of (b, a);
/// its top bit asks for 8 copies of that byte's sign instead.
uint64_t permuteBytes(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t pair = (b << 32) | (a & 0xFFFFFFFF), result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned selector = (c >> (4 * i)) & 15;
    uint64_t byte = (pair >> (8 * (selector & 7))) & 0xFF;
    if (selector & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << (8 * i);
  }
  return result;
}

bool compares(StringRef comparison, bool less, bool equal, bool greater) {
  return llvm::StringSwitch<bool>(comparison)
      .Case("eq", equal)
      .Case("ne", less || greater)
      .Cases("lt", "lo", less)
      .Cases("le", "ls", less || equal)
      .Cases("gt", "hi", greater)
      .Cases("ge", "hs", greater || equal)
      .Default(false);
}

/// Float comparisons are false of a NaN, those that end in u are true of it.
std::optional<Arithmetic> compare(StringRef comparison, Type type) {
  constexpr llvm::StringLiteral ordered[] = {"eq", "ne", "lt", "le", "gt",
                                             "ge", "lo", "ls", "hi", "hs"};
  bool unordered =
      type.isFloat() && comparison.size() == 3 && comparison.consume_back("u");
  bool onlyNan = type.isFloat() && (comparison == "nan" || comparison == "num");
  if (!onlyNan && !llvm::is_contained(ordered, comparison))
    return std::nullopt;
  std::string name = comparison.str();
  return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
                      if (!type.isFloat()) {
                        Wide x = extend(a, type), y = extend(b, type);
                        return compares(name, x<y, x == y, x> y);
                      }
                      double x = toDouble(a, type), y = toDouble(b, type);
                      bool isNan = std::isnan(x) || std::isnan(y);
                      if (onlyNan)
                        return isNan == (name == "nan");
                      return isNan ? unordered
                                   : compares(name, x<y, x == y, x> y);
                    },
                    2};
}

/// Without .NaN a number wins over a NaN; +0 is greater than -0.
Arithmetic floatExtremum(bool isMax, bool propagatesNan, Type type) {
  return {[=](uint64_t a, uint64_t b, uint64_t) {
            double x = toDouble(a, type), y = toDouble(b, type);
            if (std::isnan(x) || std::isnan(y)) {
              if (propagatesNan || (std::isnan(x) && std::isnan(y)))
                return fromDouble(NAN, type);
              return std::isnan(x) ? b : a;
            }
            bool aIsLess = x < y || (x == y && std::signbit(x));
            return aIsLess == isMax ? b : a;
          },
          2};
}

std::optional<Arithmetic> floatFunction(StringRef root, Type type) {
  using Binary = double (*)(double, double);
  using Unary = double (*)(double);
  if (auto binary = llvm::StringSwitch<Binary>(root)
                        .Case("add", [](double a, double b) { return a + b; })
                        .Case("sub", [](double a, double b) { return a - b; })
                        .Case("mul", [](double a, double b) { return a * b; })
                        .Case("div", [](double a, double b) { return a / b; })
                        .Default(nullptr))
    return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t) {
                        return fromDouble(
                            binary(toDouble(a, type), toDouble(b, type)), type);
                      },
                      2};
  if (auto unary = llvm::StringSwitch<Unary>(root)
                       .Case("ex2", [](double a) { return std::exp2(a); })
                       .Case("lg2", [](double a) { return std::log2(a); })
                       .Case("rcp", [](double a) { return 1 / a; })
                       .Case("sqrt", [](double a) { return std::sqrt(a); })
                       .Case("rsqrt", [](double a) { return 1 / std::sqrt(a); })
                       .Case("sin", [](double a) { return std::sin(a); })
                       .Case("cos", [](double a) { return std::cos(a); })
                       .Case("tanh", [](double a) { return std::tanh(a); })
                       .Default(nullptr))
    return Arithmetic{[=](uint64_t a, uint64_t, uint64_t) {
                        return fromDouble(unary(toDouble(a, type)), type);
                      },
                      1};
  if (root == "fma")
    return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t c) {
                        double x = toDouble(a, type), y = toDouble(b, type),
                               z = toDouble(c, type);
                        return fromDouble(type.bits == 64 ? std::fma(x, y, z)
                                                          : fmaToOdd(x, y, z),
                                          type);
                      },
                      3};
  uint64_t sign = uint64_t(1) << (type.bits - 1);
  if (root == "neg")
    return Arithmetic{[=](uint64_t a, uint64_t, uint64_t) { return a ^ sign; },
                      1};
  if (root == "abs")
    return Arithmetic{[=](uint64_t a, uint64_t, uint64_t) { return a & ~sign; },
                      1};
  if (root == "copysign")
    return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t) {
                        return (b & ~sign) | (a & sign);
                      },
                      2};
  return std::nullopt;
}

uint64_t floatToInteger(double value, Type from, Type to) {
  if (std::isnan(value))
    return from.bits == 64 || to.bits == 64 ? uint64_t(1) << (to.bits - 1) : 0;
  Wide low = to.kind == 's' ? -(Wide(1) << (to.bits - 1)) : 0;
  Wide high = (Wide(1) << (to.kind == 's' ? to.bits - 1 : to.bits)) - 1;
  if (value <= double(low))
    return uint64_t(low);
  if (value >= double(high))
    return uint64_t(high);
  return uint64_t(Wide(value));
}

double roundToInteger(double value, StringRef mode) {
  return mode == "rni"   ? std::nearbyint(value)
         : mode == "rzi" ? std::trunc(value)
         : mode == "rmi" ? std::floor(value)
                         : std::ceil(value);
}

std::optional<Arithmetic> convert(ArrayRef<std::string> modifiers, Type to,
                                  Type from) {
  std::string mode = modifiers.empty() ? "" : modifiers[0];
  if (modifiers.size() > 1)
    return std::nullopt;
  if (!to.isFloat() && !from.isFloat()) {
    if (!mode.empty())
      return std::nullopt;
    return Arithmetic{[=](uint64_t a, uint64_t, uint64_t) {
                        return uint64_t(extend(uint64_t(extend(a, from)), to));
                      },
                      1};
  }
  if (mode == "rni" || mode == "rzi" || mode == "rmi" || mode == "rpi") {
    if (!from.isFloat())
      return std::nullopt;
    return Arithmetic{[=](uint64_t a, uint64_t, uint64_t) {
                        double value = roundToInteger(toDouble(a, from), mode);
                        return to.isFloat() ? fromDouble(value, to)
                                            : floatToInteger(value, from, to);
                      },
                      1};
  }
  if (!to.isFloat())
    return std::nullopt;
  auto rounding = llvm::StringSwitch<std::optional<Rounding>>(mode)
                      .Cases("", "rn", Rounding::Nearest)
                      .Case("rz", Rounding::Zero)
                      .Case("rm", Rounding::Down)
                      .Case("rp", Rounding::Up)
                      .Default(std::nullopt);
  if (!rounding)
    return std::nullopt;
  return Arithmetic{[=](uint64_t a, uint64_t, uint64_t) {
                      if (from.isFloat())
                        return fromDouble(toDouble(a, from), to, *rounding);
                      Wide value = extend(a, from);
                      if (to.bits == 64 || *rounding != Rounding::Nearest)
                        return fromDouble(double(value), to, *rounding);
                      // Through double only once: 64-bit integers do not fit
                      // into it.
                      double high = double(value >> 32) * 0x1p32,
                             low = double(value & 0xFFFFFFFF);
                      return fromDouble(fmaToOdd(1, high, low), to);
                    },
                    1};
}

std::optional<narrow::Format> narrowFormat(StringRef type) {
  if (type == "e4m3x2")
    return narrow::Format::E4M3FN;
  if (type == "e5m2x2")
    return narrow::Format::E5M2;
  return std::nullopt;
}

/// Section "cvt": pairs of 8-bit floats in 16 bits. Widened, each byte becomes
/// the f16 of its place. Narrowed with the .satfinite they must have, halves of
/// an f16x2 keep their places, and of two f32 the first becomes the upper byte;
/// NaN is 0x7F, and what is too large, infinity too, the largest number.
std::optional<Arithmetic> decodeNarrowConversion(ArrayRef<std::string> opcode) {
  StringRef to = opcode[opcode.size() - 2], from = opcode.back();
  ArrayRef<std::string> modifiers = opcode.drop_front().drop_back(2);
  if (auto format = narrowFormat(from)) {
    if (modifiers != ArrayRef<std::string>{"rn"} || to != "f16x2")
      return std::nullopt;
    auto one = [format](uint64_t byte) {
      return encodeFloat(narrow::valueOf(*format, uint8_t(byte)), half);
    };
    return Arithmetic{[one](uint64_t a, uint64_t, uint64_t) {
                        return one(a >> 8) << 16 | one(a);
                      },
                      1};
  }
  auto format = narrowFormat(to);
  if (!format || (from != "f16x2" && from != "f32") ||
      modifiers != ArrayRef<std::string>{"rn", "satfinite"})
    return std::nullopt;
  bool isPacked = from == "f16x2";
  auto one = [=](uint64_t bits) -> uint64_t {
    double value = isPacked ? decodeFloat(bits & 0xFFFF, half)
                            : decodeFloat(bits & 0xFFFFFFFF, single);
    return narrow::nearest(*format, value, narrow::TooLarge::Largest);
  };
  return Arithmetic{[=](uint64_t a, uint64_t b, uint64_t) {
                      return isPacked ? one(a >> 16) << 8 | one(a)
                                      : one(a) << 8 | one(b);
                    },
                    isPacked ? 1u : 2u};
}

std::optional<Arithmetic> decodeConversion(ArrayRef<std::string> opcode) {
  if (opcode.size() < 3)
    return std::nullopt;
  if (narrowFormat(opcode[opcode.size() - 2]) || narrowFormat(opcode.back()))
    return decodeNarrowConversion(opcode);
  ArrayRef<std::string> modifiers = opcode.drop_front().drop_back(2);
  StringRef to = opcode[opcode.size() - 2];
  std::optional<Type> from = parseType(opcode.back());
  // Two sources packed into one word: the first becomes its upper half.
  bool packs = to.consume_back("x2");
  std::optional<Type> result = parseType(to);
  if (!from || !result)
    return std::nullopt;
  std::optional<Arithmetic> one = convert(modifiers, *result, *from);
  if (!one || !packs)
    return one;
  return Arithmetic{[f = one->compute](uint64_t a, uint64_t b, uint64_t) {
                      return f(a, 0, 0) << 16 | f(b, 0, 0);
                    },
                    2};
}

std::optional<Arithmetic>
floatInstruction(StringRef root, ArrayRef<std::string> modifiers, Type type) {
  if (root == "min" || root == "max") {
    bool propagates = modifiers.size() == 1 && modifiers[0] == "NaN";
    if (modifiers.size() > propagates)
      return std::nullopt;
    return floatExtremum(root == "max", propagates, type);
  }
  for (StringRef modifier : modifiers)
    if (modifier != "rn" && modifier != "approx" && modifier != "full")
      return std::nullopt;
  return floatFunction(root, type);
}

/// One instruction on each 16-bit half of its operands.
Arithmetic onHalves(Arithmetic one) {
  return {[f = one.compute](uint64_t a, uint64_t b, uint64_t c) {
            return (f(a >> 16, b >> 16, c >> 16) & 0xFFFF) << 16 |
                   (f(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF) & 0xFFFF);
          },
          one.operands};
}

} // namespace

std::optional<Arithmetic> decodeArithmetic(ArrayRef<std::string> opcode) {
  StringRef root = opcode.front(), typeName = opcode.back();
  if (root == "cvt")
    return decodeConversion(opcode);
  if (root == "shf")
    return funnelShift(opcode);
  bool paired = typeName.consume_back("x2");
  std::optional<Type> type = parseType(typeName);
  if (!type || opcode.size() < 2)
    return std::nullopt;
  ArrayRef<std::string> modifiers = opcode.drop_front().drop_back();
  if (root == "setp")
    return modifiers.size() == 1 ? compare(modifiers[0], *type) : std::nullopt;
  if (type->isFloat() && root != "selp") {
    std::optional<Arithmetic> one = floatInstruction(root, modifiers, *type);
    return one && paired ? onHalves(*one) : one;
  }
  if (paired)
    return std::nullopt;
  if (modifiers.size() == 1)
    return multiply(root, modifiers[0], *type);
  if (!modifiers.empty())
    return std::nullopt;
  if (root == "selp")
    return Arithmetic{
        [](uint64_t a, uint64_t b, uint64_t c) { return c & 1 ? a : b; }, 3};
  if (root == "prmt")
    return Arithmetic{permuteBytes, 3};
  if (root == "bfe")
    return extractField(*type);
  if (std::optional<Arithmetic> unary = integerUnary(root, *type))
    return unary;
  if (std::optional<Arithmetic> shifted = shift(root, *type))
    return shifted;
  return integerBinary(root, *type);
}

} // namespace distaff::ptx

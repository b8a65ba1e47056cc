//===- Bits.cpp - Bits, bytes and logic -----------------------------------===//
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

/// Takes b16, b32, b64 or a predicate.
std::optional<Type> bitType(Decoding &d) {
  std::optional<Type> type = d.type();
  bool fits = type && (type->kind == Type::Kind::Predicate ||
                       (type->kind == Type::Kind::Bits && type->bits >= 16));
  return fits ? type : std::nullopt;
}

/// Takes b32 or b64.
std::optional<Type> wordType(Decoding &d) {
  std::optional<Type> type = d.type();
  bool fits = type && type->kind == Type::Kind::Bits && type->bits >= 32;
  return fits ? type : std::nullopt;
}

template <char op> Execute decodeLogic(Decoding &d) {
  std::optional<Type> type = bitType(d);
  if (!type)
    return {};
  return lanewise<2>(d, *type, [](uint64_t a, uint64_t b) {
    return op == '&' ? a & b : op == '|' ? a | b : a ^ b;
  });
}

Execute decodeNot(Decoding &d) {
  std::optional<Type> type = bitType(d);
  return type ? lanewise<1>(d, *type, [](uint64_t a) { return ~a; })
              : Execute();
}

/// Decodes cnot, which is 1 for zero.
Execute decodeCnot(Decoding &d) {
  std::optional<Type> type = bitType(d);
  if (!type || type->bits == 1)
    return {};
  return lanewise<1>(d, *type, [m = type->mask()](uint64_t a) {
    return uint64_t((a & m) == 0);
  });
}

/// Computes lop3.b32 d, a, b, c, table: bit i of the table is the result for
/// bits a = i / 4, b = i / 2 % 2, c = i % 2.
uint64_t lookUp(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result & 0xFFFFFFFF;
}

Execute decodeLop3(Decoding &d) {
  if (!d.take("b32") || d.operandCount() != 5)
    return {};
  std::optional<uint64_t> table = d.constant(4);
  Destination to = d.destination(0, b32Type);
  Source a = d.source(1, b32Type), b = d.source(2, b32Type),
         c = d.source(3, b32Type);
  if (!d.complete(5) || *table > 255)
    return {};
  return [=, t = *table](Turn &turn) {
    Lanes sa, sb, sc;
    Mask unwritten = 0;
    const Lanes &x = turn.read(a, sa, unwritten),
                &y = turn.read(b, sb, unwritten),
                &z = turn.read(c, sc, unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      turn.write(to, lane, lookUp(x[lane], y[lane], z[lane], t));
    });
    turn.mark(to, unwritten);
  };
}

/// Decodes lop3.{or,and}.b32 d|p, a, b, c, table, q: p = (d != 0) op q.
Execute decodeLop3Predicate(Decoding &d) {
  std::optional<unsigned> isAnd = d.takeOne({"or", "and"});
  if (!isAnd || !d.take("b32") || d.operandCount() != 6)
    return {};
  std::optional<uint64_t> table = d.constant(4);
  Destination to = d.destination(0, b32Type),
              predicate = d.second(d.operand(0));
  std::array<Source, 4> from = {d.source(1, b32Type), d.source(2, b32Type),
                                d.source(3, b32Type),
                                d.source(5, predicateType)};
  if (!d.complete(6) || *table > 255)
    return {};
  return [=, t = *table](Turn &turn) {
    Mask unwritten = 0;
    Lanes scratch;
    for (const Source &one : from)
      turn.read(one, scratch, unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      uint64_t result =
          lookUp(turn.readLane(from[0], lane), turn.readLane(from[1], lane),
                 turn.readLane(from[2], lane), t);
      bool other = turn.readLane(from[3], lane) & 1;
      turn.write(to, lane, result);
      turn.write(predicate, lane,
                 *isAnd ? result != 0 && other : result != 0 || other);
    });
    turn.mark(to, unwritten);
    turn.mark(predicate, unwritten);
  };
}

/// Decodes a shift; amounts beyond the width shift all bits out.
template <bool isLeft> Execute decodeShift(Decoding &d) {
  std::optional<Type> type = d.type();
  bool fits = type && type->bits >= 16 && !type->isFloat() &&
              (!isLeft || type->kind == Type::Kind::Bits);
  if (!fits)
    return {};
  return lanewise<2>(
      d, std::array{*type, u32Type}, [t = *type](uint64_t a, uint64_t b) {
        unsigned amount = std::min<uint64_t>(b & 0xFFFFFFFF, t.bits);
        Wide value = t.extend(a);
        return uint64_t(isLeft ? value << amount : value >> amount);
      });
}

/// Decodes shf.{l,r}.{clamp,wrap}.b32 d, a, b, c: the pair (b, a) shifted as 64
/// bits.
Execute decodeFunnelShift(Decoding &d) {
  std::optional<unsigned> right = d.takeOne({"l", "r"});
  std::optional<unsigned> wraps = d.takeOne({"clamp", "wrap"});
  if (!right || !wraps || !d.take("b32"))
    return {};
  return lanewise<3>(d, b32Type, [=](uint64_t a, uint64_t b, uint64_t c) {
    uint64_t amount = *wraps ? c & 31 : std::min<uint64_t>(c & 0xFFFFFFFF, 32);
    uint64_t pair = (b << 32) | (a & 0xFFFFFFFF);
    return *right ? pair >> amount : (pair << amount) >> 32;
  });
}

template <char which> Execute decodeCount(Decoding &d) {
  std::optional<Type> type = wordType(d);
  if (!type)
    return {};
  return lanewise<1>(d, u32Type, std::array{*type},
                     [t = *type](uint64_t a) -> uint64_t {
                       a &= t.mask();
                       if (which == 'p')
                         return __builtin_popcountll(a);
                       return a ? __builtin_clzll(a) - (64 - t.bits) : t.bits;
                     });
}

Execute decodeReverse(Decoding &d) {
  std::optional<Type> type = wordType(d);
  if (!type)
    return {};
  return lanewise<1>(d, *type, [n = type->bits](uint64_t a) {
    uint64_t result = 0;
    for (unsigned i = 0; i < n; ++i)
      result |= (a >> i & 1) << (n - 1 - i);
    return result;
  });
}

/// Decodes bfind{.shiftamt}: the highest bit that differs from the sign, or -1.
Execute decodeFind(Decoding &d) {
  bool asShift = d.take("shiftamt");
  std::optional<Type> type = d.type();
  if (!type || !type->isInteger() || type->bits < 32)
    return {};
  return lanewise<1>(d, u32Type, std::array{*type},
                     [t = *type, asShift](uint64_t a) -> uint64_t {
                       Wide value = t.extend(a);
                       uint64_t bits = uint64_t(value < 0 ? ~value : value);
                       if (bits == 0)
                         return 0xFFFFFFFF;
                       unsigned found = 63 - __builtin_clzll(bits);
                       return asShift ? t.bits - 1 - found : found;
                     });
}

/// Decodes bfe: `length` bits from `position` on, extended by 0 or by the
/// field's last bit, which is at most the word's.
Execute decodeExtract(Decoding &d) {
  std::optional<Type> type = d.type();
  if (!type || !type->isInteger() || type->bits < 32)
    return {};
  return lanewise<3>(d, std::array{*type, u32Type, u32Type},
                     [t = *type](uint64_t a, uint64_t b, uint64_t c) {
                       unsigned position = b & 0xFF, length = c & 0xFF;
                       unsigned last = std::min(position + length, t.bits) - 1;
                       bool fills =
                           t.isSigned() && length > 0 && (a >> last & 1);
                       uint64_t result = fills ? ~uint64_t(0) : 0;
                       if (length == 0 || position >= t.bits)
                         return result;
                       uint64_t ones =
                           last - position >= 63
                               ? ~uint64_t(0)
                               : (uint64_t(2) << (last - position)) - 1;
                       return (result & ~ones) | ((a >> position) & ones);
                     });
}

/// Decodes bfi d, a, b, c, e: the lowest e bits of a in b from bit c on.
Execute decodeInsert(Decoding &d) {
  std::optional<Type> type = wordType(d);
  if (!type)
    return {};
  return lanewise<4>(
      d, std::array{*type, *type, u32Type, u32Type},
      [n = type->bits](uint64_t a, uint64_t b, uint64_t c, uint64_t e) {
        unsigned position = c & 0xFF, length = e & 0xFF;
        for (unsigned i = 0; i < length && position + i < n; ++i) {
          uint64_t bit = uint64_t(1) << (position + i);
          b = (b & ~bit) | ((a >> i & 1) << (position + i));
        }
        return b;
      });
}

/// The modes of prmt: nibble i of the selector picks byte i among the 8 bytes
/// of (b, a); its top bit selects 8 copies of that byte's sign instead. A mode
/// builds the selector from the lowest 2 bits of c.
enum class Permute { Any, Forward4, Backward4, Copy8, Clamp, Wrap, Copy16 };

unsigned selectorOf(Permute mode, unsigned c) {
  constexpr unsigned table[][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  return mode == Permute::Any ? c & 0xFFFF : table[unsigned(mode) - 1][c & 3];
}

Execute decodePermute(Decoding &d) {
  if (!d.take("b32"))
    return {};
  std::optional<unsigned> choice =
      d.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  Permute mode = choice ? Permute(*choice + 1) : Permute::Any;
  return lanewise<3>(d, b32Type, [=](uint64_t a, uint64_t b, uint64_t c) {
    uint64_t pair = (b << 32) | (a & 0xFFFFFFFF), result = 0;
    unsigned selectors = selectorOf(mode, unsigned(c));
    for (unsigned i = 0; i < 4; ++i) {
      unsigned selector = selectors >> (4 * i) & 15;
      uint64_t byte = pair >> (8 * (selector & 7)) & 0xFF;
      if (selector & 8)
        byte = byte & 0x80 ? 0xFF : 0;
      result |= byte << (8 * i);
    }
    return result;
  });
}

/// Decodes bmsk.{clamp,wrap}.b32 d, a, b: b ones from bit a on.
Execute decodeMask(Decoding &d) {
  std::optional<unsigned> wraps = d.takeOne({"clamp", "wrap"});
  if (!wraps || !d.take("b32"))
    return {};
  return lanewise<2>(d, b32Type, [=](uint64_t a, uint64_t b) -> uint64_t {
    unsigned position = *wraps ? a & 31 : std::min<uint64_t>(a & ~0u, 32);
    unsigned length = *wraps ? b & 31 : std::min<uint64_t>(b & ~0u, 32);
    return ((uint64_t(1) << length) - 1) << position & 0xFFFFFFFF;
  });
}

/// Computes fns.b32 d, mask, base, offset: the n-th set bit from the base on,
/// upwards for a positive offset n; for 0 the base itself, if set.
uint64_t findNth(uint64_t mask, uint64_t base, int32_t offset) {
  int step = offset < 0 ? -1 : 1;
  int left = offset == 0 ? 1 : offset < 0 ? -offset : offset;
  for (int at = int(base); at >= 0 && at < 32; at += step) {
    if (mask >> at & 1 && --left == 0)
      return at;
    if (offset == 0)
      break;
  }
  return 0xFFFFFFFF;
}

Execute decodeFindNth(Decoding &d) {
  if (!d.take("b32"))
    return {};
  return lanewise<3>(d, b32Type, [](uint64_t a, uint64_t b, uint64_t c) {
    b &= 0xFFFFFFFF;
    return b > 31 ? 0xFFFFFFFFu : findNth(a, b, int32_t(c));
  });
}

constexpr Row bitTable[] = {
    {"and", decodeLogic<'&'>},     {"or", decodeLogic<'|'>},
    {"xor", decodeLogic<'^'>},     {"not", decodeNot},
    {"cnot", decodeCnot},          {"lop3", decodeLop3},
    {"lop3", decodeLop3Predicate}, {"shl", decodeShift<true>},
    {"shr", decodeShift<false>},   {"shf", decodeFunnelShift},
    {"popc", decodeCount<'p'>},    {"clz", decodeCount<'z'>},
    {"brev", decodeReverse},       {"bfind", decodeFind},
    {"bfe", decodeExtract},        {"bfi", decodeInsert},
    {"prmt", decodePermute},       {"bmsk", decodeMask},
    {"fns", decodeFindNth},
};

} // namespace

std::span<const Row> bitRows() { return bitTable; }

} // namespace distaff::ptx

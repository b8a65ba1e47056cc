//===- Compare.cpp - Comparisons and selections ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <cmath>

namespace distaff::ptx {
namespace {

/// A comparison's results for less, equal, greater and unordered operands.
struct Comparison {
  const char *name;
  bool less, equal, greater, unordered;
};

constexpr Comparison comparisons[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false},
    {"lo", true, false, false, false}, {"ls", true, true, false, false},
    {"hi", false, false, true, false}, {"hs", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true}};

/// Returns whether a comparison exists for a type: lo to hs are for unsigned
/// integers, those with u and the ones after it for floats.
bool belongsTo(unsigned comparison, const Type &type) {
  if (type.isFloat())
    return comparison < 6 || comparison >= 10;
  if (comparison < 2)
    return true;
  return comparison < 6 ? type.isInteger()
                        : comparison < 10 && type.kind == Type::Kind::Unsigned;
}

bool compareInteger(const Comparison &c, const Type &type, uint64_t a,
                    uint64_t b) {
  Wide x = type.extend(a), y = type.extend(b);
  return x < y ? c.less : x > y ? c.greater : c.equal;
}

bool compareFloat(const Comparison &c, FloatFormat format, bool flushes,
                  uint64_t a, uint64_t b) {
  if (flushes) {
    a = flush(a, format);
    b = flush(b, format);
  }
  if (isNan(a, format) || isNan(b, format))
    return c.unordered;
  double x = toDouble(a, format), y = toDouble(b, format);
  return x < y ? c.less : x > y ? c.greater : c.equal;
}

/// The operation that combines a comparison with a predicate.
enum class Combine { Nothing, And, Or, Xor };

bool combine(Combine how, bool a, bool b) {
  switch (how) {
  case Combine::Nothing:
    return a;
  case Combine::And:
    return a && b;
  case Combine::Or:
    return a || b;
  case Combine::Xor:
    return a != b;
  }
  return a;
}

/// The words that setp and set share: .cmp{.and}{.ftz}.
struct Test {
  Comparison comparison;
  Combine how = Combine::Nothing;
  bool flushes = false;
  Type type;

  bool of(uint64_t a, uint64_t b) const {
    return type.isFloat() ? compareFloat(comparison, type.format, flushes, a, b)
                          : compareInteger(comparison, type, a, b);
  }
  /// Returns setp's results: the test and its opposite, or each half's test of
  /// a pair.
  std::pair<bool, bool> both(uint64_t a, uint64_t b) const {
    if (type.isPaired)
      return {of(a & 0xFFFF, b & 0xFFFF),
              of(a >> 16 & 0xFFFF, b >> 16 & 0xFFFF)};
    bool holds = of(a, b);
    return {holds, !holds};
  }
};

/// Takes the words before the type that is compared.
std::optional<unsigned> takeTest(Decoding &d, Test &test) {
  std::optional<unsigned> found;
  for (unsigned i = 0; i < std::size(comparisons) && !found; ++i)
    if (d.take(comparisons[i].name))
      found = i;
  if (!found)
    return std::nullopt;
  test.comparison = comparisons[*found];
  if (std::optional<unsigned> how = d.takeOne({"and", "or", "xor"}))
    test.how = Combine(*how + 1);
  test.flushes = d.take("ftz");
  return found;
}

bool takeCompared(Decoding &d, Test &test, unsigned comparison) {
  std::optional<Type> type = d.type();
  if (!type || type->bits < 16 || type->format == tensor ||
      !belongsTo(comparison, *type) ||
      (test.flushes &&
       !(type->isFloat() && (type->bits == 32 || type->format == half))))
    return false;
  test.type = *type;
  return true;
}

/// Decodes setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, c}: q gets the opposite; of
/// pairs p is of the lower halves and q of the upper ones.
Execute decodeSetp(Decoding &d) {
  Test test;
  std::optional<unsigned> comparison = takeTest(d, test);
  if (!comparison || !takeCompared(d, test, *comparison))
    return {};
  unsigned operands = test.how == Combine::Nothing ? 3 : 4;
  if (d.operandCount() != operands)
    return {};
  Destination p = d.destination(0, predicateType), q = d.second(d.operand(0));
  Source a = d.source(1, test.type), b = d.source(2, test.type), c;
  if (operands == 4)
    c = d.source(3, predicateType);
  if (!d.complete(operands))
    return {};
  return [=](Turn &turn) {
    Mask unwritten = 0;
    Lanes sa, sb, sc;
    const Lanes &x = turn.read(a, sa, unwritten),
                &y = turn.read(b, sb, unwritten),
                &z = turn.read(c, sc, unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      auto [first, second] = test.both(x[lane], y[lane]);
      bool other = z[lane] & 1;
      turn.write(p, lane, combine(test.how, first, other));
      turn.write(q, lane, combine(test.how, second, other));
    });
    turn.mark(p, unwritten);
    turn.mark(q, unwritten);
  };
}

/// Decodes set.cmp{.bool}{.ftz}.dtype.type d, a, b{, c}: all ones or 1.0, or 0.
Execute decodeSet(Decoding &d) {
  Test test;
  std::optional<unsigned> comparison = takeTest(d, test);
  std::optional<Type> result = comparison ? d.type() : std::nullopt;
  if (!result || !takeCompared(d, test, *comparison) || test.type.isPaired ||
      result->isPaired || result->bits < 16 ||
      (result->kind == Type::Kind::Bits))
    return {};
  uint64_t truth =
      result->isFloat() ? fromDouble(1, result->format) : ~uint64_t(0);
  auto chosen = [=](uint64_t a, uint64_t b, bool c) {
    return combine(test.how, test.of(a, b), c) ? truth : 0;
  };
  if (test.how == Combine::Nothing)
    return lanewise<2>(
        d, *result, std::array{test.type, test.type},
        [=](uint64_t a, uint64_t b) { return chosen(a, b, false); });
  return lanewise<3>(
      d, *result, std::array{test.type, test.type, predicateType},
      [=](uint64_t a, uint64_t b, uint64_t c) { return chosen(a, b, c & 1); });
}

/// Decodes set.f16x2 and set.bf16x2: a result in each half.
Execute decodeSetPaired(Decoding &d) {
  Test test;
  std::optional<unsigned> comparison = takeTest(d, test);
  std::optional<Type> result = comparison ? d.type() : std::nullopt;
  if (!result || test.how != Combine::Nothing ||
      !takeCompared(d, test, *comparison) || !test.type.isPaired ||
      !(result->isPaired ? result->format == test.type.format
                         : result->bits == 32 && result->isInteger()))
    return {};
  uint64_t truth =
      result->isPaired ? fromDouble(1, result->format) : uint64_t(0xFFFF);
  return lanewise<2>(
      d, *result, std::array{test.type, test.type},
      [=](uint64_t a, uint64_t b) {
        uint64_t low = test.of(a & 0xFFFF, b & 0xFFFF) ? truth : 0;
        uint64_t high = test.of(a >> 16 & 0xFFFF, b >> 16 & 0xFFFF) ? truth : 0;
        return high << 16 | low;
      });
}

/// Decodes selp.type d, a, b, p. An unselected unwritten value is no fault.
Execute decodeSelect(Decoding &d) {
  std::optional<Type> type = d.type();
  if (!type || type->bits < 16 || type->isPaired || d.operandCount() != 4)
    return {};
  Destination to = d.destination(0, *type);
  Source a = d.source(1, *type), b = d.source(2, *type),
         p = d.source(3, predicateType);
  if (!d.complete(4))
    return {};
  return [=](Turn &turn) {
    Mask ofA = 0, ofB = 0, ofP = 0, takesA = 0;
    Lanes sa, sb, sp;
    const Lanes &x = turn.read(a, sa, ofA), &y = turn.read(b, sb, ofB),
                &chooser = turn.read(p, sp, ofP);
    forEachLane(turn.active, [&](unsigned lane) {
      bool first = chooser[lane] & 1;
      takesA |= Mask(first) << lane;
      turn.write(to, lane, first ? x[lane] : y[lane]);
    });
    turn.mark(to, ofP | (ofA & takesA) | (ofB & ~takesA));
  };
}

/// Decodes slct{.ftz}.type.{s32,f32} d, a, b, c: a where c >= 0.
Execute decodeSlct(Decoding &d) {
  bool flushes = d.take("ftz");
  std::optional<Type> type = d.type();
  std::optional<Type> chooser = d.type();
  bool isFloat = chooser && chooser->isFloat() && chooser->bits == 32;
  bool fits =
      type && type->bits >= 16 && !type->isPaired && chooser &&
      (isFloat || (chooser->isSigned() && chooser->bits == 32 && !flushes));
  if (!fits)
    return {};
  return lanewise<3>(d, std::array{*type, *type, *chooser},
                     [=](uint64_t a, uint64_t b, uint64_t c) {
                       if (!isFloat)
                         return int32_t(c) >= 0 ? a : b;
                       double value = toDouble(
                           flushes ? flush(c, single) : c & 0xFFFFFFFF, single);
                       return value >= 0 ? a : b;
                     });
}

/// Decodes testp.{finite,...}.{f32,f64} p, a.
Execute decodeTestp(Decoding &d) {
  std::optional<unsigned> what = d.takeOne(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  std::optional<Type> type = d.type();
  if (!what || !type || !type->isFloat() || type->isPaired || type->bits < 32)
    return {};
  return lanewise<1>(
      d, predicateType, std::array{*type},
      [w = *what, t = *type](uint64_t a) -> uint64_t {
        a &= t.mask();
        double value = toDouble(a, t.format);
        bool isSubnormal = value != 0 && flush(a, t.format) != a;
        bool isNormal = std::isfinite(value) && value != 0 && !isSubnormal;
        const bool answers[] = {
            std::isfinite(value), std::isinf(value), !std::isnan(value),
            std::isnan(value),    isNormal,          isSubnormal};
        return answers[w];
      });
}

constexpr Row compareTable[] = {
    {"setp", decodeSetp},   {"set", decodeSet},   {"set", decodeSetPaired},
    {"selp", decodeSelect}, {"slct", decodeSlct}, {"testp", decodeTestp},
};

} // namespace

std::span<const Row> compareRows() { return compareTable; }

} // namespace distaff::ptx

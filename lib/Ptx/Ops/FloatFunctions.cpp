//===- FloatFunctions.cpp - Roots, powers and angles ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a rounding, rcp and sqrt are exact and rounded once. An .approx is the
// result of the host's double arithmetic, rounded once: the comparison with
// hardware must allow a tolerance.
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <cmath>

namespace distaff::ptx {
namespace {

using Function = double (*)(double);

struct Approximation {
  const char *name;
  Function function;
  bool ofHalves; ///< exists for f16 and bf16
};

constexpr Approximation approximations[] = {
    {"ex2", [](double a) { return std::exp2(a); }, true},
    {"lg2", [](double a) { return std::log2(a); }, false},
    {"sin", [](double a) { return std::sin(a); }, false},
    {"cos", [](double a) { return std::cos(a); }, false},
    {"tanh", [](double a) { return std::tanh(a); }, true},
    {"rcp", [](double a) { return 1 / a; }, false},
    {"sqrt", [](double a) { return std::sqrt(a); }, false},
    {"rsqrt", [](double a) { return 1 / std::sqrt(a); }, false},
};

uint64_t approximate(Function function, FloatFormat format, bool flushes,
                     uint64_t a) {
  if (flushes)
    a = flush(a, format);
  uint64_t result = fromDouble(function(toDouble(a, format)), format);
  return flushes ? flush(result, format) : result;
}

/// Decodes NAME.approx{.ftz}.type.
Execute decodeApproximation(Decoding &d) {
  const Approximation *found = nullptr;
  for (const Approximation &one : approximations)
    if (d.root() == one.name)
      found = &one;
  if (!d.take("approx"))
    return {};
  bool flushes = d.take("ftz");
  std::optional<Type> type = d.type();
  if (!type || !type->isFloat())
    return {};
  bool isSingle = type->format == single;
  bool isHalf = found->ofHalves && type->bits == 16;
  // Only ex2 of bf16 flushes, and it always does.
  bool mustFlush = isHalf && type->format == bfloat && d.root() == "ex2";
  if ((!isSingle && !isHalf) || (isHalf && flushes != mustFlush) ||
      (d.root() == "tanh" && flushes))
    return {};
  Function function = found->function;
  return lanewise<1>(d, *type, [=, t = *type](uint64_t a) {
    if (!t.isPaired)
      return approximate(function, t.format, flushes, a & t.mask());
    return approximate(function, t.format, flushes, a >> 16 & 0xFFFF) << 16 |
           approximate(function, t.format, flushes, a & 0xFFFF);
  });
}

/// Decodes rcp and rsqrt .approx.ftz.f64, which keep the upper word of the
/// result.
template <bool isRoot> Execute decodeCoarse(Decoding &d) {
  if (!d.take("approx") || !d.take("ftz") || !d.take("f64"))
    return {};
  Type type = {Type::Kind::Float, 64, false, wide};
  return lanewise<1>(d, type, [](uint64_t a) {
    a = flush(a, wide);
    double value = toDouble(a, wide);
    uint64_t result =
        fromDouble(isRoot ? 1 / std::sqrt(value) : 1 / value, wide);
    return flush(result, wide) & ~uint64_t(0xFFFFFFFF);
  });
}

/// Decodes rsqrt.approx.f64, in the host's longest format, rounded once.
Execute decodeWideRoot(Decoding &d) {
  if (!d.take("approx") || !d.take("f64"))
    return {};
  Type type = {Type::Kind::Float, 64, false, wide};
  return lanewise<1>(d, type, [](uint64_t a) {
    long double value = toDouble(a, wide);
    return fromDouble(double(1 / std::sqrt(value)), wide);
  });
}

/// Decodes rcp.rnd{.ftz} and sqrt.rnd{.ftz} of f32 and f64.
template <bool isRoot> Execute decodeRounded(Decoding &d) {
  std::optional<Rounding> rounding = d.rounding();
  bool flushes = d.take("ftz");
  std::optional<Type> type = d.type();
  if (!rounding || !type || !type->isFloat() || type->bits < 32 ||
      type->format == tensor || (flushes && type->bits == 64))
    return {};
  return lanewise<1>(
      d, *type,
      [=, r = *rounding, f = type->format, m = type->mask()](uint64_t a) {
        a &= m;
        if (flushes)
          a = flush(a, f);
        Exact value = decode(a, f);
        uint64_t result = round(isRoot ? squareRoot(value)
                                       : divide(fromInteger(false, 1), value),
                                f, r);
        return flushes ? flush(result, f) : result;
      });
}

constexpr Row functionTable[] = {
    {"ex2", decodeApproximation},  {"lg2", decodeApproximation},
    {"sin", decodeApproximation},  {"cos", decodeApproximation},
    {"tanh", decodeApproximation}, {"rcp", decodeApproximation},
    {"sqrt", decodeApproximation}, {"rsqrt", decodeApproximation},
    {"rcp", decodeCoarse<false>},  {"rsqrt", decodeCoarse<true>},
    {"rsqrt", decodeWideRoot},     {"rcp", decodeRounded<false>},
    {"sqrt", decodeRounded<true>},
};

} // namespace

std::span<const Row> functionRows() { return functionTable; }

} // namespace distaff::ptx

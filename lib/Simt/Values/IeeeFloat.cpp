//===- IeeeFloat.cpp - Float arithmetic of the IEEE domain ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is a loop over cells, instantiated per operation and codec.
// Narrow formats compute in float, whose double rounding is innocuous for the
// basic operations; elementary functions compute in double, so their results
// are correctly rounded except in rare cases.
//
//===----------------------------------------------------------------------===//
#include "IeeeDomain.h"

using namespace distaff;
using namespace distaff::simt;

#pragma STDC FP_CONTRACT OFF

namespace {

template <typename Codec, typename F> Unary overCells(Codec codec, F f) {
  using Cell = typename Codec::Cell;
  return [=](int64_t n, const void *a, void *r) {
    auto *in = static_cast<const Cell *>(a);
    auto *out = static_cast<Cell *>(r);
    for (int64_t i = 0; i < n; ++i)
      out[i] = codec.store(ieee::canonical(f(codec.load(in[i]))));
  };
}

template <typename Codec, typename F> Binary overPairs(Codec codec, F f) {
  using Cell = typename Codec::Cell;
  return [=](int64_t n, const void *a, const void *b, void *r) {
    auto *left = static_cast<const Cell *>(a);
    auto *right = static_cast<const Cell *>(b);
    auto *out = static_cast<Cell *>(r);
    for (int64_t i = 0; i < n; ++i)
      out[i] = codec.store(
          ieee::canonical(f(codec.load(left[i]), codec.load(right[i]))));
  };
}

/// Returns a predicate of two numbers, as i1 cells.
template <typename Codec, typename F> Binary predicate(Codec codec, F f) {
  using Cell = typename Codec::Cell;
  return [=](int64_t n, const void *a, const void *b, void *r) {
    auto *left = static_cast<const Cell *>(a);
    auto *right = static_cast<const Cell *>(b);
    auto *out = static_cast<int64_t *>(r);
    for (int64_t i = 0; i < n; ++i)
      out[i] = -int64_t(f(codec.load(left[i]), codec.load(right[i])));
  };
}

/// Returns a function that changes only the sign bit, also that of a NaN.
Unary changeSign(FloatFormat format, bool clear) {
  return ieee::withCodec(format, [=](auto codec) -> Unary {
    using Cell = typename decltype(codec)::Cell;
    FloatTraits traits = traitsOf(format);
    return [=](int64_t n, const void *a, void *r) {
      uint64_t sign = uint64_t(1) << (traits.width - 1);
      for (int64_t i = 0; i < n; ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, static_cast<const Cell *>(a) + i, sizeof(Cell));
        bits = clear ? bits & ~sign : bits ^ sign;
        // Without a negative zero that pattern is the NaN, and 0 stays 0.
        if (!traits.hasNegativeZero && (bits & ~sign) == 0)
          std::memcpy(&bits, static_cast<const Cell *>(a) + i, sizeof(Cell));
        std::memcpy(static_cast<Cell *>(r) + i, &bits, sizeof(Cell));
      }
    };
  });
}

double reciprocalRoot(double x) { return 1 / std::sqrt(x); }

double negative(double x) { return -x; }

struct FunctionRow {
  FloatUnary op;
  double (*function)(double);
};

/// The function of each operation, in the order of the enum.
constexpr FunctionRow functions[] = {
    {FloatUnary::Negate, negative},
    {FloatUnary::Abs, std::abs},
    {FloatUnary::Sqrt, std::sqrt},
    {FloatUnary::Rsqrt, reciprocalRoot},
    {FloatUnary::Cbrt, std::cbrt},
    {FloatUnary::Exp, std::exp},
    {FloatUnary::Exp2, std::exp2},
    {FloatUnary::ExpM1, std::expm1},
    {FloatUnary::Log, std::log},
    {FloatUnary::Log2, std::log2},
    {FloatUnary::Log10, std::log10},
    {FloatUnary::Log1P, std::log1p},
    {FloatUnary::Sin, std::sin},
    {FloatUnary::Cos, std::cos},
    {FloatUnary::Tan, std::tan},
    {FloatUnary::Sinh, std::sinh},
    {FloatUnary::Cosh, std::cosh},
    {FloatUnary::Tanh, std::tanh},
    {FloatUnary::Asin, std::asin},
    {FloatUnary::Acos, std::acos},
    {FloatUnary::Atan, std::atan},
    {FloatUnary::Asinh, std::asinh},
    {FloatUnary::Acosh, std::acosh},
    {FloatUnary::Atanh, std::atanh},
    {FloatUnary::Erf, std::erf},
    {FloatUnary::Erfc, std::erfc},
    {FloatUnary::Ceil, std::ceil},
    {FloatUnary::Floor, std::floor},
    {FloatUnary::Trunc, std::trunc},
    {FloatUnary::Round, std::round},
    {FloatUnary::RoundEven, std::nearbyint},
};

} // namespace

double (*ieee::functionOf(FloatUnary op))(double) {
  const FunctionRow &row = functions[size_t(op)];
  assert(row.op == op && "rows are in the order of the enum");
  return row.function;
}

double ieee::compute(FloatUnary op, double a) { return functionOf(op)(a); }

Unary ieee::floatUnary(FloatUnary op, FloatFormat format) {
  if (op == FloatUnary::Negate || op == FloatUnary::Abs)
    return changeSign(format, op == FloatUnary::Abs);
  return withCodec(format, [op](auto codec) -> Unary {
    using Number = typename decltype(codec)::Number;
    if (op == FloatUnary::Sqrt)
      return overCells(codec, [](Number x) { return std::sqrt(x); });
    if (op == FloatUnary::Exp2)
      return overCells(codec,
                       [](Number x) { return Number(std::exp2(double(x))); });
    if (op == FloatUnary::Exp)
      return overCells(codec,
                       [](Number x) { return Number(std::exp(double(x))); });
    return overCells(codec, [function = functionOf(op)](Number x) {
      return Number(function(x));
    });
  });
}

Binary ieee::floatBinary(FloatBinary op, FloatFormat format) {
  return withCodec(format, [op](auto codec) -> Binary {
    using Number = typename decltype(codec)::Number;
    switch (op) {
    case FloatBinary::Add:
      return overPairs(codec, [](Number a, Number b) { return a + b; });
    case FloatBinary::Sub:
      return overPairs(codec, [](Number a, Number b) { return a - b; });
    case FloatBinary::Mul:
      return overPairs(codec, [](Number a, Number b) { return a * b; });
    case FloatBinary::Div:
      return overPairs(codec, [](Number a, Number b) { return a / b; });
    // The functions below are called through a pointer: one loop for all.
    case FloatBinary::Rem:
      return overPairs(
          codec, +[](Number a, Number b) { return std::fmod(a, b); });
    case FloatBinary::Pow:
      return overPairs(
          codec, +[](Number a, Number b) {
            return Number(std::pow(double(a), double(b)));
          });
    case FloatBinary::Atan2:
      return overPairs(
          codec, +[](Number a, Number b) {
            return Number(std::atan2(double(a), double(b)));
          });
    case FloatBinary::CopySign:
      return overPairs(
          codec, +[](Number a, Number b) { return std::copysign(a, b); });
    case FloatBinary::Minimum:
      return overPairs(codec, minimum<Number>);
    case FloatBinary::Maximum:
      return overPairs(codec, maximum<Number>);
    case FloatBinary::MinNum:
      return overPairs(codec, minNum<Number>);
    case FloatBinary::MaxNum:
      return overPairs(codec, maxNum<Number>);
    }
    return {};
  });
}

Ternary ieee::floatTernary(FloatTernary op, FloatFormat format) {
  return withCodec(format, [format](auto codec) -> Ternary {
    using Cell = typename decltype(codec)::Cell;
    using Number = typename decltype(codec)::Number;
    return [=](int64_t n, const void *a, const void *b, const void *c,
               void *r) {
      auto *x = static_cast<const Cell *>(a), *y = static_cast<const Cell *>(b);
      auto *z = static_cast<const Cell *>(c);
      auto *out = static_cast<Cell *>(r);
      for (int64_t i = 0; i < n; ++i)
        out[i] = codec.store(Number(
            fma(format, codec.load(x[i]), codec.load(y[i]), codec.load(z[i]))));
    };
  });
}

bool ieee::compute(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = a != a || b != b;
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

Binary ieee::floatCompare(arith::CmpFPredicate comparison, FloatFormat format) {
  return withCodec(format, [=](auto codec) -> Binary {
    using Number = typename decltype(codec)::Number;
    return predicate(
        codec, [=](Number a, Number b) { return compute(comparison, a, b); });
  });
}

Unary ieee::floatTest(FloatTest test, FloatFormat format) {
  return withCodec(format, [=](auto codec) -> Unary {
    using Cell = typename decltype(codec)::Cell;
    double smallestNormal = std::ldexp(1.0, traitsOf(format).minExponent);
    return [=](int64_t n, const void *a, void *r) {
      auto *in = static_cast<const Cell *>(a);
      auto *out = static_cast<int64_t *>(r);
      for (int64_t i = 0; i < n; ++i) {
        double x = codec.load(in[i]);
        bool holds = test == FloatTest::IsNaN   ? std::isnan(x)
                     : test == FloatTest::IsInf ? std::isinf(x)
                     : test == FloatTest::IsFinite
                         ? std::isfinite(x)
                         : std::isfinite(x) && std::abs(x) >= smallestNormal;
        out[i] = -int64_t(holds);
      }
    };
  });
}

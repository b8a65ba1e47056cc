//===- IeeeContract.cpp - Contractions of the IEEE domain -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of additions: for every element of the accumulator, terms are
// combined one by one, in row-major order of the reduced indices, each rounded
// in the accumulator's format. For speed, operands are first packed as numbers
// into dense lhs[batch][m][k], rhs[batch][k][n], acc[batch][m][n]; then the
// innermost loop runs along n, where neighbors are independent.
//
//===----------------------------------------------------------------------===//
#include "IeeeDomain.h"
#include "IndexSpace.h"
#include <vector>

using namespace distaff;
using namespace distaff::simt;

#pragma STDC FP_CONTRACT OFF

namespace {

/// The extents of the groups of a contraction.
struct Extents {
  int64_t batch, m, n, k;
  explicit Extents(const ContractionSpace &space)
      : batch(space.accBatch.size()), m(space.accM.size()),
        n(space.accN.size()), k(space.lhsK.size()) {}
};

/// Computes acc[b][m][n] = step(acc[b][m][n], lhs[b][m][k], rhs[b][k][n]) for
/// every k.
template <typename Number, typename Step>
void accumulate(const Extents &extents, const Number *lhs, const Number *rhs,
                Number *acc, Step step) {
  for (int64_t b = 0; b < extents.batch; ++b)
    for (int64_t m = 0; m < extents.m; ++m) {
      Number *row = acc + (b * extents.m + m) * extents.n;
      const Number *left = lhs + (b * extents.m + m) * extents.k;
      for (int64_t k = 0; k < extents.k; ++k) {
        const Number *right = rhs + (b * extents.k + k) * extents.n;
        Number factor = left[k];
        for (int64_t n = 0; n < extents.n; ++n)
          row[n] = step(row[n], factor, right[n]);
      }
    }
}

/// Visits the cell offsets of an operand with two groups besides the batch.
template <typename Visit>
void forEachCell(ArrayRef<int64_t> batch, ArrayRef<int64_t> outer,
                 ArrayRef<int64_t> inner, Visit visit) {
  int64_t i = 0;
  for (int64_t b : batch)
    for (int64_t o : outer)
      for (int64_t n : inner)
        visit(i++, b + o + n);
}

/// Calls visit with a reader of cells as numbers, by kind.
template <typename Number, typename Visit>
void withReader(Kind kind, const void *cells, Visit visit) {
  if (!kind.isFloat) {
    auto *integers = static_cast<const int64_t *>(cells);
    visit([=](int64_t i) { return Number(integers[i]); });
    return;
  }
  ieee::withCodec(kind.format, [&](auto codec) {
    auto *typed = static_cast<const typename decltype(codec)::Cell *>(cells);
    visit([=](int64_t i) { return Number(codec.load(typed[i])); });
  });
}

/// A contraction with arithmetic on Number: int64_t, float or double. The loops
/// over numbers are instantiated per arithmetic, the packing of cells once for
/// all.
template <typename Number> class Contraction {
public:
  /// The loops of `accumulate` for one arithmetic.
  using Loops = std::function<void(const Extents &, const Number *lhs,
                                   const Number *rhs, Number *acc)>;

  Contraction(Kind lhs, Kind rhs, Kind acc, Loops loops)
      : lhsKind(lhs), rhsKind(rhs), accKind(acc), loops(std::move(loops)) {}

  void operator()(const ContractionSpace &space, int64_t lanes, const void *lhs,
                  const void *rhs, void *acc) const {
    Extents extents(space);
    std::vector<Number> left(extents.batch * extents.m * extents.k);
    std::vector<Number> right(extents.batch * extents.k * extents.n);
    std::vector<Number> sums(extents.batch * extents.m * extents.n);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto read = [&](Kind kind, const void *cells, ArrayRef<int64_t> batch,
                      ArrayRef<int64_t> outer, ArrayRef<int64_t> inner,
                      std::vector<Number> &numbers) {
        withReader<Number>(kind, cells, [&](auto load) {
          forEachCell(batch, outer, inner, [&](int64_t i, int64_t offset) {
            numbers[i] = load(offset * lanes + lane);
          });
        });
      };
      read(lhsKind, lhs, space.lhsBatch, space.lhsM, space.lhsK, left);
      read(rhsKind, rhs, space.rhsBatch, space.rhsK, space.rhsN, right);
      read(accKind, acc, space.accBatch, space.accM, space.accN, sums);
      loops(extents, left.data(), right.data(), sums.data());
      write(space, lanes, lane, sums, acc);
    }
  }

private:
  void write(const ContractionSpace &space, int64_t lanes, int64_t lane,
             const std::vector<Number> &sums, void *acc) const {
    auto store = [&](auto put) {
      forEachCell(space.accBatch, space.accM, space.accN,
                  [&](int64_t i, int64_t offset) {
                    put(offset * lanes + lane, sums[i]);
                  });
    };
    if constexpr (std::is_same_v<Number, int64_t>) {
      store([&](int64_t at, int64_t sum) {
        static_cast<int64_t *>(acc)[at] = sum;
      });
    } else {
      ieee::withCodec(accKind.format, [&](auto codec) {
        using Codec = decltype(codec);
        auto *cells = static_cast<typename Codec::Cell *>(acc);
        store([&](int64_t at, Number sum) {
          cells[at] = codec.store(typename Codec::Number(ieee::canonical(sum)));
        });
      });
    }
  }

  Kind lhsKind, rhsKind, accKind;
  Loops loops;
};

template <typename Number, typename Step>
Contract makeContract(Kind lhs, Kind rhs, Kind acc, Step step) {
  return Contraction<Number>(
      lhs, rhs, acc,
      [step](const Extents &extents, const Number *left, const Number *right,
             Number *sums) { accumulate(extents, left, right, sums, step); });
}

Contract integerContract(vector::CombiningKind combining, Kind lhs, Kind rhs,
                         Kind acc) {
  using K = vector::CombiningKind;
  unsigned width = acc.width;
  auto with = [&](auto combine) {
    return makeContract<int64_t>(
        lhs, rhs, acc, [=](int64_t sum, int64_t a, int64_t b) {
          return combine(sum, ieee::wrap(uint64_t(a) * uint64_t(b), width));
        });
  };
  switch (combining) {
  case K::ADD:
    return with([=](int64_t a, int64_t b) {
      return ieee::wrap(uint64_t(a) + uint64_t(b), width);
    });
  case K::MUL:
    return with([=](int64_t a, int64_t b) {
      return ieee::wrap(uint64_t(a) * uint64_t(b), width);
    });
  case K::MINSI:
    return with([](int64_t a, int64_t b) { return std::min(a, b); });
  case K::MAXSI:
    return with([](int64_t a, int64_t b) { return std::max(a, b); });
  case K::MINUI:
    return with(
        [](int64_t a, int64_t b) { return uint64_t(a) < uint64_t(b) ? a : b; });
  case K::MAXUI:
    return with(
        [](int64_t a, int64_t b) { return uint64_t(a) > uint64_t(b) ? a : b; });
  case K::AND:
    return with([](int64_t a, int64_t b) { return a & b; });
  case K::OR:
    return with([](int64_t a, int64_t b) { return a | b; });
  case K::XOR:
    return with([](int64_t a, int64_t b) { return a ^ b; });
  default:
    return {};
  }
}

/// Returns the rounding of a float or double to the accumulator's format.
template <typename Number> auto rounding(FloatFormat format) {
  return [format](Number number) -> Number { return roundTo(format, number); };
}

template <typename Number, typename Round>
Contract floatContract(vector::CombiningKind combining, Kind lhs, Kind rhs,
                       Kind acc, Round round) {
  using K = vector::CombiningKind;
  auto with = [&](auto combine) {
    return makeContract<Number>(lhs, rhs, acc,
                                [=](Number sum, Number a, Number b) {
                                  return combine(sum, round(a * b));
                                });
  };
  switch (combining) {
  case K::ADD:
    return with([=](Number a, Number b) { return round(a + b); });
  case K::MUL:
    return with([=](Number a, Number b) { return round(a * b); });
  case K::MINIMUMF:
    return with(ieee::minimum<Number>);
  case K::MAXIMUMF:
    return with(ieee::maximum<Number>);
  case K::MINNUMF:
    return with(ieee::minNum<Number>);
  case K::MAXNUMF:
    return with(ieee::maxNum<Number>);
  default:
    return {};
  }
}

/// Returns whether every product of two numbers of the formats is a float.
bool productIsFloat(FloatFormat a, FloatFormat b) {
  auto narrow = [](FloatFormat format) {
    return format != FloatFormat::BF16 && format != FloatFormat::TF32 &&
           traitsOf(format).digits <= 11;
  };
  return narrow(a) && narrow(b);
}

/// Returns sums of exact products, each term rounded once into the accumulator.
Contract exactContract(Kind lhs, Kind rhs, Kind acc) {
  if (acc.format == FloatFormat::F32) {
    if (productIsFloat(lhs.format, rhs.format))
      return makeContract<float>(
          lhs, rhs, acc,
          [](float sum, float a, float b) { return sum + a * b; });
    return makeContract<float>(lhs, rhs, acc, [](float sum, float a, float b) {
      return std::fma(a, b, sum);
    });
  }
  FloatFormat format = acc.format;
  return makeContract<double>(lhs, rhs, acc,
                              [format](double sum, double a, double b) {
                                return ieee::fma(format, a, b, sum);
                              });
}

} // namespace

Contract ieee::contract(vector::CombiningKind combining, Kind lhs, Kind rhs,
                        Kind acc, bool exact) {
  if (!acc.isFloat)
    return integerContract(combining, lhs, rhs, acc);
  if (exact && combining == vector::CombiningKind::ADD)
    return exactContract(lhs, rhs, acc);
  if (acc.format == FloatFormat::F64)
    return floatContract<double>(combining, lhs, rhs, acc,
                                 [](double x) { return x; });
  if (acc.format == FloatFormat::F32)
    return floatContract<float>(combining, lhs, rhs, acc,
                                [](float x) { return x; });
  return floatContract<float>(combining, lhs, rhs, acc,
                              rounding<float>(acc.format));
}

//===- Orders.h - Many ways to compute one op -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler may do to an op (reassociate, fuse, decompose), done by hand
// and at random in the op's own type, against the bound that the evaluation
// gives.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SIMT_ORDERS_H
#define DISTAFF_UNITTESTS_SIMT_ORDERS_H

#include "../../lib/Simt/Values/FloatFormat.h"
#include "Kernel.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace distaff::simt::kernel_test {

using Random = std::mt19937_64;

/// One way of computing in a type: how terms are ordered and associated, and
/// whether products are rounded before they are added.
class Way {
public:
  Way(FloatFormat format, unsigned seed)
      : format(format), random(seed), order(Order(seed % 6)),
        isFused(seed / 6 % 2) {}

  double round(double value) const { return roundTo(format, value); }
  double add(double a, double b) const { return round(a + b); }
  double multiply(double a, double b) const { return round(a * b); }
  bool coin() { return random() & 1; }
  int64_t below(int64_t n) { return int64_t(random() % uint64_t(n)); }

  /// a * b as a term of a sum: a fused one is exact in double, where the format
  /// has no more than half its digits.
  double product(double a, double b) const {
    return isFused ? a * b : round(a * b);
  }

  /// The terms combined in this way's order.
  double fold(Values terms, const std::function<double(double, double)> &f) {
    switch (order) {
    case Order::Source:
      break;
    case Order::Shuffled:
    case Order::Lanes:
      std::shuffle(terms.begin(), terms.end(), random);
      break;
    case Order::LargeFirst:
      std::sort(terms.begin(), terms.end(), std::greater<double>());
      break;
    case Order::SmallFirst:
      std::sort(terms.begin(), terms.end());
      break;
    case Order::Tree:
      while (terms.size() > 1) {
        std::swap(terms[below(terms.size())], terms.back());
        double last = terms.back();
        terms.pop_back();
        double &other = terms[below(terms.size())];
        other = f(other, last);
      }
      return terms.front();
    }
    return order == Order::Lanes ? acrossLanes(terms, f) : inTurn(terms, f);
  }

  double sum(const Values &terms) {
    return round(fold(terms, [&](double a, double b) { return add(a, b); }));
  }

private:
  enum class Order { Source, Shuffled, Tree, LargeFirst, SmallFirst, Lanes };

  static double inTurn(const Values &terms,
                       const std::function<double(double, double)> &f) {
    double result = terms.front();
    for (size_t i = 1; i < terms.size(); ++i)
      result = f(result, terms[i]);
    return result;
  }

  /// Each lane its own terms, then lanes by growing distance.
  double acrossLanes(const Values &terms,
                     const std::function<double(double, double)> &f) {
    size_t lanes = std::min<size_t>(terms.size(), 8);
    Values partial(terms.begin(), terms.begin() + lanes);
    for (size_t i = lanes; i < terms.size(); ++i)
      partial[i % lanes] = f(partial[i % lanes], terms[i]);
    for (size_t step = 1; step < lanes; step *= 2)
      for (size_t i = 0; i + step < lanes; i += 2 * step)
        partial[i] = f(partial[i], partial[i + step]);
    return partial[0];
  }

  FloatFormat format;
  Random random;
  Order order;
  bool isFused;
};

/// All results of a kernel, one after the other, computed in some way.
using Compute = std::function<Values(const std::vector<Values> &, Way &)>;

struct Op {
  std::string source;
  std::string type; // whose format the results have
  FloatFormat format;
  std::vector<Argument> shapes; // values are filled in
  Compute compute;
  double slack; // the widest bound is at most so many of the largest error
  double low = -1, high = 1;
  Options options = {};
};

/// Each of many ways stays within the bound, and the bound within `op.slack` of
/// the worst error that was seen.
void expectCovered(const Op &op);

inline Argument shaped(const std::string &type,
                       distaff::ArrayRef<int64_t> shape) {
  return array(type, shape, {});
}

inline std::string replaced(std::string text, const std::string &type) {
  for (size_t at; (at = text.find('T')) != std::string::npos;)
    text.replace(at, 1, type);
  return text;
}

inline const std::pair<std::string, FloatFormat> formats[] = {
    {"f32", FloatFormat::F32},
    {"f16", FloatFormat::F16},
    {"bf16", FloatFormat::BF16}};

/// Elements first, first + stride, ... of an array.
inline Values line(const Values &values, int64_t first, int64_t count,
                   int64_t stride = 1) {
  Values terms;
  for (int64_t i = 0; i < count; ++i)
    terms.push_back(values[first + i * stride]);
  return terms;
}

inline Values with(Values terms, double more) {
  terms.push_back(more);
  return terms;
}

} // namespace distaff::simt::kernel_test

#endif // DISTAFF_UNITTESTS_SIMT_ORDERS_H

//===- BoundedTest.cpp - Error bounds hold and are tight ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs run in their own types, in several orders, against the bound.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Values/Bounded.h"
#include "../../lib/Simt/Values/Ieee.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <array>
#include <random>

using namespace distaff::simt;

namespace {

constexpr FloatFormat f16 = FloatFormat::F16;
constexpr FloatFormat f32 = FloatFormat::F32;

double uniform(std::mt19937_64 &random, double low = -1, double high = 1) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

void expectWithin(Bounded bounded, double got) {
  EXPECT_FALSE(bounded.undecided);
  EXPECT_LE(std::abs(got - bounded.value), bounded.bound) << bounded.value;
}

TEST(Bounded, SumsThatMayOverflowOnTheWayAreUnknown) {
  auto sum = [](std::initializer_list<double> terms) {
    bounded::Sum sum;
    for (double term : terms)
      sum.add({term, 0, false});
    return sum.result(f16);
  };
  // 80000 is no f16, and in another order the sum is 0.
  EXPECT_EQ(sum({40000, -40000, 40000, -40000}).bound, HUGE_VAL);
  // Infinity in every order.
  Bounded beyond = sum({40000, 40000, 40000, -10000});
  EXPECT_EQ(beyond.value, HUGE_VAL);
  EXPECT_EQ(beyond.bound, 0);
  EXPECT_LT(sum({20000, -20000, 20000, -20000}).bound, 400);
}

// Zeros keep a sign only where all have it.
TEST(Bounded, SumsOfManyCoverEveryOrder) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> terms(2 + trial);
    // On a grid, so that the order of the program may happen to be exact.
    for (float &term : terms)
      term = float(std::floor(uniform(random) * 0x1p24)) * 0x1p-24f;
    Bounded sum;
    for (float term : terms)
      sum = bounded::addOfMany(f32, sum, {term, 0, false},
                               int64_t(terms.size()) + 1);
    for (int order = 0; order < 8; ++order) {
      std::shuffle(terms.begin(), terms.end(), random);
      float got = 0;
      for (float term : terms)
        got += term;
      expectWithin(sum, got);
    }
    double magnitudes = 0;
    for (float term : terms)
      magnitudes += std::abs(term);
    EXPECT_LE(sum.bound, magnitudes * double(2 * terms.size() + 2) * 0x1p-23);
  }
}

TEST(Bounded, WholeNumbersAreExactInEveryOrderWhereNoneIsTooLarge) {
  auto addOf = [](double before, double term, int64_t terms) {
    return bounded::addOfMany(f32, {before, 0, false}, {term, 0, false}, terms);
  };
  EXPECT_EQ(addOf(1000, -3, 1000).bound, 0);
  // 2^20 of 2^10 reach 2^30, of which f32 has not all.
  EXPECT_GT(addOf(1024, 1024, 1 << 20).bound, 0);
  EXPECT_GT(addOf(1000, 0.5, 1000).bound, 0);
}

TEST(Bounded, ProductsOfManyAreRoundedOnceEach) {
  Bounded product =
      bounded::multiplyOfMany(f32, {1.5, 0, false}, {3, 0, false}, 4);
  EXPECT_EQ(product.value, 4.5);
  EXPECT_GE(product.bound, 4.5 * 0x1p-24);
  EXPECT_LE(product.bound, 4.5 * 0x1p-22);
  EXPECT_FALSE(product.undecided);
  // 70 of 1e-20 and 70 of 1e20 are 1 in the right order.
  EXPECT_TRUE(bounded::multiplyOfMany(f32, {1, 0, false}, {1e20, 0, false}, 140)
                  .undecided);
}

TEST(Bounded, SumsOfManyThatMayOverflowOnTheWayAreUndecided) {
  EXPECT_TRUE(bounded::addOfMany(f16, {0, 0, false}, {1250.5, 0, false}, 128)
                  .undecided);
  EXPECT_FALSE(
      bounded::addOfMany(f16, {0, 0, false}, {12.5, 0, false}, 128).undecided);
}

TEST(Bounded, BoundsOfSumsOfManyGrowWithTheirNumber) {
  auto boundOf = [](int64_t terms) {
    Bounded sum;
    for (int64_t i = 0; i < terms; ++i)
      sum = bounded::addOfMany(f32, sum, {i % 2 ? 0.3 : -0.4, 0, false}, terms);
    return sum.bound;
  };
  EXPECT_LT(boundOf(20000), 110 * boundOf(2000));
}

TEST(Bounded, SumsOfZerosHaveTheSignOfAll) {
  auto isNegative = [](std::initializer_list<double> terms) {
    bounded::Sum sum;
    for (double term : terms)
      sum.add({term, 0, false});
    bounded::Sum products;
    for (double term : terms)
      products.addProduct({term, 0, false}, {3, 0, false});
    Bounded result = sum.result(f16);
    EXPECT_EQ(result.value, 0);
    EXPECT_EQ(std::signbit(result.value),
              std::signbit(products.result(f16).value));
    return std::signbit(result.value);
  };
  EXPECT_TRUE(isNegative({-0.0}));
  EXPECT_TRUE(isNegative({-0.0, -0.0}));
  EXPECT_FALSE(isNegative({-0.0, 0.0}));
  EXPECT_FALSE(isNegative({0.0}));
  EXPECT_FALSE(isNegative({1.0, -1.0}));
}

// Every number that an operand may be, rounded, against the bound of its
// rounding; and what is certain to stay a number is known to.
TEST(Bounded, NumbersNearTheLargestOverflowWhereTheirRoundingDoes) {
  std::mt19937_64 random(4);
  for (FloatFormat format :
       {f16, FloatFormat::BF16, FloatFormat::F8E4M3FN, FloatFormat::F8E5M2,
        FloatFormat::F8E4M3FNUZ, FloatFormat::F8E5M2FNUZ}) {
    double largest = largestFinite(format), u = unitRoundoff(format);
    int finite = 0, infinite = 0;
    for (int trial = 0; trial < 5000; ++trial) {
      double sign = trial % 2 ? 1 : -1;
      double value = sign * largest * (1 + 3 * u * uniform(random));
      double error = u * largest * std::exp2(uniform(random, -20, 1));
      if (trial % 5 == 0)
        error = 0;
      Bounded bounded = bounded::convert(format, {value, error, false});
      bool reachesAll = true, reachesNone = true;
      for (double share = -1; share <= 1; share += 0.125) {
        double number = roundTo(format, value + share * error);
        (std::isfinite(number) ? reachesNone : reachesAll) = false;
        if (std::isfinite(bounded.value) && bounded.bound != HUGE_VAL) {
          EXPECT_TRUE(std::isfinite(number)) << value << " +- " << error;
          expectWithin(bounded, number);
        } else if (bounded.bound == 0) {
          EXPECT_FALSE(std::isfinite(number)) << value << " +- " << error;
        }
      }
      if (std::abs(value) + 1.01 * error < largest * (1 + u / 2)) {
        EXPECT_TRUE(reachesAll);
        EXPECT_NE(bounded.bound, HUGE_VAL) << value << " +- " << error;
        ++finite;
      }
      infinite += reachesNone && bounded.bound == 0;
    }
    EXPECT_GT(finite, 1000);
    EXPECT_GT(infinite, 100);
  }
  // A target may round a quotient more than once.
  Bounded quotient =
      bounded::divide(f16, {65504, 0, false}, {1 - 0x1p-12, 0, false});
  EXPECT_EQ(quotient.bound, HUGE_VAL);
}

// A mask of the lowest number is added to scores, and the row's largest is
// subtracted: no sum of these is an infinity, as far as rounding says.
TEST(Bounded, SumsNearTheLargestNumberAreWhatTheyRoundTo) {
  std::mt19937_64 random(9);
  for (FloatFormat format : {f16, FloatFormat::BF16, FloatFormat::F32}) {
    double largest = largestFinite(format), u = unitRoundoff(format);
    int tight = 0, open = 0;
    for (int trial = 0; trial < 5000; ++trial) {
      double sign = trial % 2 ? 1 : -1;
      Bounded near = {sign * largest * (1 - 4 * u * uniform(random)), 0, false};
      if (trial % 3 == 0)
        near.value = sign * largest;
      double size = u * largest * std::exp2(uniform(random, -30, 2));
      Bounded small = {size * uniform(random, -1, 1),
                       size * std::exp2(uniform(random, -20, 0)), false};
      near.bound = trial % 4 == 0 ? small.bound : 0;
      Bounded sum = bounded::add(format, near, small);
      for (double share = -1; share <= 1; share += 0.25)
        for (double other = -1; other <= 1; other += 0.5) {
          double number =
              roundTo(format, near.value + other * near.bound + small.value +
                                  share * small.bound);
          if (sum.bound == HUGE_VAL)
            continue;
          EXPECT_EQ(std::isfinite(sum.value), std::isfinite(number));
          if (std::isfinite(sum.value))
            expectWithin(sum, number);
        }
      open += sum.bound == HUGE_VAL;
      if (std::abs(near.value) == largest && near.bound == 0 &&
          std::abs(small.value) + small.bound < u * largest / 8) {
        EXPECT_LE(sum.bound,
                  2 * (std::abs(small.value) + small.bound) + 0x1p-50 * largest)
            << near.value << " + " << small.value;
        ++tight;
      }
    }
    EXPECT_GT(tight, 500);
    EXPECT_GT(open, 50);
  }
}

TEST(Bounded, FunctionsAreUnknownWhereTheOperandMayLeaveTheirDomain) {
  auto acos =
      bounded::Function{[](double x) { return std::acos(x); }, nullptr, 16, 0};
  EXPECT_EQ(bounded::apply(f32, acos, {1 - 1e-9, 1e-8, false}).bound, HUGE_VAL);
  EXPECT_EQ(bounded::apply(f32, acos, {1e-9 - 1, 1e-8, false}).bound, HUGE_VAL);
  EXPECT_LT(bounded::apply(f32, acos, {0.5, 1e-8, false}).bound, 1e-5);
}

// Both operands at the worst ends of what they may be.
TEST(Bounded, ProductsAndQuotientsCoverTheEndsOfTheirOperands) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    Bounded a = {uniform(random, 1, 4), uniform(random, 0, 0.5), false};
    Bounded b = {-uniform(random, 1, 4), uniform(random, 0, 0.5), false};
    Bounded product = bounded::multiply(f32, a, b);
    Bounded quotient = bounded::divide(f32, a, b);
    for (double x : {a.value - a.bound, a.value + a.bound})
      for (double y : {b.value - b.bound, b.value + b.bound}) {
        expectWithin(product, x * y);
        expectWithin(quotient, x / y);
      }
    EXPECT_LT(product.bound, 5);
  }
}

TEST(Bounded, ExponentialsOfLargeNumbersAreInfinite) {
  Bounded result = bounded::exponential(f32, {1000, 1e-3, false});
  EXPECT_EQ(result.value, HUGE_VAL);
  EXPECT_EQ(result.bound, 0);
}

TEST(Bounded, SumsStayWithinTheBoundInAnyOrder) {
  std::mt19937_64 random(1);
  for (FloatFormat format : {f16, f32})
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<double> terms(2 + trial % 100);
      bounded::Sum sum;
      for (double &term : terms) {
        term = roundTo(format, uniform(random));
        sum.add({term, 0, false});
      }
      Bounded result = sum.result(format);
      for (int order = 0; order < 5; ++order) {
        std::shuffle(terms.begin(), terms.end(), random);
        double sequential = 0;
        for (double term : terms)
          sequential = roundTo(format, sequential + term);
        expectWithin(result, sequential);
        std::vector<double> tree = terms;
        while (tree.size() > 1) {
          for (size_t i = 0; i + 1 < tree.size(); i += 2)
            tree[i / 2] = roundTo(format, tree[i] + tree[i + 1]);
          if (tree.size() % 2)
            tree[tree.size() / 2] = tree.back();
          tree.resize((tree.size() + 1) / 2);
        }
        expectWithin(result, tree[0]);
      }
      // Tight enough to decide: half a rounding of every term per term.
      EXPECT_LE(result.bound,
                0.6 * terms.size() * terms.size() * unitRoundoff(format));
    }
}

/// The partial sums of the order that adds the larger sign first, large terms
/// before small ones, and then the other sign, small terms first.
double partialSumsOfTheWorstOrder(std::vector<double> terms) {
  double sum = 0, partialSums = 0;
  for (double term : terms)
    sum += term;
  for (double &term : terms)
    term *= sum < 0 ? -1 : 1;
  std::sort(terms.begin(), terms.end(), std::greater<double>());
  sum = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    sum += terms[i];
    partialSums += std::abs(sum);
  }
  return partialSums;
}

TEST(Bounded, SumsAreAsTightAsTheWorstOrderAllows) {
  std::mt19937_64 random(4);
  double tightest = HUGE_VAL, widest = 0;
  for (FloatFormat format : {f16, f32})
    for (int trial = 0; trial < 600; ++trial) {
      // Of both signs evenly, mostly of one, and of one.
      double low = std::array{-1.0, -0.2, 0.5}[trial % 3];
      std::vector<double> terms(3 + trial % 90);
      bounded::Sum sum;
      for (double &term : terms) {
        term = roundTo(format, uniform(random, low));
        sum.add({term, 0, false});
      }
      double roundings = sum.result(format).bound / unitRoundoff(format) /
                         (1 + 2 * double(terms.size()) * unitRoundoff(format));
      double ratio = roundings / partialSumsOfTheWorstOrder(terms);
      if (roundings > 0) {
        tightest = std::min(tightest, ratio);
        widest = std::max(widest, ratio);
      }
    }
  EXPECT_GE(tightest, 0.95);
  EXPECT_LE(widest, 2.5);
  RecordProperty("widest", std::to_string(widest));
}

TEST(Bounded, ProductsKnowWhatMayUnderflowAndOverflow) {
  auto product = [](std::initializer_list<double> factors) {
    bounded::Product product;
    for (double factor : factors)
      product.multiply({factor, 0, false});
    return product.result(f16);
  };
  EXPECT_EQ(product({3, 5, 0.25}).bound, 0);
  EXPECT_EQ(product({3, 5, 0.25}).value, 3.75);
  EXPECT_GT(product({1.001, 1.001}).bound, 0);
  // 2^-30 on the way, which is 0 in f16.
  EXPECT_GE(product({0x1p-15, 0x1p-15, 0x1p15, 0x1p10}).bound, 0x1p-5);
  // 2^30 on the way, which is infinite.
  EXPECT_EQ(product({0x1p15, 0x1p15, 0x1p-15, 0x1p-10}).bound, HUGE_VAL);
  EXPECT_EQ(product({0x1p15, 0x1p15}).value, HUGE_VAL);
  EXPECT_EQ(product({0x1p15, 0x1p15}).bound, 0);
  EXPECT_EQ(product({0x1p15, 0, 0x1p-15}).bound, 0);
  // Infinity times 0, in some order.
  EXPECT_EQ(product({0x1p15, 0x1p15, 0}).bound, HUGE_VAL);
  bounded::Product inexact;
  inexact.multiply({3, 0x1p-8, false});
  inexact.multiply({2, 0x1p-8, false});
  EXPECT_GE(inexact.result(f16).bound, 5 * 0x1p-8);
  EXPECT_LE(inexact.result(f16).bound, 5.1 * 0x1p-8 + 12 * 0x1p-11);
}

TEST(Bounded, SumsThatNoOrderRoundsHaveNoError) {
  std::mt19937_64 random(3);
  int exact = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    // Multiples of 2^-4 of magnitudes around the limit, 2^11 * 2^-4 in f16.
    std::uniform_int_distribution<int> steps(-40 - trial % 500,
                                             40 + trial % 500);
    std::vector<double> terms(2 + trial % 30);
    bounded::Sum sum;
    for (double &term : terms) {
      term = steps(random) / 16.0;
      sum.add({term, 0, false});
    }
    Bounded result = sum.result(f16);
    if (result.bound != 0)
      continue;
    ++exact;
    for (int order = 0; order < 5; ++order) {
      std::shuffle(terms.begin(), terms.end(), random);
      double sequential = 0;
      for (double term : terms)
        sequential = roundTo(f16, sequential + term);
      EXPECT_EQ(sequential, result.value);
    }
  }
  EXPECT_GT(exact, 200);
  EXPECT_LT(exact, 1900);
}

TEST(Bounded, AGridTooFineOrASumTooLargeMayRound) {
  auto boundOf = [](FloatFormat format, std::vector<double> terms) {
    bounded::Sum sum;
    for (double term : terms)
      sum.add({term, 0, false});
    return sum.result(format).bound;
  };
  EXPECT_EQ(boundOf(f16, {1024, 1023, 1}), 0);
  EXPECT_GT(boundOf(f16, {1024, 1024, 1}), 0);
  EXPECT_GT(boundOf(f16, {1024, 0.5, 0.25}), 0);
  EXPECT_EQ(boundOf(f32, {1024, 0.5, 0.25}), 0);
  bounded::Sum products; // 2^-28 is below the numbers of f16.
  products.addProduct({0x1p-14, 0, false}, {0x1p-14, 0, false});
  EXPECT_GT(products.result(f16).bound, 0);
  bounded::Sum inexact;
  inexact.add({1, 0x1p-30, false});
  EXPECT_GT(inexact.result(f32).bound, 0);
}

TEST(Bounded, DoublesRoundToo) {
  FloatFormat f64 = FloatFormat::F64;
  Bounded third = {1.0 / 3, 0, false}, tenth = {0.1, 0, false};
  EXPECT_GT(bounded::multiply(f64, third, tenth).bound, 0);
  EXPECT_GT(bounded::add(f64, third, tenth).bound, 0);
  EXPECT_GT(bounded::multiply(f64, {1e-300, 0, false}, tenth).bound, 0);
  EXPECT_EQ(bounded::multiply(f64, third, {4, 0, false}).bound, 0);
  EXPECT_EQ(bounded::add(f64, {3, 0, false}, {0.25, 0, false}).bound, 0);
  // Another order of the same product stays within the bound of this one.
  Bounded product = bounded::multiply(f64, bounded::multiply(f64, third, tenth),
                                      {0.7, 0, false});
  expectWithin(product, 1.0 / 3 * (0.1 * 0.7));
}

TEST(Bounded, ProductsAndDependentOperationsStayWithinTheBound) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 20000; ++trial) {
    double x = roundTo(f16, uniform(random)), y = roundTo(f16, uniform(random));
    double z = roundTo(f16, uniform(random, 0.1, 4));
    auto round = [](double value) { return roundTo(f16, value); };
    Bounded bx = {x, 0, false}, by = {y, 0, false}, bz = {z, 0, false};
    Bounded product = bounded::multiply(f16, bx, by);
    expectWithin(product, round(x * y));
    Bounded sum = bounded::add(f16, product, bz);
    expectWithin(sum, round(round(x * y) + z));
    expectWithin(sum, ieee::fma(f16, x, y, z)); // a target may fuse
    Bounded quotient = bounded::divide(f16, sum, bz);
    expectWithin(quotient, round(round(round(x * y) + z) / z));
    Bounded exponential = bounded::exponential(f16, quotient);
    double direct = round(round(round(x * y) + z) / z);
    expectWithin(exponential, round(std::exp(direct)));
    // As a target computes it.
    expectWithin(exponential, round(std::exp2(round(direct * round(M_LOG2E)))));
    EXPECT_LT(exponential.bound, 0.05 * exponential.value);
  }
}

TEST(Bounded, ExactOperandsOfASmallIntegerProgramHaveNoError) {
  Bounded seven = {7, 0, false}, three = {3, 0, false};
  EXPECT_EQ(bounded::multiply(f16, seven, three).bound, 0);
  EXPECT_EQ(bounded::subtract(f16, seven, three).value, 4);
  EXPECT_EQ(bounded::subtract(f16, seven, three).bound, 0);
  EXPECT_EQ(bounded::convert(f16, seven).bound, 0);
  EXPECT_GT(bounded::convert(f16, {2049, 0, false}).bound, 0);
}

// A bound that is infinite says that the value may be any number.
TEST(Bounded, WhatMayBeAnyNumberForcesNothing) {
  Bounded some = {1.5, 1e-6, false}, exactly = {HUGE_VAL, 0, false};
  Bounded open = {HUGE_VAL, HUGE_VAL, false}, none = {NAN, HUGE_VAL, false};
  Bounded sure = {NAN, 0, false};
  EXPECT_EQ(bounded::divide(f32, some, exactly).value, 0);
  EXPECT_EQ(bounded::divide(f32, some, exactly).bound, 0);
  EXPECT_EQ(bounded::divide(f32, some, open).bound, HUGE_VAL);
  EXPECT_EQ(bounded::divide(f32, {1, HUGE_VAL, false}, exactly).bound,
            HUGE_VAL);
  EXPECT_EQ(bounded::divide(f32, open, some).bound, HUGE_VAL);
  bounded::Function exp2 = {[](double x) { return std::exp2(x); }, nullptr, 4,
                            0};
  EXPECT_EQ(bounded::apply(f32, exp2, none).bound, HUGE_VAL);
  EXPECT_EQ(bounded::apply(f32, exp2, sure).bound, 0);
  for (auto compute : {bounded::multiply, bounded::divide}) {
    EXPECT_EQ(compute(f32, none, some).bound, HUGE_VAL);
    EXPECT_EQ(compute(f32, some, none).bound, HUGE_VAL);
    EXPECT_EQ(compute(f32, sure, some).bound, 0);
    EXPECT_EQ(compute(f32, sure, open).bound, 0);
    EXPECT_EQ(compute(f32, open, sure).bound, 0);
  }
  EXPECT_EQ(bounded::maximum(none, some).bound, HUGE_VAL);
  EXPECT_EQ(bounded::maximum(some, none).bound, HUGE_VAL);
  EXPECT_EQ(bounded::maximum(sure, open).bound, 0);
  EXPECT_EQ(bounded::maxNum(sure, some).bound, some.bound);
}

TEST(Bounded, WhatMayBeAnyNumberComparesAndConvertsToAny) {
  Bounded some = {1.5, 1e-6, false}, sure = {NAN, 0, false};
  bounded::Comparison unordered =
      bounded::compare(sure, {NAN, HUGE_VAL, false});
  EXPECT_TRUE(unordered.unordered && !unordered.less && !unordered.equal &&
              !unordered.greater);
  for (Bounded any :
       {Bounded{NAN, HUGE_VAL, false}, Bounded{HUGE_VAL, HUGE_VAL, false},
        Bounded{-HUGE_VAL, HUGE_VAL, false}}) {
    for (auto [a, b] : {std::pair(any, any), {any, some}, {some, any}}) {
      bounded::Comparison found = bounded::compare(a, b);
      EXPECT_TRUE(found.less && found.equal && found.greater &&
                  found.unordered);
    }
    EXPECT_TRUE(bounded::toSigned(any, 32).undecided);
    EXPECT_TRUE(bounded::toUnsigned(any, 32).undecided);
    EXPECT_GE(bounded::copySign({1, 0, false}, any).bound, 2);
    EXPECT_EQ(bounded::power(f32, {2, 0, false}, any).bound, HUGE_VAL);
    EXPECT_EQ(bounded::power(f32, any, some).bound, HUGE_VAL);
    bounded::Product product;
    product.multiply(any);
    product.multiply(some);
    EXPECT_EQ(product.result(f32).bound, HUGE_VAL);
  }
  EXPECT_FALSE(bounded::toSigned(sure, 32).undecided);
  EXPECT_EQ(bounded::copySign({1, 0, false}, some).bound, 0);
  bounded::Product product;
  product.multiply(sure);
  product.multiply(some);
  EXPECT_EQ(product.result(f32).bound, 0);
}

TEST(Bounded, InfinitiesAreExactWhereAnOperandForcesThem) {
  Bounded least = {-HUGE_VAL, 0, false}, some = {1.5, 1e-6, false};
  Bounded difference = bounded::subtract(f32, least, some);
  EXPECT_EQ(difference.value, -HUGE_VAL);
  EXPECT_EQ(difference.bound, 0);
  bounded::Function exp2 = {[](double x) { return std::exp2(x); }, nullptr, 4,
                            0};
  Bounded zero = bounded::apply(f32, exp2, difference);
  EXPECT_EQ(zero.value, 0);
  EXPECT_EQ(zero.bound, 0);
  EXPECT_EQ(bounded::multiply(f32, zero, some).bound, 0);
  EXPECT_TRUE(std::isnan(bounded::add(f32, least, {HUGE_VAL, 0, false}).value));
  EXPECT_EQ(bounded::maximum(least, some).bound, some.bound);
  // 1e5 is beyond f16's numbers; what may be 65520, halfway to the next, may
  // be.
  EXPECT_EQ(bounded::convert(f16, {1e5, 1, false}).value, HUGE_VAL);
  EXPECT_EQ(bounded::convert(f16, {1e5, 1, false}).bound, 0);
  EXPECT_EQ(bounded::convert(f16, {65519.5, 1, false}).bound, HUGE_VAL);
}

TEST(Bounded, FormatsWithoutInfinityHaveNaNInItsPlace) {
  for (FloatFormat format : {FloatFormat::F8E4M3FN, FloatFormat::F8E4M3FNUZ,
                             FloatFormat::F8E5M2FNUZ})
    for (double value : {HUGE_VAL, -HUGE_VAL, 1e9, -1e9}) {
      Bounded converted = bounded::convert(format, {value, 0, false});
      EXPECT_TRUE(std::isnan(converted.value)) << value;
      EXPECT_EQ(converted.bound, 0);
    }
  EXPECT_EQ(bounded::convert(FloatFormat::F8E5M2, {-1e9, 0, false}).value,
            -HUGE_VAL);
  // 464 is halfway to the next number, and 448 is even.
  auto narrow = [](double value, double error = 0) {
    return bounded::convert(FloatFormat::F8E4M3FN, {value, error, false});
  };
  EXPECT_EQ(narrow(464).value, 464);
  EXPECT_LE(narrow(464).bound, 30);
  EXPECT_EQ(narrow(464, 0.1).bound, HUGE_VAL);
  EXPECT_EQ(narrow(470).bound, HUGE_VAL);
}

// 10^6 is no f16, but a fused sum never rounds it.
TEST(Bounded, FusedSumsOfLargeProductsMayBeNumbers) {
  Bounded thousand = {1000, 0, false};
  auto fma = [&](double addend) {
    return bounded::fma(f16, thousand, thousand, {addend, 0, false});
  };
  EXPECT_EQ(fma(-60000).value, HUGE_VAL);
  EXPECT_EQ(fma(-60000).bound, 0);
  EXPECT_EQ(
      bounded::fma(f16, {256, 0, false}, {256, 0, false}, {-60000, 0, false})
          .bound,
      HUGE_VAL);                             // 5536, or infinity
  EXPECT_EQ(fma(-HUGE_VAL).bound, HUGE_VAL); // -infinity, or NaN
  EXPECT_EQ(fma(HUGE_VAL).bound, 0);
}

TEST(Bounded, ComparisonsWithinTheBoundAreUndecided) {
  bounded::Comparison less = {true, false, false, false};
  bounded::Comparison lessOrEqual = {true, true, false, false};
  Bounded a = {1.0, 0.01, false}, b = {1.005, 0, false}, c = {1.02, 0, false};
  EXPECT_TRUE(bounded::decide(bounded::compare(a, b), less, a, b).undecided);
  EXPECT_FALSE(bounded::decide(bounded::compare(a, c), less, a, c).undecided);
  EXPECT_EQ(bounded::decide(bounded::compare(a, c), less, a, c).value, -1);
  EXPECT_EQ(bounded::decide(bounded::compare(c, a), less, c, a).value, 0);
  EXPECT_FALSE(
      bounded::decide(bounded::compare(b, b), lessOrEqual, b, b).undecided);
}

TEST(Bounded, AnOpenChoiceBetweenCloseValuesStaysDecided) {
  BoundedInteger open = {-1, true};
  Bounded x = {1e-8, 1e-7, false}, zero = {0, 0, false}, one = {1, 0, false};
  Bounded relu = bounded::select(open, x, zero);
  EXPECT_FALSE(relu.undecided);
  EXPECT_GE(relu.bound, 1e-7);
  EXPECT_TRUE(bounded::select(open, one, zero).undecided);
  EXPECT_FALSE(bounded::select({-1, false}, one, zero).undecided);
}

TEST(Bounded, ConversionsToIntegersAreDecidedAwayFromIntegers) {
  EXPECT_FALSE(bounded::toSigned({2.5, 0.1, false}, 32).undecided);
  EXPECT_TRUE(bounded::toSigned({2.95, 0.1, false}, 32).undecided);
  EXPECT_EQ(bounded::toSigned({-2.5, 0.1, false}, 32).value, -2);
  EXPECT_EQ(bounded::fromSigned(f32, {12345, false}).bound, 0);
}

} // namespace

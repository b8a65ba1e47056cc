//===- CheckedSizeTest.cpp - Extents to sizes -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/CheckedSize.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace distaff;

namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max();
const int64_t edges[] = {0,
                         1,
                         2,
                         3,
                         7,
                         (int64_t(1) << 31) - 1,
                         int64_t(1) << 31,
                         int64_t(1) << 32,
                         3037000499, // the largest whose square fits
                         3037000500,
                         int64_t(1) << 40,
                         int64_t(1) << 62,
                         largest - 1,
                         largest};

/// What the product is without a width; none beyond the limit.
std::optional<int64_t> expectedElements(const std::vector<int64_t> &shape,
                                        int64_t limit) {
  __int128 strides = 1, elements = 1;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    strides *= std::max<int64_t>(extent, 1);
    elements *= extent;
    if (strides > limit)
      return std::nullopt;
  }
  return int64_t(elements);
}

TEST(CheckedSize, ElementsOfEdgesAreExactOrNone) {
  for (int64_t a : edges)
    for (int64_t b : edges)
      for (int64_t c : edges)
        for (int64_t limit : {largest, largestArrayBytes})
          EXPECT_EQ(checkedElements({a, b, c}, limit),
                    expectedElements({a, b, c}, limit))
              << a << " " << b << " " << c;
}

TEST(CheckedSize, ElementsOfRandomShapesAreExactOrNone) {
  std::mt19937_64 generator(11);
  int64_t some = 0, none = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<int64_t> shape(generator() % 5);
    for (int64_t &extent : shape)
      extent = int64_t(generator() >> (1 + generator() % 63));
    std::optional<int64_t> elements = checkedElements(shape);
    EXPECT_EQ(elements, expectedElements(shape, largest));
    (elements ? some : none)++;
  }
  EXPECT_GT(some, 1000);
  EXPECT_GT(none, 1000);
}

TEST(CheckedSize, NegativeExtentsHaveNoSize) {
  EXPECT_FALSE(checkedElements({4, -1}));
  EXPECT_FALSE(checkedElements({std::numeric_limits<int64_t>::min()}));
  EXPECT_FALSE(checkedProduct(-1, -1));
}

TEST(CheckedSize, AnEmptyArrayHasStridesThatFit) {
  EXPECT_EQ(checkedElements({0, 5, 7}), 0);
  EXPECT_FALSE(checkedElements({0, int64_t(1) << 62, 4}));
}

TEST(CheckedSize, TheLargestArrayIsWithinTheLimit) {
  EXPECT_EQ(checkedBytes({int64_t(1) << 20, int64_t(1) << 18}, 4),
            largestArrayBytes);
  EXPECT_FALSE(checkedBytes({int64_t(1) << 20, (int64_t(1) << 18) + 1}, 4));
  EXPECT_EQ(checkedBytes({largestArrayBytes}, 1), largestArrayBytes);
  EXPECT_FALSE(checkedBytes({largestArrayBytes / 8 + 1}, 8));
  EXPECT_EQ(checkedBytes({}, 8), 8);
}

TEST(CheckedSize, CostsSaturate) {
  EXPECT_EQ(saturatingProduct(int64_t(1) << 40, int64_t(1) << 40), largest);
  EXPECT_EQ(saturatingSum(largest, 1), largest);
  EXPECT_EQ(saturatingProduct(std::vector<int64_t>{3, 5, 7}), 105);
  EXPECT_EQ(saturatingProduct(std::vector<int64_t>{largest, 2, 3}), largest);
}

} // namespace

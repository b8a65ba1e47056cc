//===- RoundedOnceTest.cpp - What has one right answer --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation of exact operands is rounded to the bit, and an exact zero has
// a sign; a bound alone would let a second rounding pass, and either zero.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Values/Bounded.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace distaff::simt;

namespace {

constexpr FloatFormat inBF16 = FloatFormat::BF16;
constexpr FloatFormat inF32 = FloatFormat::F32;

Bounded exactly(double value) { return {value, 0, false}; }

TEST(RoundedOnce, IntegersKeepWhatASecondRoundingWouldTake) {
  // 16842753 is above the tie of 16777216 and 16908288, which f32 makes it.
  Bounded number = bounded::fromSigned(inBF16, {16842753, false});
  EXPECT_TRUE(number.isRounded);
  EXPECT_EQ(roundTo(inBF16, number.value), 16908288);
  EXPECT_EQ(roundTo(inBF16, roundTo(inF32, number.value)), 16777216);
  // Nor does an i64 pass through double.
  Bounded large = bounded::fromSigned(inF32, {(int64_t(1) << 62) + 1, false});
  EXPECT_TRUE(large.bound > 0 || large.value == 0x1p62);
}

TEST(RoundedOnce, FloatsHaveTheHardwaresBits) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<float> any(-8, 8);
  int marked = 0;
  for (int i = 0; i < 10000; ++i) {
    float a = any(random), b = any(random);
    auto expect = [&](Bounded result, float hardware) {
      marked += result.isRounded;
      if (result.isRounded)
        EXPECT_EQ(float(result.value), hardware) << a << ", " << b;
    };
    expect(bounded::add(inF32, exactly(a), exactly(b)), a + b);
    expect(bounded::subtract(inF32, exactly(a), exactly(b)), a - b);
    expect(bounded::multiply(inF32, exactly(a), exactly(b)), a * b);
    expect(bounded::divide(inF32, exactly(a), exactly(b)), a / b);
    // GPUs take a neighbour of the nearest quotient, too, but no number that
    // is eight units off.
    Bounded nearby =
        bounded::multiplyByReciprocal(inF32, exactly(a), exactly(b));
    EXPECT_FALSE(nearby.isRounded);
    EXPECT_LE(std::abs(a * (1 / b) - nearby.value), nearby.bound);
    EXPECT_GT(std::abs(nearby.value) * 0x1p-20, 2 * nearby.bound);
  }
  EXPECT_GT(marked, 20000); // the others are exact
}

TEST(RoundedOnce, TheMarkIsLostWhereMoreIsComputed) {
  Bounded product = bounded::multiply(inF32, exactly(0.1f), exactly(0.1f));
  EXPECT_TRUE(product.isRounded);
  EXPECT_TRUE(bounded::negate(product).isRounded);
  EXPECT_FALSE(bounded::add(inF32, product, exactly(1)).isRounded);
  EXPECT_FALSE(bounded::multiply(inF32, product, exactly(3)).isRounded);
  EXPECT_FALSE(bounded::convert(inBF16, product).isRounded);
  // Other orders round other sums.
  EXPECT_FALSE(
      bounded::addOfMany(inF32, exactly(1), exactly(0x1p-30), 9).isRounded);
  // A choice that is open may take the other number.
  EXPECT_FALSE(bounded::select({-1, true}, product, product).isRounded);
}

TEST(RoundedOnce, ZerosHaveSignsWhereTheOpsDefineThem) {
  Bounded plus = exactly(0.0), minus = exactly(-0.0);
  auto isExact = [](Bounded a, bool isNegative) {
    return a.value == 0 && a.bound == 0 && std::signbit(a.value) == isNegative;
  };
  EXPECT_TRUE(isExact(bounded::maximum(minus, plus), false));
  EXPECT_TRUE(isExact(bounded::minimum(plus, minus), true));
  EXPECT_TRUE(isExact(bounded::add(inF32, minus, minus), true));
  EXPECT_TRUE(isExact(bounded::add(inF32, minus, plus), false));
  EXPECT_TRUE(isExact(bounded::multiply(inF32, minus, exactly(3)), true));
  // maxnumf takes either, and the sign of a sum may be lost.
  EXPECT_EQ(bounded::maxNum(minus, plus).bound, bounded::signOfZeroOnly);
  EXPECT_EQ(bounded::minNum(minus, plus).bound, bounded::signOfZeroOnly);
  Bounded small{0x1p-30, 0x1p-20, false};
  EXPECT_EQ(bounded::multiply(inF32, small, plus).bound,
            bounded::signOfZeroOnly);
}

} // namespace

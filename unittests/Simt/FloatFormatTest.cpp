//===- FloatFormatTest.cpp - Formats and scalar arithmetic ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's APFloat is the reference: it shares nothing with the code under test.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Values/FloatFormat.h"
#include "../../lib/Simt/Values/Ieee.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <bit>
#include <random>

using namespace distaff::simt;
using llvm::APFloat;

namespace {

struct Reference {
  FloatFormat format;
  const llvm::fltSemantics &semantics;
};

const Reference references[] = {
    {FloatFormat::F16, APFloat::IEEEhalf()},
    {FloatFormat::BF16, APFloat::BFloat()},
    {FloatFormat::F32, APFloat::IEEEsingle()},
    {FloatFormat::TF32, APFloat::FloatTF32()},
    {FloatFormat::F8E4M3FN, APFloat::Float8E4M3FN()},
    {FloatFormat::F8E5M2, APFloat::Float8E5M2()},
    {FloatFormat::F8E4M3FNUZ, APFloat::Float8E4M3FNUZ()},
    {FloatFormat::F8E5M2FNUZ, APFloat::Float8E5M2FNUZ()},
};

uint64_t referenceEncode(const Reference &reference, double value) {
  APFloat number(value);
  bool lossy;
  number.convert(reference.semantics, APFloat::rmNearestTiesToEven, &lossy);
  return number.bitcastToAPInt().getZExtValue();
}

/// Doubles around every place where rounding changes its mind.
std::vector<double> interestingValues(FloatFormat format) {
  std::vector<double> values = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 5e-324, 1e300};
  std::mt19937_64 random(1);
  FloatTraits traits = traitsOf(format);
  for (int trial = 0; trial < 20000; ++trial) {
    uint64_t pattern = random() & ((uint64_t(1) << traits.width) - 1);
    double number = decode(format, pattern);
    double next = decode(format, pattern + 1);
    if (!std::isfinite(number) || !std::isfinite(next))
      continue;
    double tie = number / 2 + next / 2;
    for (double value : {number, tie})
      for (double nudged : {value, std::nextafter(value, HUGE_VAL),
                            std::nextafter(value, -HUGE_VAL)})
        values.push_back(nudged);
    values.push_back(
        std::ldexp(double(random()) / 1e19, int(random() % 300) - 150));
  }
  double largest = largestFinite(format);
  for (double factor : {1.0, 1.01, 1.03, 1.04, 1.0625, 1.07, 1.125, 1.2, 2.0})
    values.push_back(-largest * factor);
  return values;
}

TEST(FloatFormat, EncodesAsTheReferenceDoes) {
  for (const Reference &reference : references)
    for (double value : interestingValues(reference.format))
      ASSERT_EQ(encode(reference.format, value),
                referenceEncode(reference, value))
          << "format " << int(reference.format) << " value " << value;
}

TEST(FloatFormat, EveryPatternOfANarrowFormatSurvivesDecodingAndEncoding) {
  for (const Reference &reference : references) {
    FloatTraits traits = traitsOf(reference.format);
    if (traits.width > 19)
      continue;
    for (uint64_t bits = 0; bits < uint64_t(1) << traits.width; ++bits) {
      llvm::APInt pattern(traits.width, bits);
      APFloat number(reference.semantics, pattern);
      double value = decode(reference.format, bits);
      ASSERT_EQ(std::isnan(value), number.isNaN());
      if (number.isNaN())
        continue;
      bool lossy;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &lossy);
      ASSERT_EQ(value, number.convertToDouble());
      ASSERT_EQ(encode(reference.format, value), bits);
    }
  }
}

TEST(FloatFormat, TheBranchFreeConversionsAgreeWithTheGeneralOnes) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float half = decodeF16(bits);
    double general = decode(FloatFormat::F16, bits);
    ASSERT_EQ(std::isnan(half), std::isnan(general));
    if (!std::isnan(half))
      ASSERT_EQ(bitCast<uint64_t>(double(half)), bitCast<uint64_t>(general));
    ASSERT_EQ(bitCast<uint32_t>(decodeBF16(bits)), bits << 16);
  }
  std::mt19937 random(2);
  for (int trial = 0; trial < 3000000; ++trial) {
    uint32_t bits = random();
    float value = bitCast<float>(bits);
    ASSERT_EQ(encodeF16(value), encode(FloatFormat::F16, value)) << value;
    ASSERT_EQ(encodeBF16(value), encode(FloatFormat::BF16, value)) << value;
  }
}

/// Draws a pattern of the format; all classes of numbers occur.
double draw(FloatFormat format, std::mt19937_64 &random) {
  uint64_t bits = random() & ((uint64_t(1) << traitsOf(format).width) - 1);
  return decode(format, bits);
}

TEST(Ieee, NarrowArithmeticInFloatRoundsOnce) {
  std::mt19937_64 random(3);
  for (const Reference &reference : references) {
    if (traitsOf(reference.format).digits > 11)
      continue;
    for (int trial = 0; trial < 100000; ++trial) {
      float a = draw(reference.format, random),
            b = draw(reference.format, random);
      if (std::isnan(a) || std::isnan(b) || std::isinf(a) || std::isinf(b))
        continue;
      bool lossy;
      auto exact = [&](double value) {
        APFloat number(value);
        number.convert(reference.semantics, APFloat::rmNearestTiesToEven,
                       &lossy);
        return number;
      };
      APFloat sum = exact(a), product = exact(a), quotient = exact(a);
      sum.add(exact(b), APFloat::rmNearestTiesToEven);
      product.multiply(exact(b), APFloat::rmNearestTiesToEven);
      quotient.divide(exact(b), APFloat::rmNearestTiesToEven);
      auto expectSame = [&](float got, const APFloat &want, char op) {
        if (want.isNaN())
          return;
        ASSERT_EQ(encode(reference.format, got),
                  want.bitcastToAPInt().getZExtValue())
            << a << " " << op << " " << b << " format "
            << int(reference.format);
      };
      expectSame(a + b, sum, '+');
      expectSame(a * b, product, '*');
      expectSame(a / b, quotient, '/');
    }
  }
}

TEST(Ieee, FmaOfNarrowFormatsRoundsOnce) {
  std::mt19937_64 random(4);
  for (const Reference &reference : references) {
    for (int trial = 0; trial < 100000; ++trial) {
      double a = draw(reference.format, random);
      double b = draw(reference.format, random);
      // Addends near the product and far below it, where ties are decided.
      double c = trial % 2 ? draw(reference.format, random)
                           : roundTo(reference.format,
                                     a * b / (trial % 3 ? 4096 : -1));
      if (!std::isfinite(a * b) || !std::isfinite(c))
        continue;
      bool lossy;
      auto exact = [&](double value) {
        APFloat number(value);
        number.convert(reference.semantics, APFloat::rmNearestTiesToEven,
                       &lossy);
        return number;
      };
      APFloat want = exact(a);
      want.fusedMultiplyAdd(exact(b), exact(c), APFloat::rmNearestTiesToEven);
      double got = ieee::fma(reference.format, a, b, c);
      if (want.isNaN()) {
        ASSERT_TRUE(std::isnan(got));
        continue;
      }
      ASSERT_EQ(encode(reference.format, got),
                want.bitcastToAPInt().getZExtValue())
          << a << " * " << b << " + " << c << " format "
          << int(reference.format);
    }
  }
}

TEST(Ieee, ATieIsDecidedByAnAddendFarBelowIt) {
  // (1 + 2^-10) * (1 + 2^-1) = 1.5 + 1.5 * 2^-10 lies halfway between two f16.
  double a = 1 + 0x1p-10, b = 1.5;
  EXPECT_EQ(ieee::fma(FloatFormat::F16, a, b, 0x1p-24), 1.5 + 0x1p-9);
  EXPECT_EQ(ieee::fma(FloatFormat::F16, a, b, -0x1p-24), 1.5 + 0x1p-10);
}

TEST(Ieee, ExtremaFollowTheirRulesForNaNAndSignedZero) {
  float nan = NAN, zero = 0.0f, negative = -0.0f;
  EXPECT_TRUE(std::isnan(ieee::maximum(nan, 1.0f)));
  EXPECT_TRUE(std::isnan(ieee::minimum(1.0f, nan)));
  EXPECT_EQ(ieee::maxNum(nan, 1.0f), 1.0f);
  EXPECT_EQ(ieee::minNum(1.0f, nan), 1.0f);
  EXPECT_TRUE(std::isnan(ieee::maxNum(nan, nan)));
  for (auto larger : {ieee::maximum<float>, ieee::maxNum<float>}) {
    EXPECT_FALSE(std::signbit(larger(zero, negative)));
    EXPECT_FALSE(std::signbit(larger(negative, zero)));
  }
  for (auto smaller : {ieee::minimum<float>, ieee::minNum<float>}) {
    EXPECT_TRUE(std::signbit(smaller(zero, negative)));
    EXPECT_TRUE(std::signbit(smaller(negative, zero)));
  }
}

// No operand's NaN comes through, whichever operand it is.
TEST(Ieee, ExtremaMakeTheCanonicalNaN) {
  float payload = std::bit_cast<float>(0xFFC00001u);
  auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  for (auto extremum : {ieee::maximum<float>, ieee::minimum<float>}) {
    EXPECT_EQ(bits(extremum(payload, 1.0f)), 0x7FC00000u);
    EXPECT_EQ(bits(extremum(1.0f, payload)), 0x7FC00000u);
    EXPECT_EQ(bits(extremum(payload, payload)), 0x7FC00000u);
  }
  for (auto number : {ieee::maxNum<float>, ieee::minNum<float>})
    EXPECT_EQ(bits(number(payload, payload)), 0x7FC00000u);
}

TEST(Ieee, IntegersOfAnyWidthWrap) {
  EXPECT_EQ(ieee::wrap(0x80, 8), -128);
  EXPECT_EQ(ieee::wrap(1, 1), -1);
  EXPECT_EQ(ieee::wrap(4, 3), -4);
  EXPECT_EQ(ieee::zeroExtended(-1, 5), 31u);
  EXPECT_EQ(ieee::smallestSigned(64), INT64_MIN);
  EXPECT_EQ(ieee::largestSigned(1), 0);
  EXPECT_EQ(ieee::multiplyHighUnsigned(-1, -1, 64), -2);
  EXPECT_EQ(ieee::multiplyHighSigned(-128, 127, 8), -64);
}

TEST(Ieee, ConversionsBetweenIntegersAndFloats) {
  EXPECT_EQ(ieee::toSigned(-128.9, 8), -128);
  EXPECT_EQ(ieee::toSigned(1e10, 32), INT32_MAX);
  EXPECT_EQ(ieee::toSigned(NAN, 32), 0);
  EXPECT_EQ(ieee::toUnsigned(255.5, 8), -1);
  EXPECT_EQ(ieee::toUnsigned(-3, 8), 0);
  EXPECT_EQ(ieee::fromSigned(FloatFormat::F32, 16777217), 16777216.0);
  // Rounding to double first would make this a tie.
  EXPECT_EQ(ieee::fromSigned(FloatFormat::F32,
                             (int64_t(1) << 60) + (int64_t(1) << 36) + 1),
            double((int64_t(1) << 60) + (int64_t(1) << 37)));
  EXPECT_EQ(ieee::fromUnsigned(FloatFormat::F16, 65519), 65504.0);
  EXPECT_EQ(ieee::fromUnsigned(FloatFormat::F16, 65520), HUGE_VAL);
}

} // namespace

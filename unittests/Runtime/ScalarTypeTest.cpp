//===- ScalarTypeTest.cpp - Rounding of narrow floats ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pattern of the narrow float types survives decode and encode, and
// rounding is to nearest even, compared with a search over all patterns.
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/ScalarType.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace distaff::runtime;

namespace {

double decode(ScalarType type, uint32_t bits) {
  return loadDouble(type, &bits);
}
uint32_t encode(ScalarType type, double value) {
  uint32_t bits = 0;
  storeDouble(type, value, &bits);
  return bits;
}

constexpr ScalarType narrow[] = {
    ScalarType::F16,    ScalarType::BF16,       ScalarType::F8E4M3FN,
    ScalarType::F8E5M2, ScalarType::F8E4M3FNUZ, ScalarType::F8E5M2FNUZ};

class NarrowFloat : public testing::TestWithParam<ScalarType> {
protected:
  uint32_t patterns() const { return 1u << 8 * byteSize(GetParam()); }
};

TEST_P(NarrowFloat, EveryPatternSurvives) {
  for (uint32_t bits = 0; bits < patterns(); ++bits) {
    double value = decode(GetParam(), bits);
    if (!std::isnan(value))
      EXPECT_EQ(encode(GetParam(), value), bits) << value;
    else
      EXPECT_TRUE(std::isnan(decode(GetParam(), encode(GetParam(), value))));
  }
}

TEST_P(NarrowFloat, RoundsToTheNearestEven) {
  std::mt19937 generator(7);
  for (uint32_t bits = 0; bits + 1 < patterns() / 2; ++bits) {
    double low = decode(GetParam(), bits), high = decode(GetParam(), bits + 1);
    if (!std::isfinite(low) || !std::isfinite(high))
      continue;
    double middle = (low + high) / 2;
    EXPECT_EQ(encode(GetParam(), middle), bits % 2 ? bits + 1 : bits);
    EXPECT_EQ(encode(GetParam(), std::nextafter(middle, low)), bits);
    EXPECT_EQ(encode(GetParam(), std::nextafter(middle, high)), bits + 1);
    double between = std::uniform_real_distribution(low, high)(generator);
    uint32_t nearest = between - low < high - between ? bits : bits + 1;
    bool isUnsignedZero =
        nearest == 0 && std::isnan(decode(GetParam(), patterns() / 2));
    if (between != middle)
      EXPECT_EQ(encode(GetParam(), -between),
                isUnsignedZero ? 0 : nearest | patterns() / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(All, NarrowFloat, testing::ValuesIn(narrow));

TEST(ScalarType, OverflowIsInfinityOrNaN) {
  EXPECT_EQ(decode(ScalarType::F16, encode(ScalarType::F16, 65519.0)), 65504.0);
  EXPECT_EQ(decode(ScalarType::F16, encode(ScalarType::F16, 65520.0)),
            HUGE_VAL);
  EXPECT_EQ(decode(ScalarType::BF16, encode(ScalarType::BF16, -1e39)),
            -HUGE_VAL);
  EXPECT_EQ(decode(ScalarType::F8E5M2, encode(ScalarType::F8E5M2, 1e9)),
            HUGE_VAL);
  EXPECT_TRUE(std::isnan(
      decode(ScalarType::F8E4M3FN, encode(ScalarType::F8E4M3FN, 1e9))));
  EXPECT_EQ(decode(ScalarType::F8E4M3FN, encode(ScalarType::F8E4M3FN, 448.0)),
            448.0);
}

TEST(ScalarType, FnuzHasOneZeroAndOneNaN) {
  for (auto [type, largest, smallest] :
       {std::tuple(ScalarType::F8E4M3FNUZ, 240.0, 0x1p-10),
        std::tuple(ScalarType::F8E5M2FNUZ, 57344.0, 0x1p-17)}) {
    EXPECT_EQ(decode(type, 0x7F), largest);
    EXPECT_EQ(decode(type, 0xFF), -largest);
    EXPECT_EQ(decode(type, 1), smallest);
    EXPECT_TRUE(std::isnan(decode(type, 0x80)));
    EXPECT_EQ(encode(type, -0.0), 0u);
    EXPECT_EQ(encode(type, -smallest / 2), 0u);
    for (double special : {HUGE_VAL, -HUGE_VAL, 1e9, -1e9, std::nan("")})
      EXPECT_EQ(encode(type, special), 0x80u);
  }
}

TEST(ScalarType, IntegersAreTruncatedToTheirWidth) {
  int64_t element = 0;
  storeInteger(ScalarType::I8, 0x1ff, &element);
  EXPECT_EQ(loadInteger(ScalarType::I8, &element), -1);
  storeInteger(ScalarType::I4, 0x7f, &element);
  EXPECT_EQ(element, 0xff);
  EXPECT_EQ(loadInteger(ScalarType::I4, &element), -1);
  element = 0x79;
  EXPECT_EQ(loadInteger(ScalarType::I4, &element), -7);
  storeInteger(ScalarType::I2, 2, &element);
  EXPECT_EQ(loadInteger(ScalarType::I2, &element), -2);
  storeInteger(ScalarType::I1, 2, &element);
  EXPECT_EQ(loadInteger(ScalarType::I1, &element), 0);
  storeInteger(ScalarType::I64, INT64_MIN, &element);
  EXPECT_EQ(loadInteger(ScalarType::I64, &element), INT64_MIN);
}

TEST(ScalarType, NarrowNumbersShareBytesFromTheLowestBitsOn) {
  EXPECT_EQ(packNumbers({1, 2, 0xff}, 4, 4),
            (std::vector<unsigned char>{0x21, 0x0f}));
  EXPECT_EQ(packNumbers({1, 2, 3, 0, 0xfe}, 2, 2),
            (std::vector<unsigned char>{0x39, 0x02}));
  EXPECT_TRUE(packNumbers({}, 4, 4).empty());
  EXPECT_EQ(unpackNumbers({0x21, 0xff}, 4, 4, 3),
            (std::vector<unsigned char>{1, 2, 15}));
  EXPECT_EQ(packNumbers({1, 0xfe}, 4, 8),
            (std::vector<unsigned char>{0x01, 0x0e}));
  for (auto [bits, stride] : {std::pair(2, 2), {4, 4}, {2, 8}, {4, 8}, {2, 4}})
    for (int64_t count = 0; count < 20; ++count) {
      std::vector<unsigned char> numbers;
      for (int64_t i = 0; i < count; ++i)
        numbers.push_back((7 * i + 3) & ((1 << bits) - 1));
      std::vector<unsigned char> packed = packNumbers(numbers, bits, stride);
      EXPECT_EQ(int64_t(packed.size()), bytesInMemory(count, stride));
      EXPECT_EQ(unpackNumbers(packed, bits, stride, count), numbers);
    }
  EXPECT_EQ(bytesInMemory(3, 8), 3);
  EXPECT_EQ(bytesInMemory(INT64_MAX / 8, 64), INT64_MAX / 8 * 8);
  EXPECT_EQ(bitsInMemory(ScalarType::I1), 8);
}

TEST(ScalarType, NamesAreMLIRs) {
  EXPECT_EQ(parseScalarType("bf16"), ScalarType::BF16);
  EXPECT_EQ(name(ScalarType::F8E4M3FN), "f8E4M3FN");
  EXPECT_FALSE(parseScalarType("half"));
}

} // namespace

//===- ArmNeonTest.cpp - Products of AArch64's vectors --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-177: ops of arm_neon, and LLVM's intrinsics of the same names, on random
// bytes, among which are the extremes, against sums that are written out here
// from the Arm Architecture Reference Manual.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"
#include <random>

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// Integers of a width, every fourth one an extreme.
Values randomIntegers(unsigned width, int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  int64_t most = (int64_t(1) << (width - 1)) - 1;
  std::uniform_int_distribution<int64_t> any(-most - 1, most);
  Values values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(i % 4 == 1   ? double(-most - 1)
                     : i % 4 == 2 ? double(most)
                                  : double(any(random)));
  return values;
}

/// The text of a type of so many elements.
std::string vectorOf(int64_t count, StringRef element) {
  return "vector<" + std::to_string(count) + "x" + element.str() + ">";
}

/// What an op on an accumulator and two vectors returns, of any spelling.
Values product(StringRef spelling, int64_t words, int64_t bytes,
               const Values &acc, const Values &a, const Values &b,
               StringRef of = "i32", StringRef part = "i8") {
  std::string whole = vectorOf(words, of), parts = vectorOf(bytes, part);
  std::string text = "func.func @f(%acc: " + whole + ", %a: " + parts +
                     ", %b: " + parts + ") -> " + whole +
                     " {\n  %r = " + spelling.str() +
                     "\n  return %r : " + whole + "\n}\n";
  return valuesOf(text,
                  {array(of.str(), {words}, acc), array(part.str(), {bytes}, a),
                   array(part.str(), {bytes}, b)});
}

double wrapped(int64_t sum) { return double(int32_t(uint32_t(sum))); }

int64_t byteOf(double value, bool isUnsigned) {
  return isUnsigned ? int64_t(uint8_t(int64_t(value))) : int64_t(value);
}

TEST(ArmNeon, DotsAddFourProductsToEachWord) {
  struct Case {
    const char *name;
    bool unsignedA, unsignedB;
  };
  for (const Case &each : std::initializer_list<Case>{{"sdot", false, false},
                                                      {"udot", true, true},
                                                      {"usdot", true, false}})
    for (int64_t words : {2, 4}) {
      Values acc = randomIntegers(32, words, 1),
             a = randomIntegers(8, 4 * words, 2),
             b = randomIntegers(8, 4 * words, 3);
      Values expected;
      for (int64_t i = 0; i < words; ++i) {
        int64_t sum = int64_t(acc[i]);
        for (int64_t k = 0; k < 4; ++k)
          sum += byteOf(a[4 * i + k], each.unsignedA) *
                 byteOf(b[4 * i + k], each.unsignedB);
        expected.push_back(wrapped(sum));
      }
      std::string whole = vectorOf(words, "i32"),
                  parts = vectorOf(4 * words, "i8");
      std::string called =
          "llvm.call_intrinsic \"llvm.aarch64.neon." + std::string(each.name) +
          ".v" + std::to_string(words) + "i32.v" + std::to_string(4 * words) +
          "i8\"(%acc, %a, %b) : (" + whole + ", " + parts + ", " + parts +
          ") -> " + whole;
      EXPECT_EQ(product(called, words, 4 * words, acc, a, b), expected)
          << called;
      if (StringRef(each.name) != "sdot")
        continue;
      std::string op = "arm_neon.intr.sdot %acc, %a, %b : " + parts + ", " +
                       parts + " to " + whole;
      EXPECT_EQ(product(op, words, 4 * words, acc, a, b), expected) << op;
    }
}

TEST(ArmNeon, MatricesOfTwoRowsAreMultipliedByTransposedOnes) {
  struct Case {
    const char *name;
    bool unsignedA, unsignedB;
  };
  Values acc = randomIntegers(32, 4, 4), a = randomIntegers(8, 16, 5),
         b = randomIntegers(8, 16, 6);
  for (const Case &each :
       std::initializer_list<Case>{{"smmla", false, false},
                                   {"ummla", true, true},
                                   {"usmmla", true, false}}) {
    Values expected;
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        int64_t sum = int64_t(acc[2 * i + j]);
        for (int64_t k = 0; k < 8; ++k)
          sum += byteOf(a[8 * i + k], each.unsignedA) *
                 byteOf(b[8 * j + k], each.unsignedB);
        expected.push_back(wrapped(sum));
      }
    std::string op = "arm_neon.intr." + std::string(each.name) +
                     " %acc, %a, %b : vector<16xi8> to vector<4xi32>";
    EXPECT_EQ(product(op, 4, 16, acc, a, b), expected) << op;
  }
}

TEST(ArmNeon, MatricesOfBF16) {
  Values acc = {1, -2, 3, 0.5}, a = {1, 2, 3, 4, -1, 0.5, 2, -3},
         b = {2, 1, 0, -1, 4, 0.25, -2, 1};
  // 2 + 2 - 4, 4 + 0.5 - 6 + 4; -2 + 0.5 + 3, -4 + 0.125 - 4 - 3.
  EXPECT_EQ(product("arm_neon.intr.bfmmla %acc, %a, %b : vector<8xbf16> to "
                    "vector<4xf32>",
                    4, 8, acc, a, b, "f32", "bf16"),
            (Values{1, 0.5, 4.5, -10.375}));
}

TEST(ArmNeon, ProductsHaveTwiceTheBits) {
  Values a = randomIntegers(8, 8, 7), b = randomIntegers(8, 8, 8);
  Values expected;
  for (int64_t i = 0; i < 8; ++i)
    expected.push_back(a[i] * b[i]);
  EXPECT_EQ(
      valuesOf("func.func @f(%a: vector<8xi8>, %b: vector<8xi8>) -> "
               "vector<8xi16> {\n  %r = arm_neon.intr.smull %a, %b : "
               "vector<8xi8> to vector<8xi16>\n  return %r : vector<8xi16>\n}",
               {array("i8", {8}, a), array("i8", {8}, b)}),
      expected);
}

TEST(ArmNeon, RowsOfTwoDimsAreTheFlattenedFours) {
  Values acc = randomIntegers(32, 4, 9), a = randomIntegers(8, 16, 10),
         b = randomIntegers(8, 16, 11);
  Values flat = product("arm_neon.intr.sdot %acc, %a, %b : vector<16xi8>, "
                        "vector<16xi8> to vector<4xi32>",
                        4, 16, acc, a, b);
  EXPECT_EQ(
      valuesOf("func.func @f(%acc: vector<4xi32>, %a: vector<4x4xi8>, %b: "
               "vector<4x4xi8>) -> vector<4xi32> {\n  %r = arm_neon.2d.sdot "
               "%acc, %a, %b : vector<4x4xi8>, vector<4x4xi8> to "
               "vector<4xi32>\n  return %r : vector<4xi32>\n}",
               {array("i32", {4}, acc), array("i8", {4, 4}, a),
                array("i8", {4, 4}, b)}),
      flat);
}

} // namespace

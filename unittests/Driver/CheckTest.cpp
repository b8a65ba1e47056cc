//===- CheckTest.cpp - What --check accepts and what it must not ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Right outputs are damaged in the ways in which compilers damage them, and the
// comparison must notice each; what rounding allows it must accept.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Driver/Check.h"
#include "distaff/Runtime/ScalarType.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace distaff;

namespace {

using Verdict = Comparison::Verdict;

/// A 1-D output with its estimates, which it meets exactly.
struct Output {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  ParameterShape parameter;
  simt::Array array;
  simt::EstimateArray estimates;
  runtime::ScalarType type;

  Output(StringRef spelling, int64_t size) {
    Builder builder(&context);
    Type element = spelling == "f32"   ? Type(builder.getF32Type())
                   : spelling == "f16" ? Type(builder.getF16Type())
                   : spelling == "f8"  ? Type(Float8E4M3FNType::get(&context))
                   : spelling == "i1"  ? Type(builder.getI1Type())
                   : spelling == "i32" ? Type(builder.getI32Type())
                                       : Type(builder.getI64Type());
    type = *scalarTypeOf(element);
    parameter.name = "res0";
    parameter.elementType = element;
    parameter.shape = {size};
    array = simt::Array::unwritten(element, {size});
    estimates.shape = {size};
    estimates.elements.resize(size);
  }

  void *at(int64_t i) { return &array.bytes[i * runtime::byteSize(type)]; }
  void set(int64_t i, double value) {
    runtime::storeDouble(type, value, at(i));
  }
  double get(int64_t i) { return runtime::loadDouble(type, at(i)); }
  Comparison compare() { return distaff::compare(parameter, array, estimates); }
};

/// Sums of 64 products as a matmul has them: distinct numbers around 1 with
/// bounds of 64 roundings of f32.
struct Sums : Output {
  Sums() : Output("f32", 100) {
    for (int64_t i = 0; i < 100; ++i) {
      double value = std::sin(double(i) + 1);
      estimates.elements[i].value = value;
      estimates.elements[i].bound = 64 * 0x1p-24;
      set(i, value);
    }
  }
};

TEST(Check, RoundingIsAccepted) {
  Sums sums;
  for (int64_t i = 0; i < 100; ++i)
    sums.set(i, sums.get(i) + (i % 2 ? 1 : -1) * 60 * 0x1p-24);
  Comparison comparison = sums.compare();
  EXPECT_EQ(comparison.verdict, Verdict::Agrees) << comparison.detail;
  EXPECT_GT(comparison.largestError, 50 * 0x1p-24);
}

TEST(Check, ThreeBoundsAreTooMany) {
  for (auto [bounds, verdict] :
       {std::pair(1.9, Verdict::Agrees), {3.0, Verdict::Differs}}) {
    Sums sums;
    sums.set(7, sums.get(7) + bounds * 64 * 0x1p-24);
    EXPECT_EQ(sums.compare().verdict, verdict) << bounds;
  }
}

TEST(Check, TheRoundingToTheOwnTypeLeavesItDecided) {
  for (auto [spelling, roundoff] :
       {std::pair("f8", 0x1p-4), {"f16", 0x1p-11}}) {
    for (auto [more, verdict] :
         {std::pair(0.019, Verdict::Agrees), {0.021, Verdict::Undecided}}) {
      Output output(spelling, 100);
      for (int64_t i = 0; i < 100; ++i) {
        output.estimates.elements[i].value = 2;
        output.estimates.elements[i].bound = 2 * (roundoff + more);
        output.set(i, 2);
      }
      EXPECT_EQ(output.compare().verdict, verdict) << spelling << " " << more;
      output.set(7, 2.75);
      EXPECT_EQ(output.compare().verdict, Verdict::Differs) << spelling;
    }
  }
}

TEST(Check, TwoSwappedElementsAreSeen) {
  Sums sums;
  double kept = sums.get(3);
  sums.set(3, sums.get(4));
  sums.set(4, kept);
  EXPECT_EQ(sums.compare().verdict, Verdict::Differs);
}

TEST(Check, ADroppedTermIsSeen) {
  Sums sums;
  sums.set(99, sums.get(99) - 0.01); // one small product of 64
  Comparison comparison = sums.compare();
  EXPECT_EQ(comparison.verdict, Verdict::Differs);
  EXPECT_NE(comparison.detail.find("res0[99]"), std::string::npos);
}

TEST(Check, AccumulatingInHalfPrecisionIsSeen) {
  Sums sums;
  for (int64_t i = 0; i < 100; ++i) {
    uint16_t half;
    runtime::storeDouble(runtime::ScalarType::F16, sums.get(i), &half);
    sums.set(i, runtime::loadDouble(runtime::ScalarType::F16, &half));
  }
  EXPECT_EQ(sums.compare().verdict, Verdict::Differs);
}

TEST(Check, NaNAndInfinityAreSeenAndMayBeExpected) {
  for (double strange : {double(NAN), HUGE_VAL, -HUGE_VAL}) {
    Sums sums;
    sums.set(5, strange);
    EXPECT_EQ(sums.compare().verdict, Verdict::Differs);
    sums.estimates.elements[5] = {strange, 0};
    EXPECT_EQ(sums.compare().verdict, Verdict::Agrees);
    sums.set(5, 0);
    EXPECT_EQ(sums.compare().verdict, Verdict::Differs);
  }
  Sums sums;
  sums.estimates.elements[5] = {HUGE_VAL, 0};
  sums.set(5, -HUGE_VAL);
  EXPECT_EQ(sums.compare().verdict, Verdict::Differs);
}

TEST(Check, ZerosOfBothSignsAreEqual) {
  Sums sums;
  sums.estimates.elements[5] = {0.0, 0};
  sums.set(5, -0.0);
  EXPECT_EQ(sums.compare().verdict, Verdict::Agrees);
}

TEST(Check, AnUnknownInfinityDecidesNothing) {
  for (double value : {HUGE_VAL, double(NAN), 1.0}) {
    Sums sums;
    sums.estimates.elements[5] = {value, HUGE_VAL};
    EXPECT_EQ(sums.compare().verdict, Verdict::Undecided);
  }
}

TEST(Check, ABoundOverTwoPercentDecidesNothing) {
  Sums sums;
  sums.estimates.elements[5].bound = 0.019; // of a largest magnitude near 1
  EXPECT_EQ(sums.compare().verdict, Verdict::Agrees);
  sums.estimates.elements[5].bound = 0.021;
  EXPECT_EQ(sums.compare().verdict, Verdict::Undecided);
  // But what is outside of its own bound is wrong all the same.
  sums.set(6, 7);
  EXPECT_EQ(sums.compare().verdict, Verdict::Differs);
}

TEST(Check, MoreThanOnePercentOfOpenChoicesDecidesNothing) {
  Sums sums;
  sums.estimates.elements[0].undecided = true;
  sums.set(0, 1e6);
  EXPECT_EQ(sums.compare().verdict, Verdict::Agrees);
  sums.estimates.elements[1].undecided = true;
  EXPECT_EQ(sums.compare().verdict, Verdict::Undecided);
}

TEST(Check, IntegersAreComparedByTheirBits) {
  Output output("i64", 2);
  int64_t large = (int64_t(1) << 53) + 1; // no double
  output.estimates.elements[0] = {double(large), 0, false, large};
  output.estimates.elements[1] = {-1, 0, false, -1};
  runtime::storeInteger(output.type, large, output.at(0));
  runtime::storeInteger(output.type, -1, output.at(1));
  EXPECT_EQ(output.compare().verdict, Verdict::Agrees);
  runtime::storeInteger(output.type, large - 1, output.at(0));
  Comparison comparison = output.compare();
  EXPECT_EQ(comparison.verdict, Verdict::Differs);
  EXPECT_EQ(comparison.detail,
            "res0[0] is 9007199254740992, expected 9007199254740993");
}

TEST(Check, ATrueBitIsOneOrAllOnes) {
  Output output("i1", 2);
  output.estimates.elements[0] = {-1, 0, false, -1};
  output.array.bytes = {1, 0};
  EXPECT_EQ(output.compare().verdict, Verdict::Agrees);
  output.array.bytes = {1, 1};
  EXPECT_EQ(output.compare().verdict, Verdict::Differs);
}

TEST(Check, AnotherShapeIsSeen) {
  Sums sums;
  sums.array.shape = {10, 10};
  EXPECT_EQ(sums.compare().verdict, Verdict::Differs);
}

TEST(Check, WhatIsRoundedOnceIsComparedToTheBit) {
  Output output("f32", 1);
  float third = 1.0f / 3;
  output.estimates.elements[0] = {1.0 / 3, 0x1p-20, false};
  output.set(0, std::nextafter(third, 1.0f));
  EXPECT_EQ(output.compare().verdict, Verdict::Agrees);
  output.estimates.elements[0].isRounded = true;
  Comparison off = output.compare();
  EXPECT_EQ(off.verdict, Verdict::Differs);
  EXPECT_NE(off.detail.find("rounded once"), std::string::npos) << off.detail;
  output.set(0, third);
  EXPECT_EQ(output.compare().verdict, Verdict::Agrees);
}

TEST(Check, AnExactZeroHasASign) {
  for (StringRef type : {"f32", "f16", "f8"}) {
    Output output(type, 1);
    output.estimates.elements[0] = {-0.0, 0, false};
    output.estimates.elements[0].isZero = true;
    output.set(0, -0.0);
    EXPECT_EQ(output.compare().verdict, Verdict::Agrees) << type.str();
    output.set(0, 0.0);
    EXPECT_EQ(output.compare().verdict, Verdict::Differs) << type.str();
    // Of a zero with a bound nothing is known but that it is near.
    output.estimates.elements[0] = {
        -0.0, std::numeric_limits<double>::denorm_min(), false};
    EXPECT_EQ(output.compare().verdict, Verdict::Agrees) << type.str();
  }
}

} // namespace

//===- ScalarTest.cpp - Values of arith, math, index and affine -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// r = op(a, b) on scalars of a type.
double binary(std::string op, std::string type, double a, double b,
              std::string result = "") {
  if (result.empty())
    result = type;
  Values got = valuesOf("func.func @f(%a: " + type + ", %b: " + type + ") -> " +
                            result + " {\n%r = " + op + " %a, %b : " + type +
                            "\nreturn %r : " + result + "\n}",
                        {array(type, {}, {a}), array(type, {}, {b})});
  return got.empty() ? std::nan("") : got[0];
}

double unary(std::string op, std::string from, std::string to, double a) {
  std::string types = from == to ? from : from + " to " + to;
  Values got =
      valuesOf("func.func @f(%a: " + from + ") -> " + to + " {\n%r = " + op +
                   " %a : " + types + "\nreturn %r : " + to + "\n}",
               {array(from, {}, {a})});
  return got.empty() ? -12345 : got[0];
}

TEST(Scalar, IntegersWrapInTheirWidth) {
  EXPECT_EQ(binary("arith.addi", "i8", 100, 100), -56);
  EXPECT_EQ(binary("arith.muli", "i16", 300, 300), 24464);
  EXPECT_EQ(binary("arith.subi", "index", 3, 5), -2);
  EXPECT_EQ(binary("arith.shli", "i8", 3, 6), -64);
  EXPECT_EQ(binary("arith.shrui", "i8", -1, 4), 15);
  EXPECT_EQ(binary("arith.shrsi", "i8", -128, 3), -16);
}

TEST(Scalar, DivisionsRoundAsNamed) {
  EXPECT_EQ(binary("arith.divsi", "i32", -7, 2), -3);
  EXPECT_EQ(binary("arith.floordivsi", "i32", -7, 2), -4);
  EXPECT_EQ(binary("arith.ceildivsi", "i32", -7, 2), -3);
  EXPECT_EQ(binary("arith.ceildivui", "i8", -1, 2), -128);
  EXPECT_EQ(binary("arith.remsi", "i32", -7, 2), -1);
  EXPECT_EQ(binary("arith.remui", "i8", -1, 7), 3);
  EXPECT_EQ(binary("arith.divui", "i8", -1, 2), 127);
}

TEST(Scalar, ComparisonsAndChoices) {
  EXPECT_EQ(binary("arith.cmpi ult,", "i8", 1, -1, "i1"), 1);
  EXPECT_EQ(binary("arith.cmpi slt,", "i8", 1, -1, "i1"), 0);
  EXPECT_EQ(binary("arith.cmpf ueq,", "f32", std::nan(""), 1, "i1"), 1);
  EXPECT_EQ(binary("arith.cmpf oeq,", "f32", std::nan(""), 1, "i1"), 0);
  EXPECT_EQ(binary("arith.maxui", "i8", 1, -1), -1);
  EXPECT_EQ(binary("arith.minsi", "i8", 1, -1), -1);
  EXPECT_EQ(valuesOf("func.func @f(%a: index, %b: index) -> i1 {\n"
                     "%r = index.cmp sgt(%a, %b)\nreturn %r : i1\n}",
                     {array("index", {}, {4}), array("index", {}, {3})}),
            (Values{1}));
}

TEST(Scalar, FloatsRoundInTheirType) {
  EXPECT_EQ(binary("arith.addf", "f16", 2048, 1), 2048);
  EXPECT_EQ(binary("arith.addf", "f16", 2048, 3), 2052);
  EXPECT_EQ(binary("arith.mulf", "bf16", 1.0078125, 1.0078125), 1.015625);
  EXPECT_EQ(binary("arith.divf", "f32", 1, 3), double(1.0f / 3.0f));
  EXPECT_TRUE(std::isnan(binary("arith.maximumf", "f32", std::nan(""), 1)));
  EXPECT_EQ(binary("arith.maxnumf", "f32", std::nan(""), 1), 1);
}

TEST(Scalar, Conversions) {
  EXPECT_EQ(unary("arith.extsi", "i8", "i32", -3), -3);
  EXPECT_EQ(unary("arith.extui", "i8", "i32", -3), 253);
  EXPECT_EQ(unary("arith.extui", "i1", "i32", 1), 1);
  EXPECT_EQ(unary("arith.extsi", "i1", "i32", 1), -1);
  EXPECT_EQ(unary("arith.trunci", "i32", "i8", 300), 44);
  EXPECT_EQ(unary("arith.truncf", "f32", "f16", 65519), 65504);
  EXPECT_EQ(unary("arith.extf", "f16", "f32", 1.5), 1.5);
  EXPECT_EQ(unary("arith.sitofp", "i8", "f32", -3), -3);
  EXPECT_EQ(unary("arith.uitofp", "i8", "f32", -3), 253);
  EXPECT_EQ(unary("arith.fptosi", "f32", "i8", -3.7), -3);
  EXPECT_EQ(unary("arith.index_cast", "i32", "index", -3), -3);
  EXPECT_EQ(unary("arith.index_castui", "i8", "index", -3), 253);
  EXPECT_EQ(unary("arith.bitcast", "f32", "i32", 1.0), 0x3F800000);
}

TEST(Scalar, MathFunctions) {
  EXPECT_EQ(unary("math.exp2", "f32", "f32", 3), 8);
  EXPECT_EQ(unary("math.sqrt", "f32", "f32", 9), 3);
  EXPECT_EQ(unary("math.rsqrt", "f32", "f32", 4), 0.5);
  EXPECT_EQ(unary("math.absf", "f16", "f16", -2), 2);
  EXPECT_EQ(unary("math.floor", "f32", "f32", -1.5), -2);
  EXPECT_EQ(unary("math.roundeven", "f32", "f32", 2.5), 2);
  EXPECT_EQ(unary("math.round", "f32", "f32", 2.5), 3);
  EXPECT_NEAR(unary("math.exp", "f32", "f32", 1), 2.718281828, 1e-6);
  EXPECT_NEAR(unary("math.tanh", "f64", "f64", 0.5), std::tanh(0.5), 1e-15);
  EXPECT_NEAR(unary("math.erf", "f32", "f32", 0.5), std::erf(0.5), 1e-6);
  EXPECT_EQ(binary("math.powf", "f32", 2, 10), 1024);
  EXPECT_EQ(binary("math.copysign", "f32", 2, -1), -2);
  EXPECT_EQ(unary("math.ctpop", "i8", "i8", -1), 8);
  EXPECT_EQ(unary("math.ctlz", "i8", "i8", 1), 7);
}

TEST(Scalar, VectorsAreElementwise) {
  EXPECT_EQ(
      valuesOf(R"(func.func @f(%a: vector<2x2xf16>, %c: i1) -> vector<2x2xf16> {
      %k = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf16>
      %s = math.fma %a, %k, %k : vector<2x2xf16>
      %r = arith.select %c, %s, %a : vector<2x2xf16>
      return %r : vector<2x2xf16>
    })",
               {array("f16", {2, 2}, {1, 1, 2, 2}), array("i1", {}, {1})}),
      (Values{2, 4, 9, 12}));
}

TEST(Scalar, ExtendedArithmetic) {
  EXPECT_EQ(valuesOf(R"(func.func @f(%a: i8, %b: i8) -> (i8, i1, i8, i8, i8) {
      %s, %carry = arith.addui_extended %a, %b : i8, i1
      %l, %h = arith.mulsi_extended %a, %b : i8
      %ul, %uh = arith.mului_extended %a, %b : i8
      return %s, %carry, %l, %h, %uh : i8, i1, i8, i8, i8
    })",
                     {array("i8", {}, {-100}), array("i8", {}, {-100})}),
            (Values{56, 1, 16, 39, 95}));
}

TEST(Scalar, AffineOperations) {
  auto compute = [](std::string body, Values in) {
    return valuesOf(
        "func.func @f(%a: index, %b: index) -> index {\n" + body +
            "\nreturn %r : index\n}",
        {array("index", {}, {in[0]}), array("index", {}, {in[1]})})[0];
  };
  EXPECT_EQ(compute("%r = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 "
                    "floordiv 2)>(%a)[%b]",
                    {5, -3}),
            13);
  EXPECT_EQ(compute("%r = affine.apply affine_map<(d0, d1) -> (d0 mod 4 + d1 "
                    "ceildiv 2)>(%a, %b)",
                    {-1, 5}),
            6);
  EXPECT_EQ(
      compute("%r = affine.min affine_map<(d0, d1) -> (d0, d1 + 1, 9)>(%a, %b)",
              {12, 3}),
      4);
  EXPECT_EQ(
      compute("%r = affine.max affine_map<(d0, d1) -> (d0, d1 + 1, 9)>(%a, %b)",
              {12, 3}),
      12);
  EXPECT_EQ(compute("%r = affine.linearize_index [%a, %b] by (10, 7) : index",
                    {3, 5}),
            26);
  EXPECT_EQ(compute("%d:3 = affine.delinearize_index %a into (4, 8) : index, "
                    "index, index\n"
                    "%r = affine.linearize_index [%d#2, %d#1, %d#0] by (100, "
                    "100) : index",
                    {75, 0}),
            30102);
  EXPECT_EQ(
      compute("%d:2 = affine.delinearize_index %a into (3, 8) : index, index\n"
              "%r = arith.addi %d#0, %b : index",
              {75, 100}),
      109);
}

} // namespace

//===- DumpTextTest.cpp - IREE's dumps as they are parsed -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/DumpText.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {
std::string blanked(StringRef text) { return adaptDump(text); }

/// Every character but the ends of lines as a space.
std::string spaces(StringRef text) {
  std::string result = text.str();
  for (char &c : result)
    c = c == '\n' ? '\n' : ' ';
  return result;
}

TEST(DumpText, OpsOfTheHostAreBlanksOfTheSameLength) {
  for (StringRef op : {"  util.global private @x : i32",
                       "util.func @f() {\n  x.y\n}", "util.initializer {}"})
    EXPECT_EQ(blanked(("a\n" + op + "\nb").str()), "a\n" + spaces(op) + "\nb");
}

TEST(DumpText, RegionsEndWithTheirBrackets) {
  StringRef op = "util.initializer {\n (\n [\n ]\n )\n}";
  EXPECT_EQ(blanked((op + "\n}\nkept").str()), spaces(op) + "\n}\nkept");
}

TEST(DumpText, BracketsInStringsAndCommentsAreNone) {
  StringRef text = "util.func @f() attributes {a = \"}\\\"}\"} { // }\n"
                   "  // {{{\n"
                   "}\n"
                   "kept }";
  std::string result = blanked(text);
  EXPECT_EQ(result.size(), text.size());
  EXPECT_EQ(StringRef(result).trim(" \n"), "kept }");
}

TEST(DumpText, OtherTextIsAsItWas) {
  for (StringRef text :
       {"", "\n", "func.func @f() { util.func }", "util.functional @f {\n}",
        "%0 = util.assume.int %1<umin = 0> : index", "// util.func @f\n"})
    EXPECT_EQ(blanked(text), text);
}

TEST(DumpText, BarriersOrderAllMemory) {
  EXPECT_EQ(blanked("  gpu.barrier memfence [#gpu.address_space<workgroup>] "
                    "{a}\n  gpu.barrier\n  gpu.barrier memfence ["),
            "  gpu.barrier  {a}\n  gpu.barrier\n  gpu.barrier memfence [");
}

TEST(DumpText, SlicesHaveBraces) {
  EXPECT_EQ(blanked("%0 = vector.insert_strided_slice %a, %b offsets = [0, 0], "
                    "strides = [1] : vector<4xf32> into vector<2x4xf32>\n"
                    "%1 = vector.extract_strided_slice %c offsets = [0], sizes "
                    "= [1], strides = [1] : vector<2xf32> to vector<1xf32>"),
            "%0 = vector.insert_strided_slice %a, %b{offsets = [0, 0], "
            "strides = [1]}: vector<4xf32> into vector<2x4xf32>\n"
            "%1 = vector.extract_strided_slice %c{offsets = [0], sizes "
            "= [1], strides = [1]}: vector<2xf32> to vector<1xf32>");
  StringRef own = "%0 = vector.extract_strided_slice %c {offsets = [0], sizes "
                  "= [1], strides = [1]} : vector<2xf32> to vector<1xf32>";
  EXPECT_EQ(blanked(own), own);
}

// Spellings of a later MLIR are those of this one (VX-184).
TEST(DumpText, InstructionsAreSpelledAsHere) {
  EXPECT_EQ(blanked("%d = nvgpu.mma.sync(%a, %b, %c) mmaShape = [16, 8, 16] : "
                    "(vector<4x2xf16>) -> x"),
            "%d = nvgpu.mma.sync(%a, %b, %c){mmaShape = [16, 8, 16]}: "
            "(vector<4x2xf16>) -> x");
  EXPECT_EQ(blanked("%d = amdgpu.mfma 16x16x16 %a * %b + %c : vector<4xf16>"),
            "%d = amdgpu.mfma 16x16x16 %a * %b + %c blgp = none : "
            "vector<4xf16>");
  EXPECT_EQ(blanked("%t = bufferization.alloc_tensor() <{memory_space = "
                    "#gpu.address_space<workgroup>}> : tensor<4xf32>"),
            "%t = bufferization.alloc_tensor() {memory_space = "
            "#gpu.address_space<workgroup>} : tensor<4xf32>");
  for (StringRef own :
       {"%d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : x",
        "%d = amdgpu.mfma 16x16x16 %a * %b + %c blgp = none : x",
        "%d = amdgpu.mfma 16x16x16 %a * %b + %c {cbsz = 1 : i32} blgp = none "
        ": x",
        "%t = bufferization.alloc_tensor() {a = 1} : tensor<4xf32>"})
    EXPECT_EQ(blanked(own), own);
}

TEST(DumpText, TextThatEndsInTheMiddleIsBlankedToItsEnd) {
  EXPECT_EQ(blanked("util.func @f() {\n  \"abc"),
            std::string(16, ' ') + "\n" + std::string(6, ' '));
  EXPECT_EQ(blanked("util.func @f() {\n  \"abc\\"),
            std::string(16, ' ') + "\n" + std::string(7, ' '));
}
} // namespace

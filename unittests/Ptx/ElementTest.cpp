//===- ElementTest.cpp - Elements of arrays, pointers in structs ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

using namespace distaff::ptx;

namespace {

//===----------------------------------------------------------------------===//
// Elements of arrays
//===----------------------------------------------------------------------===//

// ptxas counts in elements of the declared type: 2 bytes in rows and 4 in
// vectors.
TEST(PtxElements, CountInTheDeclaredType) {
  struct Row {
    const char *operand;
    uint32_t bytes;
  };
  for (auto [operand, bytes] :
       {Row{"words[3]", 12}, Row{"bytes[3]", 3}, Row{"rows[3]", 6},
        Row{"vectors[3]", 12}, Row{"words[0x10]", 64}, Row{"words[-1]", -4u},
        Row{"words[%r1]", 0}, Row{"words[%r1+2]", 8}, Row{"rows[%rd12]", 2}}) {
    std::string name(operand);
    std::string array = name.substr(0, name.find('['));
    bool isOfLane = name.find("%r1") != name.npos;
    expectWords("mov.u64 %rd12, 1; mov.u32 %r20, " + array + "; mov.u32 %r9, " +
                    name + "; sub.u32 %r9, %r9, %r20;",
                [&, bytes = bytes](uint32_t i) {
                  return bytes + (isOfLane ? 4 * i : 0);
                },
                {.before = ".shared .align 16 .b32 words[64];\n"
                           ".shared .align 4 .b8 bytes[64];\n"
                           ".shared .align 16 .b16 rows[4][8];\n"
                           ".shared .align 16 .v4 .f32 vectors[4];"});
  }
}

TEST(PtxElements, AreLoadedAndStored) {
  Setting setting = {.before =
                         ".shared .align 16 .b32 words[40];\n"
                         ".global .align 4 .u32 table[4] = {5, 6, 7, 8};\n"
                         ".const .align 2 .u16 halves[4] = {50, 60, 70, 80};"};
  expectWords(
      "st.shared.u32 words[%r1], %r1; bar.sync 0;\n"
      "ld.shared.u32 %r9, words[3]; ld.shared.u32 %r20, words[%r1];\n"
      "ld.global.u32 %r21, table[2]; ld.const.u16 %h0, halves[3];\n"
      "cvt.u32.u16 %r22, %h0; add.u32 %r9, %r9, %r20;\n"
      "add.u32 %r9, %r9, %r21; add.u32 %r9, %r9, %r22;",
      [](uint32_t i) { return 3 + i + 7 + 80; }, setting);
  expectWords("st.shared.v2.u32 words[2], {%r1, 9}; "
              "cvta.shared.u64 %rd10, words[3]; bar.sync 0; "
              "ld.u32 %r9, [%rd10];",
              [](uint32_t) { return 9u; },
              {.threads = 1, .before = setting.before});
  expectWords(
      "and.b32 %r20, %r1, 3; ld.global.u32 %r9, table[%r20];",
      [](uint32_t i) { return 5 + i % 4; }, setting);
  // An index is unsigned, and one past the end is another's or nobody's.
  expectFault("ld.global.u32 %r9, table[4];", FaultKind::OutOfBounds,
              "ld.global.u32", setting);
  expectFault("mov.u32 %r20, -1; ld.global.u32 %r9, table[%r20];",
              FaultKind::OutOfBounds, "ld.global.u32", setting);
  // Other instructions have none, as ptxas has it.
  expectFault("red.shared.add.u32 words[1], %r1;", FaultKind::NotModelled,
              "red.shared", setting);
}

TEST(PtxElements, OfParameters) {
  ParseError error;
  std::optional<Module> module = parseModule(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 x, .param .align 8 .b8 p[16])\n{\n"
      ".reg .b64 %d; .reg .b32 %r;\nld.param.u64 %d, [x];\n"
      "ld.param.u32 %r, p[12]; st.global.u32 [%d], %r;\nret;\n}\n",
      error);
  ASSERT_TRUE(module) << error.text;
  uint32_t x = 0;
  std::vector<uint8_t> bytes(16);
  bytes[12] = 77;
  Launch launch;
  launch.arguments = {Argument::buffer(&x, 4), Argument::scalar(bytes)};
  EXPECT_EQ(run(*module, launch).verdict, Verdict::Completed);
  EXPECT_EQ(x, 77u);
}

//===----------------------------------------------------------------------===//
// Pointers within parameters
//===----------------------------------------------------------------------===//

/// Adds x[i] to y[i], whose addresses are in one struct.
std::optional<Module> addingStruct() {
  ParseError error;
  std::optional<Module> module =
      parseModule(".version 8.0\n.target sm_80\n.address_size 64\n"
                  ".visible .entry k(.param .align 8 .b8 p[24])\n{\n"
                  ".reg .b64 %d<4>; .reg .b32 %r<5>;\nmov.u32 %r1, %tid.x;\n"
                  "mul.wide.u32 %d3, %r1, 4;\n"
                  "ld.param.u64 %d1, [p]; add.s64 %d1, %d1, %d3;\n"
                  "ld.param.u64 %d2, [p+16]; add.s64 %d2, %d2, %d3;\n"
                  "ld.global.u32 %r2, [%d1]; ld.global.u32 %r3, [%d2];\n"
                  "add.u32 %r2, %r2, %r3; ld.param.u32 %r4, [p+8];\n"
                  "add.u32 %r2, %r2, %r4; st.global.u32 [%d2], %r2;\nret;\n}\n",
                  error);
  EXPECT_TRUE(module) << error.text;
  return module;
}

// What either parameter promises of an array holds for both.
TEST(PtxPointers, HaveTheLargestAlignmentOfTheirArray) {
  for (const char *alignments : {"16 256", "256 16", "1 64", "64 4"}) {
    unsigned first = 0, second = 0;
    ASSERT_EQ(std::sscanf(alignments, "%u %u", &first, &second), 2);
    ParseError error;
    std::optional<Module> module = parseModule(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k("
        ".param .u64 .ptr .global .align " +
            std::to_string(first) + " x, .param .u64 .ptr .global .align " +
            std::to_string(second) +
            " y)\n{\n.reg .b64 %d<5>;\nld.param.u64 %d1, [x];\n"
            "ld.param.u64 %d2, [y];\nor.b64 %d3, %d1, %d2;\n"
            "and.b64 %d4, %d3, " +
            std::to_string(std::max(first, second) - 1) +
            ";\nst.global.u64 [%d1], %d4;\nret;\n}\n",
        error);
    ASSERT_TRUE(module) << error.text;
    uint64_t low = 77;
    Launch launch;
    launch.workgroup = {1, 1, 1};
    launch.arguments = {Argument::buffer(&low, 8), Argument::buffer(&low, 8)};
    EXPECT_EQ(run(*module, launch).verdict, Verdict::Completed) << alignments;
    EXPECT_EQ(low, 0u) << alignments;
  }
}

TEST(PtxPointers, LieWithinAParameter) {
  std::optional<Module> module = addingStruct();
  std::vector<uint32_t> x(32, 5), y(32, 6);
  Launch launch;
  launch.workgroup = {32, 1, 1};
  std::vector<uint8_t> bytes(24);
  bytes[8] = 100;
  launch.arguments = {Argument::scalar(bytes)};
  launch.arguments[0].pointers = {
      {0, reinterpret_cast<uint8_t *>(x.data()), 128},
      {16, reinterpret_cast<uint8_t *>(y.data()), 128}};
  EXPECT_EQ(run(*module, launch).verdict, Verdict::Completed);
  EXPECT_EQ(y, std::vector<uint32_t>(32, 111));
  // One array is one array, wherever its addresses are.
  launch.arguments[0].pointers[1].data = launch.arguments[0].pointers[0].data;
  EXPECT_EQ(run(*module, launch).verdict, Verdict::Completed);
  EXPECT_EQ(x, std::vector<uint32_t>(32, 110));
  // Each has its own end.
  launch.arguments[0].pointers[1] = {16, reinterpret_cast<uint8_t *>(y.data()),
                                     124};
  Outcome outcome = run(*module, launch);
  ASSERT_EQ(outcome.verdict, Verdict::Faulted);
  EXPECT_NE(outcome.faults[0].text.find("at 124 of argument 0@16"),
            std::string::npos)
      << outcome.faults[0].text;
}

TEST(PtxPointers, BeyondTheParameterAreRefused) {
  std::optional<Module> module = addingStruct();
  uint8_t byte = 0;
  for (uint64_t offset : {uint64_t(17), uint64_t(24), ~uint64_t(0)}) {
    Launch launch;
    launch.arguments = {Argument::scalar(std::vector<uint8_t>(24))};
    launch.arguments[0].pointers = {{offset, &byte, 1}};
    Outcome outcome = run(*module, launch);
    EXPECT_EQ(outcome.verdict, Verdict::Refused);
    EXPECT_NE(outcome.text.find("hold no pointer at byte"), std::string::npos);
  }
}

// Halide names none of the shared memory that its launches add.
TEST(PtxShared, BeginsAtZeroWithoutAName) {
  ParseError error;
  std::optional<Module> module = parseModule(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 x)\n{\n"
      ".reg .b64 %d<3>; .reg .b32 %r<4>;\nld.param.u64 %d1, [x];\n"
      "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"
      "st.shared.u32 [%r2], %r1; bar.sync 0;\nld.shared.u32 %r3, [12];\n"
      "cvt.u64.u32 %d2, %r2; add.s64 %d1, %d1, %d2;\n"
      "st.global.u32 [%d1], %r3;\nret;\n}\n",
      error);
  ASSERT_TRUE(module) << error.text;
  for (int64_t bytes : {128, 124, 0}) {
    std::vector<uint32_t> x(32);
    Launch launch;
    launch.workgroup = {32, 1, 1};
    launch.dynamicSharedBytes = bytes;
    launch.arguments = {Argument::buffer(x.data(), 128)};
    Outcome outcome = run(*module, launch);
    if (bytes == 128) {
      EXPECT_EQ(outcome.verdict, Verdict::Completed);
      EXPECT_EQ(x, std::vector<uint32_t>(32, 3));
      continue;
    }
    ASSERT_EQ(outcome.verdict, Verdict::Faulted);
    EXPECT_EQ(outcome.faults[0].kind, FaultKind::OutOfBounds);
  }
}

} // namespace

//===- PtxMachineTest.cpp - The PTX interpreter by itself -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who judges must be right: arithmetic against values worked out by hand or by
// the host's own hardware, faults on programs that have them.
//
//===----------------------------------------------------------------------===//
#include "PtxMachine.h"
#include "PtxArithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace distaff::ptx;

namespace {

uint64_t compute(llvm::StringRef opcode, uint64_t a, uint64_t b = 0,
                 uint64_t c = 0) {
  std::vector<std::string> words;
  llvm::SmallVector<llvm::StringRef> parts;
  opcode.split(parts, '.');
  for (llvm::StringRef part : parts)
    words.push_back(part.str());
  std::optional<Arithmetic> arithmetic = decodeArithmetic(words);
  EXPECT_TRUE(arithmetic.has_value()) << opcode.str();
  return arithmetic ? arithmetic->compute(a, b, c) : 0;
}

uint32_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }

TEST(PtxArithmetic, NarrowFloatsRoundToNearestEven) {
  EXPECT_EQ(encodeFloat(1.0, half), 0x3C00u);
  EXPECT_EQ(encodeFloat(-2.0, bfloat), 0xC000u);
  EXPECT_EQ(encodeFloat(1 + 0x1p-11, half), 0x3C00u);     // a tie, to even
  EXPECT_EQ(encodeFloat(1 + 3 * 0x1p-11, half), 0x3C02u); // a tie, to even
  EXPECT_EQ(encodeFloat(1 + 0x1p-11 + 0x1p-30, half), 0x3C01u);
  EXPECT_EQ(encodeFloat(65519.9, half), 0x7BFFu);
  EXPECT_EQ(encodeFloat(65520, half), 0x7C00u); // infinity
  EXPECT_EQ(encodeFloat(65520, half, Rounding::Zero), 0x7BFFu);
  EXPECT_EQ(encodeFloat(0x1p-24, half), 1u); // subnormal
  EXPECT_EQ(encodeFloat(0x1p-25, half), 0u);
  EXPECT_EQ(encodeFloat(0x1p-14 - 0x1p-26, half), 0x400u); // to the normal one
  EXPECT_EQ(encodeFloat(NAN, half), 0x7FFFu);
}

TEST(PtxArithmetic, EveryHalfSurvivesARoundTrip) {
  for (uint64_t i = 0; i < 0x10000; ++i)
    for (FloatFormat format : {half, bfloat})
      if (double value = decodeFloat(i, format); !std::isnan(value))
        EXPECT_EQ(encodeFloat(value, format), i);
}

// The host rounds f32 once, in hardware.
TEST(PtxArithmetic, SinglesAgreeWithTheHost) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    float x[3];
    for (float &one : x)
      one = std::ldexp(float(random() % 0x1000000) - 0x800000,
                       int(random() % 40) - 40);
    uint64_t a = bits(x[0]), b = bits(x[1]), c = bits(x[2]);
    EXPECT_EQ(compute("add.rn.f32", a, b), bits(x[0] + x[1]));
    EXPECT_EQ(compute("mul.rn.f32", a, b), bits(x[0] * x[1]));
    EXPECT_EQ(compute("fma.rn.f32", a, b, c), bits(std::fma(x[0], x[1], x[2])));
    if (x[1] != 0) {
      EXPECT_EQ(compute("div.rn.f32", a, b), bits(x[0] / x[1]));
    }
  }
}

TEST(PtxArithmetic, IntegersHaveTheirWidth) {
  EXPECT_EQ(compute("shr.s32", 0x80000000, 40) & 0xFFFFFFFF, 0xFFFFFFFFu);
  EXPECT_EQ(compute("shl.b32", 1, 32) & 0xFFFFFFFF, 0u);
  EXPECT_EQ(compute("mul.hi.u32", 0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFEu);
  EXPECT_EQ(compute("mul.wide.s32", 0xFFFFFFFF, 2), uint64_t(-2));
  EXPECT_EQ(compute("mad.lo.s32", 3, 4, 5), 17u);
  EXPECT_EQ(compute("min.s16", 0xFFFF, 1) & 0xFFFF, 0xFFFFu);
  EXPECT_EQ(compute("min.u16", 0xFFFF, 1), 1u);
  EXPECT_EQ(compute("bfe.u64", 0xABCD, 4, 8), 0xBCu);
  EXPECT_EQ(compute("bfe.s64", 0xABCD, 4, 8), uint64_t(int64_t(int8_t(0xBC))));
  // Bytes 7, 1, the sign of byte 0 eight times, byte 0.
  EXPECT_EQ(compute("prmt.b32", 0x33221180, 0x77665544, 0x7180), 0x7711FF80u);
  EXPECT_EQ(compute("setp.lt.s32", 0xFFFFFFFF, 0), 1u);
  EXPECT_EQ(compute("setp.lt.u32", 0xFFFFFFFF, 0), 0u);
  EXPECT_EQ(compute("selp.b32", 7, 8, 0), 8u);
  EXPECT_EQ(compute("cvt.s16.s8", 0x80) & 0xFFFF, 0xFF80u);
  EXPECT_EQ(compute("cvt.rzi.s32.f32", bits(-3e9f)) & 0xFFFFFFFF, 0x80000000u);
  EXPECT_EQ(compute("cvt.rn.f32.s64", (uint64_t(1) << 62) + (1 << 30)),
            bits(float((int64_t(1) << 62) + (1 << 30))));
}

TEST(PtxArithmetic, NaNsOrderNothing) {
  uint64_t nan = 0x7FC00000, one = bits(1);
  EXPECT_EQ(compute("max.f32", nan, one), one);
  EXPECT_EQ(compute("max.NaN.f32", nan, one), 0x7FFFFFFFu);
  EXPECT_EQ(compute("max.f32", bits(-0.0f), bits(0.0f)), 0u);
  EXPECT_EQ(compute("setp.lt.f32", nan, one), 0u);
  EXPECT_EQ(compute("setp.ltu.f32", nan, one), 1u);
  EXPECT_EQ(compute("setp.ne.f32", nan, one), 0u);
  EXPECT_EQ(compute("setp.neu.f32", nan, one), 1u);
  EXPECT_EQ(compute("setp.nan.f32", nan, one), 1u);
}

/// Runs a kernel of one 32-bit output per thread; `words` receives them.
Fault runBody(llvm::StringRef body, std::vector<uint32_t> &words,
              int threads = 32, uint64_t schedule = 0) {
  std::string text =
      ".visible .entry k(\n.param .u64 k_param_0\n)\n.reqntid " +
      std::to_string(threads) +
      ", 1, 1\n{\n.reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<9>;\n"
      ".shared .align 4 .b8 smem[256];\n"
      "ld.param.b64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
      "mov.b64 %rd4, smem;\nadd.s64 %rd5, %rd4, %rd2;\n" +
      body.str() + "\nret;\n}\n";
  std::string error;
  std::optional<Kernel> kernel = parse(text, error);
  if (!kernel)
    return error;
  words.resize(threads);
  Launch launch;
  launch.schedule = schedule;
  launch.arguments.push_back(
      {true, {reinterpret_cast<uint8_t *>(words.data()), words.size() * 4}});
  return run(*kernel, launch);
}

void expectWords(llvm::StringRef body,
                 llvm::function_ref<uint32_t(uint32_t)> expected,
                 int threads = 32) {
  for (uint64_t schedule : {0, 1}) {
    std::vector<uint32_t> words;
    ASSERT_EQ(runBody((body + "\nst.global.b32 [%rd3], %r9;").str(), words,
                      threads, schedule),
              "");
    for (auto [i, word] : llvm::enumerate(words))
      EXPECT_EQ(word, expected(i)) << "thread " << i;
  }
}

void expectFault(llvm::StringRef body, llvm::StringRef message,
                 int threads = 32) {
  std::vector<uint32_t> words;
  Fault fault = runBody(body, words, threads);
  EXPECT_NE(fault.find(message), std::string::npos) << "fault: " << fault;
}

TEST(PtxMachine, ShufflesFollowModeClampAndSegment) {
  expectWords("shfl.sync.bfly.b32 %r9, %r1, 5, 31, -1;",
              [](uint32_t i) { return i ^ 5; });
  expectWords("shfl.sync.idx.b32 %r9, %r1, 3, 31, -1;",
              [](uint32_t) { return 3u; });
  expectWords("shfl.sync.up.b32 %r9, %r1, 2, 0, -1;",
              [](uint32_t i) { return i < 2 ? i : i - 2; });
  expectWords("shfl.sync.down.b32 %r9, %r1, 2, 31, -1;",
              [](uint32_t i) { return i < 30 ? i + 2 : i; });
  // Segments of 8 lanes: mask 0b11000 in bits 8-12.
  expectWords("shfl.sync.idx.b32 %r9, %r1, 3, 6175, -1;",
              [](uint32_t i) { return i / 8 * 8 + 3; });
  expectWords("shfl.sync.down.b32 %r9, %r1, 2, 6175, -1;",
              [](uint32_t i) { return i % 8 < 6 ? i + 2 : i; });
  expectWords("shfl.sync.down.b32 %r8|%p1, %r1, 2, 31, -1;\n"
              "selp.b32 %r9, 1, 0, %p1;",
              [](uint32_t i) { return i < 30; });
}

TEST(PtxMachine, LanesMeetWhereTheirPathsDo) {
  // The else branch is printed before the condition: addresses say nothing.
  expectWords("mov.b32 %r9, 0;\nbra.uni $L1;\n"
              "$L3:\nshfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;\nbra.uni $L4;\n"
              "$L1:\nand.b32 %r2, %r1, 1;\nsetp.eq.b32 %p1, %r2, 0;\n"
              "@%p1 bra $L3;\nmov.b32 %r9, 7;\nbra.uni $L3;\n$L4:",
              [](uint32_t i) { return i % 2 ? 0u : 7u; });
}

TEST(PtxMachine, LoopsMayTurnDifferentNumbersOfTimes) {
  expectWords("mov.b32 %r9, 0;\nmov.b32 %r2, %r1;\n"
              "$L1:\nadd.s32 %r9, %r9, 2;\nadd.s32 %r2, %r2, -1;\n"
              "setp.ge.s32 %p1, %r2, 0;\n@%p1 bra $L1;\n"
              "shfl.sync.idx.b32 %r3, %r9, 0, 31, -1;\nadd.s32 %r9, %r9, %r3;",
              [](uint32_t i) { return 2 * i + 4; });
}

TEST(PtxMachine, SharedMemoryCrossesSubgroupsBehindABarrier) {
  std::string reversed = "st.shared.b32 [%rd5], %r1;\nbar.sync 0;\n"
                         "xor.b64 %rd6, %rd2, 252;\nadd.s64 %rd7, %rd4, %rd6;\n"
                         "ld.shared.b32 %r9, [%rd7];";
  expectWords(reversed, [](uint32_t i) { return 63 - i; }, 64);
  std::string raced = reversed;
  raced.erase(raced.find("bar.sync 0;\n"), 12);
  expectFault(raced, "unwritten", 64);
  expectFault("st.shared.b32 [%rd5], %r1;\nxor.b64 %rd6, %rd2, 4;\n"
              "add.s64 %rd7, %rd4, %rd6;\nld.shared.b32 %r9, [%rd7];",
              "race");
}

TEST(PtxMachine, PacksAndUnpacksTheLowestBitsFirst) {
  expectWords(".reg .b16 %rs<3>;\nmov.b32 %r2, 0x00050003;\n"
              "mov.b32 {%rs1, %rs2}, %r2;\nmov.b32 %r9, {%rs2, %rs1};",
              [](uint32_t) { return 0x00030005u; });
}

TEST(PtxMachine, NamesWhatIsUndefined) {
  expectFault("ld.global.b32 %r9, [%rd3+4];", "lane 31: out of bounds");
  expectFault("ld.global.b32 %r9, [%rd1+2];", "misaligned");
  expectFault("ld.global.v2.b32 {%r8, %r9}, [%rd1+4];", "misaligned");
  expectFault("ld.shared.b32 %r9, [%rd4+256];", "out of bounds");
  expectFault("ld.shared.b32 %r9, [%rd5];", "unwritten");
  expectFault("st.shared.b32 [%rd4], %r1;", "race");
  expectFault("setp.gt.u32 %p1, %r1, 3;\n@%p1 bra $L1;\nbar.sync 0;\n$L1:",
              "divergent barrier");
  expectFault("setp.gt.u32 %p1, %r1, 31;\n@%p1 bra $L1;\nbar.sync 0;\n$L1:",
              "deadlock", 64);
  expectFault("setp.gt.u32 %p1, %r1, 3;\n@%p1 bra $L1;\n"
              "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;\n$L1:",
              "divergent shuffle");
  expectFault("shfl.sync.bfly.b32 %r9, %r1, 1, 31, 15;", "divergent shuffle");
  expectFault("frobnicate.b32 %r9, %r1;",
              "unknown instruction: frobnicate.b32 %r9, %r1;");
  expectFault("add.rz.f32 %r9, %r1, %r1;", "unknown instruction");
  expectFault("ld.volatile.global.b32 %r9, [%rd3];", "unknown instruction");
}

// A is all zeros but for one element, B too: exactly one of D's is not zero,
// and the figures of the manual say in which lanes all three lie.
TEST(PtxMachine, MmaPutsElementsWhereTheManualSays) {
  // A[9, 10] is element 7 - 1 = 6 of lane 5: group 1, t 1, row + 8, column + 8.
  // B[10, 3] is element 2 of lane 13: t 1, row + 8, group 3.
  // D[9, 3] is element 3 of lane 5: row + 8, column 2 * 1 + 1.
  expectWords("mov.b32 %r10, 0;\nmov.b32 %r11, 0;\n"
              "setp.eq.b32 %p1, %r1, 5;\n@%p1 mov.b32 %r10, 0x00004200;\n"
              "setp.eq.b32 %p2, %r1, 13;\n@%p2 mov.b32 %r11, 0x00004400;\n"
              "mov.b32 %r12, 0;\nmov.b32 %r13, 0f40A00000;\n"
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
              "{%r20, %r21, %r22, %r23},\n{%r12, %r12, %r12, %r10},\n"
              "{%r12, %r11},\n{%r12, %r12, %r12, %r13};\nmov.b32 %r9, %r23;",
              [](uint32_t i) { return bits(i == 5 ? 17 : 5); });
}

} // namespace

//===- SubgroupTest.cpp - What the lanes of a subgroup do together --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

using namespace distaff::ptx;

namespace {

TEST(PtxSubgroup, ShufflesFollowModeClampAndSegment) {
  expectWords("shfl.sync.bfly.b32 %r9, %r1, 5, 31, -1;",
              [](uint32_t i) { return i ^ 5; });
  expectWords("shfl.sync.idx.b32 %r9, %r1, 3, 31, -1;",
              [](uint32_t) { return 3u; });
  expectWords("shfl.sync.up.b32 %r9, %r1, 2, 0, -1;",
              [](uint32_t i) { return i < 2 ? i : i - 2; });
  expectWords("shfl.sync.down.b32 %r9, %r1, 2, 31, -1;",
              [](uint32_t i) { return i < 30 ? i + 2 : i; });
  // Segments of 8 lanes: mask 0b11000 in bits 8 to 12.
  expectWords("shfl.sync.idx.b32 %r9, %r1, 3, 6175, -1;",
              [](uint32_t i) { return i / 8 * 8 + 3; });
  expectWords("shfl.sync.down.b32 %r9, %r1, 2, 6175, -1;",
              [](uint32_t i) { return i % 8 < 6 ? i + 2 : i; });
  expectWords("shfl.sync.up.b32 %r9, %r1, 3, 6144, -1;",
              [](uint32_t i) { return i % 8 < 3 ? i : i - 3; });
  expectWords("shfl.sync.bfly.b32 %r9, %r1, 12, 6175, -1;",
              // Lane 12 of another segment is beyond this one's last lane or
              // before its first, of which only the former counts.
              [](uint32_t i) { return (i ^ 12) <= (i | 7) ? i ^ 12 : i; });
  // A clamp below the segment's end.
  expectWords("shfl.sync.down.b32 %r9|%p1, %r1, 1, 15, -1;\n"
              "selp.b32 %r9, %r9, 99, %p1;",
              [](uint32_t i) { return i < 15 ? i + 1 : 99; });
  expectWords("setp.lt.u32 %p1, %r1, 8;\nmov.b32 %r9, 1;\n"
              "@%p1 shfl.sync.bfly.b32 %r9, %r1, 1, 31, 255;",
              [](uint32_t i) { return i < 8 ? i ^ 1 : 1; });
}

TEST(PtxSubgroup, VotesMatchesAndReductions) {
  expectWords("setp.gt.u32 %p1, %r1, 20;\nvote.sync.ballot.b32 %r9, %p1, -1;",
              [](uint32_t) { return 0xFFE00000u; });
  expectWords("setp.gt.u32 %p1, %r1, 20;\nvote.sync.any.pred %p2, !%p1, -1;\n"
              "vote.sync.all.pred %p3, %p1, -1;\n"
              "vote.sync.uni.pred %p4, %p1, -1;\n"
              "selp.b32 %r2, 1, 0, %p2;\nselp.b32 %r3, 2, 0, %p3;\n"
              "selp.b32 %r4, 4, 0, %p4;\nor.b32 %r9, %r2, %r3;\n"
              "or.b32 %r9, %r9, %r4;",
              [](uint32_t) { return 1u; });
  expectWords("and.b32 %r2, %r1, 3;\nmatch.any.sync.b32 %r9, %r2, -1;",
              [](uint32_t i) { return 0x11111111u << i % 4; });
  expectWords("match.all.sync.b64 %r9|%p1, %rd4, -1;\n"
              "match.all.sync.b32 %r2|%p2, %r1, -1;\nor.b32 %r9, %r9, %r2;\n"
              "selp.b32 %r3, 1, 0, %p2;\nsub.u32 %r9, %r9, %r3;",
              [](uint32_t) { return ~0u; });
  expectWords("redux.sync.add.s32 %r9, %r1, -1;",
              [](uint32_t) { return 496u; });
  expectWords("sub.s32 %r2, %r1, 5;\nredux.sync.min.s32 %r9, %r2, -1;",
              [](uint32_t) { return uint32_t(-5); });
  expectWords("sub.s32 %r2, %r1, 5;\nredux.sync.max.u32 %r9, %r2, -1;",
              [](uint32_t) { return uint32_t(-1); });
  expectWords("redux.sync.xor.b32 %r9, %r1, -1;", [](uint32_t) { return 0u; });
  expectWords("setp.lt.u32 %p1, %r1, 9;\n@%p1 activemask.b32 %r9;\n"
              "@!%p1 activemask.b32 %r9;",
              [](uint32_t i) { return i < 9 ? 0x1FFu : ~0x1FFu; });
}

TEST(PtxSubgroup, MasksMustNameWhoIsThere) {
  for (std::string line :
       {"vote.sync.ballot.b32 %r9, %p1, -1;",
        "redux.sync.add.s32 %r9, %r1, -1;", "match.any.sync.b32 %r9, %r1, -1;",
        "bar.warp.sync -1;", "shfl.sync.idx.b32 %r9, %r1, 0, 31, -1;"})
    expectFault("setp.lt.u32 %p1, %r1, 9;\n@%p1 " + line,
                FaultKind::DivergentBarrier, line);
  expectFault("shfl.sync.idx.b32 %r9, %r1, 20, 31, 15;",
              FaultKind::DivergentBarrier, "shfl");
  // Who has returned need not be there.
  expectWords("setp.ge.u32 %p1, %r1, 16;\nmov.b32 %r9, 0;\n"
              "@%p1 st.global.b32 [%rd3], %r9;\n@%p1 exit;\n"
              "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;",
              [](uint32_t i) { return i < 16 ? i ^ 1 : 0; });
}

//===----------------------------------------------------------------------===//
// Matrices in shared memory
//===----------------------------------------------------------------------===//

// Four matrices of 8 rows of 16 bytes; row r of matrix j begins at 128 j + 16 r
// and element (r, c) of it is 64 j + 8 r + c.
const char *const fill =
    "shl.b32 %r2, %r1, 5;\ncvt.u64.u32 %rd6, %r2;\nadd.s64 %rd7, %rd4, %rd6;\n"
    "shl.b32 %r3, %r1, 4;\nmov.b32 %r4, 0;\n"
    "$FILL:\nadd.u32 %r5, %r3, 1;\nshl.b32 %r5, %r5, 16;\nor.b32 %r5, %r5, "
    "%r3;\n"
    "st.shared.b32 [%rd7], %r5;\nadd.s64 %rd7, %rd7, 4;\nadd.u32 %r3, %r3, 2;\n"
    "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 8;\n@%p1 bra $FILL;\n"
    "bar.sync 0;\nshl.b32 %r2, %r1, 4;\ncvt.u64.u32 %rd6, %r2;\n"
    "add.s64 %rd7, %rd4, %rd6;\n";

uint32_t element(uint32_t matrix, uint32_t row, uint32_t column) {
  return 64 * matrix + 8 * row + column;
}

TEST(PtxSubgroup, LdmatrixGivesRowsOrColumns) {
  for (unsigned j = 0; j < 4; ++j) {
    std::string words[] = {"%r20", "%r21", "%r22", "%r23"};
    std::string move = "\nmov.b32 %r9, " + words[j] + ";";
    expectWords(fill +
                    std::string("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                                "{%r20, %r21, %r22, %r23}, [%rd7];") +
                    move,
                [=](uint32_t i) {
                  return element(j, i / 4, i % 4 * 2 + 1) << 16 |
                         element(j, i / 4, i % 4 * 2);
                });
    expectWords(fill +
                    std::string("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                                " {%r20, %r21, %r22, %r23}, [%rd7];") +
                    move,
                [=](uint32_t i) {
                  return element(j, i % 4 * 2 + 1, i / 4) << 16 |
                         element(j, i % 4 * 2, i / 4);
                });
  }
  // ptxas takes the words in any order, and some compilers have another one.
  for (const char *words : {"sync.aligned.x4.m8n8.shared.b16",
                            "sync.aligned.x4.m8n8.shared::cta.b16",
                            "x4.shared.b16.m8n8.sync.aligned"})
    expectWords(std::string(fill) + "ldmatrix." + words +
                    " {%r20, %r21, %r22, %r9}, [%rd7];",
                [=](uint32_t i) {
                  return element(3, i / 4, i % 4 * 2 + 1) << 16 |
                         element(3, i / 4, i % 4 * 2);
                });
  for (const char *words :
       {"sync.aligned.m8n8.x4.x4.shared.b16", "sync.aligned.x4.shared.b16",
        "sync.aligned.m8n8.x4.shared.b32", "aligned.m8n8.x4.shared.b16",
        "sync.aligned.m8n8.m8n8.x4.shared.b16"})
    expectFault(std::string(fill) + "ldmatrix." + words +
                    " {%r20, %r21, %r22, %r9}, [%rd7];",
                FaultKind::NotModelled, words);
  expectWords(fill + std::string("ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
                                 "{%r20}, [%rd7];\n"
                                 "movmatrix.sync.aligned.m8n8.trans.b16 %r9, "
                                 "%r20;"),
              [](uint32_t i) {
                return element(0, i % 4 * 2 + 1, i / 4) << 16 |
                       element(0, i % 4 * 2, i / 4);
              });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// One row of the manual's tables: fragments as pictures of who holds what.
struct Mma {
  const char *name, *types; ///< "m16n8k16", "f32.f16.f16.f32"
  unsigned m, k, bits;      ///< of an element of A and B
  std::string extra = "";   ///< ".satfinite", ".xor.popc" behind the types
  bool isSigned = true;
};

/// The manual's piecewise formulas: (row, column) of element i of a lane.
struct Place {
  unsigned row, column;
};

Place placeOfA(const Mma &mma, unsigned lane, unsigned i) {
  unsigned group = lane >> 2, inGroup = lane & 3;
  unsigned run = std::max(1u, 32 / mma.bits); // of neighbours in a row
  if (mma.m == 8)
    return {group, inGroup * run + (i & (run - 1))};
  if (mma.bits == 64)
    return {i % 2 == 0 ? group : group + 8, i / 2 * 4 + inGroup};
  // m16: runs 0 and 2 lie in the upper rows, 0 and 1 in the left columns.
  bool upper = i < run || (2 * run <= i && i < 3 * run);
  bool left = i < 2 * run;
  return {upper ? group : group + 8,
          inGroup * run + (i & (run - 1)) + (left ? 0 : 4 * run)};
}

Place placeOfB(const Mma &mma, unsigned lane, unsigned i) {
  unsigned run = std::max(1u, 32 / mma.bits);
  if (mma.bits == 64)
    return {i * 4 + (lane & 3), lane >> 2};
  unsigned row = (lane & 3) * run + (i & (run - 1));
  return {i < run ? row : row + 4 * run, lane >> 2};
}

Place placeOfC(unsigned lane, unsigned i) {
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, (lane & 3) * 2 + (i & 1)};
}

/// Numbers that every type but b1 holds, and their bits.
struct Number {
  int value;
  uint64_t bits;
};

Number drawNumber(std::mt19937 &random, const std::string &type) {
  int value = int(random() % 15) - 7;
  if (type == "u8" || type == "u4")
    return {std::abs(value), uint64_t(std::abs(value))};
  if (type == "b1")
    return {value & 1, uint64_t(value & 1)};
  if (type == "f16") // exact: a few bits around the exponent of 1
    return {value, [&] {
              float f = value;
              uint32_t b = std::bit_cast<uint32_t>(f);
              if (value == 0)
                return uint64_t(0);
              return uint64_t((b >> 16 & 0x8000) |
                              (((b >> 23 & 0xFF) - 112) << 10) |
                              (b >> 13 & 0x3FF));
            }()};
  float single = value;
  if (type == "bf16")
    return {value, std::bit_cast<uint32_t>(single) >> 16};
  if (type == "e4m3" || type == "e5m2") { // exact too
    unsigned fraction = type == "e4m3" ? 3 : 2, bias = type == "e4m3" ? 7 : 15;
    uint32_t b = std::bit_cast<uint32_t>(single);
    if (value == 0)
      return {0, 0};
    return {value, uint64_t(b >> 31 << 7 |
                            ((b >> 23 & 0xFF) - 127 + bias) << fraction |
                            (b >> (23 - fraction) & ((1u << fraction) - 1)))};
  }
  if (type == "tf32") // what tf32 does not have is ignored
    return {value, std::bit_cast<uint32_t>(single) | (random() & 0x1FFF)};
  if (type == "f64")
    return {value, std::bit_cast<uint64_t>(double(value))};
  return {value, uint64_t(value) & (type == "s4" ? 15 : 255)};
}

/// A kernel whose lanes read their fragments as 64-bit words from `in` and
/// write those of D to `out`.
std::string mmaKernel(const Mma &mma, unsigned a, unsigned b, unsigned c) {
  bool isDouble = mma.bits == 64;
  std::string reg = isDouble ? "%d" : "%w";
  auto list = [&](unsigned from, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", " : "") + reg + std::to_string(from + i);
    return text + "}";
  };
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .b64 %d<40>;\n.reg .b32 %w<40>;\n.reg .b64 %p0, %p1;\n"
      ".reg .b32 %t;\nld.param.u64 %p0, [in];\nld.param.u64 %p1, [out];\n"
      "mov.u32 %t, %tid.x;\nmad.wide.u32 %p0, %t, 128, %p0;\n"
      "mad.wide.u32 %p1, %t, 32, %p1;\n";
  for (unsigned i = 0; i < a + b + c; ++i) {
    std::string n = std::to_string(i);
    text += "ld.global.b64 %d" + n + ", [%p0+" + std::to_string(8 * i) + "];\n";
    if (!isDouble)
      text += "cvt.u32.u64 %w" + n + ", %d" + n + ";\n";
  }
  text += "mma.sync.aligned." + std::string(mma.name) + ".row.col" +
          (mma.extra[0] == '.' && mma.extra[1] == 's' ? mma.extra : "") + "." +
          mma.types +
          (mma.extra.find("popc") != mma.extra.npos ? mma.extra : "") + "\n" +
          list(30, c) + ",\n" + list(0, a) + ",\n" + list(a, b) + ",\n" +
          list(a + b, c) + ";\n";
  for (unsigned i = 0; i < c; ++i)
    text += std::string(isDouble ? "st.global.b64" : "st.global.b32") +
            " [%p1+" + std::to_string(8 * i) + "], " + reg +
            std::to_string(30 + i) + ";\n";
  return text + "ret;\n}\n";
}

class PtxMma : public testing::TestWithParam<Mma> {};

/// One product: its types, matrices and the words that the lanes hold.
struct Problem {
  const Mma &mma;
  std::string typeA, typeB, typeD;
  unsigned per, perC;              ///< elements of a word
  unsigned countA, countB, countC; ///< elements of a lane
  unsigned a, b, c;                ///< words of a lane
  std::vector<std::vector<int>> A, B, C;
  std::vector<uint64_t> in, out;

  explicit Problem(const Mma &mma) : mma(mma) {
    std::string types = mma.types;
    size_t first = types.find('.'), second = types.find('.', first + 1),
           third = types.find('.', second + 1);
    typeD = types.substr(0, first);
    typeA = types.substr(first + 1, second - first - 1);
    typeB = types.substr(second + 1, third - second - 1);
    per = (mma.bits == 64 ? 64 : 32) / mma.bits;
    perC = typeD == "f16" ? 2 : 1;
    countA = mma.m * mma.k / 32;
    countB = 8 * mma.k / 32;
    countC = mma.m * 8 / 32;
    a = countA / per;
    b = countB / per;
    c = countC / perC;
    A.assign(16, std::vector<int>(256));
    B.assign(256, std::vector<int>(8));
    C.assign(16, std::vector<int>(8));
    in.resize(32 * 16);
    out.resize(32 * 4);
  }

  void put(unsigned lane, unsigned first, unsigned i, unsigned perWord,
           unsigned bits, uint64_t value) {
    in[lane * 16 + first + i / perWord] |= value << (i % perWord * bits);
  }

  Number drawC(std::mt19937 &random) const {
    if (typeD == "s32") {
      int value = int(random() % 1000);
      return {value, uint64_t(value)};
    }
    Number number = drawNumber(random, typeD == "f32" ? "f16" : typeD);
    if (typeD == "f32")
      number.bits = std::bit_cast<uint32_t>(float(number.value));
    return number;
  }

  void draw(std::mt19937 &random) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < countA; ++i) {
        Number number = drawNumber(random, typeA);
        auto [row, column] = placeOfA(mma, lane, i);
        A[row][column] = number.value;
        put(lane, 0, i, per, mma.bits, number.bits);
      }
      for (unsigned i = 0; i < countB; ++i) {
        Number number = drawNumber(random, typeB);
        auto [row, column] = placeOfB(mma, lane, i);
        B[row][column] = number.value;
        put(lane, a, i, per, mma.bits, number.bits);
      }
      for (unsigned i = 0; i < countC; ++i) {
        Number number = drawC(random);
        auto [row, column] = placeOfC(lane, i);
        C[row][column] = number.value;
        put(lane, a + b, i, perC, 16, number.bits);
      }
    }
  }

  int expected(unsigned row, unsigned column) const {
    bool isXor = mma.extra.find("xor") != mma.extra.npos;
    int sum = C[row][column];
    for (unsigned k = 0; k < mma.k; ++k)
      sum += isXor ? A[row][k] ^ B[k][column] : A[row][k] * B[k][column];
    return sum;
  }

  /// Element i of D in a lane. Halves are sums of small integers: normal.
  double result(unsigned lane, unsigned i) const {
    uint64_t word = out[lane * 4 + i / perC];
    if (typeD == "f64")
      return std::bit_cast<double>(word);
    if (typeD == "f32")
      return std::bit_cast<float>(uint32_t(word));
    if (typeD == "s32")
      return int32_t(word);
    uint32_t half = word >> (16 * (i % 2)) & 0xFFFF, magnitude = half & 0x7FFF;
    double value =
        magnitude ? std::bit_cast<float>((magnitude << 13) + (112u << 23)) : 0;
    return half & 0x8000 ? -value : value;
  }
};

TEST_P(PtxMma, MultipliesMatrices) {
  Problem problem(GetParam());
  ParseError error;
  std::optional<Module> module = parseModule(
      mmaKernel(problem.mma, problem.a, problem.b, problem.c), error);
  ASSERT_TRUE(module) << error.line << ": " << error.text;
  std::mt19937 random(11);
  problem.draw(random);
  Launch launch;
  launch.workgroup = {32, 1, 1};
  launch.arguments = {
      Argument::buffer(problem.in.data(), problem.in.size() * 8),
      Argument::buffer(problem.out.data(), problem.out.size() * 8)};
  Outcome outcome = run(*module, launch);
  ASSERT_EQ(outcome.verdict, Verdict::Completed)
      << (outcome.faults.empty() ? outcome.text : toString(outcome.faults[0]));
  EXPECT_EQ(outcome.counters.mma, 1);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < problem.countC; ++i) {
      auto [row, column] = placeOfC(lane, i);
      EXPECT_EQ(problem.result(lane, i), problem.expected(row, column))
          << "lane " << lane << " element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    EveryShape, PtxMma,
    testing::Values(Mma{"m16n8k8", "f32.f16.f16.f32", 16, 8, 16},
                    Mma{"m16n8k8", "f16.f16.f16.f16", 16, 8, 16},
                    Mma{"m16n8k8", "f32.bf16.bf16.f32", 16, 8, 16},
                    Mma{"m16n8k16", "f32.f16.f16.f32", 16, 16, 16},
                    Mma{"m16n8k16", "f16.f16.f16.f16", 16, 16, 16},
                    Mma{"m16n8k16", "f32.bf16.bf16.f32", 16, 16, 16},
                    Mma{"m16n8k4", "f32.tf32.tf32.f32", 16, 4, 32},
                    Mma{"m16n8k8", "f32.tf32.tf32.f32", 16, 8, 32},
                    Mma{"m8n8k4", "f64.f64.f64.f64", 8, 4, 64},
                    Mma{"m16n8k4", "f64.f64.f64.f64", 16, 4, 64},
                    Mma{"m16n8k8", "f64.f64.f64.f64", 16, 8, 64},
                    Mma{"m16n8k16", "f64.f64.f64.f64", 16, 16, 64},
                    Mma{"m16n8k32", "f32.e4m3.e4m3.f32", 16, 32, 8},
                    Mma{"m16n8k32", "f32.e5m2.e5m2.f32", 16, 32, 8},
                    Mma{"m16n8k32", "f32.e4m3.e5m2.f32", 16, 32, 8},
                    Mma{"m16n8k32", "f32.e5m2.e4m3.f32", 16, 32, 8},
                    Mma{"m8n8k16", "s32.s8.s8.s32", 8, 16, 8},
                    Mma{"m16n8k16", "s32.u8.s8.s32", 16, 16, 8},
                    Mma{"m16n8k32", "s32.s8.s8.s32", 16, 32, 8, ".satfinite"},
                    Mma{"m16n8k32", "s32.s8.u8.s32", 16, 32, 8},
                    Mma{"m8n8k32", "s32.s4.s4.s32", 8, 32, 4},
                    Mma{"m16n8k32", "s32.u4.s4.s32", 16, 32, 4},
                    Mma{"m16n8k64", "s32.s4.u4.s32", 16, 64, 4, ".satfinite"},
                    Mma{"m8n8k128", "s32.b1.b1.s32", 8, 128, 1, ".xor.popc"},
                    Mma{"m16n8k128", "s32.b1.b1.s32", 16, 128, 1, ".and.popc"},
                    Mma{"m16n8k256", "s32.b1.b1.s32", 16, 256, 1, ".xor.popc"}),
    [](const testing::TestParamInfo<Mma> &info) {
      std::string name = std::string(info.param.name) + "_" + info.param.types;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

TEST(PtxSubgroup, IntegerProductsWrapOrClamp) {
  // Every product is 127 * 127, 16 of them, onto 2^31 - 1.
  std::string operands = " {%r20, %r21},\n{%r10},\n{%r10},\n{%r11, %r11};\n"
                         "mov.b32 %r9, %r20;";
  std::string values = "mov.b32 %r10, 0x7F7F7F7F;\nmov.b32 %r11, 0x7FFFFFFF;\n";
  expectWords(values + "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32" +
                  operands,
              [](uint32_t) { return 0x7FFFFFFFu + 16 * 127 * 127; });
  expectWords(values +
                  "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32" +
                  operands,
              [](uint32_t) { return 0x7FFFFFFFu; });
}

} // namespace

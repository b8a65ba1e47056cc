//===- LlvmInstructionsTest.cpp - Modifiers, targets and partial subgroups ===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What instructions are told beside their operands, and what not every target
// has.
//
//===----------------------------------------------------------------------===//
#include "LlvmKernel.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

std::string i32(std::string name, int64_t value) {
  return "%" + name + " = llvm.mlir.constant(" + std::to_string(value) +
         " : i32) : i32\n";
}

Ending endingOf(const Vendor &vendor, std::string body, int64_t threads) {
  return execute(perLane(vendor, threads, "i32", "i32", body),
                 {array("i32", {threads}, Values(threads, 0)),
                  array("i32", {threads}, Values(threads, 0))},
                 optionsOf(vendor, threads));
}

std::string faultName(const Ending &ending) {
  return ending.fault ? nameOf(*ending.fault).str() : ending.error;
}

Vendor amdOf(std::string target, int64_t subgroup = 64) {
  Vendor vendor = amd;
  vendor.target = target;
  vendor.subgroup = subgroup;
  return vendor;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// A has one byte everywhere and B another: a sum is c + 16 a b.
std::string integerMma(int a, int b, std::string overflow) {
  return i32("a", 0x01010101LL * a) + i32("b", 0x01010101LL * b) +
         "%d = nvvm.mma.sync A[%a, %a] B[%b] C[%v, %v, %v, %v] {" + overflow +
         "layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
         "multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = "
         "#nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : "
         "(i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>\n"
         "%r = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>";
}

TEST(NvvmMatrices, SumsOfIntegersWrapOrAreClamped) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  for (int a : {0, 1, 127})
    for (int b : {0, 1, 127})
      for (int64_t c : {most, most - 1, most - 16 * 127, int64_t(0), -most - 1})
        for (bool isClamped : {false, true}) {
          int64_t sum = c + 16 * a * b;
          double expected = isClamped ? std::min(sum, most) : int32_t(sum);
          std::string overflow =
              std::string("intOverflowBehavior = #nvvm.mma_int_overflow<") +
              (isClamped ? "satfinite" : "wrapped") + ">, ";
          EXPECT_EQ(computed(nvidia, "i32", "i32", integerMma(a, b, overflow),
                             Values(32, c)),
                    Values(32, expected))
              << a << " " << b << " " << c;
        }
}

/// D[r][n] is the sum of row r of A, whose elements lanes 4 r to 4 r + 3 hold.
TEST(NvvmMatrices, BitsThatTf32DoesNotHaveAreIgnored) {
  std::mt19937 random(5);
  Values bits, expected;
  std::array<double, 32> kept;
  for (int l = 0; l < 32; ++l) {
    uint32_t word = 0x3F800000 | (random() & 0x7FFFFF);
    word |= l % 3 == 0 ? 0x1FFF : 0; // rounds up
    bits.push_back(word);
    kept[l] = llvm::bit_cast<float>(word & ~0x1FFFu);
  }
  for (int l = 0; l < 32; ++l) {
    int first = l / 4 * 4;
    expected.push_back(kept[first] + kept[first + 1] + kept[first + 2] +
                       kept[first + 3]);
  }
  EXPECT_EQ(
      computed(nvidia, "i32", "f32",
               i32("one", 0x3F800000) +
                   "%z = llvm.mlir.constant(0.0 : f32) : f32\n"
                   "%d = nvvm.mma.sync A[%v, %v] B[%one] C[%z, %z, %z, %z] "
                   "{layoutA = #nvvm.mma_layout<row>, layoutB = "
                   "#nvvm.mma_layout<col>, multiplicandAPtxType = "
                   "#nvvm.mma_type<tf32>, multiplicandBPtxType = "
                   "#nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, "
                   "k = 4>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, "
                   "f32)>\n"
                   "%r = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, "
                   "f32, f32)>",
               bits),
      expected);
}

std::string mfma(std::string name, std::string in, std::string acc) {
  return i32("c0", 0) + "%a = llvm.mlir.zero : " + in +
         "\n%z = llvm.mlir.zero : " + acc + "\n%d = rocdl." + name +
         " %a, %a, %z, %c0, %c0, %c0 : (" + in + ", " + in + ", " + acc +
         ", i32, i32, i32) -> " + acc + "\n%r = llvm.freeze %v : i32";
}

/// A subgroup without all its lanes has no matrices: who is behind the end of
/// the workgroup is as missing as who is elsewhere.
TEST(LlvmMatrices, AllLanesOfTheHardwareTakePart) {
  for (int64_t threads : {16, 31, 33, 32}) {
    std::string expected = threads == 32 ? "" : "divergent barrier";
    std::string matrix = integerMma(
        1, 1, "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, ");
    EXPECT_EQ(faultName(endingOf(nvidia, matrix, threads)), expected)
        << threads;
  }
  std::string wide =
      mfma("mfma.f32.16x16x16f16", "vector<4xf16>", "vector<4xf32>");
  for (int64_t threads : {32, 63, 65, 64}) {
    EXPECT_EQ(faultName(endingOf(amd, wide, threads)),
              threads == 64 ? "" : "divergent barrier")
        << threads;
  }
  // Both forms of ldmatrix.
  for (int64_t threads : {16, 32}) {
    std::string expected = threads == 32 ? "" : "divergent barrier";
    std::string count = std::to_string(threads);
    EXPECT_EQ(
        faultOf(R"(gpu.module @m {
      gpu.func @f(%o: memref<1xf16>, %s: memref<8x8xf16, #gpu.address_space<workgroup>>)
          kernel attributes {known_block_size = array<i32: )" +
                    count + R"(, 1, 1>} {
        %t = gpu.thread_id x
        %c0 = arith.constant 0 : index
        %c8 = arith.constant 8 : index
        %r = arith.remui %t, %c8 : index
        %m = nvgpu.ldmatrix %s[%r, %c0] {numTiles = 1 : i32, transpose = false}
            : memref<8x8xf16, #gpu.address_space<workgroup>> -> vector<1x2xf16>
        gpu.return
      } })",
                {array("f16", {1}, {0}), array("f16", {8, 8}, Values(64, 1))},
                optionsOf(nvidia, threads)),
        expected);
    std::string load =
        "%s = llvm.mlir.addressof @s : !llvm.ptr<3>\n" + i32("c7", 7) +
        "%row = llvm.and %lane, %c7 : i32\n"
        "%p = llvm.getelementptr %s[%row] : (!llvm.ptr<3>, i32) -> "
        "!llvm.ptr<3>, !llvm.array<8 x i16>\n"
        "%x = nvvm.ldmatrix %p {num = 1 : i32, layout = "
        "#nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = "
        "8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> "
        "i32\n";
    EXPECT_EQ(faultOf(llvmKernel(nvidia, threads, "memref<1xi32>",
                                 "memref<1xi32>", load,
                                 "llvm.mlir.global private @s() {addr_space = "
                                 "3 : i32, alignment = 16 : i64} : "
                                 "!llvm.array<64 x i16>"),
                      {array("i32", {1}, {0}), array("i32", {1}, {0})},
                      optionsOf(nvidia, threads)) == "divergent barrier",
              threads != 32);
  }
}

/// Which generation added which instructions.
TEST(RocdlMatrices, TargetsHaveTheirOwnInstructions) {
  struct Case {
    std::string body;
    std::vector<std::string> targets;
  };
  std::vector<std::string> all = {"gfx908", "gfx90a", "gfx942", "gfx950"};
  for (const Case &each : std::initializer_list<Case>{
           {mfma("mfma.f32.16x16x16f16", "vector<4xf16>", "vector<4xf32>"),
            all},
           {mfma("mfma.f32.16x16x16bf16.1k", "vector<4xi16>", "vector<4xf32>"),
            {"gfx90a", "gfx942", "gfx950"}},
           {mfma("mfma.f64.16x16x4f64", "f64", "vector<4xf64>"),
            {"gfx90a", "gfx942", "gfx950"}},
           {mfma("mfma.i32.16x16x32.i8", "i64", "vector<4xi32>"),
            {"gfx942", "gfx950"}},
           {mfma("mfma.f32.16x16x32.fp8.fp8", "i64", "vector<4xf32>"),
            {"gfx942", "gfx950"}},
           {mfma("mfma.f32.16x16x8.xf32", "vector<2xf32>", "vector<4xf32>"),
            {"gfx942"}},
           {mfma("mfma.f32.16x16x32.f16", "vector<8xf16>", "vector<4xf32>"),
            {"gfx950"}},
           {mfma("mfma.f32.32x32x16.bf16", "vector<8xbf16>", "vector<16xf32>"),
            {"gfx950"}},
           {mfma("mfma.i32.16x16x64.i8", "vector<4xi32>", "vector<4xi32>"),
            {"gfx950"}}})
    for (const std::string &target : all)
      EXPECT_EQ(endingOf(amdOf(target), each.body, 64).verdict,
                llvm::is_contained(each.targets, target) ? Verdict::Fine
                                                         : Verdict::NotModelled)
          << target << "\n"
          << each.body;
}

/// An instruction as text gets its registers by letters, which say what they
/// are and which are written.
TEST(NvvmMatrices, ConstraintsOfInlineAssemblyAreRead) {
  auto verdict = [&](std::string constraints) {
    return endingOf(
               nvidia,
               "%z = llvm.mlir.constant(0.0 : f32) : f32\n"
               "%d = llvm.inline_asm has_side_effects "
               "\"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {$0, "
               "$1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, "
               "$13};\", \"" +
                   constraints +
                   "\" %v, %v, %v, %v, %v, %v, %z, %z, %z, %z : (i32, i32, "
                   "i32, i32, i32, i32, f32, f32, f32, f32) -> "
                   "!llvm.struct<(f32, f32, f32, f32)>\n"
                   "%r = llvm.freeze %v : i32",
               32)
        .verdict;
  };
  EXPECT_EQ(verdict("=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"), Verdict::Fine);
  EXPECT_EQ(verdict("=f,=f,=f,=f,r,r,r,r,r,f,r,f,f,f"), Verdict::NotModelled);
  EXPECT_EQ(verdict("=f,=f,=f,f,r,r,r,r,r,r,f,f,f,f"), Verdict::NotModelled);
  EXPECT_EQ(verdict("=f,=f,=f,=&f,r,r,r,r,r,r,f,f,f,f"), Verdict::NotModelled);
  EXPECT_EQ(verdict("=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"), Verdict::NotModelled);
  EXPECT_EQ(verdict("=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f,~{memory}"),
            Verdict::NotModelled);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Only the upper row takes part, and reads the lower one.
TEST(RocdlInstructions, RowsThatTakeNoPartGiveWhatTheOpSays) {
  auto with = [&](std::string fetch, std::string bound) {
    std::string body = i32("c0", 0) + i32("c16", 16) + i32("old", 99) +
                       "%big = llvm.icmp \"sge\" %lane, %c16 : i32\n"
                       "llvm.cond_br %big, ^a, ^b(%c0 : i32)\n^a:\n"
                       "%x = rocdl.permlanex16 %old, %v, %c0, %c0, " +
                       fetch + ", " + bound +
                       " : i32, i32\nllvm.br ^b(%x : i32)\n^b(%r: i32):";
    Values numbers;
    for (int l = 0; l < 32; ++l)
      numbers.push_back(100 + l);
    Vendor rdna = amdOf("gfx1201", 32);
    return execute(
        perLane(rdna, 32, "i32", "i32", body),
        {array("i32", {32}, numbers), array("i32", {32}, Values(32, -1))},
        optionsOf(rdna, 32));
  };
  Ending kept = with("false", "false"), zero = with("false", "true");
  ASSERT_EQ(kept.error + zero.error, "");
  for (int l = 0; l < 32; ++l) {
    EXPECT_EQ(kept.arguments[1][l], l < 16 ? 0 : 99);
    EXPECT_EQ(zero.arguments[1][l], 0);
  }
  EXPECT_EQ(with("true", "false").verdict, Verdict::NotModelled);
}

TEST(RocdlInstructions, OldTargetsShareNoRows) {
  auto verdict = [&](std::string target) {
    return endingOf(amdOf(target),
                    i32("old", -1) +
                        "%r = rocdl.update.dpp %old, %v with 341, 15, 15, "
                        "false : i32",
                    64)
        .verdict;
  };
  EXPECT_EQ(verdict("gfx908"), Verdict::NotModelled);
  EXPECT_EQ(verdict("gfx90a"), Verdict::Fine);
}

TEST(NvvmInstructions, OneOfTheLanesThatAMaskNamesIsElected) {
  auto with = [&](std::string mask) {
    std::string body = i32("c0", 0) + i32("c8", 8) + i32("low", 255) +
                       i32("more", 511) +
                       "%few = llvm.icmp \"slt\" %lane, %c8 : i32\n"
                       "llvm.cond_br %few, ^a, ^b(%c0 : i32)\n^a:\n"
                       "%e = nvvm.elect.sync " +
                       mask +
                       "-> i1\n%x = llvm.zext %e : i1 to i32\n"
                       "llvm.br ^b(%x : i32)\n^b(%r: i32):";
    return endingOf(nvidia, body, 32);
  };
  Ending ending = with("%low ");
  ASSERT_EQ(ending.error, "");
  double elected = 0;
  for (double value : ending.arguments[1])
    elected += value;
  EXPECT_EQ(elected, 1);
  EXPECT_EQ(with("").fault, FaultKind::DivergentBarrier);
  EXPECT_EQ(with("%more ").fault, FaultKind::DivergentBarrier);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

TEST(NvvmInstructions, ReciprocalsFlushSubnormals) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      computed(nvidia, "f32", "f32", "%r = nvvm.rcp.approx.ftz.f %v : f32",
               {2, -4, 1.2e38, -1.2e38, 0x1p126, 0x1p-127, -0x1p-149, 0x1p-126,
                infinity}),
      (Values{0.5, -0.25, 0, -0.0, 0x1p-126, infinity, -infinity, 0x1p126, 0}));
}

/// VX-260
TEST(NvvmInstructions, ExponentialsFlushSubnormals) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(computed(nvidia, "f32", "f32",
                     "%r = llvm.call_intrinsic \"llvm.nvvm.ex2.approx.ftz.f32\""
                     "(%v) : (f32) -> f32",
                     {3, -126, -126.5, -149, -1e30, -0x1p-140, 128, infinity,
                      -infinity}),
            (Values{8, 0x1p-126, 0, 0, 0, 1, infinity, infinity, 0}));
}

TEST(RocdlInstructions, ApproximationsFlushSubnormals) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(computed(amd, "f32", "f32", "%r = rocdl.exp2 %v f32 -> f32",
                     {3, -126, -127, -1e30, 0x1p-140, 128}),
            (Values{8, 0x1p-126, 0, 0, 1, infinity}));
  EXPECT_EQ(computed(amd, "f32", "f32", "%r = rocdl.rcp %v f32 -> f32",
                     {-4, 0x1p126, 0x1p127, -0x1p-130, infinity, -0.0}),
            (Values{-0.25, 0x1p-126, 0, -infinity, 0, -infinity}));
}

/// Of both formats, every NaN has all bits but the sign.
TEST(NvvmInstructions, NarrowNaNsHaveAllBits) {
  double nan = std::numeric_limits<double>::quiet_NaN(),
         infinity = std::numeric_limits<double>::infinity();
  for (auto [type, largest] :
       {std::pair("f8E4M3FN", 0x7E), std::pair("f8E5M2", 0x7B)})
    EXPECT_EQ(computed(nvidia, "f32", "i32",
                       std::string("%p = nvvm.convert.f32x2.to.f8x2 %v, %v "
                                   "{sat = #nvvm.sat_mode<satfinite>, rnd = "
                                   "#nvvm.fp_rnd_mode<rn>} : i16 (") +
                           type + ")\n%r = llvm.zext %p : i16 to i32",
                       {nan, -nan, infinity, 1e9, -infinity}),
              (Values{0x7F7F, 0x7F7F, largest * 257.0, largest * 257.0,
                      (largest | 0x80) * 257.0}))
        << type;
}

TEST(RocdlInstructions, BytesThatAWordDoesNotHaveAreNotModelled) {
  for (auto [byte, verdict] :
       {std::pair(0, Verdict::Fine), std::pair(3, Verdict::Fine),
        std::pair(4, Verdict::NotModelled), std::pair(-1, Verdict::NotModelled),
        std::pair(-100000000, Verdict::NotModelled)})
    EXPECT_EQ(endingOf(amd,
                       "%f = rocdl.cvt.f32.fp8 %v[" + std::to_string(byte) +
                           "] : f32\n%r = llvm.bitcast %f : f32 to i32",
                       64)
                  .verdict,
              verdict)
        << byte;
}

} // namespace

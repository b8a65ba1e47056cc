//===- LlvmLanesTest.cpp - Ops of nvvm and rocdl between lanes ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who reads whom is written down here once more, from the PTX ISA and AMD's ISA
// documents.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Ops/FragmentMaps.h"
#include "LlvmKernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// Lane l holds 100 + l; `expected(l)` is what it gets.
void expectLanesOfLanes(const Vendor &vendor, std::string body,
                        llvm::function_ref<int64_t(int64_t)> expected,
                        int64_t threads = 0) {
  threads = threads ? threads : vendor.subgroup;
  Values in, out;
  for (int64_t lane = 0; lane < threads; ++lane) {
    in.push_back(100 + lane);
    out.push_back(expected(lane));
  }
  EXPECT_EQ(computed(vendor, "i32", "i32", body, in), out) << body;
}

std::string i32OfLanes(std::string name, int64_t value) {
  return "%" + name + " = llvm.mlir.constant(" + std::to_string(value) +
         " : i32) : i32\n";
}

//===----------------------------------------------------------------------===//
// NVIDIA
//===----------------------------------------------------------------------===//

std::string shuffle(std::string kind, int64_t by, int64_t maskAndClamp) {
  return i32OfLanes("all", -1) + i32OfLanes("by", by) +
         i32OfLanes("c", maskAndClamp) + "%r = nvvm.shfl.sync " + kind +
         " %all, %v, %by, %c : i32 -> i32";
}

TEST(NvvmLanes, ShufflesStayInTheirSegment) {
  expectLanesOfLanes(nvidia, shuffle("bfly", 5, 31),
                     [](int64_t l) { return 100 + (l ^ 5); });
  expectLanesOfLanes(nvidia, shuffle("down", 3, 31),
                     [](int64_t l) { return 100 + (l + 3 < 32 ? l + 3 : l); });
  expectLanesOfLanes(nvidia, shuffle("up", 3, 0),
                     [](int64_t l) { return 100 + (l >= 3 ? l - 3 : l); });
  expectLanesOfLanes(nvidia, shuffle("idx", 9, 31),
                     [](int64_t) { return 109; });
  // Segments of 8: the mask is 24, the clamp 31 (of down) and 0 (of up).
  expectLanesOfLanes(nvidia, shuffle("down", 3, 24 << 8 | 31), [](int64_t l) {
    return 100 + (l % 8 + 3 < 8 ? l + 3 : l);
  });
  expectLanesOfLanes(nvidia, shuffle("up", 3, 24 << 8),
                     [](int64_t l) { return 100 + (l % 8 >= 3 ? l - 3 : l); });
  expectLanesOfLanes(nvidia, shuffle("idx", 10, 24 << 8 | 31),
                     [](int64_t l) { return 100 + (l & 24) + 2; });
}

TEST(NvvmLanes, AShuffleSaysWhetherItsSourceIsThere) {
  expectLanesOfLanes(
      nvidia,
      i32OfLanes("all", -1) + i32OfLanes("by", 30) + i32OfLanes("c", 31) +
          "%s = nvvm.shfl.sync down %all, %v, %by, %c "
          "{return_value_and_is_valid} : i32 -> !llvm.struct<(i32, "
          "i1)>\n%ok = llvm.extractvalue %s[1] : !llvm.struct<(i32, "
          "i1)>\n%r = llvm.zext %ok : i1 to i32",
      [](int64_t l) { return l < 2; });
}

/// Half of the lanes are elsewhere, and the mask names all.
TEST(NvvmLanes, AllThatAMaskNamesMustBeThere) {
  for (int64_t mask : {-1, 0xFFFF}) {
    std::string body = i32OfLanes("half", 16) + i32OfLanes("m", mask) +
                       i32OfLanes("by", 1) + i32OfLanes("c", 31) + R"(
      %low = llvm.icmp "ult" %lane, %half : i32
      llvm.cond_br %low, ^here, ^out
    ^here:
      %s = nvvm.shfl.sync bfly %m, %by, %by, %c : i32 -> i32
      llvm.br ^out
    ^out:)";
    Ending ending =
        execute(llvmKernel(nvidia, 32, "memref<1xi32>", "memref<1xi32>", body),
                {array("i32", {1}, {0}), array("i32", {1}, {0})},
                optionsOf(nvidia, 32));
    EXPECT_EQ(ending.fault, mask == -1
                                ? std::optional(FaultKind::DivergentBarrier)
                                : std::nullopt)
        << ending.error;
  }
}

TEST(NvvmLanes, ReductionsAndVotes) {
  std::string all = i32OfLanes("all", -1);
  expectLanesOfLanes(nvidia,
                     all + "%r = nvvm.redux.sync add %v, %all : i32 -> i32",
                     [](int64_t) { return 32 * 100 + 31 * 16; });
  expectLanesOfLanes(nvidia,
                     all + "%r = nvvm.redux.sync umax %v, %all : i32 -> i32",
                     [](int64_t) { return 131; });
  expectLanesOfLanes(nvidia,
                     all + i32OfLanes("c", 104) +
                         "%p = llvm.icmp \"ult\" %v, %c : i32\n"
                         "%r = nvvm.vote.sync ballot %all, %p -> i32",
                     [](int64_t) { return 15; });
}

/// Lanes 0 to 7 of a workgroup of 32 copy 16 bytes each, and part of them.
TEST(NvvmLanes, AsynchronousCopiesAreWaitedFor) {
  std::string global = "llvm.mlir.global private @s() {addr_space = 3 : i32, "
                       "alignment = 16 : i64} : !llvm.array<128 x i32>";
  auto with = [&](std::string count, std::string wait) {
    std::string body = R"(
      %s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %c4 = llvm.mlir.constant(4 : i64) : i64
      %n = llvm.mlir.constant(6 : i32) : i32
      %at = llvm.mul %id, %c4 : i64
      %to = llvm.getelementptr inbounds %s[%at] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
      %from = llvm.getelementptr inbounds %in[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      nvvm.cp.async.shared.global %to, %from, 16, cache = ca)" +
                       count + R"(
      nvvm.cp.async.commit.group)" +
                       wait + R"(
      %v = llvm.load %to : !llvm.ptr<3> -> vector<4xi32>
      %out4 = llvm.getelementptr inbounds %out[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      llvm.store %v, %out4 : vector<4xi32>, !llvm.ptr<1>)";
    Values in;
    for (int i = 0; i < 128; ++i)
      in.push_back(65537 * (i + 1));
    return execute(
        llvmKernel(nvidia, 32, "memref<128xi32>", "memref<128xi32>", body,
                   global),
        {array("i32", {128}, in), array("i32", {128}, Values(128, -1))},
        optionsOf(nvidia, 32));
  };
  std::string whole = " : !llvm.ptr<3>, !llvm.ptr<1>",
              part = ", %n : !llvm.ptr<3>, !llvm.ptr<1>, i32",
              wait = "\nnvvm.cp.async.wait.group 0";
  Values all = with(whole, wait).arguments.back(),
         six = with(part, wait).arguments.back();
  ASSERT_EQ(all.size(), 128u);
  ASSERT_EQ(six.size(), 128u);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(all[i], 65537 * (i + 1));
    // 4 bytes of the first word, 2 of the second.
    EXPECT_EQ(six[i], i % 4 == 0 ? 65537 * (i + 1) : i % 4 == 1 ? i + 1 : 0);
  }
  EXPECT_EQ(with(whole, "\nnvvm.cp.async.wait.group 1").fault, FaultKind::Race);
  EXPECT_EQ(with(whole, "").fault, FaultKind::Race);
}

/// Row r of the matrix is 8 halves; lane l gets those of row l / 4, or of
/// column l / 4.
TEST(NvvmLanes, LdMatrixGivesEachLaneAPair) {
  std::string global = "llvm.mlir.global private @s() {addr_space = 3 : i32, "
                       "alignment = 16 : i64} : !llvm.array<64 x i16>";
  for (bool transposed : {false, true}) {
    std::string body =
        R"(
      %s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %two = llvm.mlir.constant(2 : i64) : i64
      %seven = llvm.mlir.constant(7 : i64) : i64
      %at = llvm.mul %id, %two : i64
      %mine = llvm.getelementptr inbounds %s[%at] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i16
      %src = llvm.getelementptr inbounds %in[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
      %pair = llvm.load %src {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xi16>
      llvm.store %pair, %mine {alignment = 4 : i64} : vector<2xi16>, !llvm.ptr<3>
      nvvm.barrier0
      %row = llvm.and %id, %seven : i64
      %p = llvm.getelementptr inbounds %s[%row] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, !llvm.array<8 x i16>
      %r = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<)" +
        std::string(transposed ? "col" : "row") +
        R"(>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
      %to = llvm.getelementptr inbounds %out[%id] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      llvm.store %r, %to : i32, !llvm.ptr<1>)";
    Values in, expected;
    for (int i = 0; i < 64; ++i)
      in.push_back(i);
    for (int l = 0; l < 32; ++l) {
      int group = l / 4, first = 2 * (l % 4);
      int low = transposed ? 8 * first + group : 8 * group + first;
      int high = transposed ? 8 * (first + 1) + group : 8 * group + first + 1;
      expected.push_back(low + 65536 * high);
    }
    EXPECT_EQ(lastArgumentOf(
                  llvmKernel(nvidia, 32, "memref<64xi16>", "memref<32xi32>",
                             body, global),
                  {array("i16", {64}, in), array("i32", {32}, Values(32, 0))},
                  optionsOf(nvidia, 32)),
              expected);
  }
}

//===----------------------------------------------------------------------===//
// AMD
//===----------------------------------------------------------------------===//

TEST(RocdlLanes, LanesAreCountedByTheirMask) {
  expectLanesOfLanes(amd,
                     i32OfLanes("all", -1) + i32OfLanes("c0", 0) +
                         "%low = rocdl.mbcnt.lo %all, %c0 : (i32, i32) -> i32\n"
                         "%r = rocdl.mbcnt.hi %all, %low : (i32, i32) -> i32",
                     [](int64_t l) { return l; });
}

TEST(RocdlLanes, BpermuteTakesByteAddressesModuloTheWavefront) {
  expectLanesOfLanes(amd,
                     i32OfLanes("c", 4 * 67) + i32OfLanes("four", 4) +
                         "%own = llvm.mul %lane, %four : i32\n"
                         "%at = llvm.add %own, %c : i32\n"
                         "%r = rocdl.ds_bpermute %at, %v : (i32, i32) -> i32",
                     [](int64_t l) { return 100 + (l + 3) % 64; });
  // Of 40 lanes those above are not there, and give 0.
  expectLanesOfLanes(
      amd,
      i32OfLanes("c", 4 * 3) + i32OfLanes("four", 4) +
          "%own = llvm.mul %lane, %four : i32\n"
          "%at = llvm.add %own, %c : i32\n"
          "%r = rocdl.ds_bpermute %at, %v : (i32, i32) -> i32",
      [](int64_t l) { return l + 3 < 40 ? 103 + l : 0; }, 40);
}

TEST(RocdlLanes, SwizzlesStayAmong32) {
  auto swizzle = [](int64_t offset) {
    return i32OfLanes("o", offset) +
           "%r = rocdl.ds_swizzle %v, %o : (i32, i32) -> i32";
  };
  expectLanesOfLanes(amd, swizzle(0x1F | 9 << 10),
                     [](int64_t l) { return 100 + (l ^ 9); });
  expectLanesOfLanes(amd, swizzle(0x18 | 5 << 5),
                     [](int64_t l) { return 100 + ((l & ~7) | 5); });
  expectLanesOfLanes(amd, swizzle(0x8000 | 0x1B), // 3, 2, 1, 0
                     [](int64_t l) { return 100 + (l ^ 3); });
}

std::string dpp(int64_t control, int64_t rows, int64_t banks, bool zero) {
  return i32OfLanes("old", -1) + "%r = rocdl.update.dpp %old, %v with " +
         std::to_string(control) + ", " + std::to_string(rows) + ", " +
         std::to_string(banks) + ", " + (zero ? "true" : "false") + " : i32";
}

TEST(RocdlLanes, DppReadsWithinRows) {
  auto plain = [&](int64_t control,
                   llvm::function_ref<int64_t(int64_t)> source) {
    expectLanesOfLanes(amd, dpp(control, 15, 15, false), [&](int64_t l) {
      int64_t from = source(l);
      return from < 0 ? -1 : 100 + from;
    });
  };
  plain(0x4E, [](int64_t l) { return l ^ 2; }); // quad 2, 3, 0, 1
  plain(0x103, [](int64_t l) { return l % 16 + 3 < 16 ? l + 3 : -1; });
  plain(0x113, [](int64_t l) { return l % 16 >= 3 ? l - 3 : -1; });
  plain(0x123, [](int64_t l) { return (l & 48) | (l + 13) % 16; });
  plain(0x138, [](int64_t l) { return l - 1; });
  plain(0x140, [](int64_t l) { return l ^ 15; });
  plain(0x141, [](int64_t l) { return l ^ 7; });
  plain(0x142, [](int64_t l) { return l > 15 ? (l & 48) - 1 : -1; });
  plain(0x143, [](int64_t l) { return l > 31 ? 31 : -1; });
  plain(0x155, [](int64_t l) { return (l & 48) | 5; });
  // Rows 1 and 3; banks 0 and 3 of each; zeros for whom there is no lane.
  expectLanesOfLanes(amd, dpp(0x113, 10, 9, true), [](int64_t l) {
    bool isWritten = l / 16 % 2 && (l / 4 % 4 == 0 || l / 4 % 4 == 3);
    return !isWritten ? -1 : l % 16 >= 3 ? 100 + l - 3 : 0;
  });
}

TEST(RocdlLanes, PatternsOfOtherTargetsAreNotModelled) {
  Vendor rdna = amd;
  rdna.subgroup = 32;
  rdna.target = "gfx1201";
  auto verdict = [&](const Vendor &vendor, int64_t control) {
    return execute(
               perLane(vendor, 32, "i32", "i32", dpp(control, 15, 15, false)),
               {array("i32", {32}, Values(32, 0)),
                array("i32", {32}, Values(32, 0))},
               optionsOf(vendor, 32))
        .verdict;
  };
  EXPECT_EQ(verdict(amd, 0x142), Verdict::Fine);
  EXPECT_EQ(verdict(rdna, 0x142), Verdict::NotModelled);
  EXPECT_EQ(verdict(amd, 0x161), Verdict::NotModelled);
  EXPECT_EQ(verdict(rdna, 0x161), Verdict::Fine);
}

TEST(RocdlLanes, RowsChangePlaces) {
  Vendor rdna = amd;
  rdna.subgroup = 32;
  rdna.target = "gfx1201";
  // Lane k of a row reads lane 15 - k of the other one.
  expectLanesOfLanes(
      rdna,
      i32OfLanes("a", 0x89ABCDEF) + i32OfLanes("b", 0x01234567) +
          "%r = rocdl.permlanex16 %v, %v, %a, %b, false, false : i32, "
          "i32",
      [](int64_t l) { return 100 + (l ^ 31); });
  auto swapped = [&](std::string width, int field) {
    return i32OfLanes("thousand", 1000) +
           "%w = llvm.add %v, %thousand : i32\n"
           "%s = rocdl.permlane" +
           width +
           ".swap %v, %w, false, false : (i32, i32) -> !llvm.struct<(i32, "
           "i32)>\n%r = llvm.extractvalue %s[" +
           std::to_string(field) + "] : !llvm.struct<(i32, i32)>";
  };
  expectLanesOfLanes(amd, swapped("32", 0), [](int64_t l) {
    return l < 32 ? 100 + l : 1100 + l - 32;
  });
  expectLanesOfLanes(amd, swapped("32", 1),
                     [](int64_t l) { return l < 32 ? 132 + l : 1100 + l; });
  expectLanesOfLanes(amd, swapped("16", 0), [](int64_t l) {
    return l & 16 ? 1100 + l - 16 : 100 + l;
  });
}

TEST(RocdlLanes, OneLanesValueForAll) {
  expectLanesOfLanes(amd, "%r = rocdl.readfirstlane %v : i32",
                     [](int64_t) { return 100; });
  expectLanesOfLanes(amd,
                     i32OfLanes("c", 41) +
                         "%r = rocdl.readlane %v, %c : (i32, i32) -> i32",
                     [](int64_t) { return 141; });
}

//===----------------------------------------------------------------------===//
// Conversions to 8 bits
//===----------------------------------------------------------------------===//

TEST(NarrowFloats, NvidiasSaturateAndAmdsKeepTheOtherHalf) {
  auto nv = [](double value) {
    return computed(nvidia, "f32", "i16",
                    "%c = llvm.mlir.constant(1.0 : f32) : f32\n"
                    "%r = nvvm.convert.f32x2.to.f8x2 %v, %c {rnd = "
                    "#nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : "
                    "i16 (f8E4M3FN)",
                    {value})
        .front();
  };
  // 1 is 0x38, and the first operand the upper byte; 448 is the largest, 0x7E.
  EXPECT_EQ(nv(2), 0x4038);
  EXPECT_EQ(nv(1e6), 0x7E38);
  EXPECT_EQ(nv(-1e6), double(int16_t(0xFE38)));
  // gfx942's own format: 1 is 0x40, and 2 0x48.
  EXPECT_EQ(computed(amd, "f32", "i32",
                     "%c = llvm.mlir.constant(1.0 : f32) : f32\n" +
                         i32OfLanes("old", 0x12345678) +
                         "%r = rocdl.cvt.pk.fp8.f32 %v, %c -> %old[true] : i32",
                     {2}),
            (Values{0x40485678}));
  EXPECT_EQ(computed(amd, "i32", "f32", R"(
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %p = rocdl.cvt.pk.f32.fp8 %v[true] : vector<2xf32>
    %r = llvm.extractelement %p[%i1 : i32] : vector<2xf32>)",
                     {0x40485678}),
            (Values{1}));
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// One product by an instruction: each lane's fragments come from %in, where
/// they lie as the instruction's map says, A, B and C one behind the other.
struct Product {
  const MmaInstruction &mma;
  const Vendor &vendor;
  std::vector<double> a, b, c;

  Product(StringRef name, const Vendor &vendor)
      : mma(*lookupMmaInstruction(name)), vendor(vendor) {
    for (int64_t i = 0; i < mma.m * mma.k; ++i)
      a.push_back((i * 7 + i / 5) % 9 - 4);
    for (int64_t i = 0; i < mma.k * mma.n; ++i)
      b.push_back((i * 5 + i / 3) % 7 - 3);
    for (int64_t i = 0; i < mma.m * mma.n; ++i)
      c.push_back(i % 11 - 5);
  }

  Values fragments(MmaOperand operand,
                   const std::vector<double> &matrix) const {
    MatrixElement extent = mma.shape(operand);
    Values values;
    for (int64_t lane = 0; lane < mma.subgroupSize; ++lane)
      for (int64_t r = 0; r < mma.numRegisters(operand); ++r) {
        MatrixElement at = mma.map(operand)(lane, r);
        values.push_back(matrix[at.row * extent.column + at.column]);
      }
    return values;
  }

  Values expected() const {
    std::vector<double> d = c;
    for (int64_t i = 0; i < mma.m; ++i)
      for (int64_t j = 0; j < mma.n; ++j)
        for (int64_t k = 0; k < mma.k; ++k)
          d[i * mma.n + j] += a[i * mma.k + k] * b[k * mma.n + j];
    return fragments(MmaOperand::C, d);
  }

  /// `body` gets %a, %b and %c, vectors of a lane's fragments, and makes %d.
  void check(std::string type, std::string body) const {
    Values in;
    std::string loads;
    auto add = [&](const char *name, MmaOperand operand,
                   const std::vector<double> &matrix) {
      std::string vector =
          "vector<" + std::to_string(mma.numRegisters(operand)) + "xf32>";
      std::string at = name + std::string("at");
      loads +=
          "%" + at + " = llvm.getelementptr %in[" + std::to_string(in.size()) +
          "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\n" + "%" + name +
          "p = llvm.getelementptr %" + at + "[%id] : (!llvm.ptr<1>, i64) " +
          "-> !llvm.ptr<1>, !llvm.array<" +
          std::to_string(mma.numRegisters(operand)) + " x f32>\n%" + name +
          "wide = llvm.load %" + name +
          "p {alignment = 4 : i64} : !llvm.ptr<1> -> " + vector + "\n";
      if (operand != MmaOperand::C)
        loads += "%" + std::string(name) + " = llvm.fptrunc %" + name +
                 "wide : " + vector + " to vector<" +
                 std::to_string(mma.numRegisters(operand)) + "x" + type + ">\n";
      llvm::append_range(in, fragments(operand, matrix));
    };
    add("a", MmaOperand::A, a);
    add("b", MmaOperand::B, b);
    add("c", MmaOperand::C, c);
    int64_t held = mma.numRegisters(MmaOperand::C);
    std::string count = std::to_string(held);
    std::string store =
        "\n%to = llvm.getelementptr %out[%id] : (!llvm.ptr<1>, i64) -> "
        "!llvm.ptr<1>, !llvm.array<" +
        count + " x f32>\nllvm.store %d, %to {alignment = 4 : i64} : vector<" +
        count + "xf32>, !llvm.ptr<1>";
    int64_t results = held * mma.subgroupSize;
    Ending ending =
        execute(llvmKernel(vendor, mma.subgroupSize,
                           "memref<" + std::to_string(in.size()) + "xf32>",
                           "memref<" + std::to_string(results) + "xf32>",
                           loads + body + store),
                {array("f32", {int64_t(in.size())}, in),
                 array("f32", {results}, Values(results, 0))},
                optionsOf(vendor, mma.subgroupSize));
    EXPECT_EQ(ending.error, "");
    if (ending.error.empty())
      EXPECT_EQ(ending.arguments.back(), expected());
    EXPECT_EQ(ending.counters.mma, 1);
  }
};

TEST(RocdlMatrices, MfmaMultipliesFragments) {
  std::string zero = i32OfLanes("z", 0);
  Product("MFMA_F32_16x16x16_F16", amd)
      .check("f16",
             zero +
                 "%d = rocdl.mfma.f32.16x16x16f16 %a, %b, %cwide, %z, %z, %z "
                 ": (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, "
                 "i32) -> vector<4xf32>");
  // bf16 comes as bits.
  Product("MFMA_F32_32x32x8_BF16", amd).check("bf16", zero + R"(
    %ai = llvm.bitcast %a : vector<4xbf16> to vector<4xi16>
    %bi = llvm.bitcast %b : vector<4xbf16> to vector<4xi16>
    %d = rocdl.mfma.f32.32x32x8bf16.1k %ai, %bi, %cwide, %z, %z, %z : (vector<4xi16>, vector<4xi16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>)");
}

TEST(NvvmMatrices, MmaSyncMultipliesFragments) {
  std::string body;
  auto pair = [&](std::string of, std::string from, int first, std::string type,
                  std::string as) {
    body += "%" + of + "v = llvm.shufflevector %" + from + ", %" + from + " [" +
            std::to_string(first) + ", " + std::to_string(first + 1) +
            "] : vector<" + (from == "a" ? "8" : "4") + "x" + type + ">\n%" +
            of + " = llvm.bitcast %" + of + "v : vector<2x" + type + "> to " +
            as + "\n";
  };
  for (std::string type : {"f16", "bf16"}) {
    body.clear();
    std::string as = type == "f16" ? "vector<2xf16>" : "i32";
    for (int i = 0; i < 4; ++i)
      pair("a" + std::to_string(i), "a", 2 * i, type, as);
    for (int i = 0; i < 2; ++i)
      pair("b" + std::to_string(i), "b", 2 * i, type, as);
    for (int i = 0; i < 4; ++i)
      body += i32OfLanes("n" + std::to_string(i), i) + "%c" +
              std::to_string(i) + " = llvm.extractelement %cwide[%n" +
              std::to_string(i) + " : i32] : vector<4xf32>\n";
    body += "%s = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, "
            "%c2, %c3] {layoutA = #nvvm.mma_layout<row>, layoutB = "
            "#nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>";
    if (type == "bf16")
      body += ", multiplicandAPtxType = #nvvm.mma_type<bf16>, "
              "multiplicandBPtxType = #nvvm.mma_type<bf16>";
    body += "} : (" + as + ", " + as +
            ", f32) -> !llvm.struct<(f32, f32, f32, "
            "f32)>\n%d0 = llvm.mlir.poison : vector<4xf32>\n";
    for (int i = 0; i < 4; ++i) {
      std::string n = std::to_string(i);
      body += "%e" + n + " = llvm.extractvalue %s[" + n +
              "] : !llvm.struct<(f32, f32, f32, f32)>\n%" +
              (i == 3 ? "d" : "d" + std::to_string(i + 1)) +
              " = llvm.insertelement %e" + n + ", %d" + n + "[%n" + n +
              " : i32] : vector<4xf32>\n";
    }
    Product(type == "f16" ? "NV_MMA_SYNC_F32_16x8x16_F16"
                          : "NV_MMA_SYNC_F32_16x8x16_BF16",
            nvidia)
        .check(type, body);
  }
}

} // namespace

//===- TargetTest.cpp - Every row against its instruction's manual --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas below are written from the manuals, in their own terms (group
// id, thread in group, register number), and share nothing with the tables: PTX
// ISA, "Matrix Fragments for mma.m16n8k8 / m16n8k16"; AMD MI300 ISA, "Dense
// matrix multiply: layout of matrices".
//
//===----------------------------------------------------------------------===//
#include "distaff/Target/Target.h"
#include "gtest/gtest.h"
#include <set>
#include <string>

using namespace distaff;

namespace {

struct Element {
  int64_t row, column;
};
using FragmentMap = Element (*)(const MmaRow &, int64_t lane, int64_t reg);

// PTX: row = groupID for a0,a1 and a4,a5, else groupID + 8;
// col = threadInGroup * 2 + (i & 1), + 8 for i >= 4.
Element mmaSyncA(const MmaRow &, int64_t lane, int64_t i) {
  int64_t group = lane >> 2, threadInGroup = lane % 4;
  bool upper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
  return {upper ? group : group + 8,
          threadInGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}

// PTX: row = threadInGroup * 2 + (i & 1), + 8 for i >= 2; col = groupID.
Element mmaSyncB(const MmaRow &, int64_t lane, int64_t i) {
  return {(lane % 4) * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane >> 2};
}

// PTX: row = groupID for c0, c1, groupID + 8 for c2, c3;
// col = threadInGroup * 2 + (i & 1).
Element mmaSyncC(const MmaRow &, int64_t lane, int64_t i) {
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, (lane % 4) * 2 + (i & 1)};
}

// MI300: A[i][k]: i = lane % M, k = 4 * (lane / M) + item, four items.
Element mfmaA(const MmaRow &row, int64_t lane, int64_t item) {
  return {lane % row.m, 4 * (lane / row.m) + item};
}

// MI300: B[k][j]: j = lane % N, k = 4 * (lane / N) + item.
Element mfmaB(const MmaRow &row, int64_t lane, int64_t item) {
  return {4 * (lane / row.n) + item, lane % row.n};
}

// MI300: D[i][j]: j = lane % N,
// i = 8 * (item / 4) + 4 * (lane / 32) + item % 4 for 32x32,
// i = 4 * (lane / 16) + item for 16x16.
Element mfmaC(const MmaRow &row, int64_t lane, int64_t item) {
  if (row.m == 32)
    return {8 * (item / 4) + 4 * (lane / 32) + item % 4, lane % 32};
  return {4 * (lane / 16) + item, lane % 16};
}

void expectFragment(const MmaRow &row, const char *operand,
                    const Fragment &fragment, int64_t rows, int64_t columns,
                    FragmentMap manual) {
  SCOPED_TRACE(row.name.str() + " " + operand);
  Layout layout = layoutOf(fragment);
  ASSERT_EQ(layout.shape(), (llvm::SmallVector<int64_t>{rows, columns}));
  EXPECT_EQ(fragment.extent(0), rows);
  EXPECT_EQ(fragment.extent(1), columns);
  ASSERT_EQ(layout.numRegisters(), fragment.numRegisters());

  std::set<std::pair<int64_t, int64_t>> held;
  for (int64_t lane = 0; lane < row.subgroupSize; ++lane)
    for (int64_t reg = 0; reg < fragment.numRegisters(); ++reg) {
      Element want = manual(row, lane, reg);
      llvm::SmallVector<int64_t> got =
          layout.indexOf({.subgroup = 0, .lane = lane, .reg = reg});
      EXPECT_EQ(got, (llvm::SmallVector<int64_t>{want.row, want.column}))
          << "lane " << lane << " register " << reg;
      held.insert({want.row, want.column});
    }
  EXPECT_EQ(int64_t(held.size()), rows * columns) << "every element is held";
}

// VX-97.
TEST(Target, EveryFragmentIsTheManuals) {
  for (const Target *target : allTargets())
    for (const MmaRow &row : target->mma) {
      bool nvidia = row.emitter == MmaEmitter::NvvmMmaSync;
      expectFragment(row, "A", row.fragmentA, row.m, row.k,
                     nvidia ? mmaSyncA : mfmaA);
      expectFragment(row, "B", row.fragmentB, row.k, row.n,
                     nvidia ? mmaSyncB : mfmaB);
      expectFragment(row, "C", row.fragmentC, row.m, row.n,
                     nvidia ? mmaSyncC : mfmaC);
    }
}

TEST(Target, NamesSayShapeAndTypes) {
  for (const Target *target : allTargets())
    for (const MmaRow &row : target->mma) {
      std::string shape = std::to_string(row.m) + "x" + std::to_string(row.n) +
                          "x" + std::to_string(row.k);
      std::string name =
          row.emitter == MmaEmitter::NvvmMmaSync ? "NV_MMA_SYNC_" : "MFMA_";
      name += nameOf(row.c).upper() + "_" + shape + "_" + nameOf(row.a).upper();
      EXPECT_EQ(row.name.str(), name);
      EXPECT_EQ(row.a, row.b);
      EXPECT_EQ(row.subgroupSize, target->subgroupSize);
      EXPECT_EQ(lookupMma(row.name)->name, row.name);
    }
}

TEST(Target, AccessesAreUpToSixteenBytesWide) {
  for (const Target *target : allTargets())
    EXPECT_EQ(target->globalMemory.maxAccessBits, 128) << target->name.str();
}

TEST(Target, InstructionsDivideTilesOfEight) {
  for (const Target *target : allTargets())
    EXPECT_EQ(target->mmaGranule(), target->mma.empty() ? 1 : 8)
        << target->name.str();
  Target none = *lookupTarget("sm_80");
  none.mma = {};
  EXPECT_EQ(none.mmaGranule(), 1);
}

TEST(Target, ARegisteredTargetIsKnownWhileItsRegistrationLives) {
  size_t before = allTargets().size();
  int64_t lanes = largestWorkgroupSize();
  Target mine = *lookupTarget("gfx942");
  mine.name = "mine";
  mine.maxWorkgroupSize = 2048;
  {
    TargetRegistration known(mine);
    EXPECT_EQ(lookupTarget("mine"), &mine);
    EXPECT_EQ(allTargets().back(), &mine);
    EXPECT_EQ(largestWorkgroupSize(), 2048);
  }
  EXPECT_EQ(lookupTarget("mine"), nullptr);
  EXPECT_EQ(allTargets().size(), before);
  EXPECT_EQ(largestWorkgroupSize(), lanes);
}

// CUDA C++ Programming Guide, "Compute capabilities"; AMD's drivers go by name.
TEST(Target, CapabilitiesAreTheManuals) {
  struct {
    llvm::StringRef name;
    int64_t major, minor;
    bool exact;
  } expected[] = {{"sm_80", 8, 0, false},
                  {"sm_90a", 9, 0, true},
                  {"gfx942", 0, 0, true},
                  {"gfx1201", 0, 0, true}};
  for (auto &[name, major, minor, exact] : expected) {
    Capability capability = lookupTarget(name)->capability;
    EXPECT_EQ(capability.major, major) << name.str();
    EXPECT_EQ(capability.minor, minor) << name.str();
    EXPECT_EQ(capability.exact, exact) << name.str();
  }
}

// Registers are handed out in granules; 255 and 512 are all that code can name.
TEST(Target, RegistersOfALaneShrinkWithTheWorkgroup) {
  EXPECT_EQ(lookupTarget("sm_80")->registersFor(32), 255);
  EXPECT_EQ(lookupTarget("sm_80")->registersFor(1024), 64);
  EXPECT_EQ(lookupTarget("sm_80")->registersFor(768), 80);
  // Of 10 subgroups an issuer has 3, and a quarter of the file.
  EXPECT_EQ(lookupTarget("sm_80")->registersFor(320), 168);
  EXPECT_EQ(lookupTarget("sm_80")->registersFor(384), 168);
  Target coarse = *lookupTarget("sm_80");
  coarse.registerGranule = 32;
  EXPECT_EQ(coarse.registersFor(768), 64);
}

// Of a row in which no two limits are alike, each limit once, and its edge.
TEST(Target, WorkgroupsAreResidentAsWhatIsScarcestAllows) {
  Target target = *lookupTarget("sm_80");
  target.computeUnits = 3;
  target.residency = {.workgroups = 20,
                      .lanes = 1536,
                      .sharedBytes = 1000,
                      .sharedGranule = 16,
                      .sharedReserved = 10};
  struct {
    int64_t lanes, registers, bytes, perUnit;
  } expected[] = {
      {32, 32, 0, 20},   // workgroups
      {64, 32, 0, 20},   // 24 of lanes
      {96, 32, 0, 16},   // lanes
      {97, 32, 0, 12},   // lanes, of whole subgroups
      {128, 56, 0, 9},   // registers: 65536 / 7168
      {128, 57, 0, 8},   // the next granule
      {128, 999, 0, 2},  // no more than a lane can have
      {1024, 999, 0, 1}, // all of a workgroup run
      {128, 32, 86, 10}, // 96 bytes each
      {128, 32, 87, 8},  // 112
      {128, 32, 982, 1}, // 992
      {128, 32, 991, 1}, // at least one
  };
  for (const auto &[lanes, registers, bytes, perUnit] : expected)
    EXPECT_EQ(target.residentWorkgroups(lanes, registers, bytes), 3 * perUnit)
        << lanes << " " << registers << " " << bytes;
}

// CUDA C++ Programming Guide, tables of compute capabilities; LLVM prints 8 and
// 16 subgroups per SIMD for code that needs little.
TEST(Target, DevicesAreFullOfSmallWorkgroups) {
  EXPECT_EQ(lookupTarget("sm_80")->residentWorkgroups(32, 16, 0), 108 * 32);
  EXPECT_EQ(lookupTarget("sm_90a")->residentWorkgroups(128, 32, 0), 132 * 16);
  EXPECT_EQ(lookupTarget("gfx942")->residentWorkgroups(64, 16, 0), 304 * 32);
  EXPECT_EQ(lookupTarget("gfx1201")->residentWorkgroups(32, 24, 0), 64 * 32);
  // A kibibyte of each workgroup on NVIDIA is the system's.
  EXPECT_EQ(lookupTarget("sm_80")->residentWorkgroups(128, 32, 40 * 1024),
            108 * 4);
  EXPECT_EQ(lookupTarget("sm_80")->residentWorkgroups(128, 32, 40 * 1024 + 1),
            108 * 3);
  // Ten subgroups are three for one of four issuers, with 168 registers each.
  EXPECT_EQ(lookupTarget("sm_80")->residentWorkgroups(64, 168, 0), 108 * 6);
  EXPECT_EQ(lookupTarget("sm_80")->residentWorkgroups(64, 178, 0), 108 * 4);
  EXPECT_EQ(lookupTarget("gfx942")->residentWorkgroups(256, 64, 32 * 1024),
            304 * 2);
}

TEST(Target, LookupFindsExactNamesOnly) {
  for (const Target *target : allTargets())
    EXPECT_EQ(lookupTarget(target->name), target);
  EXPECT_EQ(lookupTarget("sm_12345"), nullptr);
  EXPECT_EQ(lookupTarget("sm_8"), nullptr);
  EXPECT_EQ(lookupMma("MFMA_F32_16x16x16"), nullptr);
}

// PTX ISA, "bar, barrier": sixteen, of which 0 is everybody's. MI300 ISA,
// "S_BARRIER"; RDNA4 ISA, "S_BARRIER_SIGNAL" and "S_BARRIER_WAIT".
TEST(Target, BarriersAreTheManuals) {
  struct {
    llvm::StringRef name;
    int64_t named;
    bool isSplit;
  } expected[] = {{"sm_80", 15, false},
                  {"sm_90a", 15, false},
                  {"gfx942", 0, false},
                  {"gfx1201", 0, true}};
  for (auto &[name, named, isSplit] : expected) {
    EXPECT_EQ(lookupTarget(name)->barriers.named, named) << name.str();
    EXPECT_EQ(lookupTarget(name)->barriers.isSplit, isSplit) << name.str();
  }
}

// PTX ISA, "cp.async".
TEST(Target, AsyncCopiesAreTheManuals) {
  for (llvm::StringRef name : {"sm_80", "sm_90a"})
    EXPECT_EQ(lookupTarget(name)->asyncCopyBytes,
              llvm::ArrayRef<int64_t>({4, 8, 16}));
  for (llvm::StringRef name : {"gfx942", "gfx1201"})
    EXPECT_TRUE(lookupTarget(name)->asyncCopyBytes.empty());
}

// CUDA C++ Programming Guide, "Technical specifications per compute
// capability"; MI300 ISA, "Local data share".
TEST(Target, WorkgroupMemoryIsTheManuals) {
  struct {
    llvm::StringRef name;
    int64_t declared, atLaunch;
  } expected[] = {{"sm_80", 49152, 166912},
                  {"sm_90a", 49152, 232448},
                  {"gfx942", 65536, 65536},
                  {"gfx1201", 65536, 65536}};
  for (auto &[name, declared, atLaunch] : expected) {
    const Target *target = lookupTarget(name);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->sharedMemoryBytes, declared);
    EXPECT_EQ(target->dynamicSharedMemoryBytes, atLaunch);
  }
}

// OCP 8-bit Floating Point Specification, section 5.3; ties go to the even
// pattern, which 0x7E is and 0x7B and 0x7F are not.
TEST(Target, TooLargeBeginsHalfwayAboveTheLargest) {
  constexpr WideFloat half = {16, 10}, single = {32, 23};
  EXPECT_EQ(firstTooLarge(f8E4M3FN, half), 0x5F41u);       // above 464
  EXPECT_EQ(firstTooLarge(f8E4M3FN, single), 0x43E80001u); // above 464
  EXPECT_EQ(firstTooLarge(f8E5M2, half), 0x7B80u);         // 61440
  EXPECT_EQ(firstTooLarge(f8E5M2, single), 0x47700000u);
  EXPECT_EQ(firstTooLarge(f8E4M3FNUZ, single), 0x43780000u); // 248
  EXPECT_EQ(firstTooLarge(f8E5M2FNUZ, single), 0x47700000u); // 61440
  EXPECT_TRUE(f8E5M2.hasInfinity());
  EXPECT_FALSE(f8E4M3FN.hasInfinity());
  EXPECT_EQ(lookupNarrowFloat("f8E5M2FNUZ"), &f8E5M2FNUZ);
  EXPECT_EQ(lookupNarrowFloat("f8E3M4"), nullptr);
}

// PTX ISA, "cvt": .e4m3x2 and .e5m2x2 from sm_89 on; MI300 ISA: the FNUZ forms.
TEST(Target, ConversionsOfNarrowFloatsAreTheManuals) {
  using enum ScalarKind;
  EXPECT_TRUE(lookupTarget("sm_80")->narrowConversions.empty());
  const Target *hopper = lookupTarget("sm_90a"), *amd = lookupTarget("gfx942");
  EXPECT_TRUE(hopper->findConversion(f8E4M3FN, F16, /*widens=*/true));
  EXPECT_FALSE(hopper->findConversion(f8E4M3FN, F32, /*widens=*/true));
  EXPECT_FALSE(hopper->findConversion(f8E4M3FNUZ, F16, /*widens=*/true));
  for (const NarrowConversion &row : hopper->narrowConversions)
    EXPECT_EQ(row.saturates, !row.widens) << row.instruction.str();
  for (const NarrowFloat *format : {&f8E4M3FNUZ, &f8E5M2FNUZ})
    for (bool widens : {false, true})
      EXPECT_TRUE(amd->findConversion(*format, F32, widens));
  for (const NarrowConversion &row : amd->narrowConversions)
    EXPECT_FALSE(row.saturates || row.narrow->hasNegativeZero);
}

TEST(Target, EachNamesWhatTheIssueAsksFor) {
  auto accumulators = [](const Target *target, ScalarKind input, int64_t k) {
    std::set<ScalarKind> kinds;
    for (const MmaRow &row : target->mma)
      if (row.a == input && row.k == k)
        kinds.insert(row.c);
    return kinds;
  };
  using enum ScalarKind;
  for (const char *name : {"sm_80", "sm_90a"})
    for (int64_t k : {8, 16}) {
      EXPECT_EQ(accumulators(lookupTarget(name), F16, k),
                (std::set<ScalarKind>{F16, F32}));
      EXPECT_EQ(accumulators(lookupTarget(name), BF16, k),
                (std::set<ScalarKind>{F32}));
    }
  for (ScalarKind input : {F16, BF16})
    for (int64_t k : {8, 16})
      EXPECT_EQ(accumulators(lookupTarget("gfx942"), input, k),
                (std::set<ScalarKind>{F32}));
}

} // namespace

//===- TargetTest.cpp - What the tables say of targets --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fragments of MMA rows are compared with the manuals' formulas in
// unittests/Simt/TargetFragmentsTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "distaff/Target/Target.h"
#include "gtest/gtest.h"
#include <set>
#include <string>

using namespace distaff;

namespace {

// VX-97: rows are found by names that say what they are, and fragments hold
// whole operands.
TEST(Target, NamesSayShapeAndTypes) {
  for (const Target *target : allTargets())
    for (const MmaRow &row : target->mma) {
      std::string prefix = row.name.split('_').first.str() + "_";
      if (prefix == "NV_")
        prefix = "NV_MMA_SYNC_";
      std::string blocks =
          row.blocks > 1 ? std::to_string(row.blocks) + "B_" : "";
      std::string name = prefix + nameOf(row.c).upper() + "_" +
                         std::to_string(row.m) + "x" + std::to_string(row.n) +
                         "x" + std::to_string(row.k) + "_" + blocks +
                         nameOf(row.a).upper();
      if (row.a != row.b)
        name += "_" + nameOf(row.b).upper();
      EXPECT_EQ(row.name.str(), name);
      EXPECT_EQ(row.subgroupSize, target->subgroupSize);
      EXPECT_EQ(lookupMma(row.name)->name, row.name);
      auto expectExtent = [&](const Fragment &fragment, int64_t rows,
                              int64_t columns) {
        EXPECT_EQ(fragment.extent(0), rows) << name;
        EXPECT_EQ(fragment.extent(1), columns) << name;
        EXPECT_EQ(fragment.blocks.extent(), row.blocks) << name;
        EXPECT_EQ(layoutOf(fragment).numRegisters(), fragment.numRegisters());
      };
      expectExtent(row.fragmentA, row.m, row.k);
      expectExtent(row.fragmentB, row.k, row.n);
      expectExtent(row.fragmentC, row.m, row.n);
    }
}

// A kind names one instruction, whichever target has it; costs may differ.
TEST(Target, RowsOfOneNameAreAlike) {
  for (const Target *target : allTargets())
    for (const MmaRow &row : target->mma) {
      const MmaRow &first = *lookupMma(row.name);
      EXPECT_EQ(first.instruction, row.instruction) << row.name.str();
      EXPECT_EQ(first.emitter, row.emitter) << row.name.str();
      EXPECT_EQ(first.a, row.a);
      EXPECT_EQ(first.b, row.b);
      EXPECT_EQ(first.c, row.c);
      EXPECT_TRUE(layoutOf(first.fragmentA) == layoutOf(row.fragmentA));
      EXPECT_TRUE(layoutOf(first.fragmentB) == layoutOf(row.fragmentB));
      EXPECT_TRUE(layoutOf(first.fragmentC) == layoutOf(row.fragmentC));
    }
}

// What keeps the order of float sums drops the others as one part.
TEST(Target, RowsThatAddIntegersComeLast) {
  for (const Target *target : allTargets()) {
    bool adding = false;
    for (const MmaRow &row : target->mma) {
      EXPECT_TRUE(!adding || isInteger(row.c)) << row.name.str();
      adding |= isInteger(row.c);
    }
  }
}

TEST(Target, KindsNameTheTypesOfTheirElements) {
  using enum ScalarKind;
  EXPECT_EQ(nameOf(U8), "u8");
  EXPECT_EQ(elementNameOf(U8), "i8");
  EXPECT_EQ(elementNameOf(TF32), "f32");
  EXPECT_EQ(elementNameOf(I32), "i32");
  EXPECT_TRUE(isUnsigned(U4) && isInteger(U4) && !isUnsigned(I4));
  EXPECT_FALSE(isInteger(F8E4M3FN));
  EXPECT_TRUE(isReducedF32(XF32) && isReducedF32(TF32) && !isReducedF32(F32));
  for (ScalarKind kind : {F16, BF16, F32, F64, TF32, XF32, F8E4M3FN, F8E5M2,
                          F8E4M3FNUZ, F8E5M2FNUZ, I4, U4, I8, U8, I32}) {
    llvm::StringRef element = elementNameOf(kind);
    int64_t width = 0;
    element.drop_while([](char c) { return !isdigit(c); })
        .consumeInteger(10, width);
    EXPECT_EQ(bitWidthOf(kind), width) << element.str();
  }
}

TEST(Target, AccessesAreUpToSixteenBytesWide) {
  for (const Target *target : gpuTargets())
    EXPECT_EQ(target->globalMemory.maxAccessBits, 128) << target->name.str();
}

TEST(Target, TilesAreDividedByWhatFits) {
  using enum ScalarKind;
  auto granule = [](llvm::StringRef name, ScalarKind input, bool blocks) {
    return lookupTarget(name)->mmaGranule([&](const MmaRow &row) {
      return row.a == input && (blocks || row.blocks == 1);
    });
  };
  EXPECT_EQ(granule("sm_80", F16, false), 8);
  EXPECT_EQ(granule("sm_80", F64, false), 4);
  EXPECT_EQ(granule("gfx942", F16, false), 8);
  EXPECT_EQ(granule("gfx942", F16, true), 4);
  EXPECT_EQ(granule("gfx942", F32, true), 1);
  EXPECT_EQ(granule("gfx1201", I8, false), 16);
  EXPECT_EQ(granule("sm_75", F64, false), 1);
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
  } expected[] = {
      {"sm_75", 7, 5, false},  {"sm_80", 8, 0, false}, {"sm_86", 8, 6, false},
      {"sm_89", 8, 9, false},  {"sm_90a", 9, 0, true}, {"gfx908", 0, 0, true},
      {"gfx90a", 0, 0, true},  {"gfx942", 0, 0, true}, {"gfx950", 0, 0, true},
      {"gfx1100", 0, 0, true}, {"gfx1201", 0, 0, true}};
  EXPECT_EQ(std::size(expected), gpuTargets().size());
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
  EXPECT_EQ(lookupTarget("sm_75")->residentWorkgroups(64, 32, 0), 40 * 16);
  EXPECT_EQ(lookupTarget("sm_86")->residentWorkgroups(96, 32, 0), 82 * 16);
  EXPECT_EQ(lookupTarget("sm_89")->residentWorkgroups(64, 32, 0), 128 * 24);
  EXPECT_EQ(lookupTarget("gfx908")->residentWorkgroups(64, 16, 0), 120 * 40);
  EXPECT_EQ(lookupTarget("gfx950")->residentWorkgroups(64, 16, 80 * 1024),
            256 * 2);
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

TEST(Target, IdleMemoryKeepsNoOtherWorkgroupOut) {
  EXPECT_EQ(lookupTarget("sm_80")->idleSharedMemory(128, 128), 40 * 1024);
  for (const Target *target : allTargets())
    for (int64_t lanes : {1, 64, 96, 128, 256, 512, 1024})
      for (int64_t registers : {1, 40, 128, 255, 512}) {
        int64_t idle = target->idleSharedMemory(lanes, registers);
        int64_t all = target->residentWorkgroups(lanes, registers, 0);
        EXPECT_EQ(target->residentWorkgroups(lanes, registers, idle), all)
            << target->name.str() << " " << lanes << " " << registers;
        if (all > target->computeUnits && idle < target->sharedMemoryBytes)
          EXPECT_LT(target->residentWorkgroups(lanes, registers, idle + 1), all)
              << target->name.str() << " " << lanes << " " << registers;
      }
}

// VX-291
TEST(Target, AllMemoryIsIdleWhereUnitsHaveOneWorkgroup) {
  const Target &ampere = *lookupTarget("sm_80");
  EXPECT_EQ(ampere.idleSharedMemory(128, 128, 108), ampere.sharedMemoryBytes);
  EXPECT_EQ(ampere.idleSharedMemory(128, 128, 4 * 108), 40 * 1024);
  EXPECT_EQ(ampere.idleSharedMemory(128, 128, int64_t(1) << 40), 40 * 1024);
  for (const Target *target : gpuTargets())
    for (int64_t workgroups : {0, 1, 7})
      EXPECT_EQ(target->idleSharedMemory(64, 32, workgroups),
                target->sharedMemoryBytes)
          << target->name.str() << " " << workgroups;
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
  } expected[] = {
      {"sm_75", 15, false},  {"sm_80", 15, false},  {"sm_86", 15, false},
      {"sm_89", 15, false},  {"sm_90a", 15, false}, {"gfx908", 0, false},
      {"gfx90a", 0, false},  {"gfx942", 0, false},  {"gfx950", 0, false},
      {"gfx1100", 0, false}, {"gfx1201", 0, true}};
  for (auto &[name, named, isSplit] : expected) {
    EXPECT_EQ(lookupTarget(name)->barriers.named, named) << name.str();
    EXPECT_EQ(lookupTarget(name)->barriers.isSplit, isSplit) << name.str();
  }
}

// PTX ISA, "cp.async".
TEST(Target, AsyncCopiesAreTheManuals) {
  for (llvm::StringRef name : {"sm_80", "sm_86", "sm_89", "sm_90a"})
    EXPECT_EQ(lookupTarget(name)->asyncCopyBytes,
              llvm::ArrayRef<int64_t>({4, 8, 16}));
  for (llvm::StringRef name : {"sm_75", "gfx908", "gfx942", "gfx1201"})
    EXPECT_TRUE(lookupTarget(name)->asyncCopyBytes.empty());
}

// CUDA C++ Programming Guide, "Technical specifications per compute
// capability"; MI300 ISA, "Local data share".
TEST(Target, WorkgroupMemoryIsTheManuals) {
  struct {
    llvm::StringRef name;
    int64_t declared, atLaunch;
  } expected[] = {{"sm_75", 49152, 65536},    {"sm_80", 49152, 166912},
                  {"sm_86", 49152, 101376},   {"sm_89", 49152, 101376},
                  {"sm_90a", 49152, 232448},  {"gfx908", 65536, 65536},
                  {"gfx90a", 65536, 65536},   {"gfx942", 65536, 65536},
                  {"gfx950", 163840, 163840}, {"gfx1100", 65536, 65536},
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
  // CDNA3 dropped the old forms of i8 and bf16, CDNA4 xf32.
  EXPECT_TRUE(accumulators(lookupTarget("gfx942"), I8, 16).size() == 1 &&
              accumulators(lookupTarget("gfx942"), I8, 8).empty());
  EXPECT_TRUE(accumulators(lookupTarget("gfx942"), BF16, 2).empty());
  EXPECT_FALSE(accumulators(lookupTarget("gfx942"), XF32, 8).empty());
  EXPECT_TRUE(accumulators(lookupTarget("gfx950"), XF32, 8).empty());
}

} // namespace

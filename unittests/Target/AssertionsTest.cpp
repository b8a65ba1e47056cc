//===- AssertionsTest.cpp - Promises of tables, broken on purpose ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The project's own tables do not compile where they break one (Checks.h);
// here are targets of a program that uses Distaff as a library.
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "distaff/Target/ThisMachine.h"

using namespace distaff;

namespace {

Target copyOf(llvm::StringRef name) {
  Target target = *lookupTarget(name);
  target.name = "broken";
  return target;
}

DEATH_TEST(Target, ANameMeansOneTarget) {
  EXPECT_DEATH(TargetRegistration(*lookupTarget("sm_80")),
               "a name means one target");
}

DEATH_TEST(Target, SubgroupsAreWhole) {
  Target target = copyOf("sm_80");
  target.maxWorkgroupSize = 1000;
  EXPECT_DEATH(TargetRegistration known(target),
               "workgroups of whole subgroups");
}

DEATH_TEST(Target, RegistersAreMoreThanThoseOfMatrixInstructions) {
  Target target = copyOf("gfx942");
  target.registersPerLane = target.accumulationRegisters;
  EXPECT_DEATH(TargetRegistration known(target), "a subgroup has registers");
}

DEATH_TEST(Target, MemoryThatIsDeclaredMayBeAskedFor) {
  Target target = copyOf("sm_80");
  target.dynamicSharedMemoryBytes = target.sharedMemoryBytes - 1;
  EXPECT_DEATH(TargetRegistration known(target), "may be asked for");
  target = copyOf("sm_80");
  target.banks.banks = 24;
  EXPECT_DEATH(TargetRegistration known(target), "may be asked for");
}

DEATH_TEST(Target, RegistersOfACpuAreVectors) {
  Target narrow = levelsOf(CpuArchitecture::X86_64).front();
  narrow.name = "host:broken";
  narrow.simd.vectorBits = 128;
  EXPECT_DEATH(TargetRegistration known(narrow),
               "the registers of a CPU's lane are its vectors");
}

DEATH_TEST(Target, FragmentsHoldWholeOperands) {
  Target target = copyOf("sm_80");
  MmaRow row = target.mma.front();
  target.mma = row;
  row.k *= 2;
  EXPECT_DEATH(TargetRegistration known(target), "hold whole operands");
  row = lookupTarget("sm_80")->mma.front();
  row.fragmentC.shape[0] *= 2;
  EXPECT_DEATH(TargetRegistration known(target), "hold whole operands");
  EXPECT_DEATH(layoutOf(row.fragmentC), "a fragment's shape is its registers");
  row = lookupTarget("gfx942")->mma.front();
  EXPECT_DEATH(TargetRegistration known(target), "hold whole operands");
}

DEATH_TEST(Target, ProductsWithMorePartsInAWordComeFirst) {
  Target host = levelsOf(CpuArchitecture::X86_64).front();
  host.name = "host:broken";
  PackedDot rows[] = {host.simd.packedDots.back(),
                      host.simd.packedDots.front()};
  host.simd.packedDots = rows;
  EXPECT_DEATH(TargetRegistration known(host), "come first");
  rows[0].rhs = ScalarKind::I8;
  EXPECT_DEATH(rows[0].partsPerWord(), "parts of a word are alike");
}

DEATH_TEST(Target, PartnersAreAPowerOfTwoApart) {
  EXPECT_DEATH(lookupTarget("gfx942")->partnerAmongAlike(6),
               "a power of two apart");
  EXPECT_DEATH(lookupTarget("sm_80")->registersFor(0), "a workgroup has lanes");
}

DEATH_TEST(Host, IsNarrowedBeforeTargetsAreLookedUp) {
  ASSERT_TRUE(lookupTarget("host"));
  EXPECT_DEATH(narrowHost("avx2"), "after host is narrowed");
}

} // namespace

//===- HostTest.cpp - Which level of `host` a CPU has ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPUs are made up from features, so that each level is chosen somewhere,
// whatever the machine is that the tests run on.
//
//===----------------------------------------------------------------------===//
#include "distaff/Target/ThisMachine.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace distaff;

namespace {

/// Features that CPUs have together, separated by spaces.
constexpr char avx2[] = "avx avx2 fma f16c bmi bmi2";
constexpr char avx512[] = "avx512f avx512bw avx512cd avx512dq avx512vl";
constexpr char amx[] = "amx-tile amx-int8 amx-bf16";

Cpu cpuWith(CpuArchitecture architecture,
            std::initializer_list<llvm::StringRef> groups) {
  Cpu cpu = {.architecture = architecture};
  for (llvm::StringRef group : groups) {
    llvm::SmallVector<llvm::StringRef> names;
    group.split(names, ' ');
    for (llvm::StringRef name : names)
      cpu.features[name] = true;
  }
  return cpu;
}

std::string levelOf(const Cpu &cpu) { return bestLevelOf(cpu).name.str(); }

std::string levelOfX86(std::initializer_list<llvm::StringRef> groups,
                       bool lendsMatrices = true) {
  Cpu cpu = cpuWith(CpuArchitecture::X86_64, groups);
  cpu.lendsMatrices = lendsMatrices;
  return levelOf(cpu);
}

std::string levelOfArm(std::initializer_list<llvm::StringRef> groups) {
  return levelOf(cpuWith(CpuArchitecture::AArch64, groups));
}

TEST(Host, TheBestLevelOfAnX86IsByItsFeatures) {
  EXPECT_EQ(levelOfX86({avx2}), "host:avx2");               // Zen 3
  EXPECT_EQ(levelOfX86({avx2, "avxvnni"}), "host:avxvnni"); // Alder Lake
  EXPECT_EQ(levelOfX86({avx2, avx512}), "host:avx512");     // Skylake
  EXPECT_EQ(levelOfX86({avx2, avx512, "avx512vnni"}),
            "host:avx512vnni"); // Ice Lake
  EXPECT_EQ(levelOfX86({avx2, avx512, "avx512vnni avx512bf16"}),
            "host:avx512bf16"); // Zen 4
  EXPECT_EQ(levelOfX86({avx2, avx512, "avx512vnni avx512bf16 avxvnni"}),
            "host:avx512bf16"); // Zen 5
  EXPECT_EQ(levelOfX86({avx2, avx512, "avx512vnni avx512bf16", amx}),
            "host:amx"); // Sapphire Rapids
  EXPECT_EQ(
      levelOfX86({avx2, avx512, "avx512vnni avx512bf16", amx, "amx-fp16"}),
      "host:amxfp16"); // Granite Rapids
}

TEST(Host, ALevelNeedsAllOfItsFeatures) {
  EXPECT_EQ(levelOfX86({avx2, "avx512f avx512cd"}), "host:avx2"); // Knights
  EXPECT_EQ(levelOfX86({avx2, avx512, "avx512bf16"}), "host:avx512");
  EXPECT_EQ(levelOfX86({avx2, avx512, "avx512vnni", amx}), "host:avx512vnni");
  // A machine below every level has the last one, which does not run there.
  for (std::initializer_list<llvm::StringRef> features :
       {std::initializer_list<llvm::StringRef>{},
        {"avx2 bmi bmi2 f16c"},
        {avx512}}) {
    Cpu old = cpuWith(CpuArchitecture::X86_64, features);
    EXPECT_EQ(levelOf(old), "host:avx2");
    EXPECT_FALSE(runsOn(bestLevelOf(old), old));
  }
}

TEST(Host, MatricesAreTheSystemsToLend) {
  EXPECT_EQ(levelOfX86({avx2, avx512, "avx512vnni avx512bf16", amx, "amx-fp16"},
                       /*lendsMatrices=*/false),
            "host:avx512bf16");
}

TEST(Host, TheBestLevelOfAnArmIsByItsFeatures) {
  EXPECT_EQ(levelOfArm({"neon"}), "host:neon");
  EXPECT_EQ(levelOfArm({"neon dotprod"}), "host:neondot"); // Neoverse N1
  EXPECT_EQ(levelOfArm({"neon dotprod i8mm"}), "host:neondot");
  EXPECT_EQ(levelOfArm({"neon dotprod i8mm bf16"}),
            "host:neonbf16"); // Neoverse V1
}

TEST(Host, CodeForGpusRunsOnNoCpu) {
  Cpu cpu = cpuWith(CpuArchitecture::X86_64, {avx2, avx512});
  EXPECT_FALSE(runsOn(*lookupTarget("sm_80"), cpu));
}

// Whatever the machine: it has a level with its name, and cores.
TEST(Host, ThisMachineHasVectors) {
  const Target *host = lookupTarget("host");
  ASSERT_TRUE(host && host->isHost());
  const Target &level = bestLevelOf(thisCpu());
  EXPECT_EQ(lookupTarget(level.name), &level);
  EXPECT_EQ(host->simd.vectorBits, level.simd.vectorBits);
  EXPECT_EQ(host->simd.registers, level.simd.registers);
  EXPECT_EQ(host->simd.packedDots.data(), level.simd.packedDots.data());
  EXPECT_EQ(host->simd.matrices.dots.size(), level.simd.matrices.dots.size());
  EXPECT_EQ(runsOnThisMachine(*host), runsOnThisMachine(level));
  EXPECT_GE(host->computeUnits, 1);
}

TEST(Host, LevelsAreWholeTargets) {
  std::set<std::string> names;
  for (CpuArchitecture architecture :
       {CpuArchitecture::X86_64, CpuArchitecture::AArch64})
    for (const Target &level : levelsOf(architecture)) {
      EXPECT_TRUE(names.insert(level.name.str()).second) << level.name.str();
      EXPECT_TRUE(level.isHost() && level.name.starts_with("host:"));
      EXPECT_EQ(level.subgroupSize, 1);
      EXPECT_EQ(level.maxWorkgroupSize, 1);
      EXPECT_LE(level.simd.level1Bytes, level.simd.level2Bytes);
      EXPECT_EQ(level.registersPerLane * 32,
                level.simd.registers * level.simd.vectorBits);
    }
  for (const Target *target : allTargets()) {
    EXPECT_EQ(target->isHost(), target->name.starts_with("host"));
    EXPECT_EQ(target->isHost(), target->simd.vectorBits > 0);
  }
}

} // namespace

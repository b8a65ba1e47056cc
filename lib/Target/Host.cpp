//===- Host.cpp - The CPU that the compiler runs on -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `host` is the machine itself; `host:LEVEL` restricts it to a level of the
// instruction set, so that code compiled here runs on other machines too. A
// core is a compute unit that runs one workgroup of one lane. This lane holds
// the vector registers, in words of 32 bits: 16 of AVX2 are 128.
//
// Levels are those of the x86-64 psABI ("Micro-Architecture Levels"): v3 has
// AVX2, FMA and F16C, without which halves would need a library, v4 AVX-512 F,
// BW, CD, DQ and VL. Other levels also have instructions that add up products
// of bytes (VNNI) and of bf16, or registers for matrices of them (AMX).
// Registers and their widths are from Intel's Software Developer's Manual,
// volume 1, 3.4, 15.1 and 18.2 (palette 1), and from Arm's Architecture
// Reference Manual for A-profile, C1.2.5.
//
// Costs rank candidates: one slot is a word of 32 bits in one of 16 of AVX2's
// that a core computes in a cycle; a line from memory takes some six cycles at
// 10 bytes each. Costs of instructions are from the tables at uops.info, for
// Zen 3 and Skylake (AVX2), Ice Lake (AVX-512), and from Arm's Neoverse N1
// Software Optimization Guide; for AMX from Intel's Optimization Reference
// Manual, volume 1, chapter 20.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "distaff/Target/ThisMachine.h"

using namespace distaff;

/// Returns the table of an instruction set with so many registers of so many
/// bits.
static constexpr Target core(llvm::StringLiteral name, llvm::StringLiteral chip,
                             SimdModel simd,
                             llvm::StringLiteral features = "") {
  int64_t words = simd.registers * simd.vectorBits / 32;
  return {
      .name = name,
      .family = Family::Host,
      .triple = nativeChip,
      .chip = chip,
      .features = features,
      .capability = {0, 0, /*exact=*/false},
      .subgroupSize = 1,
      .maxWorkgroupSize = 1,
      .registersPerLane = words,
      .accumulationRegisters = 0,
      .registersPerUnit = words,
      .registerGranule = 1,
      .overheadRegisters = 1, // addresses have their own registers
      .spillableRegisters = 65536,
      .instructionCacheBytes = 32 * 1024, // most cores have this much, none
                                          // less
      .computeUnits = 1,
      .residency = {.workgroups = 1,
                    .lanes = 1,
                    .sharedBytes = 0,
                    .sharedGranule = 1,
                    .sharedReserved = 0},
      .sharedMemoryBytes = 0,
      .dynamicSharedMemoryBytes = 0,
      .asyncCopyBytes = {},
      .maxGrid = {2147483647, 2147483647, 2147483647},
      .mma = {},
      .narrowConversions = {},
      .costs = {},
      .banks = {.maxAccessBytes = 1},
      .barriers = {.named = 0, .isSplit = false},
      .globalMemory = {.sectorBytes = 64,
                       .lineBytes = 64,
                       .maxAccessBits = simd.vectorBits,
                       .baseAlignmentBytes = 1, // an element's alignment
                                                // suffices
                       .issueCost = simd.vectorBits / 32,
                       .sectorCost = 96,
                       .latency = 0}, // the core prefetches
      .issue = {.issuers = 1,
                .multiplyAdd = 1,
                .division = 8,
                .function = 16,
                .shuffleLatency = 0,
                .meetingLatency = 0,
                .handOut = 16,
                .start = 64},
      .laneReductionCost = 0,
      .simd = simd,
      .mirrorsHalfRows = false,
  };
}

static constexpr SimdModel vectors(int64_t bits, int64_t registers,
                                   SimdCosts costs, int64_t maskedBits,
                                   llvm::ArrayRef<PackedDot> packedDots = {}) {
  return {.vectorBits = bits,
          .registers = registers,
          .level1Bytes = 32 << 10,
          .level2Bytes = 512 << 10,
          .costs = costs,
          .maskedBits = maskedBits,
          .packedDots = packedDots};
}

//===----------------------------------------------------------------------===//
// x86-64
//===----------------------------------------------------------------------===//

// Intel's Software Developer's Manual, volume 2.
static constexpr PackedDot pairs = {"vpmaddwd", ScalarKind::I16,
                                    ScalarKind::I16, ScalarKind::I32};
static constexpr PackedDot fours = {"vpdpbusd", ScalarKind::U8, ScalarKind::I8,
                                    ScalarKind::I32,
                                    "llvm.x86.avx512.vpdpbusd."};
static constexpr PackedDot floats = {"vdpbf16ps", ScalarKind::BF16,
                                     ScalarKind::BF16, ScalarKind::F32,
                                     "llvm.x86.avx512bf16.dpbf16ps."};
static constexpr PackedDot ofAll[] = {pairs}, ofVnni[] = {fours, pairs},
                           ofBF16[] = {fours, pairs, floats};

// Products of matrices, by ops of MLIR's amx dialect.
static constexpr PackedDot tileDots[] = {
    {"tdpbssd", ScalarKind::I8, ScalarKind::I8, ScalarKind::I32},
    {"tdpbsud", ScalarKind::I8, ScalarKind::U8, ScalarKind::I32},
    {"tdpbusd", ScalarKind::U8, ScalarKind::I8, ScalarKind::I32},
    {"tdpbuud", ScalarKind::U8, ScalarKind::U8, ScalarKind::I32},
    {"tdpbf16ps", ScalarKind::BF16, ScalarKind::BF16, ScalarKind::F32},
    {"tdpfp16ps", ScalarKind::F16, ScalarKind::F16, ScalarKind::F32}};
static constexpr llvm::ArrayRef<PackedDot> ofAmxFP16 = tileDots;
static constexpr llvm::ArrayRef<PackedDot> ofAmx = {tileDots, 5};

static constexpr MatrixUnit tiles(llvm::ArrayRef<PackedDot> dots) {
  return {.registers = 8,
          .rows = 16,
          .words = 16,
          .product = 64,
          .load = 32,
          .latency = 208,
          .dots = dots};
}

static constexpr SimdModel avx512(llvm::ArrayRef<PackedDot> packedDots,
                                  MatrixUnit matrices = {}) {
  SimdModel simd = vectors(512, 32,
                           {.arithmetic = 2,
                            .division = 32,
                            .load = 2,
                            .store = 4,
                            .maskedLoad = 2,
                            .maskedStore = 4,
                            .shuffle = 4,
                            .element = 4,
                            .broadcast = 4},
                           /*maskedBits=*/8, packedDots);
  simd.matrices = matrices;
  return simd;
}

static constexpr SimdModel avx2(llvm::ArrayRef<PackedDot> packedDots) {
  return vectors(256, 16,
                 {.arithmetic = 2,
                  .division = 20,
                  .load = 2,
                  .store = 4,
                  .maskedLoad = 4,
                  .maskedStore = 24,
                  .shuffle = 3,
                  .element = 4,
                  .broadcast = 4},
                 /*maskedBits=*/32, packedDots);
}

/// Marks a level as one on which no kernel has been timed.
static constexpr Target experimental(Target level) {
  level.isExperimental = true;
  return level;
}

/// The levels of x86-64, the best one first.
static constexpr Target x86Levels[] = {
    experimental(core(
        "host:amxfp16", "x86-64-v4", avx512(ofBF16, tiles(ofAmxFP16)),
        "+avx512vnni,+avx512bf16,+amx-tile,+amx-int8,+amx-bf16,+amx-fp16")),
    experimental(core("host:amx", "x86-64-v4", avx512(ofBF16, tiles(ofAmx)),
                      "+avx512vnni,+avx512bf16,+amx-tile,+amx-int8,+amx-bf16")),
    core("host:avx512bf16", "x86-64-v4", avx512(ofBF16),
         "+avx512vnni,+avx512bf16"),
    core("host:avx512vnni", "x86-64-v4", avx512(ofVnni), "+avx512vnni"),
    core("host:avx512", "x86-64-v4", avx512(ofAll)),
    core("host:avxvnni", "x86-64-v3", avx2(ofVnni), "+avxvnni"),
    core("host:avx2", "x86-64-v3", avx2(ofAll))};

//===----------------------------------------------------------------------===//
// AArch64
//===----------------------------------------------------------------------===//

// Arm's Architecture Reference Manual for A-profile, C7.2: FEAT_DotProd,
// FEAT_I8MM, FEAT_BF16.
static constexpr PackedDot dotS = {"sdot", ScalarKind::I8, ScalarKind::I8,
                                   ScalarKind::I32, "llvm.aarch64.neon.sdot."},
                           dotU = {"udot", ScalarKind::U8, ScalarKind::U8,
                                   ScalarKind::I32, "llvm.aarch64.neon.udot."},
                           dotUS = {"usdot", ScalarKind::U8, ScalarKind::I8,
                                    ScalarKind::I32,
                                    "llvm.aarch64.neon.usdot."},
                           dotBF16 = {"bfdot", ScalarKind::BF16,
                                      ScalarKind::BF16, ScalarKind::F32,
                                      "llvm.aarch64.neon.bfdot."};
static constexpr PackedDot ofDotProd[] = {dotS, dotU},
                           ofI8MM[] = {dotS, dotU, dotUS, dotBF16};

static constexpr SimdModel neon(llvm::ArrayRef<PackedDot> packedDots = {}) {
  return vectors(128, 32,
                 {.arithmetic = 2,
                  .division = 28,
                  .load = 2,
                  .store = 4,
                  .maskedLoad = 32, // element by element, under branches
                  .maskedStore = 32,
                  .shuffle = 2,
                  .element = 4,
                  .broadcast = 2},
                 /*maskedBits=*/128, packedDots);
}

/// The levels of AArch64, the best one first.
static constexpr Target armLevels[] = {
    experimental(
        core("host:neonbf16", "generic", neon(ofI8MM), "+dotprod,+i8mm,+bf16")),
    experimental(core("host:neondot", "generic", neon(ofDotProd), "+dotprod")),
    core("host:neon", "generic", neon())};

template <size_t size>
static constexpr bool areWhole(const Target (&levels)[size]) {
  for (const Target &level : levels)
    if (!isWhole(level) || !hasVectors(level))
      return false;
  return true;
}
static_assert(areWhole(x86Levels) && areWhole(armLevels));

llvm::ArrayRef<Target> distaff::levelsOf(CpuArchitecture architecture) {
  return architecture == CpuArchitecture::X86_64 ? llvm::ArrayRef(x86Levels)
                                                 : llvm::ArrayRef(armLevels);
}

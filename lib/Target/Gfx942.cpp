//===- Gfx942.cpp - AMD CDNA3 (MI300) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct MI300 Instruction Set Architecture, chapters "Kernel State" (512
// vector registers per lane, half of them accumulation registers) and "Matrix
// Arithmetic Instructions" for the fragments: with w = 64, MFMA MxNxK puts row
// i = lane % M of A and column j = lane % N of B on a lane, K/(64/M) adjacent
// k values each; D has column j = lane % N and rows in groups of four.
//
// A 32x32x8 instruction occupies the matrix core for 32 cycles, 16x16x16 for 16
// (256 multiply-adds per cycle and SIMD). A vector instruction of 64 lanes
// takes 4 cycles, packed multiply-adds of f32 two for the same points; a lane
// shuffle is a trip through the LDS crossbar. A compute unit has four SIMDs; a
// lane gets vector registers in eights. Lines of the vector cache have 128
// bytes ("Memory hierarchy" of the CDNA3 white paper). An MI300X has 304
// compute units (same paper); a SIMD has 8 subgroups at a time, and a workgroup
// of at least two is one of 16, which 32 subgroups are anyway; LDS is handed
// out in 512 bytes (LLVM's AMDGPUBaseInfo, IsaInfo). Latencies and times of
// launches are in no manual: these rank candidates.
//
// The 8-bit floats of this generation are the FNUZ forms, fp8 with 4 exponent
// bits and bf8 with 5. With MODE.FP16_OVFL clear, as kernels are launched, what
// is too large becomes NaN.
//
//===----------------------------------------------------------------------===//
#include "Tables.h"

using namespace distaff;

namespace {
using enum ScalarKind;

constexpr Fragment natural(int64_t outer0, int64_t thread0, int64_t thread1,
                           int64_t stride0, int64_t stride1, int64_t element0,
                           int64_t element1) {
  return {{outer0, 1},
          {thread0, thread1},
          {stride0, stride1},
          {element0, element1},
          {Fragment::Outer0, Fragment::Outer1, Fragment::Element0,
           Fragment::Element1},
          {outer0 * element0, element1}};
}

/// MFMA of size x size x k; the lanes that do not index the size-wide dim
/// split k (A, B) or the groups of four rows (C).
constexpr MmaRow row(llvm::StringLiteral name, llvm::StringLiteral instruction,
                     int64_t size, int64_t k, ScalarKind input) {
  int64_t groups = 64 / size;
  return {name,
          instruction,
          /*m=*/size,
          /*n=*/size,
          k,
          input,
          input,
          F32,
          natural(1, size, groups, 1, size, 1, k / groups),
          natural(1, groups, size, size, 1, k / groups, 1),
          natural(size / (4 * groups), groups, size, size, 1, 4, 1),
          /*subgroupSize=*/64,
          /*issueCost=*/size == 32 ? 32 : 16,
          MmaEmitter::RocdlMfma};
}

constexpr MmaRow rows[] = {
    row("MFMA_F32_32x32x8_F16", "rocdl.mfma.f32.32x32x8f16", 32, 8, F16),
    row("MFMA_F32_16x16x16_F16", "rocdl.mfma.f32.16x16x16f16", 16, 16, F16),
    row("MFMA_F32_32x32x8_BF16", "rocdl.mfma.f32.32x32x8bf16.1k", 32, 8, BF16),
    row("MFMA_F32_16x16x16_BF16", "rocdl.mfma.f32.16x16x16bf16.1k", 16, 16,
        BF16),
};

constexpr NarrowConversion conversions[] = {
    {&f8E4M3FNUZ, F32, /*widens=*/true, /*saturates=*/false,
     "rocdl.cvt.pk.f32.fp8"},
    {&f8E4M3FNUZ, F32, /*widens=*/false, /*saturates=*/false,
     "rocdl.cvt.pk.fp8.f32"},
    {&f8E5M2FNUZ, F32, /*widens=*/true, /*saturates=*/false,
     "rocdl.cvt.pk.f32.bf8"},
    {&f8E5M2FNUZ, F32, /*widens=*/false, /*saturates=*/false,
     "rocdl.cvt.pk.bf8.f32"},
};
} // namespace

const Target distaff::gfx942Target = {
    .name = "gfx942",
    .family = Family::AMDGPU,
    .triple = "amdgcn-amd-amdhsa",
    .chip = "gfx942",
    .features = "",
    .capability = {0, 0, /*exact=*/true},
    .subgroupSize = 64,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 512,
    .registersPerUnit = 131072,
    .registerGranule = 8,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 304,
    .residency = {.workgroups = 32,
                  .lanes = 2048,
                  .sharedBytes = 64 * 1024,
                  .sharedGranule = 512,
                  .sharedReserved = 0},
    .sharedMemoryBytes = 64 * 1024,
    .dynamicSharedMemoryBytes = 64 * 1024,
    .asyncCopyBytes = {},
    .maxGrid = {2147483647, 65535, 65535},
    .mma = rows,
    .narrowConversions = conversions,
    .costs = {.move = 0,
              .bytePermute = 4,
              .select = 4,
              .shuffle = 8,
              .sharedWavefront = 4,
              .barrier = 40,
              .addressOp = 4},
    .banks = {},
    .barriers = {.named = 0, .isSplit = false},
    .globalMemory = {.sectorBytes = 64,
                     .lineBytes = 128,
                     .maxAccessBits = 128,
                     .baseAlignmentBytes = 16,
                     .issueCost = 4,
                     .sectorCost = 4,
                     .latency = 400},
    .issue = {.issuers = 4,
              .multiplyAdd = 2,
              .division = 8,
              .function = 4,
              .shuffleLatency = 24,
              .meetingLatency = 320,
              .handOut = 4,
              .start = 64},
};

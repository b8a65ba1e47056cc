//===- Gfx942.cpp - AMD CDNA3 (MI300) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct MI300 Instruction Set Architecture, chapters "Kernel State" (512
// vector registers per lane, half of them accumulation registers).
//
// A vector instruction of 64 lanes takes 4 cycles, packed multiply-adds of f32
// two for the same points; a lane shuffle is a trip through the LDS crossbar. A
// compute unit has four SIMDs; a lane gets vector registers in eights. Lines of
// the vector cache have 128 bytes ("Memory hierarchy" of the CDNA3 white
// paper). An MI300X has 304 compute units (same paper); a SIMD has 8 subgroups
// at a time, and a workgroup of at least two is one of 16, which 32 subgroups
// are anyway; LDS is handed out in 512 bytes (LLVM's AMDGPUBaseInfo, IsaInfo).
// Latencies and times of launches are in no manual: these rank candidates.
//
// The 8-bit floats of this generation are the FNUZ forms, fp8 with 4 exponent
// bits and bf8 with 5. With MODE.FP16_OVFL clear, as kernels are launched, what
// is too large becomes NaN.
//
//===----------------------------------------------------------------------===//
#include "Mfma.h"
#include "Tables.h"

using namespace distaff;

namespace {
using enum ScalarKind;

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
    .mma = mfma::gfx942,
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

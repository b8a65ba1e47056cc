//===- Gfx950.cpp - AMD CDNA4 (MI350) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct CDNA4 Instruction Set Architecture: as gfx942, with 160 KiB of
// LDS, handed out in 1,280 bytes (LLVM's AMDGPUBaseInfo, IsaInfo), and 8-bit
// floats of the OCP forms, fp8 with 4 exponent bits and bf8 with 5. An MI355X
// has 256 compute units (AMD CDNA 4 Architecture white paper). The manuals give
// no latencies nor times of launches: these rank candidates.
//
//===----------------------------------------------------------------------===//
#include "Mfma.h"
#include "Tables.h"

using namespace distaff;

namespace {
using enum ScalarKind;

constexpr NarrowConversion conversions[] = {
    {&f8E4M3FN, F32, /*widens=*/true, /*saturates=*/false,
     "rocdl.cvt.pk.f32.fp8"},
    {&f8E4M3FN, F32, /*widens=*/false, /*saturates=*/false,
     "rocdl.cvt.pk.fp8.f32"},
    {&f8E5M2, F32, /*widens=*/true, /*saturates=*/false,
     "rocdl.cvt.pk.f32.bf8"},
    {&f8E5M2, F32, /*widens=*/false, /*saturates=*/false,
     "rocdl.cvt.pk.bf8.f32"},
};
} // namespace

const Target distaff::gfx950Target = {
    .name = "gfx950",
    .family = Family::AMDGPU,
    .triple = "amdgcn-amd-amdhsa",
    .chip = "gfx950",
    .features = "",
    .capability = {0, 0, /*exact=*/true},
    .subgroupSize = 64,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 512,
    .registersPerUnit = 131072,
    .registerGranule = 8,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 256,
    .residency = {.workgroups = 32,
                  .lanes = 2048,
                  .sharedBytes = 160 * 1024,
                  .sharedGranule = 1280,
                  .sharedReserved = 0},
    .sharedMemoryBytes = 160 * 1024,
    .dynamicSharedMemoryBytes = 160 * 1024,
    .asyncCopyBytes = {},
    .maxGrid = {2147483647, 65535, 65535},
    .mma = mfma::gfx950,
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

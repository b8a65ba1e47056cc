//===- Gfx908.cpp - AMD CDNA1 (MI100) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct MI100 Instruction Set Architecture, "Kernel State": 256 vector
// registers per lane, and as many for accumulation, which only matrix
// instructions compute with; a SIMD has so many times 64 of each, handed out in
// fours, and 10 subgroups at a time (LLVM's AMDGPUBaseInfo, IsaInfo). 120
// compute units (AMD CDNA Architecture white paper). The rest as of gfx942.
// The manuals give no latencies nor times of launches: these rank candidates.
//
//===----------------------------------------------------------------------===//
#include "Mfma.h"
#include "Tables.h"

using namespace distaff;

const Target distaff::gfx908Target = {
    .name = "gfx908",
    .family = Family::AMDGPU,
    .triple = "amdgcn-amd-amdhsa",
    .chip = "gfx908",
    .features = "",
    .capability = {0, 0, /*exact=*/true},
    .subgroupSize = 64,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 256,
    .registersPerUnit = 65536,
    .registerGranule = 4,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 120,
    .residency = {.workgroups = 40,
                  .lanes = 2560,
                  .sharedBytes = 64 * 1024,
                  .sharedGranule = 512,
                  .sharedReserved = 0},
    .sharedMemoryBytes = 64 * 1024,
    .dynamicSharedMemoryBytes = 64 * 1024,
    .asyncCopyBytes = {},
    .maxGrid = {2147483647, 65535, 65535},
    .mma = mfma::gfx908,
    .narrowConversions = {},
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
              .multiplyAdd = 4,
              .division = 8,
              .function = 4,
              .shuffleLatency = 24,
              .meetingLatency = 320,
              .handOut = 4,
              .start = 64},
};

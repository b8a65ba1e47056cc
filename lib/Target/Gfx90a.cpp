//===- Gfx90a.cpp - AMD CDNA2 (MI200) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct MI200 Instruction Set Architecture, "Kernel State": 512 vector
// registers per lane, half of them accumulation registers, in one file. A die
// of an MI250X, which is a device of its own, has 110 compute units (AMD CDNA 2
// Architecture white paper). The rest as of gfx942, but for 8-bit floats, which
// it does not have. The manuals give no latencies nor times of launches: these
// rank candidates.
//
//===----------------------------------------------------------------------===//
#include "Mfma.h"
#include "Tables.h"

using namespace distaff;

const Target distaff::gfx90aTarget = {
    .name = "gfx90a",
    .family = Family::AMDGPU,
    .triple = "amdgcn-amd-amdhsa",
    .chip = "gfx90a",
    .features = "",
    .capability = {0, 0, /*exact=*/true},
    .subgroupSize = 64,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 512,
    .registersPerUnit = 131072,
    .registerGranule = 8,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 110,
    .residency = {.workgroups = 32,
                  .lanes = 2048,
                  .sharedBytes = 64 * 1024,
                  .sharedGranule = 512,
                  .sharedReserved = 0},
    .sharedMemoryBytes = 64 * 1024,
    .dynamicSharedMemoryBytes = 64 * 1024,
    .asyncCopyBytes = {},
    .maxGrid = {2147483647, 65535, 65535},
    .mma = mfma::gfx90a,
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
              .multiplyAdd = 2,
              .division = 8,
              .function = 4,
              .shuffleLatency = 24,
              .meetingLatency = 320,
              .handOut = 4,
              .start = 64},
};

//===- Sm75.cpp - NVIDIA compute capability 7.5 ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, table "Technical specifications per compute
// capability", column 7.5: 1,024 lanes, 16 workgroups and 64 KiB of shared
// memory of a multiprocessor at a time, all of it one workgroup's if asked for
// at launch; in units of 256 bytes (CUDA Occupancy Calculator). A T4 has 40
// multiprocessors (NVIDIA Turing GPU Architecture, appendix "T4"). Copies to
// shared memory go through registers. Issue rates as of sm_80, which ranks
// candidates alike: "Throughput of Native Arithmetic Instructions" has the same
// 64 multiply-adds of f32 per cycle.
//
//===----------------------------------------------------------------------===//
#include "MmaSync.h"
#include "Tables.h"

using namespace distaff;

const Target distaff::sm75Target = {
    .name = "sm_75",
    .family = Family::NVPTX,
    .triple = "nvptx64-nvidia-cuda",
    .chip = "sm_75",
    .features = "+ptx70",
    .capability = {7, 5, /*exact=*/false},
    .subgroupSize = 32,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 255,
    .registersPerUnit = 65536,
    .registerGranule = 8,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 40,
    .residency = {.workgroups = 16,
                  .lanes = 1024,
                  .sharedBytes = 64 * 1024,
                  .sharedGranule = 256,
                  .sharedReserved = 0},
    .sharedMemoryBytes = 48 * 1024,
    .dynamicSharedMemoryBytes = 64 * 1024,
    .asyncCopyBytes = {},
    .maxGrid = {2147483647, 65535, 65535},
    .mma = mma_sync::sm75,
    .narrowConversions = {}, // from sm_89 on
    .costs = {},             // the defaults of MoveCosts are this target's
    .banks = {.loadsMatrices = true},
    .barriers = {.named = 15, .isSplit = false},
    .globalMemory = {.sectorBytes = 32,
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

//===- Sm80.cpp - NVIDIA compute capability 8.0 ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, table "Technical specifications per compute
// capability", column 8.0. 48 KiB of shared memory may be declared
// statically, 163 KiB asked for at launch; 256 registers are allocated per
// subgroup at once. A multiprocessor, of which the A100 has 108 (its white
// paper), has 2,048 lanes, 32 workgroups and 164 KiB of shared memory at a
// time, 1 KiB of it reserved per workgroup (NVIDIA Ampere GPU Architecture
// Tuning Guide, "Occupancy"), in units of 128 bytes (CUDA Occupancy
// Calculator). Costs are the default issue-slot weights of the
// specification (4.5).
//
// Same guide, "Architecture" of 8.x: four schedulers per multiprocessor; table
// "Throughput of Native Arithmetic Instructions": 64 multiply-adds of f32 per
// cycle, so two slots of one of four issuers. "Device Memory Accesses": 16
// bytes per lane at most, from lines of 128; cudaMalloc aligns to 256 bytes, of
// which the kernel ABI asks 16, so that it takes slices of arrays. A lane has
// 512 KiB of local memory; code with more than half of it does not end. The
// manuals give no latencies nor times of launches: these rank candidates.
//
//===----------------------------------------------------------------------===//
#include "CpAsync.h"
#include "MmaSync.h"
#include "Tables.h"

using namespace distaff;

const Target distaff::sm80Target = {
    .name = "sm_80",
    .family = Family::NVPTX,
    .triple = "nvptx64-nvidia-cuda",
    .chip = "sm_80",
    .features = "+ptx70",
    .capability = {8, 0, /*exact=*/false},
    .subgroupSize = 32,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 255,
    .registersPerUnit = 65536,
    .registerGranule = 8,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 108,
    .residency = {.workgroups = 32,
                  .lanes = 2048,
                  .sharedBytes = 164 * 1024,
                  .sharedGranule = 128,
                  .sharedReserved = 1024},
    .sharedMemoryBytes = 48 * 1024,
    .dynamicSharedMemoryBytes = 163 * 1024,
    .asyncCopyBytes = cpAsyncBytes,
    .maxGrid = {2147483647, 65535, 65535},
    .mma = mma_sync::sm80,
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

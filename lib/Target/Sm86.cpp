//===- Sm86.cpp - NVIDIA compute capability 8.6 ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, table "Technical specifications per compute
// capability", column 8.6: 1,536 lanes, 16 workgroups and 100 KiB of shared
// memory of a multiprocessor at a time, 99 KiB at most asked for at launch, 1
// KiB reserved per workgroup (NVIDIA Ampere GPU Architecture Tuning Guide). An
// RTX 3090 has 82 multiprocessors (NVIDIA Ampere GA102 GPU Architecture), with
// 128 multiply-adds of f32 per cycle, one slot of one of four issuers.
//
//===----------------------------------------------------------------------===//
#include "CpAsync.h"
#include "MmaSync.h"
#include "Tables.h"

using namespace distaff;

const Target distaff::sm86Target = {
    .name = "sm_86",
    .family = Family::NVPTX,
    .triple = "nvptx64-nvidia-cuda",
    .chip = "sm_86",
    .features = "+ptx71",
    .capability = {8, 6, /*exact=*/false},
    .subgroupSize = 32,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 255,
    .registersPerUnit = 65536,
    .registerGranule = 8,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 82,
    .residency = {.workgroups = 16,
                  .lanes = 1536,
                  .sharedBytes = 100 * 1024,
                  .sharedGranule = 128,
                  .sharedReserved = 1024},
    .sharedMemoryBytes = 48 * 1024,
    .dynamicSharedMemoryBytes = 99 * 1024,
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
              .multiplyAdd = 1,
              .division = 8,
              .function = 4,
              .shuffleLatency = 24,
              .meetingLatency = 320,
              .handOut = 4,
              .start = 64},
};

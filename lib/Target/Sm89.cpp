//===- Sm89.cpp - NVIDIA compute capability 8.9 ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, table "Technical specifications per compute
// capability", column 8.9: 1,536 lanes, 24 workgroups and 100 KiB of shared
// memory of a multiprocessor at a time, 99 KiB at most asked for at launch, 1
// KiB reserved per workgroup (NVIDIA Ada GPU Architecture Tuning Guide). An RTX
// 4090 has 128 multiprocessors (NVIDIA Ada GPU Architecture), with 128
// multiply-adds of f32 per cycle, one slot of one of four issuers. mma of 8-bit
// floats needs PTX ISA 8.4.
//
//===----------------------------------------------------------------------===//
#include "CpAsync.h"
#include "CvtF8.h"
#include "MmaSync.h"
#include "Tables.h"

using namespace distaff;

const Target distaff::sm89Target = {
    .name = "sm_89",
    .family = Family::NVPTX,
    .triple = "nvptx64-nvidia-cuda",
    .chip = "sm_89",
    .features = "+ptx84",
    .capability = {8, 9, /*exact=*/false},
    .subgroupSize = 32,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 255,
    .registersPerUnit = 65536,
    .registerGranule = 8,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 128,
    .residency = {.workgroups = 24,
                  .lanes = 1536,
                  .sharedBytes = 100 * 1024,
                  .sharedGranule = 128,
                  .sharedReserved = 1024},
    .sharedMemoryBytes = 48 * 1024,
    .dynamicSharedMemoryBytes = 99 * 1024,
    .asyncCopyBytes = cpAsyncBytes,
    .maxGrid = {2147483647, 65535, 65535},
    .mma = mma_sync::sm89,
    .narrowConversions = cvt::cvtF8,
    .costs = {}, // the defaults of MoveCosts are this target's
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

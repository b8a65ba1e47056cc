//===- Sm90a.cpp - NVIDIA compute capability 9.0, architecture specific ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, table "Technical specifications per compute
// capability", column 9.0. 48 KiB of shared memory may be declared
// statically, 227 KiB asked for at launch. Of the 132 multiprocessors of an
// H100 SXM or H200 (white paper of the H100) each has 2,048 lanes, 32
// workgroups and 228 KiB of shared memory at a time, 1 KiB of it reserved per
// workgroup (NVIDIA Hopper Tuning Guide, "Occupancy"). The matrix instructions
// are mma.sync; wgmma is not in the table yet. Issue rates are those of sm_80,
// which ranks candidates alike; the guide's are twice as many multiply-adds.
// mma of 8-bit floats needs PTX ISA 8.4.
//
//===----------------------------------------------------------------------===//
#include "CpAsync.h"
#include "CvtF8.h"
#include "MmaSync.h"
#include "Tables.h"

using namespace distaff;

const Target distaff::sm90aTarget = {
    .name = "sm_90a",
    .family = Family::NVPTX,
    .triple = "nvptx64-nvidia-cuda",
    .chip = "sm_90a",
    .features = "+ptx84",
    .capability = {9, 0, /*exact=*/true},
    .subgroupSize = 32,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 255,
    .registersPerUnit = 65536,
    .registerGranule = 8,
    .overheadRegisters = 24,
    .spillableRegisters = 65536,
    .computeUnits = 132,
    .residency = {.workgroups = 32,
                  .lanes = 2048,
                  .sharedBytes = 228 * 1024,
                  .sharedGranule = 128,
                  .sharedReserved = 1024},
    .sharedMemoryBytes = 48 * 1024,
    .dynamicSharedMemoryBytes = 227 * 1024,
    .asyncCopyBytes = cpAsyncBytes,
    .maxGrid = {2147483647, 65535, 65535},
    .mma = mma_sync::sm90,
    .narrowConversions = cvt::cvtF8,
    .costs = {}, // the defaults of MoveCosts are this target's
    .banks = {.loadsMatrices = true, .storesMatrices = true},
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

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
// statically, 163 KiB asked for at launch. Costs are the default issue-slot
// weights of the specification (4.5).
//
//===----------------------------------------------------------------------===//
#include "MmaSync.h"
#include "Tables.h"

using namespace distaff;

const Target distaff::sm80Target = {
    .name = "sm_80",
    .family = Family::NVPTX,
    .triple = "nvptx64-nvidia-cuda",
    .chip = "sm_80",
    .features = "+ptx70",
    .subgroupSize = 32,
    .maxWorkgroupSize = 1024,
    .registersPerLane = 255,
    .registersPerUnit = 65536,
    .computeUnits = 108,
    .sharedMemoryBytes = 48 * 1024,
    .dynamicSharedMemoryBytes = 163 * 1024,
    .maxGrid = {2147483647, 65535, 65535},
    .mma = mma_sync::rows,
    .narrowConversions = {}, // from sm_89 on
    .costs = {},             // the defaults of MoveCosts are this target's
    .banks = {},
    .globalMemory = {.sectorBytes = 32,
                     .maxAccessBits = 128,
                     .issueCost = 4,
                     .sectorCost = 4},
};

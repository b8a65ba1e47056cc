//===- Sm80.cpp - NVIDIA compute capability 8.0 ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, table "Technical specifications per compute
// capability", column 8.0: 163 KiB of shared memory on request at launch. A
// multiprocessor, of which the A100 has 108 (its white paper), has 2,048 lanes,
// 32 workgroups and 164 KiB of shared memory at a time, 1 KiB of it reserved
// per workgroup (NVIDIA Ampere GPU Architecture Tuning Guide, "Occupancy"), in
// units of 128 bytes (CUDA Occupancy Calculator). "Throughput of Native
// Arithmetic Instructions" has 64 multiply-adds of f32 per cycle, so two slots
// of one of four issuers.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "CpAsync.h"
#include "MmaSync.h"
#include "Nvidia.h"

using namespace distaff;

static constexpr Target sm80Table() {
  Target target = nvidia();
  target.name = "sm_80";
  target.chip = "sm_80";
  target.features = "+ptx70";
  target.capability = {8, 0, /*exact=*/false};
  target.computeUnits = 108;
  target.residency = {.workgroups = 32,
                      .lanes = 2048,
                      .sharedBytes = 164 * 1024,
                      .sharedGranule = 128,
                      .sharedReserved = 1024};
  target.dynamicSharedMemoryBytes = 163 * 1024;
  target.asyncCopyBytes = cpAsyncBytes;
  target.mma = mma_sync::sm80;
  target.laneReductionCost = reduxCost;
  return target;
}

static_assert(isWholeGpu(sm80Table(), mma_sync::sm80));
constinit const Target distaff::sm80Target = sm80Table();

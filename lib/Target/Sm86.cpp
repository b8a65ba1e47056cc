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
// memory of a multiprocessor at a time, 99 KiB at most on request at launch, 1
// KiB reserved per workgroup (NVIDIA Ampere GPU Architecture Tuning Guide). An
// RTX 3090 has 82 multiprocessors (NVIDIA Ampere GA102 GPU Architecture), with
// 128 multiply-adds of f32 per cycle, one slot of one of four issuers.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "CpAsync.h"
#include "MmaSync.h"
#include "Nvidia.h"

using namespace distaff;

static constexpr Target sm86Table() {
  Target target = nvidia();
  target.name = "sm_86";
  target.chip = "sm_86";
  target.features = "+ptx71";
  target.capability = {8, 6, /*exact=*/false};
  target.computeUnits = 82;
  target.residency = {.workgroups = 16,
                      .lanes = 1536,
                      .sharedBytes = 100 * 1024,
                      .sharedGranule = 128,
                      .sharedReserved = 1024};
  target.dynamicSharedMemoryBytes = 99 * 1024;
  target.asyncCopyBytes = cpAsyncBytes;
  target.mma = mma_sync::sm86;
  target.issue.multiplyAdd = 1;
  target.laneReductionCost = reduxCost;
  return target;
}

static_assert(isWholeGpu(sm86Table(), mma_sync::sm86));
constinit const Target distaff::sm86Target = sm86Table();

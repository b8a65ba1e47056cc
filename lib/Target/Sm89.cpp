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
// memory of a multiprocessor at a time, 99 KiB at most on request at launch, 1
// KiB reserved per workgroup (NVIDIA Ada GPU Architecture Tuning Guide). An RTX
// 4090 has 128 multiprocessors (NVIDIA Ada GPU Architecture), with 128
// multiply-adds of f32 per cycle, one slot of one of four issuers. mma of 8-bit
// floats needs PTX ISA 8.4.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "CpAsync.h"
#include "CvtF8.h"
#include "MmaSync.h"
#include "MovMatrix.h"
#include "Nvidia.h"

using namespace distaff;

static constexpr Target sm89Table() {
  Target target = nvidia();
  target.name = "sm_89";
  target.chip = "sm_89";
  target.features = "+ptx84";
  target.capability = {8, 9, /*exact=*/false};
  target.computeUnits = 128;
  target.residency = {.workgroups = 24,
                      .lanes = 1536,
                      .sharedBytes = 100 * 1024,
                      .sharedGranule = 128,
                      .sharedReserved = 1024};
  target.dynamicSharedMemoryBytes = 99 * 1024;
  target.asyncCopyBytes = cpAsyncBytes;
  target.mma = mma_sync::sm89;
  target.ops = movmatrix::ops;
  target.narrowConversions = cvt::cvtF8;
  target.issue.multiplyAdd = 1;
  target.laneReductionCost = reduxCost;
  return target;
}

static_assert(isWholeGpu(sm89Table(), mma_sync::sm89));
constinit const Target distaff::sm89Target = sm89Table();

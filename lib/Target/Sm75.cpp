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
// memory of a multiprocessor at a time, all of which a launch may request for
// one workgroup; in units of 256 bytes (CUDA Occupancy Calculator). A T4 has 40
// multiprocessors (NVIDIA Turing GPU Architecture, appendix "T4"). Copies to
// shared memory go through registers, and no instruction combines all lanes.
// "Throughput of Native Arithmetic Instructions" has 64 multiply-adds of f32
// per cycle, so two slots of one of four issuers. 46 KiB of instructions are
// near them (Jia et al., arXiv:1903.07486, table 3.1, measured).
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "MmaSync.h"
#include "Nvidia.h"

using namespace distaff;

static constexpr Target sm75Table() {
  Target target = nvidia();
  target.name = "sm_75";
  target.chip = "sm_75";
  target.features = "+ptx70";
  target.capability = {7, 5, /*exact=*/false};
  target.instructionCacheBytes = 46 * 1024;
  target.computeUnits = 40;
  target.residency = {.workgroups = 16,
                      .lanes = 1024,
                      .sharedBytes = 64 * 1024,
                      .sharedGranule = 256,
                      .sharedReserved = 0};
  target.dynamicSharedMemoryBytes = 64 * 1024;
  target.mma = mma_sync::sm75;
  return target;
}

static_assert(isWholeGpu(sm75Table(), mma_sync::sm75));
constinit const Target distaff::sm75Target = sm75Table();

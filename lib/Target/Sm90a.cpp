//===- Sm90a.cpp - NVIDIA compute capability 9.0, architecture specific ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, table "Technical specifications per compute
// capability", column 9.0: 227 KiB of shared memory on request at launch. Of
// the
// 132 multiprocessors of an H100 SXM or H200 (white paper of the H100) each has
// 2,048 lanes, 32 workgroups and 228 KiB of shared memory at a time, 1 KiB of
// it reserved per workgroup (NVIDIA Hopper Tuning Guide, "Occupancy"). The
// matrix instructions are mma.sync; wgmma is not in the table yet. Issue rates
// are those of sm_80, which ranks candidates alike; the guide's are twice as
// many multiply-adds. mma of 8-bit floats needs PTX ISA 8.4.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "CpAsync.h"
#include "CvtF8.h"
#include "MmaSync.h"
#include "MovMatrix.h"
#include "Nvidia.h"

using namespace distaff;

static constexpr Target sm90aTable() {
  Target target = nvidia();
  target.name = "sm_90a";
  target.chip = "sm_90a";
  target.features = "+ptx84";
  target.capability = {9, 0, /*exact=*/true};
  target.overfillsRegisters = false;
  target.computeUnits = 132;
  target.residency = {.workgroups = 32,
                      .lanes = 2048,
                      .sharedBytes = 228 * 1024,
                      .sharedGranule = 128,
                      .sharedReserved = 1024};
  target.dynamicSharedMemoryBytes = 227 * 1024;
  target.asyncCopyBytes = cpAsyncBytes;
  target.mma = mma_sync::sm90;
  target.ops = movmatrix::ops;
  target.narrowConversions = cvt::cvtF8;
  target.banks.storesMatrices = true;
  target.laneReductionCost = reduxCost;
  return target;
}

static_assert(isWholeGpu(sm90aTable(), mma_sync::sm90));
constinit const Target distaff::sm90aTarget = sm90aTable();

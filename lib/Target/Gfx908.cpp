//===- Gfx908.cpp - AMD CDNA1 (MI100) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct MI100 Instruction Set Architecture, "Kernel State": 256 vector
// registers per lane, and as many for accumulation, which only matrix
// instructions compute with; a SIMD has so many times 64 of each, allocated in
// fours, and 10 subgroups at a time (LLVM's AMDGPUBaseInfo, IsaInfo; that
// workgroups of two or more subgroups are at most 16 is not modelled); no
// packed multiply-adds of f32. 120 compute units (AMD CDNA Architecture white
// paper).
//
//===----------------------------------------------------------------------===//
#include "Cdna.h"
#include "Checks.h"
#include "LanePermutations.h"
#include "Mfma.h"

using namespace distaff;

static constexpr Target gfx908Table() {
  Target target = cdna();
  target.name = "gfx908";
  target.chip = "gfx908";
  target.registersPerLane = 256;
  target.accumulationRegisters = 0;
  target.registersPerUnit = 65536;
  target.registerGranule = 4;
  target.computeUnits = 120;
  target.residency.workgroups = 40;
  target.residency.lanes = 2560;
  target.mma = mfma::gfx908;
  target.ops = lane_permutations::wave64;
  target.issue.multiplyAdd = 4;
  return target;
}

static_assert(isWholeGpu(gfx908Table(), mfma::gfx908));
constinit const Target distaff::gfx908Target = gfx908Table();

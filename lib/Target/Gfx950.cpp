//===- Gfx950.cpp - AMD CDNA4 (MI350) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct CDNA4 Instruction Set Architecture: 160 KiB of LDS, handed out
// in 1,280 bytes (LLVM's AMDGPUBaseInfo, IsaInfo), in 64 banks (llvm-project's
// pull request 220632); the lanes that a phase of ds_read_b128 serves together
// are not in order there, as is modelled. 8-bit floats are of the OCP forms. An
// MI355X has 256 compute units (AMD CDNA 4 Architecture white paper), of which
// two share 64 KiB of instructions as those of CDNA 3 do.
//
//===----------------------------------------------------------------------===//
#include "Cdna.h"
#include "Checks.h"
#include "Concat.h"
#include "CvtPkF8.h"
#include "LanePermutations.h"
#include "Mfma.h"
#include "PermlaneSwap.h"

using namespace distaff;

static constexpr auto gfx950Ops =
    concat<TargetOp>(permlane_swap::ops, lane_permutations::wave64);

static constexpr Target gfx950Table() {
  Target target = cdna();
  target.name = "gfx950";
  target.chip = "gfx950";
  target.packsSingles = true;
  target.instructionCacheBytes = 64 * 1024;
  target.computeUnits = 256;
  target.residency.sharedBytes = 160 * 1024;
  target.residency.sharedGranule = 1280;
  target.sharedMemoryBytes = 160 * 1024;
  target.dynamicSharedMemoryBytes = 160 * 1024;
  target.mma = mfma::gfx950;
  target.ops = gfx950Ops;
  target.narrowConversions = cvt_pk::ocp;
  target.banks = {
      .banks = 64,
      .phaseBytes = 256,
      .transposingLoad = {
          .columns = 16, .bytes = 8, .leastBits = 8, .mostBits = 16}};
  return target;
}

static_assert(isWholeGpu(gfx950Table(), mfma::gfx950));
constinit const Target distaff::gfx950Target = gfx950Table();

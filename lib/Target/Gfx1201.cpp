//===- Gfx1201.cpp - AMD RDNA4 (Radeon RX 9070) ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An RX 9070 XT has 64 compute units (AMD's product page). RDNA4 Instruction
// Set Architecture: s_barrier_signal and s_barrier_wait in place of s_barrier;
// 8-bit floats are of the OCP forms.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "CvtPkF8.h"
#include "LanePermutations.h"
#include "Rdna.h"
#include "Wmma.h"

using namespace distaff;

static constexpr Target gfx1201Table() {
  Target target = rdna();
  target.name = "gfx1201";
  target.chip = "gfx1201";
  target.computeUnits = 64;
  target.mma = wmma::gfx12;
  target.ops = lane_permutations::wave32;
  target.narrowConversions = cvt_pk::ocp;
  target.barriers.isSplit = true;
  target.globalTransposingLoad = {.columns = 8,
                                  .bytes = 16,
                                  .leastBits = 16,
                                  .mostBits = 16,
                                  .isGlobal = true};
  return target;
}

static_assert(isWholeGpu(gfx1201Table(), wmma::gfx12));
constinit const Target distaff::gfx1201Target = gfx1201Table();

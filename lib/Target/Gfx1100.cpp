//===- Gfx1100.cpp - AMD RDNA3 (Radeon RX 7900) ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An RX 7900 XTX has 96 compute units (AMD's product page). Barriers are
// s_barrier, arriving and waiting in one.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "LanePermutations.h"
#include "Rdna.h"
#include "Wmma.h"

using namespace distaff;

static constexpr Target gfx1100Table() {
  Target target = rdna();
  target.name = "gfx1100";
  target.chip = "gfx1100";
  target.computeUnits = 96;
  target.mma = wmma::gfx11;
  target.ops = lane_permutations::wave32;
  return target;
}

static_assert(isWholeGpu(gfx1100Table(), wmma::gfx11));
constinit const Target distaff::gfx1100Target = gfx1100Table();

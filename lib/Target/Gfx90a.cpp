//===- Gfx90a.cpp - AMD CDNA2 (MI200) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A die of an MI250X, which is a device of its own, has 110 compute units (AMD
// CDNA 2 Architecture white paper).
//
//===----------------------------------------------------------------------===//
#include "Cdna.h"
#include "Checks.h"
#include "LanePermutations.h"
#include "Mfma.h"

using namespace distaff;

static constexpr Target gfx90aTable() {
  Target target = cdna();
  target.name = "gfx90a";
  target.chip = "gfx90a";
  target.packsSingles = true;
  target.computeUnits = 110;
  target.mma = mfma::gfx90a;
  target.ops = lane_permutations::wave64;
  return target;
}

static_assert(isWholeGpu(gfx90aTable(), mfma::gfx90a));
constinit const Target distaff::gfx90aTarget = gfx90aTable();

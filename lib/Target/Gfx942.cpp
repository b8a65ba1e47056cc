//===- Gfx942.cpp - AMD CDNA3 (MI300) -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MI300X has 304 compute units, of which two share 64 KiB of instructions
// (AMD CDNA 3 Architecture white paper). 8-bit floats are of the FNUZ forms.
//
//===----------------------------------------------------------------------===//
#include "Cdna.h"
#include "Checks.h"
#include "CvtPkF8.h"
#include "LanePermutations.h"
#include "Mfma.h"

using namespace distaff;

static constexpr Target gfx942Table() {
  Target target = cdna();
  target.name = "gfx942";
  target.chip = "gfx942";
  target.packsSingles = true;
  target.instructionCacheBytes = 64 * 1024;
  target.computeUnits = 304;
  target.mma = mfma::gfx942;
  target.ops = lane_permutations::wave64;
  target.narrowConversions = cvt_pk::fnuz;
  return target;
}

static_assert(isWholeGpu(gfx942Table(), mfma::gfx942));
constinit const Target distaff::gfx942Target = gfx942Table();

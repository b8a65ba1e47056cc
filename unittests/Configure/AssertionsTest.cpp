//===- AssertionsTest.cpp - Promises of the search, broken on purpose -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/Configure/AttentionSteps.h"
#include "../../lib/Configure/Candidates.h"
#include "../../lib/Configure/CoreTiles.h"
#include "../../lib/Launches/ReductionParts.h"
#include "distaff/Configure/Search.h"

using namespace distaff;

namespace {

DEATH_TEST(Ranking, KeepsAWinnerThatTilesEachLoop) {
  EXPECT_DEATH(Ranking(0).add({}), "a ranking keeps its winner");
  Candidate candidate;
  candidate.workgroupTiles = {16, 16};
  EXPECT_DEATH(Ranking().add(candidate),
               "each loop of the root is tiled or not");
}

DEATH_TEST(Ranking, PricesAreOfWorkThatThereIs) {
  const Target &target = *lookupTarget("sm_80");
  EXPECT_DEATH(priceLaunch(target, 1, /*lanes=*/0, 32, 100, 100),
               "of work that there is");
  EXPECT_DEATH(priceLaunch(target, 1, 32, 32, /*throughput=*/-1, 100),
               "of work that there is");
}

DEATH_TEST(Search, TilesHaveElements) {
  EXPECT_DEATH(divisors(0), "an extent of none has no largest divisor");
  EXPECT_DEATH(evenTile(64, 0, 16), "tiles are of some elements");
  EXPECT_DEATH(evenTile(64, 16, 0), "tiles are of some elements");
}

DEATH_TEST(SplitReductions, PartsDivideWhatLeavesNoRest) {
  MLIRContext context;
  IRRewriter rewriter(&context);
  Splittable found;
  found.extent = 10;
  found.mayLeaveRest = false;
  EXPECT_DEATH(createParts(rewriter, found, 3), "parts divide");
  EXPECT_DEATH(createParts(rewriter, found, 1), "parts divide");
}

DEATH_TEST(CoreTiles, SumsFillRegistersOfMatrices) {
  const Target &target = *lookupTarget("host:amx");
  EXPECT_DEATH(stepOnMatrices(target, 24, 16, 4), "sums fill registers");
  EXPECT_DEATH(stepOnMatrices(*lookupTarget("sm_80"), 16, 16, 4),
               "sums fill registers");
}

} // namespace

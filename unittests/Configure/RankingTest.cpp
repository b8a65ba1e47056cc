//===- RankingTest.cpp - What outranks what in configure ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pair of candidates that differ in one constraint, whatever the weaker
// ones and the cost say.
//
//===----------------------------------------------------------------------===//
#include "distaff/Configure/Search.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

/// Bit i of `violated` is the constraint that comes i-th.
Candidate candidate(unsigned violated, int64_t cost) {
  Candidate candidate;
  candidate.fits = !(violated & 1);
  candidate.unrolled = violated & 2 ? mostUnrolled + 1 : mostUnrolled;
  candidate.spilled = violated & 4 ? 100 : 0;
  candidate.starves = violated & 8;
  candidate.cost = cost;
  return candidate;
}

/// The constraints as one number that compares as they rank.
unsigned rankOf(unsigned violated) {
  return (violated & 1) << 3 | (violated & 2) << 1 | (violated & 4) >> 1 |
         (violated & 8) >> 3;
}

TEST(Ranking, ConstraintsOutrankCostInTheirOrder) {
  for (unsigned a = 0; a < 16; ++a)
    for (unsigned b = 0; b < 16; ++b) {
      if (a == b)
        continue;
      for (bool aIsCheap : {false, true}) {
        Ranking ranking;
        ranking.add(candidate(a, aIsCheap ? 1 : 1000));
        ranking.add(candidate(b, aIsCheap ? 1000 : 1));
        unsigned expected = rankOf(a) < rankOf(b) ? a : b;
        const Candidate &winner = ranking.winner();
        EXPECT_EQ(winner.fits, !(expected & 1));
        EXPECT_EQ(winner.isOverBudget(), bool(expected & 2));
        EXPECT_EQ(winner.spilled, expected & 4 ? 100 : 0);
        EXPECT_EQ(winner.starves, bool(expected & 8));
      }
    }
}

TEST(Ranking, TellsWhyACandidateLost) {
  auto whyLost = [](Candidate better, Candidate worse) {
    better.description = "better";
    worse.description = "worse";
    Ranking ranking;
    ranking.add(better);
    ranking.add(worse);
    EXPECT_EQ(ranking.whyLost(ranking.winner()), "");
    return ranking.whyLost(ranking.all()[1]);
  };
  EXPECT_EQ(whyLost(candidate(0, 5), candidate(0, 5)),
            "comes after an equal one");
  EXPECT_EQ(whyLost(candidate(0, 5), candidate(2, 1)),
            "unrolls to more operations than compile in seconds");
  EXPECT_EQ(whyLost(candidate(0, 5), candidate(4, 1)),
            "spills 100 registers per lane more");
  EXPECT_EQ(whyLost(candidate(0, 5), candidate(0, 12)), "costs 7 slots more");
}

// VX-255: of equal prices the one on most lanes, whichever comes first.
TEST(Ranking, EqualPricesGoToMoreLanes) {
  for (bool wideFirst : {false, true}) {
    Ranking ranking;
    for (bool isWide : {wideFirst, !wideFirst}) {
      Candidate each = candidate(0, 100);
      each.workgroupSize = isWide ? 512 : 256;
      ranking.add(each);
    }
    EXPECT_EQ(ranking.winner().workgroupSize, 512);
    EXPECT_EQ(ranking.whyLost(ranking.all()[1]),
              "costs as much, on fewer lanes");
    Candidate cheap = candidate(0, 99), spilling = candidate(4, 1);
    cheap.workgroupSize = 32;
    spilling.workgroupSize = 1024;
    ranking.add(spilling);
    ranking.add(cheap);
    EXPECT_EQ(ranking.winner().workgroupSize, 32);
  }
}

// Only what is kept is described, and one that came by already is no other.
TEST(Ranking, DescribesWhatItKeeps) {
  Ranking ranking(/*kept=*/2);
  int64_t described = 0;
  auto add = [&](unsigned violated, int64_t cost) {
    ranking.add(candidate(violated, cost), [&](Candidate &kept) {
      ++described;
      kept.description = "costs " + std::to_string(cost);
    });
  };
  add(0, 30);
  add(2, 20);
  add(0, 40); // before the one over the budget, which is dropped
  EXPECT_EQ(described, 3);
  add(0, 40); // after its equal, where there is no room
  add(2, 10);
  EXPECT_EQ(described, 3);
  add(0, 30); // came by before
  ASSERT_EQ(ranking.all().size(), 2u);
  EXPECT_EQ(ranking.all()[0].description, "costs 30");
  EXPECT_EQ(ranking.all()[1].description, "costs 40");
  Ranking wide(/*kept=*/2);
  wide.add(candidate(2, 1), [](Candidate &kept) { kept.description = "tile"; });
  EXPECT_EQ(wide.winner().description,
            "tile, unrolls to 16385 operations per lane");
}

// Item 9: what unrolls beyond the budget is chosen only where all that fits
// does.
TEST(Ranking, NothingOverBudgetWhileAnythingWithinFits) {
  Ranking ranking;
  ranking.add(candidate(/*overBudget=*/2, /*cost=*/1));
  EXPECT_TRUE(ranking.winner().isOverBudget());
  ranking.add(candidate(/*spills, starves=*/4 | 8, /*cost=*/int64_t(1) << 50));
  EXPECT_FALSE(ranking.winner().isOverBudget());
  ranking.add(candidate(/*does not fit*/ 1, /*cost=*/1));
  EXPECT_TRUE(ranking.winner().fits);
}

} // namespace

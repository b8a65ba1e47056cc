//===- LaneMovesTest.cpp - Moving elements within a subgroup --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans of T1s and T2 conversions, run on element identities: what every lane
// offers, reads and keeps is followed word by word.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Layout/LaneFormula.h"
#include "../Depth.h"
#include "Layouts.h"

#include "distaff/Layout/Conversion.h"
#include "distaff/Layout/LaneMoves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

#include <map>

using namespace distaff;
using namespace distaff::test;
using llvm::SmallVector;

static HardwareShape hardwareForOfMoves(const Layout &a, const Layout &b) {
  return {
      std::max(a.neededSubgroups(), b.neededSubgroups()),
      int64_t(llvm::PowerOf2Ceil(std::max(a.neededLanes(), b.neededLanes())))};
}

namespace {
/// Runs a plan in one subgroup.
class Machine {
public:
  using Word = std::vector<int64_t>; // elements; -1 for none

  Machine(const LaneMoves &moves, const Layout &src, int64_t subgroup)
      : moves(moves), subgroup(subgroup) {
    for (int64_t l = 0; l < moves.lanes; ++l) {
      std::vector<Word> &words = has.emplace_back();
      for (const SmallVector<int64_t> &registers : moves.sourceWords) {
        Word &word = words.emplace_back();
        for (int64_t reg : registers)
          word.push_back(src.linearIndexOf({subgroup, l, reg}));
      }
    }
    for (const LaneMoves::Round &round : moves.rounds)
      exchange(round);
  }

  /// What a lane ends with in a register.
  int64_t result(int64_t lane, int64_t reg) const {
    for (auto [at, registers] : llvm::enumerate(moves.resultWords))
      for (auto [part, own] : llvm::enumerate(registers))
        if (own == reg) {
          int64_t input = moves.collect.choiceOf(at, {subgroup, lane, 0});
          return input < 0 ? -1 : has[lane][input][part];
        }
    return -1;
  }

private:
  void exchange(const LaneMoves::Round &round) {
    std::vector<Word> offered;
    for (int64_t l = 0; l < moves.lanes; ++l) {
      int64_t word = moves.publish.choiceOf(round.published, {subgroup, l, 0});
      offered.push_back(word < 0 ? Word(moves.packing, -1) : has[l][word]);
    }
    for (int64_t l = 0; l < moves.lanes; ++l) {
      if (round.kept) {
        has[l].push_back(offered[l]);
        continue;
      }
      int64_t from = round.from.of({subgroup, l, 0});
      ASSERT_GE(from, 0);
      ASSERT_LT(from, moves.lanes) << "VX-41";
      has[l].push_back(offered[from]);
    }
  }

  const LaneMoves &moves;
  int64_t subgroup;
  std::vector<std::vector<Word>> has; // by lane
};
} // namespace

static void expectMoves(const LaneMoves &moves, const Layout &src,
                        const Layout &dst, HardwareShape hardware) {
  ASSERT_EQ(moves.publish.outputs.size(), moves.rounds.size());
  for (int64_t s = 0; s < hardware.subgroups; ++s) {
    Machine machine(moves, src, s);
    for (int64_t l = 0; l < hardware.lanes; ++l)
      for (int64_t r = 0; r < dst.numRegisters(); ++r)
        ASSERT_EQ(machine.result(l, r), dst.linearIndexOf({s, l, r}))
            << toString(src) << " to " << toString(dst) << " register " << r
            << " of lane " << l << " of subgroup " << s << " of "
            << hardware.subgroups << " with " << hardware.lanes << " lanes";
  }
}

static Layout exchangeFrom(int64_t q, int64_t stride = 1) {
  return nested({1, 1}, {1, 1}, {1, 1}, {q, 1}, {1, q}, {0, 0}, {stride, 0})
      .toLayout();
}
static Layout exchangeTo(int64_t q, int64_t stride = 1) {
  return nested({1, 1}, {1, 1}, {1, 1}, {1, q}, {q, 1}, {0, 0}, {0, stride})
      .toLayout();
}

// (q - 1) / q of the registers are shuffled, and selects are at most those of
// the two rotations, whatever q is and where the digit is.
// (VX-39)
TEST(LaneMoves, VX39_StructuredExchanges) {
  for (int64_t q = 2; q <= 8; ++q)
    for (int64_t stride : {1, 2, 4}) {
      HardwareShape hardware = {1, int64_t(llvm::PowerOf2Ceil(q * stride))};
      Layout src = exchangeFrom(q, stride), dst = exchangeTo(q, stride);
      LaneMoves moves = planLaneMoves(src, dst, hardware, 32, MoveCosts());
      EXPECT_EQ(moves.numShuffles(), q - 1) << q;
      EXPECT_LE(moves.numSelects(), 2 * q * llvm::Log2_64_Ceil(q)) << q;
      expectMoves(moves, src, dst, hardware);
      // No replicas: canonical lanes are the neighbours.
      if (q == hardware.lanes)
        for (const LaneMoves::Round &round : moves.rounds)
          EXPECT_TRUE(round.kept || round.from.form == LaneFormula::Form::Xor);
    }
}

// More registers than the exchange needs: R of them, as many words each round.
// (VX-39)
TEST(LaneMoves, VX39_RegistersBesideTheExchange) {
  for (int64_t q : {2, 3, 4, 6})
    for (int64_t beside : {2, 3}) {
      Layout src = nested({1, 1, 1}, {1, 1, beside}, {1, 1, 1}, {q, 1, 1},
                          {1, q, 1}, {0, 0, 0}, {1, 0, 0})
                       .toLayout();
      Layout dst = nested({1, 1, 1}, {1, 1, beside}, {1, 1, 1}, {1, q, 1},
                          {q, 1, 1}, {0, 0, 0}, {0, 1, 0})
                       .toLayout();
      HardwareShape hardware = {2, 32};
      LaneMoves moves = planLaneMoves(src, dst, hardware, 32, MoveCosts());
      EXPECT_EQ(moves.numShuffles(), (q - 1) * beside);
      expectMoves(moves, src, dst, hardware);
    }
}

// A permutation of lanes alone: as many shuffles as registers, no select, and
// one formula for all.
// (VX-39)
TEST(LaneMoves, VX39_LanePermutationsAreInTheReadIndex) {
  Layout src =
      nested({1, 1}, {1, 1}, {1, 1}, {4, 8}, {1, 4}, {0, 0}, {1, 4}).toLayout();
  Layout dst =
      nested({1, 1}, {1, 1}, {1, 1}, {4, 8}, {1, 4}, {0, 0}, {8, 1}).toLayout();
  LaneMoves moves = planLaneMoves(src, dst, {1, 32}, 32, MoveCosts());
  EXPECT_EQ(moves.rounds.size(), 4u);
  EXPECT_EQ(moves.numSelects(), 0);
  EXPECT_EQ(moves.rounds[0].from.form, LaneFormula::Form::Bits);
  EXPECT_EQ(moves.rounds[0].from.shifted.size(), 2u);
  expectMoves(moves, src, dst, {1, 32});
  // Of sizes that are no powers of two: digits.
  Layout odd =
      nested({1, 1}, {1, 1}, {1, 1}, {3, 5}, {1, 2}, {0, 0}, {5, 1}).toLayout();
  Layout even =
      nested({1, 1}, {1, 1}, {1, 1}, {3, 5}, {1, 2}, {0, 0}, {1, 3}).toLayout();
  moves = planLaneMoves(odd, even, {1, 32}, 32, MoveCosts());
  EXPECT_EQ(moves.rounds.size(), 2u);
  EXPECT_EQ(moves.numSelects(), 0);
  EXPECT_EQ(moves.rounds[0].from.form, LaneFormula::Form::Digits);
  expectMoves(moves, odd, even, {1, 32});
}

// Threads that do not care stand in no formula's way, the first one neither.
// (VX-39)
TEST(LaneMoves, VX39_AnXorIsFoundBehindThreadsThatDoNotCare) {
  for (int64_t careless : {0, 1, 2, 31, 32}) {
    ThreadTable from;
    for (int32_t lane = 0; lane < 32; ++lane)
      from.push_back(lane < careless ? anyChoice : lane ^ 5);
    LaneFormula formula =
        findLaneFormula(from, {1, 32}, {{Digit{Axis::Lane, 32, 1}}});
    EXPECT_EQ(formula.form, LaneFormula::Form::Xor) << careless;
    EXPECT_EQ(formula.constant, careless == 32 ? 0 : 5) << careless;
  }
}

// No digits in common, so rounds are colours, as many as the largest degree.
// (VX-40)
TEST(LaneMoves, VX40_RoundsAreTheLargestDegree) {
  MoveCosts dear;
  dear.shuffle = 1000;
  int64_t count = 0;
  for (int64_t lanes = 2; lanes <= 7; ++lanes)
    for (int64_t registers = 2; registers <= 6; ++registers) {
      Layout src = *Layout::get(
          {{{Axis::Lane, lanes, 1}, {Axis::Register, registers, 1}}});
      Layout dst = *Layout::get(
          {{{Axis::Register, registers, 1}, {Axis::Lane, lanes, 1}}});
      HardwareShape hardware = {1, lanes};
      LaneMoves moves = planLaneMoves(src, dst, hardware, 32, dear);
      expectMoves(moves, src, dst, hardware);
      // By brute force: what each lane receives, and what it gives away.
      int64_t degree = 0;
      for (int64_t l = 0; l < lanes; ++l) {
        std::set<int64_t> has = ownedPositions(src, 0, l);
        std::set<int64_t> wants = ownedPositions(dst, 0, l);
        int64_t stay = llvm::count_if(
            wants, [&](int64_t position) { return has.count(position); });
        degree = std::max(degree, registers - stay);
      }
      EXPECT_EQ(moves.numShuffles(), degree)
          << lanes << " lanes, " << registers << " registers";
      EXPECT_EQ(leastShuffles(src, dst, hardware, 32), degree);
      ++count;
    }
  EXPECT_EQ(count, 30);
}

// All words that one lane has go to several: they share rounds.
// (VX-40)
TEST(LaneMoves, VX40_ReplicatedResultsShareRounds) {
  Layout src = nested({1}, {1}, {1}, {8}, {1}, {0}, {1}).toLayout();
  Layout dst = nested({1}, {1}, {1}, {1}, {8}, {0}, {0}).toLayout();
  LaneMoves moves = planLaneMoves(src, dst, {1, 8}, 32, MoveCosts());
  EXPECT_LE(moves.rounds.size(), 8u);
  expectMoves(moves, src, dst, {1, 8});
}

// VX-42.
TEST(LaneMoves, VX42_NarrowElementsArePacked) {
  for (int64_t bits : {1, 8, 16, 32, 64}) {
    Layout src = nested({1, 1}, {1, 1}, {1, 1}, {4, 2}, {1, 32}, {0, 0}, {1, 4})
                     .toLayout();
    Layout dst = nested({1, 1}, {1, 1}, {1, 1}, {4, 2}, {1, 32}, {0, 0}, {2, 1})
                     .toLayout();
    LaneMoves moves = planLaneMoves(src, dst, {1, 8}, bits, MoveCosts());
    EXPECT_EQ(moves.packing, std::max<int64_t>(1, 32 / bits));
    EXPECT_EQ(moves.numShuffles(), 32 / moves.packing);
    EXPECT_EQ(leastShuffles(src, dst, {1, 8}, bits), bits);
    expectMoves(moves, src, dst, {1, 8});
  }
}

// T1s: registers that depend on the lane, or on the subgroup.
// (VX-38)
TEST(LaneMoves, VX38_SelectsOnly) {
  for (int64_t n : {2, 3, 5, 8})
    for (bool subgroups : {false, true}) {
      Layout src = nested({1}, {1}, {1}, {1}, {2 * n}, {0}, {0}).toLayout();
      Layout dst = subgroups
                       ? nested({n}, {1}, {1}, {1}, {2}, {1}, {0}).toLayout()
                       : nested({1}, {2}, {1}, {n}, {1}, {0}, {2}).toLayout();
      HardwareShape hardware = {subgroups ? n : 2, 32};
      LaneMoves moves = planLaneMoves(src, dst, hardware, 32, MoveCosts());
      EXPECT_EQ(moves.rounds.size(), 0u);
      EXPECT_EQ(moves.numSelects(), 2 * (n - 1));
      expectMoves(moves, src, dst, hardware);
    }
}

// VX-34: where all is powers of two, the lane that a round reads is a map over
// the bits of ids, and equals what digits say: the canonical lane that has the
// word; and layouts are such maps themselves.
TEST(LaneMoves, VX34_BitsEqualDigits) {
  std::mt19937 random(34);
  int64_t rounds = 0;
  for (int trial = 0; trial < share(1500); ++trial) {
    Shape shape = {pick(random, {1, 2, 4, 8}), pick(random, {2, 4, 8, 16})};
    RandomRange range{.maxSubgroups = pick(random, {1, 2}), .maxLanes = 16};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    HardwareShape hardware = hardwareForOfMoves(src, dst);
    hardware.subgroups = llvm::PowerOf2Ceil(hardware.subgroups);
    for (int64_t a = 0; a < hardware.lanes; ++a)
      for (int64_t b = 0; b < hardware.lanes; ++b)
        ASSERT_EQ(dst.linearIndexOf({0, a ^ b, 0}),
                  dst.linearIndexOf({0, a, 0}) ^ dst.linearIndexOf({0, b, 0}));
    if (classifyConversion(src, dst, hardware) != Tier::LaneShuffle)
      continue;
    LaneMoves moves = planLaneMoves(src, dst, hardware, 32, MoveCosts());
    for (auto [word, registers] : llvm::enumerate(moves.resultWords))
      for (int64_t l = 0; l < hardware.lanes; ++l) {
        int64_t round =
            moves.collect.choiceOf(word, {0, l, 0}) - moves.sourceWords.size();
        if (round < 0 || moves.rounds[round].kept)
          continue;
        const LaneFormula &from = moves.rounds[round].from;
        ++rounds;
        ASSERT_EQ(from.of({0, l, 0}),
                  dst.compose(src.invert(), {0, l, registers.front()}).lane);
      }
    for (const LaneMoves::Round &round : moves.rounds)
      ASSERT_NE(round.from.form, LaneFormula::Form::Digits);
  }
  EXPECT_GT(rounds, share(1000));
}

// Random pairs of any sizes, replicas, gaps and element widths.
// (VX-38, VX-39, VX-40, VX-41)
TEST(LaneMoves, VX38_VX39_VX40_VX41_RandomPairsOnTokens) {
  std::mt19937 random(5);
  std::map<Tier, int64_t> seen;
  int64_t packed = 0, least = 0;
  for (int trial = 0; trial < share(3000); ++trial) {
    Shape shape = {pick(random, {1, 2, 3, 4, 6, 8}),
                   pick(random, {1, 2, 3, 4, 5, 8, 12})};
    RandomRange range{.maxSubgroups = pick(random, {1, 1, 4}), .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    HardwareShape hardware = hardwareForOfMoves(src, dst);
    if (random() % 2)
      hardware.lanes = 32;
    hardware.subgroups += random() % 2;
    Tier tier = classifyConversion(src, dst, hardware);
    if (tier != Tier::RegisterSelect && tier != Tier::LaneShuffle)
      continue;
    ++seen[tier];
    int64_t bits = pick(random, {1, 8, 16, 32, 64});
    LaneMoves moves = planLaneMoves(src, dst, hardware, bits, MoveCosts());
    packed += moves.packing > 1;
    expectMoves(moves, src, dst, hardware);
    if (testing::Test::HasFatalFailure())
      return;
    int64_t shuffles = moves.numShuffles() * wordsFor(moves.packing, bits);
    ASSERT_GE(shuffles, leastShuffles(src, dst, hardware, bits));
    least += shuffles == leastShuffles(src, dst, hardware, bits);
    ASSERT_EQ(tier == Tier::RegisterSelect, moves.rounds.empty());
  }
  EXPECT_GT(seen[Tier::RegisterSelect], share(100));
  EXPECT_GT(seen[Tier::LaneShuffle], share(500));
  EXPECT_GT(packed, share(50));
  EXPECT_GT(least, share(500));
}

//===- ConversionTest.cpp - Tiers and plans of conversions ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Depth.h"
#include "Layouts.h"

#include "distaff/Layout/Conversion.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <map>

using namespace distaff;
using namespace distaff::test;
using llvm::SmallVector;

/// An ownership table by brute force: table[s][l][r] is a position.
using Table = std::vector<std::vector<std::vector<int64_t>>>;

static Table tableOf(const Layout &layout, HardwareShape hardware) {
  Table table(hardware.subgroups);
  for (int64_t s = 0; s < hardware.subgroups; ++s)
    for (int64_t l = 0; l < hardware.lanes; ++l) {
      std::vector<int64_t> &row = table[s].emplace_back();
      for (int64_t r = 0; r < layout.numRegisters(); ++r)
        row.push_back(positionIn(layout.shape(), indexAt(layout, {s, l, r})));
    }
  return table;
}

/// Spec 4.1, word by word, on the two tables.
static Tier classifyByTable(const Table &src, const Table &dst) {
  if (src == dst)
    return Tier::Identity;
  size_t subgroups = dst.size(), lanes = dst[0].size(),
         registers = dst[0][0].size();

  // One map of registers for all (s, l).
  bool oneMap = true;
  for (size_t r = 0; r < registers && oneMap; ++r) {
    bool found = false;
    for (size_t from = 0; from < src[0][0].size() && !found; ++from) {
      found = true;
      for (size_t s = 0; s < subgroups && found; ++s)
        for (size_t l = 0; l < lanes && found; ++l)
          found = dst[s][l][r] == src[s][l][from];
    }
    oneMap = found;
  }
  if (oneMap)
    return Tier::RegisterPermutation;

  bool onLane = true, inSubgroup = true;
  for (size_t s = 0; s < subgroups; ++s) {
    std::set<int64_t> ofSubgroup;
    for (const std::vector<int64_t> &lane : src[s])
      ofSubgroup.insert(lane.begin(), lane.end());
    for (size_t l = 0; l < lanes; ++l)
      for (size_t r = 0; r < registers; ++r) {
        onLane &= llvm::is_contained(src[s][l], dst[s][l][r]);
        inSubgroup &= ofSubgroup.count(dst[s][l][r]) != 0;
      }
  }
  if (onLane)
    return Tier::RegisterSelect;
  return inSubgroup ? Tier::LaneShuffle : Tier::SharedMemory;
}

static void expectClassified(const Layout &src, const Layout &dst,
                             HardwareShape hardware,
                             std::map<Tier, int64_t> &seen) {
  Tier expected =
      classifyByTable(tableOf(src, hardware), tableOf(dst, hardware));
  SmallVector<std::string> why;
  Tier tier = classifyConversion(src, dst, hardware, &why);
  ++seen[tier];
  ASSERT_EQ(tier, expected) << toString(src) << " to " << toString(dst);
  // Without reasons no place is looked for.
  ASSERT_EQ(classifyConversion(src, dst, hardware), expected)
      << toString(src) << " to " << toString(dst);
  ASSERT_EQ(why.size(), static_cast<size_t>(tier)) << "one reason per tier";
  for (const std::string &reason : why)
    ASSERT_FALSE(reason.empty());
}

static HardwareShape hardwareFor(const Layout &a, const Layout &b) {
  return {std::max(a.neededSubgroups(), b.neededSubgroups()),
          std::max(a.neededLanes(), b.neededLanes())};
}

// Law K, over all pairs of gapless layouts of small shapes.
// (VX-33)
TEST(Conversion, VX33_LawK_AllSmallPairs) {
  std::map<Tier, int64_t> seen;
  for (const Shape &shape : {Shape{4}, Shape{6}, Shape{2, 3}, Shape{2, 2, 2}}) {
    std::vector<Layout> all;
    forEachPrimeLayout(shape,
                       [&](const Layout &layout) { all.push_back(layout); });
    for (const Layout &src : all)
      for (const Layout &dst : all)
        expectClassified(src, dst, hardwareFor(src, dst), seen);
  }
  EXPECT_EQ(seen.size(), 5u);
}

// Law K on random pairs: any sizes, gaps, more hardware than needed. Pairs that
// differ little reach the middle tiers.
// (VX-33)
TEST(Conversion, VX33_LawK_RandomPairs) {
  std::mt19937 random(2);
  std::map<Tier, int64_t> seen;
  for (int trial = 0; trial < 10000; ++trial) {
    Shape shape = {pick(random, {1, 2, 4, 6, 8}), pick(random, {2, 3, 4, 8})};
    RandomRange range{.maxSubgroups = pick(random, {1, 4}), .maxLanes = 16};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    if (trial % 2) {
      // The source with the digits of one dim shuffled, or two exchanged.
      std::vector<SmallVector<Digit>> dims;
      std::vector<Digit *> digits;
      for (int64_t dim = 0; dim < src.rank(); ++dim)
        dims.emplace_back(src.digits(dim));
      for (SmallVector<Digit> &along : dims)
        for (Digit &digit : along)
          digits.push_back(&digit);
      Digit *a = digits[random() % digits.size()];
      Digit *b = digits[random() % digits.size()];
      if (a->size == b->size)
        std::swap(*a, *b);
      dst = *Layout::get(dims);
    }
    HardwareShape hardware = hardwareFor(src, dst);
    hardware.lanes += random() % 3;
    hardware.subgroups += random() % 2;
    expectClassified(src, dst, hardware, seen);
  }
  for (Tier tier :
       {Tier::Identity, Tier::RegisterPermutation, Tier::RegisterSelect,
        Tier::LaneShuffle, Tier::SharedMemory})
    EXPECT_GT(seen[tier], 50) << stringifyTier(tier).str();
}

/// Whatever can be emitted.
constexpr ConversionOptions everything{.emitSelect = true, .emitShuffle = true};
/// And T3 only where nothing else does.
constexpr ConversionOptions unlimited{
    .emitSelect = true, .emitShuffle = true, .avoidShared = true};

static ConversionPlan plan(const Layout &src, const Layout &dst,
                           HardwareShape hardware, int64_t bits = 32,
                           ConversionOptions options = {}) {
  return planConversion(src, dst, hardware, bits, MoveCosts(), BankModel(),
                        options);
}

// T0 and T1 on tokens: the renaming puts every element where dst wants it.
// (VX-36, VX-37)
TEST(Conversion, VX36_VX37_RenamingsOnTokens) {
  int64_t count = 0;
  forEachNested(
      {.rank = 2, .sizes = {1, 2, 3}, .maxElements = 12},
      [&](const NestedLayout &layout) {
        // Registers numbered in another order: batches as outers.
        NestedLayout other = layout;
        for (NestedDim &dim : other.dims)
          std::swap(dim.batchTile, dim.outerTile);
        Layout src = layout.toLayout();
        Layout dst = other.toLayout();
        HardwareShape hardware = hardwareFor(src, dst);
        ConversionPlan planned = plan(src, dst, hardware);
        if (planned.classified > Tier::RegisterPermutation)
          return;
        ++count;
        ASSERT_EQ(planned.tier, planned.classified);
        ASSERT_EQ(planned.counts.barriers, 0);
        ASSERT_EQ((int64_t)planned.registerSource.size(), dst.numRegisters());
        for (int64_t s = 0; s < hardware.subgroups; ++s)
          for (int64_t l = 0; l < hardware.lanes; ++l)
            for (int64_t r = 0; r < dst.numRegisters(); ++r)
              ASSERT_EQ(indexAt(src, {s, l, planned.registerSource[r]}),
                        indexAt(dst, {s, l, r}));
        if (planned.tier == Tier::Identity) {
          ASSERT_EQ(planned.cost, 0);
          ASSERT_EQ(planned.counts.moves, 0);
        }
      });
  EXPECT_GT(count, 100);
}

// registerSource through a map: transposes and broadcasts are renamings.
// (VX-37)
TEST(Conversion, VX37_RegisterSourceOfTransposeAndBroadcast) {
  std::mt19937 random(9);
  for (int trial = 0; trial < share(500); ++trial) {
    NestedLayout layout = randomNested(random, 2, {1, 2, 3}, true);
    HardwareShape hardware = {layout.toLayout().neededSubgroups(),
                              layout.toLayout().neededLanes()};
    // Transposed: element (i, j) of dst is (j, i) of src.
    NestedLayout transposed = layout.permute({1, 0});
    DimMap swap(2, {1, 0});
    auto source = registerSource(layout.toLayout(), transposed.toLayout(), swap,
                                 hardware);
    ASSERT_TRUE(source) << toString(layout);
    // Broadcast along dim 0: element (i, j) of dst is (j) of src.
    DimMap second(2, {1});
    NestedLayout row = *layout.apply(second);
    auto ofRow =
        registerSource(row.toLayout(), layout.toLayout(), second, hardware);
    ASSERT_TRUE(ofRow) << toString(layout);
    for (int64_t s = 0; s < hardware.subgroups; ++s)
      for (int64_t l = 0; l < hardware.lanes; ++l)
        for (size_t r = 0; r < source->size(); ++r) {
          Index dst = indexAt(transposed.toLayout(), {s, l, (int64_t)r});
          ASSERT_EQ(indexAt(layout.toLayout(), {s, l, (*source)[r]}),
                    (Index{dst[1], dst[0]}));
          Index wide = indexAt(layout.toLayout(), {s, l, (int64_t)r});
          ASSERT_EQ(indexAt(row.toLayout(), {s, l, (*ofRow)[r]}),
                    (Index{wide[1]}));
        }
  }
}

// VX-37.
TEST(Conversion, VX37_RegisterSourceOfReshape) {
  std::mt19937 random(10);
  int64_t count = 0;
  for (int trial = 0; trial < share(2000); ++trial) {
    NestedLayout layout = randomNested(random, 2, {1, 2, 3}, false);
    Layout src = layout.toLayout();
    std::vector<Shape> shapes = shapesOf(src.numElements(), 1 + trial % 3);
    std::optional<Layout> dst = src.reshape(shapes[random() % shapes.size()]);
    if (!dst)
      continue;
    ++count;
    HardwareShape hardware = hardwareFor(src, *dst);
    auto source = registerSourceByPosition(src, *dst, hardware);
    ASSERT_TRUE(source) << toString(src) << " as " << toString(*dst);
    for (int64_t l = 0; l < hardware.lanes; ++l)
      for (int64_t r = 0; r < dst->numRegisters(); ++r)
        ASSERT_EQ(src.linearIndexOf({0, l, (*source)[r]}),
                  dst->linearIndexOf({0, l, r}));
  }
  EXPECT_GT(count, share(500));
}

TEST(Conversion, RegisterSourceRefusesOtherOwners) {
  Layout rows =
      nested({1, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 2}, {0, 0}, {1, 0}).toLayout();
  Layout columns = rows.permute({1, 0});
  EXPECT_FALSE(registerSource(rows, columns, DimMap::identity(2), {1, 2}));
  EXPECT_TRUE(registerSource(rows, columns, DimMap(2, {1, 0}), {1, 2}));
}

//===----------------------------------------------------------------------===//
// Choice, counts, reasons
//===----------------------------------------------------------------------===//

static Layout rows() {
  return nested({1, 1}, {1, 1}, {1, 1}, {4, 1}, {1, 4}, {0, 0}, {1, 0})
      .toLayout();
}
static Layout columns() {
  return nested({1, 1}, {1, 1}, {1, 1}, {1, 4}, {4, 1}, {0, 0}, {0, 1})
      .toLayout();
}

// VX-43.
TEST(Conversion, VX43_ForcedConversionsUseSharedMemory) {
  ConversionPlan forced =
      plan(rows(), rows(), {1, 4}, 32, {.forceShared = true});
  EXPECT_EQ(forced.classified, Tier::Identity);
  EXPECT_EQ(forced.tier, Tier::SharedMemory);
  ASSERT_TRUE(forced.shared);
  EXPECT_EQ(forced.tiers[0].reason, "shared memory is demanded");
  // Before what was stored is read, and before the bytes are used again.
  EXPECT_EQ(forced.counts.barriers, 2);
}

// VX-49.
TEST(Conversion, VX49_OnlyEmittedTiersAreChosen) {
  ConversionPlan planned = plan(rows(), columns(), {1, 4});
  EXPECT_EQ(planned.classified, Tier::LaneShuffle);
  EXPECT_EQ(planned.tier, Tier::SharedMemory);
  ASSERT_TRUE(planned.shared);
  EXPECT_EQ(planned.tiers[3].reason, "lane shuffles are not emitted here");
}

// VX-49.
TEST(Conversion, VX49_TheCheapestTierIsChosen) {
  ConversionOptions shuffles{.emitSelect = true, .emitShuffle = true};
  ConversionPlan planned = plan(rows(), columns(), {1, 4}, 32, shuffles);
  EXPECT_EQ(planned.tier, Tier::LaneShuffle);
  EXPECT_FALSE(planned.shared);
  // Weights decide: dear shuffles lose against shared memory.
  MoveCosts dear;
  dear.shuffle = 1000;
  ConversionPlan other = planConversion(rows(), columns(), {1, 4}, 32, dear,
                                        BankModel(), shuffles);
  EXPECT_EQ(other.tier, Tier::SharedMemory);
  EXPECT_GT(other.tiers[3].cost, other.cost);
  EXPECT_EQ(other.tiers[3].reason, "costs more than T3: at least " +
                                       std::to_string(other.tiers[3].cost) +
                                       " against " +
                                       std::to_string(other.cost));
  // Dear selects are found by planning, and the cost is exact.
  dear = MoveCosts();
  dear.select = 1000;
  other = planConversion(rows(), columns(), {1, 4}, 32, dear, BankModel(),
                         shuffles);
  EXPECT_EQ(other.tier, Tier::SharedMemory);
  EXPECT_EQ(other.tiers[3].reason,
            "costs more than T3: " + std::to_string(other.tiers[3].cost) +
                " against " + std::to_string(other.cost));
  EXPECT_GT(other.tiers[3].counts.selects, 0);
}

// VX-49: what is quick to say of a conversion is not above what it then costs.
TEST(Conversion, VX49_NoPlanCostsLessThanTheBound) {
  std::mt19937 random(7);
  std::map<Tier, int> tight;
  for (int trial = 0; trial < share(150); ++trial) {
    Shape shape{pick(random, {1, 3, 4, 6, 8, 16}),
                pick(random, {2, 4, 5, 8, 12, 32})};
    HardwareShape hardware{pick(random, {1, 2, 4}), pick(random, {32, 64})};
    RandomRange range{hardware.subgroups, hardware.lanes, 64};
    auto draw = [&] {
      return *randomLayout(random, shape, range)
                  .forTarget(hardware.subgroups * hardware.lanes,
                             hardware.lanes);
    };
    Layout src = draw(), dst = draw();
    for (int64_t bits : {1, 8, 16, 32, 64}) {
      Tier tier = classifyConversion(src, dst, hardware);
      ConversionPlan planned = plan(src, dst, hardware, bits, unlimited);
      int64_t least = leastConversionCost(tier, src, dst, hardware, bits,
                                          MoveCosts(), BankModel());
      EXPECT_LE(least, planned.cost)
          << toString(src) << " to " << toString(dst) << ", " << bits;
      ConversionOptions silent = unlimited;
      silent.explains = false;
      ConversionPlan unexplained = plan(src, dst, hardware, bits, silent);
      EXPECT_EQ(unexplained.tier, planned.tier);
      EXPECT_EQ(unexplained.cost, planned.cost);
      EXPECT_TRUE(llvm::all_of(unexplained.tiers, [](const TierReport &report) {
        return report.reason.empty();
      }));
      tight[tier] += 2 * least >= planned.cost;
    }
  }
  EXPECT_GT(tight[Tier::LaneShuffle], share(20));
  EXPECT_GT(tight[Tier::SharedMemory], share(20));
}

// A q x q exchange of lanes and registers takes q - 1 rounds (spec 4.3).
// (VX-39)
TEST(Conversion, VX39_RoundsOfAnExchange) {
  for (int64_t q = 2; q <= 8; ++q) {
    Layout src = nested({1, 1}, {1, 1}, {1, 1}, {q, 1}, {1, q}, {0, 0}, {1, 0})
                     .toLayout();
    Layout dst = nested({1, 1}, {1, 1}, {1, 1}, {1, q}, {q, 1}, {0, 0}, {0, 1})
                     .toLayout();
    ConversionPlan planned = plan(src, dst, {1, 32}, 32, unlimited);
    ASSERT_EQ(planned.classified, Tier::LaneShuffle);
    EXPECT_EQ(planned.tiers[3].counts.rounds, q - 1);
    EXPECT_EQ(planned.tiers[3].counts.packing, 1);
    ConversionCounts wide =
        plan(src, dst, {1, 32}, 64, unlimited).tiers[3].counts;
    EXPECT_EQ(wide.rounds, q - 1);
    EXPECT_EQ(wide.shuffleWords, 2 * (q - 1));
  }
}

// Lanes permuted, 16-bit elements: pairs travel in one word, nothing selects.
// (VX-42)
TEST(Conversion, VX42_NarrowElementsArePacked) {
  Layout src =
      nested({1, 1}, {1, 1}, {1, 1}, {4, 2}, {1, 4}, {0, 0}, {1, 4}).toLayout();
  Layout dst =
      nested({1, 1}, {1, 1}, {1, 1}, {4, 2}, {1, 4}, {0, 0}, {2, 1}).toLayout();
  ConversionCounts half =
      plan(src, dst, {1, 8}, 16, everything).tiers[3].counts;
  EXPECT_EQ(half.rounds, 2);
  EXPECT_EQ(half.packing, 2);
  EXPECT_EQ(half.selects, 0);
  EXPECT_EQ(plan(src, dst, {1, 8}, 32, everything).tiers[3].counts.rounds, 4);
}

// Moves of whole words are free, of halves they are byte permutes.
// (VX-37)
TEST(Conversion, VX37_BytePermutes) {
  NestedLayout layout =
      nested({1, 1}, {2, 1}, {1, 2}, {1, 1}, {1, 2}, {0, 0}, {0, 0});
  NestedLayout other = layout;
  for (NestedDim &dim : other.dims)
    std::swap(dim.batchTile, dim.outerTile);
  ConversionPlan words = plan(layout.toLayout(), other.toLayout(), {1, 1}, 16);
  EXPECT_EQ(words.tier, Tier::RegisterPermutation);
  EXPECT_EQ(words.counts.moves, 4);
  EXPECT_EQ(words.counts.bytePermutes, 0);
  EXPECT_EQ(words.cost, 0);
  // Elements of dim 0 become the neighbours: every word takes two halves.
  Layout square =
      nested({1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 2}, {0, 0}, {0, 0}).toLayout();
  Layout turned =
      nested({1, 1}, {1, 2}, {1, 1}, {1, 1}, {2, 1}, {0, 0}, {0, 0}).toLayout();
  ConversionPlan halves = plan(square, turned, {1, 1}, 16);
  EXPECT_EQ(halves.tier, Tier::RegisterPermutation);
  EXPECT_EQ(halves.counts.bytePermutes, 2);
  EXPECT_EQ(halves.cost, 4);
}

// VX-50.
TEST(Conversion, VX50_EveryTierIsReportedWithItsReason) {
  ConversionPlan planned = plan(rows(), columns(), {2, 4});
  ASSERT_EQ(planned.tiers.size(), 5u);
  EXPECT_EQ(planned.tiers[0].reason, "register 1 of lane 0 of subgroup 0 must "
                                     "hold (1, 0) and holds another element");
  EXPECT_EQ(planned.tiers[1].reason,
            "lane 0 of subgroup 0 does not hold (1, 0)");
  EXPECT_EQ(planned.tiers[2].reason,
            "lane 0 of subgroup 0 does not hold (1, 0)");
  EXPECT_TRUE(planned.tiers[3].possible);
  EXPECT_TRUE(planned.tiers[4].reason.empty());

  Layout split =
      nested({2, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 4}, {1, 0}, {1, 0}).toLayout();
  ConversionPlan across = plan(split, rows(), {2, 4});
  EXPECT_EQ(across.classified, Tier::SharedMemory);
  EXPECT_EQ(across.tiers[3].reason, "no lane of subgroup 0 holds (2, 0), "
                                    "wanted by lane 2 of subgroup 0");
}

// A select conversion: the register of an element depends on the lane.
// (VX-38)
TEST(Conversion, VX38_RegisterSelects) {
  // Both lanes hold both elements; in dst each needs only its own. The layout
  // algebra has no such destination of the same shape but a lane digit.
  Layout src = nested({1}, {1}, {1}, {1}, {2}, {0}, {0}).toLayout();
  Layout dst = nested({1}, {1}, {1}, {2}, {1}, {0}, {1}).toLayout();
  ConversionPlan planned = plan(src, dst, {1, 2}, 32, {.emitSelect = true});
  EXPECT_EQ(planned.classified, Tier::RegisterSelect);
  EXPECT_EQ(planned.tier, Tier::RegisterSelect);
  EXPECT_EQ(planned.counts.selects, 1);
  EXPECT_EQ(planned.tiers[1].reason,
            "the register that holds (1), wanted by lane 1 of subgroup 0, "
            "depends on the lane");
}

TEST(Conversion, RegisterSourceRefusesOtherSubgroups) {
  Layout two = nested({2}, {1}, {1}, {1}, {2}, {1}, {0}).toLayout();
  Layout swapped = nested({2}, {2}, {1}, {1}, {1}, {2}, {0}).toLayout();
  EXPECT_FALSE(registerSource(two, swapped, DimMap::identity(1), {3, 1}));
}

// Canonical lanes publish every word that any lane wants of them; lanes that
// hold what they want, as replicas, keep it. Where shuffles are dear there are
// no more than that takes.
// (VX-40)
TEST(Conversion, VX40_RoundsCountWhatALanePublishes) {
  Layout src = nested({1}, {1}, {1}, {2}, {4}, {0}, {1}).toLayout();
  Layout dst = nested({1}, {1}, {1}, {8}, {1}, {0}, {1}).toLayout();
  MoveCosts dear;
  dear.shuffle = 1000;
  ConversionPlan planned =
      planConversion(src, dst, {1, 8}, 32, dear, BankModel(), unlimited);
  EXPECT_EQ(planned.counts.rounds, 2);
  EXPECT_EQ(leastShuffles(src, dst, {1, 8}, 32), 2);
}

// Four bytes of one register in another order are one permute.
// (VX-37)
TEST(Conversion, VX37_BytesWithinARegister) {
  NestedLayout layout =
      nested({1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 2}, {0, 0}, {0, 0});
  NestedLayout other =
      nested({1, 1}, {1, 2}, {1, 1}, {1, 1}, {2, 1}, {0, 0}, {0, 0});
  ConversionPlan bytes = plan(layout.toLayout(), other.toLayout(), {1, 1}, 8);
  EXPECT_EQ(bytes.tier, Tier::RegisterPermutation);
  EXPECT_EQ(bytes.counts.bytePermutes, 1);
}

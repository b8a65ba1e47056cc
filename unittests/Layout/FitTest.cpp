//===- FitTest.cpp - Layouts larger than the hardware ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::test;
using llvm::SmallVector;

static NestedLayout subgroups(std::vector<int64_t> tile,
                              std::vector<int64_t> strides) {
  NestedLayout layout = NestedLayout::units(tile.size());
  setList(layout, &NestedDim::subgroupTile, tile);
  setList(layout, &NestedDim::subgroupStride, strides);
  layout.normalize();
  return layout;
}

static NestedLayout threads(std::vector<int64_t> tile,
                            std::vector<int64_t> strides) {
  NestedLayout layout = NestedLayout::units(tile.size());
  setList(layout, &NestedDim::threadTile, tile);
  setList(layout, &NestedDim::threadStride, strides);
  layout.normalize();
  return layout;
}

// Law O, brute force: subgroup h owns what all x with x % N == h own.
static void expectFolds(const Layout &layout, const Layout &folded,
                        int64_t numSubgroups) {
  ASSERT_LE(folded.neededSubgroups(), numSubgroups);
  for (int64_t h = 0; h < numSubgroups; ++h)
    for (int64_t l = 0; l < layout.neededLanes(); ++l) {
      std::set<Index> expected;
      for (int64_t x = h; x < layout.subgroupSpan(); x += numSubgroups)
        expected.merge(ownedIndices(layout, x, l));
      ASSERT_EQ(ownedIndices(folded, h, l), expected)
          << toString(layout) << " on " << numSubgroups;
    }
}

// VX-32.
TEST(Fit, VX32_LawO_FoldUnitesTheSubgroups) {
  int64_t folds = 0, refusals = 0;
  auto check = [&](const Layout &layout) {
    for (int64_t n : {1, 2, 3, 4, 6}) {
      std::optional<Layout> folded = layout.foldOversubscription(n);
      if (layout.neededSubgroups() <= n) {
        ASSERT_EQ(folded, layout);
        continue;
      }
      if (!folded) {
        ++refusals;
        continue;
      }
      ++folds;
      expectFolds(layout, *folded, n);
    }
  };
  NestedRange range{
      .rank = 2, .sizes = {1, 2, 3}, .maxElements = 12, .gaps = {1, 2}};
  forEachNested(range, [&](const NestedLayout &layout) {
    check(layout.toLayout());
    for (int64_t n : {2, 4})
      if (layout.toLayout().neededSubgroups() > n)
        if (std::optional<Layout> folded = layout.foldOversubscription(n))
          expectFolds(layout.toLayout(), *folded, n);
  });
  for (const Shape &shape : {Shape{8}, Shape{6, 2}, Shape{2, 2, 2}})
    forEachPrimeLayout(shape, check);
  EXPECT_GT(folds, 1000);
  EXPECT_GT(refusals, 100);
}

// A refused fold has no layout: no assignment of digits unites so.
// (VX-32)
TEST(Fit, VX32_LawO_RefusedFoldsHaveNoLayout) {
  for (const Shape &shape : {Shape{6}, Shape{3, 2}, Shape{8}}) {
    std::vector<Layout> all;
    forEachPrimeLayout(shape,
                       [&](const Layout &layout) { all.push_back(layout); });
    for (const Layout &layout : all)
      for (int64_t n : {2, 3, 4}) {
        if (layout.neededSubgroups() <= n || layout.subgroupSpan() % n != 0 ||
            layout.foldOversubscription(n))
          continue;
        for (const Layout &other : all) {
          bool unites = other.neededSubgroups() <= n;
          for (int64_t h = 0; unites && h < n; ++h)
            for (int64_t l = 0; unites && l < layout.neededLanes(); ++l) {
              std::set<Index> expected;
              for (int64_t x = h; x < layout.subgroupSpan(); x += n)
                expected.merge(ownedIndices(layout, x, l));
              unites = ownedIndices(other, h, l) == expected;
            }
          ASSERT_FALSE(unites)
              << toString(layout) << " on " << n << " is " << toString(other);
        }
      }
  }
}

// VX-8.
TEST(Fit, VX8_TheExampleOfTheSpec) {
  NestedLayout layout = subgroups({4, 2}, {1, 4});
  std::optional<Layout> folded = layout.foldOversubscription(4);
  ASSERT_TRUE(folded);
  NestedLayout expected = subgroups({4, 1}, {1, 0});
  expected[1].batchTile = 2;
  EXPECT_EQ(*folded, expected.toLayout());
  std::vector<int64_t> ids;
  for (const Index &index : allIndices(folded->shape()))
    ids.push_back(folded->canonicalPlace(index).subgroup);
  EXPECT_EQ(ids, (std::vector<int64_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  // 128 threads of 32 lanes are those four subgroups.
  EXPECT_EQ(layout.forTarget(128, 32), folded);
}

// VX-8.
TEST(Fit, VX8_SpansThatAreNoMultipleAreErrors) {
  EXPECT_EQ(subgroups({6}, {1}).verifyForTarget(128, 32),
            "layout needs 6 subgroups (span 6), the target has W = 128, "
            "w = 32, N = 4: its span is no multiple of the number of "
            "subgroups");
  EXPECT_EQ(subgroups({3, 2}, {1, 6}).verifyForTarget(128, 32),
            "layout needs 9 subgroups (span 12), the target has W = 128, "
            "w = 32, N = 4: its digit of size 3 and stride 1 does not split "
            "at 4");
}

// A workgroup has a subgroup at least, of a lane at least.
TEST(Fit, VX8_NobodyHoldsNothing) {
  std::string why;
  EXPECT_FALSE(threads({1}, {0}).forTarget(0, 32, &why));
  EXPECT_EQ(why, "a workgroup of 0 threads is no whole number of subgroups of "
                 "32");
  EXPECT_FALSE(threads({1}, {0}).forTarget(32, 0, &why));
  EXPECT_FALSE(threads({1}, {0}).forTarget(-32, 32, &why));
}

// VX-8.
TEST(Fit, VX8_SplitSubgroupDigits) {
  // Eight subgroups along one dim on four: the upper half of each goes to
  // registers above them, which only digits can say.
  std::optional<Layout> folded = subgroups({8}, {1}).forTarget(128, 32);
  ASSERT_TRUE(folded);
  EXPECT_EQ(toString(*folded), "⟨[reg(2,1) sg(4,1)]⟩");
}

// VX-7.
TEST(Fit, VX7_ReplicasAreAccepted) {
  EXPECT_FALSE(threads({8}, {1}).verifyForTarget(64, 32));
  EXPECT_FALSE(threads({8}, {4}).verifyForTarget(64, 32));
  EXPECT_FALSE(subgroups({2}, {1}).verifyForTarget(256, 32));
  NestedLayout layout = threads({2, 3}, {18, 1});
  EXPECT_EQ(layout.forTarget(64, 32), layout.toLayout());
}

// VX-7.
TEST(Fit, VX7_WorkgroupThreadedLayoutsSplitAtTheSubgroup) {
  NestedLayout layout = threads({2, 64}, {64, 1});
  std::optional<Layout> fitted = layout.forTarget(128, 32);
  ASSERT_TRUE(fitted);
  EXPECT_EQ(fitted->neededLanes(), 32);
  EXPECT_EQ(fitted->neededSubgroups(), 4);
  // Thread t = s * 32 + l holds what lane t held.
  for (int64_t t = 0; t < 128; ++t)
    EXPECT_EQ(indexAt(*fitted, {t / 32, t % 32, 0}),
              indexAt(layout.toLayout(), {0, t, 0}));
}

// VX-7.
TEST(Fit, VX7_LayoutsThatDoNotSplitAreRefused) {
  EXPECT_EQ(threads({96}, {1}).verifyForTarget(64, 32),
            "layout needs 96 lanes (span 96), the target has W = 64, w = 32, "
            "N = 2: its span exceeds W");
  EXPECT_EQ(threads({3, 2}, {1, 48}).verifyForTarget(96, 32),
            "layout needs 51 lanes (span 96), the target has W = 96, w = 32, "
            "N = 3: its digit of size 3 and stride 1 does not split at 32");
  EXPECT_EQ(threads({2}, {48}).verifyForTarget(96, 32),
            "layout needs 49 lanes (span 96), the target has W = 96, w = 32, "
            "N = 3: its digit of size 2 and stride 48 does not split at 32");
  NestedLayout both = threads({64}, {1});
  both[0].subgroupTile = 2;
  both[0].subgroupStride = 1;
  EXPECT_EQ(both.verifyForTarget(128, 32),
            "layout needs 64 lanes (span 64), the target has W = 128, w = 32, "
            "N = 4: lanes beyond w only without subgroup tiles");
  EXPECT_EQ(threads({4}, {1}).verifyForTarget(48, 32),
            "a workgroup of 48 threads is no whole number of subgroups of 32");
}

// Every split that is accepted is exact, over many tiles and subgroup sizes.
// (VX-7)
TEST(Fit, VX7_SplitsAreExact) {
  int64_t splits = 0;
  for (int64_t w : {2, 4, 6, 8})
    for (int64_t n : {2, 3, 4})
      for (int64_t t0 : {2, 3, 4, 6})
        for (int64_t t1 : {1, 2, 3, 4})
          for (int64_t gap : {1, 2}) {
            NestedLayout layout = threads({t0, t1}, {1, t0 * gap});
            std::optional<Layout> fitted = layout.forTarget(w * n, w);
            if (!fitted || layout.toLayout().neededLanes() <= w)
              continue;
            ++splits;
            for (int64_t t = 0; t < w * n; ++t)
              ASSERT_EQ(indexAt(*fitted, {t / w, t % w, 0}),
                        indexAt(layout.toLayout(), {0, t, 0}))
                  << toString(layout) << " on " << w << " x " << n;
          }
  EXPECT_GT(splits, 50);
}

// VX-8.
TEST(Fit, VX8_FoldedSubgroupsAreTheOutermostBatches) {
  NestedLayout layout =
      nested({2, 2}, {3, 1}, {2, 1}, {4, 1}, {1, 2}, {1, 2}, {1, 0});
  NestedLayout expected =
      nested({2, 1}, {3, 2}, {2, 1}, {4, 1}, {1, 2}, {1, 0}, {1, 0});
  EXPECT_EQ(layout.foldOversubscription(2), expected.toLayout());
  EXPECT_EQ(layout.toLayout().foldOversubscription(2), expected.toLayout());
}

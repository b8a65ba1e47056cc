//===- DigitsTest.cpp - Nested layouts to digits and back -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Law D as the spec writes it, toNested(toDigits(L)) = L, cannot hold where no
// lane digit stands between register digits; the decision is in
// docs/rationale/nested-layouts-are-read-back-in-one-form.md.
// What holds, and is tested: the way back gives the same map, register numbers
// included; it is idempotent; and it gives back L itself where B, O and E of
// every dim are told apart by lanes.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::test;
using llvm::SmallVector;

static void
forEachSmallNested(llvm::function_ref<void(const NestedLayout &)> body) {
  forEachNested({.rank = 1, .maxElements = 256, .gaps = {1, 2}}, body);
  forEachNested({.rank = 2, .sizes = {1, 2, 3}, .maxElements = 12}, body);
}

// Law D: every nested layout comes back as the same map.
// (VX-9, VX-32)
TEST(Digits, VX9_VX32_LawD_BackIsTheSameMap) {
  forEachSmallNested([](const NestedLayout &layout) {
    Layout digits = layout.toLayout();
    std::optional<NestedLayout> back = NestedLayout::fromLayout(digits);
    ASSERT_TRUE(back) << toString(layout);
    ASSERT_FALSE(back->verify());
    ASSERT_TRUE(back->toLayout().equivalent(digits)) << toString(layout);
    // Idempotent: what came back once comes back as itself.
    ASSERT_EQ(NestedLayout::fromLayout(back->toLayout()), back);
  });
}

// Law D literally, where it can hold: lanes on every dim with registers, and
// no outer without a batch above it.
// (VX-9, VX-32)
TEST(Digits, VX9_VX32_LawD_LanesTellBatchFromElement) {
  int64_t count = 0;
  forEachNested({.rank = 2, .sizes = {1, 2, 3}, .maxElements = 36},
                [&](const NestedLayout &layout) {
                  bool told = true;
                  for (int64_t dim = 0; dim < layout.rank(); ++dim) {
                    told &= layout[dim].outerTile == 1;
                    told &= layout[dim].threadTile > 1 ||
                            (layout[dim].batchTile == 1 &&
                             layout[dim].elementTile == 1);
                  }
                  if (!told)
                    return;
                  ++count;
                  ASSERT_EQ(NestedLayout::fromLayout(layout.toLayout()), layout)
                      << toString(layout);
                });
  EXPECT_GT(count, 100);
}

// VX-9.
TEST(Digits, VX9_OuterComesBackBesideABatch) {
  NestedLayout fragment =
      nested({1, 1}, {2, 2}, {2, 2}, {8, 4}, {1, 2}, {0, 0}, {4, 1});
  EXPECT_EQ(NestedLayout::fromLayout(fragment.toLayout()), fragment);
}

// Completeness: a gapless layout without nested form has none by any levels.
// (VX-32)
TEST(Digits, VX32_LawD_NothingIsMissed) {
  for (const Shape &shape : {Shape{8}, Shape{2, 4}, Shape{4, 3}, Shape{6, 2}}) {
    std::vector<Layout> nestedMaps;
    NestedRange range{.rank = (int64_t)shape.size(),
                      .sizes = {1, 2, 3, 4, 6, 8},
                      .maxElements = 12};
    forEachNested(range, [&](const NestedLayout &layout) {
      SmallVector<int64_t> extents = layout.shape();
      if (Shape(extents.begin(), extents.end()) == shape)
        nestedMaps.push_back(layout.toLayout().merged());
    });
    forEachPrimeLayout(shape, [&](const Layout &layout) {
      std::optional<NestedLayout> found = NestedLayout::fromLayout(layout);
      bool exists = llvm::is_contained(nestedMaps, layout.merged());
      ASSERT_EQ(found.has_value(), exists) << toString(layout);
      if (found) {
        ASSERT_TRUE(found->toLayout().equivalent(layout));
      }
    });
  }
}

// fromOwnership may number registers anew, and owns the same on every lane.
TEST(Digits, FromOwnershipKeepsTheOwners) {
  int64_t found = 0;
  for (const Shape &shape : {Shape{8}, Shape{2, 4}, Shape{6, 2}})
    forEachPrimeLayout(shape, [&](const Layout &layout) {
      std::optional<NestedLayout> owned = NestedLayout::fromOwnership(layout);
      ASSERT_TRUE(owned || !NestedLayout::fromLayout(layout));
      if (!owned)
        return;
      ++found;
      Layout digits = owned->toLayout();
      for (int64_t s = 0; s < layout.neededSubgroups(); ++s)
        for (int64_t l = 0; l < layout.neededLanes(); ++l)
          ASSERT_EQ(ownedIndices(digits, s, l), ownedIndices(layout, s, l))
              << toString(layout);
    });
  EXPECT_GT(found, 100);
}

TEST(Digits, WhatWasWrittenApartStaysApart) {
  NestedLayout layout = nested({1}, {2}, {1}, {1}, {2}, {0}, {0});
  EXPECT_EQ(NestedLayout::fromLayout(layout.toLayout()), layout);
}

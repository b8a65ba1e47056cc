//===- ReshapeTest.cpp - Law R: reshape is exact or nothing ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Depth.h"
#include "Layouts.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <map>

using namespace distaff;
using namespace distaff::test;
using llvm::SmallVector;

/// The positions owned by each of some lanes: two layouts of one size own alike
/// iff these are equal for all ids that either can tell apart.
using Ownership = std::vector<std::set<int64_t>>;

static Ownership ownership(const Layout &layout, int64_t subgroups,
                           int64_t lanes) {
  Ownership owned;
  for (int64_t s = 0; s < subgroups; ++s)
    for (int64_t l = 0; l < lanes; ++l)
      owned.push_back(ownedPositions(layout, s, l));
  return owned;
}

static void expectOwnsAlike(const Layout &a, const Layout &b) {
  int64_t subgroups = std::max(a.subgroupSpan(), b.subgroupSpan());
  int64_t lanes = std::max(a.laneSpan(), b.laneSpan());
  ASSERT_EQ(a.numRegisters(), b.numRegisters());
  ASSERT_EQ(ownership(a, subgroups, lanes), ownership(b, subgroups, lanes))
      << toString(a) << " as " << toString(b);
}

static NestedLayout small(std::vector<int64_t> batch,
                          std::vector<int64_t> outer,
                          std::vector<int64_t> thread,
                          std::vector<int64_t> element,
                          std::vector<int64_t> strides) {
  std::vector<int64_t> one(batch.size(), 1), zero(batch.size(), 0);
  return nested(one, batch, outer, thread, element, zero, strides);
}

// VX-31.
TEST(Reshape, VX31_SameShapeIsTheSameLayout) {
  NestedLayout layout = small({1}, {2}, {2}, {3}, {1});
  EXPECT_EQ(layout.reshape({12}), layout);
  EXPECT_EQ(layout.toLayout().reshape({12}), layout.toLayout());
}

// VX-31.
TEST(Reshape, VX31_ExamplesOfTheSpec) {
  // The classic error would be T[2] E[2], which gives lane 0 {0, 1}.
  NestedLayout columns = small({1, 1}, {1, 1}, {1, 2}, {2, 1}, {0, 1});
  EXPECT_EQ(columns.reshape({4}), small({2}, {1}, {2}, {1}, {1}));

  NestedLayout between = small({1, 1}, {1, 1}, {2, 2}, {2, 1}, {2, 1});
  EXPECT_FALSE(between.reshape({8}));
  std::optional<Layout> digits = between.toLayout().reshape({8});
  ASSERT_TRUE(digits);
  EXPECT_EQ(toString(*digits), "⟨[lane(2,2) reg(2,1) lane(2,1)]⟩");
  expectOwnsAlike(between.toLayout(), *digits);

  NestedLayout odd = small({1}, {1}, {3}, {2}, {1});
  EXPECT_FALSE(odd.reshape({2, 3}));
  EXPECT_FALSE(odd.toLayout().reshape({2, 3}));

  NestedLayout registers = small({1}, {2}, {1}, {3}, {0});
  EXPECT_EQ(registers.reshape({3, 2}),
            small({1, 1}, {1, 1}, {1, 1}, {3, 2}, {0, 0}));
}

// VX-30.
TEST(Reshape, VX30_OtherElementCountsAreRefused) {
  NestedLayout layout = small({1}, {1}, {2}, {3}, {1});
  EXPECT_FALSE(layout.reshape({5}));
  EXPECT_FALSE(layout.reshape({12}));
  EXPECT_FALSE(layout.reshape({2, 2}));
  EXPECT_FALSE(layout.toLayout().reshape({3}));
  EXPECT_FALSE(layout.toLayout().reshape({2, 1}));
  EXPECT_FALSE(layout.toLayout().reshape({0, 6}));
  EXPECT_TRUE(layout.reshape({1, 6, 1}));
}

// Law R, soundness, exhaustively: every small layout to every shape.
// (VX-30)
TEST(Reshape, VX30_LawR_ExactOrNothing) {
  int64_t done = 0, refused = 0;
  for (int64_t elements : {4, 6, 8, 12})
    for (int64_t rank : {1, 2})
      for (const Shape &shape : shapesOf(elements, rank))
        forEachPrimeLayout(shape, [&](const Layout &layout) {
          for (int64_t newRank : {1, 2, 3})
            for (const Shape &newShape : shapesOf(elements, newRank)) {
              std::optional<Layout> result = layout.reshape(newShape);
              result ? ++done : ++refused;
              if (!result)
                continue;
              SmallVector<int64_t> shapeOfResult = result->shape();
              ASSERT_EQ(Shape(shapeOfResult.begin(), shapeOfResult.end()),
                        newShape);
              expectOwnsAlike(layout, *result);
            }
        });
  EXPECT_GT(done, 10000);
  EXPECT_GT(refused, 1000);
}

/// Ownership along one id at a time. Unequal fingerprints mean unequal
/// ownership; equal ones are compared in full.
static Ownership fingerprint(const Layout &layout) {
  Ownership owned;
  for (int64_t id = 0; id < 24; ++id) {
    owned.push_back(ownedPositions(layout, id, 0));
    owned.push_back(ownedPositions(layout, 0, id));
  }
  return owned;
}

static void
checkComplete(int64_t elements, int64_t rank, int64_t newRank,
              llvm::function_ref<void(llvm::function_ref<void(const Layout &)>,
                                      const Shape &)>
                  enumerateLayouts,
              llvm::function_ref<bool(const Layout &, const Shape &)> reshapes,
              int64_t &refused) {
  std::map<Ownership, Layout> sources;
  for (const Shape &shape : shapesOf(elements, rank))
    enumerateLayouts(
        [&](const Layout &layout) {
          sources.try_emplace(fingerprint(layout), layout);
        },
        shape);
  for (const Shape &newShape : shapesOf(elements, newRank)) {
    std::map<Ownership, Layout> targets;
    enumerateLayouts(
        [&](const Layout &layout) {
          targets.try_emplace(fingerprint(layout), layout);
        },
        newShape);
    for (const auto &[owned, layout] : sources) {
      if (reshapes(layout, newShape))
        continue;
      ++refused;
      auto target = targets.find(owned);
      ASSERT_TRUE(target == targets.end())
          << toString(layout) << " is " << toString(target->second);
    }
  }
}

// Law R, completeness: where the nested reshape answers nothing, no nested
// layout of the shape owns the same, for up to 24 elements.
// (VX-30)
TEST(Reshape, VX30_LawR_CompleteInNestedForm) {
  // Merged levels suffice: what B, O and E own together, one of them can.
  auto enumerateNested = [](llvm::function_ref<void(const Layout &)> body,
                            const Shape &shape) {
    int64_t elements = 1;
    std::vector<int64_t> sizes;
    for (int64_t extent : shape)
      elements *= extent;
    for (int64_t size = 1; size <= elements; ++size)
      if (elements % size == 0)
        sizes.push_back(size);
    forEachNested({.rank = (int64_t)shape.size(),
                   .sizes = sizes,
                   .maxElements = elements},
                  [&](const NestedLayout &layout) {
                    SmallVector<int64_t> extents = layout.shape();
                    if (llvm::any_of(layout.dims, [](const NestedDim &dim) {
                          return dim.outerTile > 1;
                        }))
                      return;
                    if (Shape(extents.begin(), extents.end()) == shape)
                      body(layout.toLayout());
                  });
  };
  auto reshapes = [](const Layout &layout, const Shape &shape) {
    std::optional<NestedLayout> source = NestedLayout::fromOwnership(layout);
    return source && source->reshape(shape).has_value();
  };
  int64_t refused = 0;
  for (int64_t elements : {4, 6, 8, 9, 12, 16, 18, 24})
    for (int64_t newRank : {1, 2})
      checkComplete(elements, 1, newRank, enumerateNested, reshapes, refused);
  for (int64_t elements : {4, 6, 8, 12, 18})
    for (int64_t newRank : {1, 2})
      checkComplete(elements, 2, newRank, enumerateNested, reshapes, refused);
  EXPECT_GT(refused, 500);
}

// The same for digits: what is refused has no form at all.
// (VX-30)
TEST(Reshape, VX30_LawR_CompleteInDigitForm) {
  auto reshapes = [](const Layout &layout, const Shape &shape) {
    return layout.reshape(shape).has_value();
  };
  auto enumerateDigits = [](llvm::function_ref<void(const Layout &)> body,
                            const Shape &shape) {
    forEachPrimeLayout(shape, body);
  };
  int64_t refused = 0;
  for (int64_t elements : {4, 6, 8, 9, 12})
    for (int64_t rank : {1, 2})
      for (int64_t newRank : {1, 2})
        checkComplete(elements, rank, newRank, enumerateDigits, reshapes,
                      refused);
  EXPECT_GT(refused, 50);
}

// Law R, soundness, on large random layouts with gaps.
// (VX-30)
TEST(Reshape, VX30_LawR_RandomLayouts) {
  std::mt19937 random(1);
  int64_t done = 0, trials = share(20000);
  for (int64_t trial = 0; trial < trials; ++trial) {
    NestedLayout layout =
        randomNested(random, 1 + trial % 3, {1, 1, 1, 2, 2, 3, 4, 6}, true);
    if (llvm::product_of(layout.shape()) > 4096) {
      --trials;
      continue;
    }
    Layout digits = layout.toLayout();
    std::vector<Shape> shapes =
        shapesOf(digits.numElements(), 1 + random() % 3);
    const Shape &newShape = shapes[random() % shapes.size()];
    std::optional<Layout> result = digits.reshape(newShape);
    std::optional<NestedLayout> nestedResult = layout.reshape(newShape);
    ASSERT_TRUE(result || !nestedResult);
    for (const std::optional<Layout> &each :
         {result, nestedResult ? std::optional(nestedResult->toLayout())
                               : std::nullopt}) {
      if (!each)
        continue;
      ++done;
      ASSERT_EQ(each->numElements(), digits.numElements());
      for (int sample = 0; sample < 6; ++sample) {
        int64_t s = random() % (2 * digits.subgroupSpan());
        int64_t l = random() % (2 * digits.laneSpan());
        ASSERT_EQ(ownedPositions(*each, s, l), ownedPositions(digits, s, l))
            << toString(layout) << " as " << toString(*each);
      }
    }
  }
  EXPECT_GE(trials, share(10000));
  EXPECT_GT(done, share(10000));
}

TEST(Reshape, RegistersAreNumberedBySignificanceWithoutNestedForm) {
  // As 8 elements: lane, register, lane; as 2x8: each dim register and lane.
  NestedLayout layout =
      small({1, 1, 1}, {1, 1, 1}, {2, 2, 2}, {1, 2, 2}, {4, 2, 1});
  std::optional<Layout> flat = layout.toLayout().reshape({32});
  ASSERT_TRUE(flat);
  EXPECT_EQ(toString(*flat), "⟨[lane(4,2) reg(2,2) lane(2,1) reg(2,1)]⟩");
}

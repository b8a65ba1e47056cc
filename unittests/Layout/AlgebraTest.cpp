//===- AlgebraTest.cpp - Laws of layouts on digits ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>

using namespace distaff;
using namespace distaff::test;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Every small layout: nested ones with gaps, and all gapless digit layouts.
static void forEachSmall(llvm::function_ref<void(const Layout &)> body) {
  auto onNested = [&](const NestedLayout &layout) { body(layout.toLayout()); };
  forEachNested({.rank = 1, .maxElements = 48, .gaps = {1, 2, 3}}, onNested);
  forEachNested({.rank = 2, .maxElements = 6, .gaps = {1, 2}}, onNested);
  for (int64_t rank = 1; rank <= 3; ++rank)
    for (int64_t elements : {4, 6, 8})
      for (const Shape &shape : shapesOf(elements, rank))
        forEachPrimeLayout(shape, body);
}

static Layout fromText(std::vector<std::vector<Digit>> dims) {
  std::vector<SmallVector<Digit>> digits;
  for (const std::vector<Digit> &along : dims)
    digits.emplace_back(along.begin(), along.end());
  return *Layout::get(digits);
}

static std::string whyNot(std::vector<std::vector<Digit>> dims) {
  std::vector<SmallVector<Digit>> digits;
  for (const std::vector<Digit> &along : dims)
    digits.emplace_back(along.begin(), along.end());
  std::string why;
  EXPECT_FALSE(Layout::get(digits, &why));
  return why;
}

constexpr Axis Sg = Axis::Subgroup, Lane = Axis::Lane, Reg = Axis::Register;

TEST(Layout, HeaderExample) {
  Layout layout =
      fromText({{{Lane, 4, 2}, {Reg, 2, 2}}, {{Lane, 2, 1}, {Reg, 2, 1}}});
  EXPECT_EQ(layout.shape(), (SmallVector<int64_t>{8, 4}));
  EXPECT_EQ(indexAt(layout, {0, 5, 3}), (Index{5, 3}));
  EXPECT_EQ(indexAt(layout, {0, 13, 3}), (Index{5, 3}));
  EXPECT_EQ(layout.registerShape(), (SmallVector<int64_t>{2, 2}));
}

// VX-9.
TEST(Layout, VX9_GetRefusesWhatIsNoLayout) {
  EXPECT_EQ(whyNot({{{Lane, 0, 1}}}),
            "digit sizes must be positive, lane(0, 1) is not");
  EXPECT_EQ(whyNot({{{Lane, 2, 0}}}),
            "digit strides must be positive, that of lane(2, 0) is not");
  EXPECT_EQ(whyNot({{{Lane, 4, 1}}, {{Lane, 2, 2}}}),
            "lane strides overlap: the stride of lane(2, 2) is no multiple of "
            "4, where lane(4, 1) ends");
  EXPECT_EQ(whyNot({{{Sg, 2, 1}, {Sg, 2, 3}}}),
            "sg strides overlap: the stride of sg(2, 3) is no multiple of 2, "
            "where sg(2, 1) ends");
  EXPECT_EQ(whyNot({{{Reg, 2, 4}, {Reg, 2, 1}}}),
            "registers have a gap: nothing has stride 2 below reg(2, 4)");
  EXPECT_NE(whyNot({{{Reg, int64_t(1) << 62, 1}}, {{Lane, 4, 1}}})
                .find("layout too large"),
            std::string::npos);
}

// VX-9.
TEST(Layout, VX9_GetDropsDigitsOfSizeOne) {
  EXPECT_EQ(fromText({{{Lane, 1, 7}, {Reg, 2, 1}, {Sg, 1, 1}}}),
            fromText({{{Reg, 2, 1}}}));
}

// Law C: with enough subgroups and lanes every index is held, and has exactly
// one canonical place. Ids beyond the needed ones repeat elements, never
// invent.
// (VX-24)
TEST(Layout, VX24_LawC_CoverWithOneCanonicalPlace) {
  forEachSmall([](const Layout &layout) {
    std::vector<Index> box = allIndices(layout.shape());
    for (int64_t extra : {0, 3}) {
      int64_t subgroups = layout.neededSubgroups() + extra;
      int64_t lanes = layout.neededLanes() + extra;
      std::map<Index, int64_t> held, canonical;
      for (int64_t s = 0; s < subgroups; ++s)
        for (int64_t l = 0; l < lanes; ++l)
          for (int64_t r = 0; r < layout.numRegisters(); ++r) {
            Index index = indexAt(layout, {s, l, r});
            ++held[index];
            if (!layout.isCanonical({s, l, r}))
              continue;
            ++canonical[index];
            ASSERT_EQ(layout.canonicalPlace(index), (Place{s, l, r}));
          }
      ASSERT_EQ(held.size(), box.size()) << toString(layout);
      for (const Index &index : box) {
        ASSERT_TRUE(held.count(index)) << toString(layout);
        ASSERT_EQ(canonical[index], 1) << toString(layout);
        ASSERT_EQ(layout.replicas(index, {subgroups, lanes}), held[index]);
      }
      bool even = std::all_of(held.begin(), held.end(), [&](auto &entry) {
        return entry.second == held.begin()->second;
      });
      std::optional<int64_t> replication =
          layout.replication({subgroups, lanes});
      ASSERT_EQ(replication.has_value(), even) << toString(layout);
      if (even) {
        ASSERT_EQ(*replication, held.begin()->second);
      }
    }
  });
}

// Fewer ids than needed leave something out: need is the least that covers.
// (VX-24)
TEST(Layout, VX24_LawC_NeedIsTheLeastThatCovers) {
  forEachSmall([](const Layout &layout) {
    if (layout.neededLanes() == 1)
      return;
    std::set<Index> held;
    for (int64_t s = 0; s < layout.neededSubgroups(); ++s)
      for (int64_t l = 0; l + 1 < layout.neededLanes(); ++l)
        held.merge(ownedIndices(layout, s, l));
    ASSERT_LT((int64_t)held.size(), layout.numElements()) << toString(layout);
  });
}

// VX-23.
TEST(Layout, VX23_ReplicationIsTheQuotientWhereSpansDivide) {
  Layout layout = fromText({{{Sg, 2, 2}, {Lane, 4, 8}, {Reg, 2, 1}}});
  EXPECT_EQ(layout.replication({8, 64}), (8 * 64) / (2 * 4));
  // Lanes 0..31 of span 32: 8 each; with 40 lanes the first eight have more.
  EXPECT_EQ(layout.replication({4, 32}), 2 * 8);
  EXPECT_EQ(layout.replication({4, 40}), std::nullopt);
}

// Inverse and composition: compose(source.invert()) finds the same element.
TEST(Layout, InvertAndComposeFindTheElement) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    Shape shape = {pick(random, {1, 4, 6}), pick(random, {2, 3, 8})};
    Layout a = randomLayout(random, shape, {});
    Layout b = randomLayout(random, shape, {});
    LayoutInverse inverse = b.invert();
    for (int64_t s = 0; s < a.neededSubgroups(); ++s)
      for (int64_t l = 0; l < a.neededLanes(); ++l)
        for (int64_t r = 0; r < a.numRegisters(); ++r) {
          Place there = a.compose(inverse, {s, l, r});
          ASSERT_EQ(indexAt(b, there), indexAt(a, {s, l, r}));
          ASSERT_TRUE(b.isCanonical(there));
        }
  }
}

// Law P, exactly: digits keep their register numbers.
// (VX-26)
TEST(Layout, VX26_LawP_PermuteCommutesWithIndexOf) {
  auto check = [](const Layout &layout, ArrayRef<int64_t> permutation) {
    Layout permuted = layout.permute(permutation);
    for (int64_t s = 0; s < layout.neededSubgroups(); ++s)
      for (int64_t l = 0; l < layout.neededLanes(); ++l)
        for (int64_t r = 0; r < layout.numRegisters(); ++r) {
          Index index = indexAt(layout, {s, l, r}), expected;
          for (int64_t dim : permutation)
            expected.push_back(index[dim]);
          ASSERT_EQ(indexAt(permuted, {s, l, r}), expected) << toString(layout);
        }
    SmallVector<int64_t> inverse(permutation.size());
    for (size_t i = 0; i < permutation.size(); ++i)
      inverse[permutation[i]] = i;
    ASSERT_EQ(permuted.permute(inverse), layout);
  };
  forEachSmall([&](const Layout &layout) {
    std::vector<int64_t> permutation;
    for (int64_t dim = 0; dim < layout.rank(); ++dim)
      permutation.push_back(dim);
    do
      check(layout, permutation);
    while (std::next_permutation(permutation.begin(), permutation.end()));
  });
}

// Law J, over every choice of dims; the kept registers close up in order.
// (VX-26)
TEST(Layout, VX26_LawJ_ProjectKeepsTheOtherDims) {
  forEachSmall([](const Layout &layout) {
    for (int64_t marks = 0; marks < int64_t(1) << layout.rank(); ++marks) {
      llvm::SmallBitVector dropped(layout.rank());
      for (int64_t dim = 0; dim < layout.rank(); ++dim)
        if (marks >> dim & 1)
          dropped.set(dim);
      Layout projected = layout.project(dropped);
      auto keep = [&](const Index &index) {
        Index kept;
        for (int64_t dim = 0; dim < layout.rank(); ++dim)
          if (!dropped[dim])
            kept.push_back(index[dim]);
        return kept;
      };
      for (int64_t s = 0; s < layout.neededSubgroups(); ++s)
        for (int64_t l = 0; l < layout.neededLanes(); ++l) {
          // Registers that differ in kept dims alone, in order.
          std::vector<Index> expected;
          for (int64_t r = 0; r < layout.numRegisters(); ++r) {
            Index kept = keep(indexAt(layout, {s, l, r}));
            if (std::find(expected.begin(), expected.end(), kept) ==
                expected.end())
              expected.push_back(kept);
          }
          ASSERT_EQ(projected.numRegisters(), (int64_t)expected.size());
          for (int64_t r = 0; r < projected.numRegisters(); ++r)
            ASSERT_EQ(indexAt(projected, {s, l, r}), expected[r])
                << toString(layout);
        }
    }
  });
}

// Law A, over every projected permutation with up to one constant 0.
// (VX-27)
TEST(Layout, VX27_LawA_ApplyOwnsTheImage) {
  forEachSmall([](const Layout &layout) {
    if (layout.rank() != 2)
      return;
    for (const std::vector<int64_t> &results :
         std::vector<std::vector<int64_t>>{{0, 1},
                                           {1, 0},
                                           {0},
                                           {1},
                                           {},
                                           {DimMap::Zero, 1},
                                           {1, DimMap::Zero, 0}}) {
      DimMap map(2, results);
      std::optional<Layout> operand = layout.apply(map);
      ASSERT_TRUE(operand);
      for (int64_t s = 0; s < layout.neededSubgroups() + 1; ++s)
        for (int64_t l = 0; l < layout.neededLanes() + 1; ++l) {
          std::set<Index> image;
          for (const Index &index : ownedIndices(layout, s, l)) {
            auto mapped = map(index);
            image.emplace(mapped.begin(), mapped.end());
          }
          ASSERT_EQ(ownedIndices(*operand, s, l), image) << toString(layout);
        }
    }
  });
}

// VX-27.
TEST(Layout, VX27_ApplyRefusesDiagonalsAndExpressions) {
  Layout layout = fromText({{{Lane, 4, 1}}, {{Reg, 2, 1}}});
  EXPECT_FALSE(layout.apply(DimMap(2, {0, 0})));
  EXPECT_FALSE(layout.apply(DimMap(2, {0, DimMap::Other})));
  EXPECT_FALSE(layout.apply(DimMap(1, {0})));
}

// Law M on digits: ownership of each dim comes back.
// (VX-28)
TEST(Layout, VX28_LawM_RecombineGivesBackOwnership) {
  std::mt19937 random(5);
  DimMap lhs(3, {0, 2}), rhs(3, {2, 1}), acc(3, {0, 1});
  for (int trial = 0; trial < 1000; ++trial) {
    Layout space = randomLayout(
        random, {pick(random, {2, 6, 4}), pick(random, {3, 4}), 4}, {});
    Layout operands[] = {*space.apply(lhs), *space.apply(rhs)};
    DimMap maps[] = {lhs, rhs};
    std::optional<Layout> result = Layout::recombine(operands, maps, acc);
    ASSERT_TRUE(result) << toString(space);
    Layout expected = *space.apply(acc);
    for (int64_t s = 0; s < space.neededSubgroups(); ++s)
      for (int64_t l = 0; l < space.neededLanes(); ++l)
        ASSERT_EQ(ownedIndices(*result, s, l), ownedIndices(expected, s, l))
            << toString(space);
    llvm::SmallBitVector k(3);
    k.set(2);
    EXPECT_TRUE(Layout::agreeOn(operands, maps, k));
  }
}

// VX-28, VX-29.
TEST(Layout, VX28_VX29_RecombineRefusesMismatchAndMissingDims) {
  Layout a = fromText({{{Lane, 4, 1}}, {{Reg, 4, 1}}});
  Layout b = fromText({{{Lane, 4, 4}}, {{Reg, 4, 1}}});
  DimMap same[] = {DimMap::identity(2), DimMap::identity(2)};
  EXPECT_FALSE(Layout::recombine({a, b}, same, DimMap(2, {0})));
  EXPECT_TRUE(Layout::recombine({a, b}, same, DimMap(2, {1})));
  llvm::SmallBitVector first(2);
  first.set(0);
  EXPECT_FALSE(Layout::agreeOn({a, b}, same, first));
  DimMap wide[] = {DimMap(3, {0, 1})};
  EXPECT_FALSE(Layout::recombine({a}, wide, DimMap(3, {0, 2})));
}

// equivalent() is equality of maps, over all gapless layouts of small shapes.
TEST(Layout, EquivalentIsEqualityOfMaps) {
  for (const Shape &shape : {Shape{12}, Shape{2, 4}, Shape{6, 2}}) {
    std::map<std::vector<int64_t>, Layout> byTable;
    std::map<std::string, std::vector<int64_t>> byDigits;
    forEachPrimeLayout(shape, [&](const Layout &layout) {
      std::vector<int64_t> table = {layout.numRegisters()};
      for (int64_t s = 0; s < 12; ++s)
        for (int64_t l = 0; l < 12; ++l)
          for (int64_t r = 0; r < layout.numRegisters(); ++r)
            table.push_back(layout.linearIndexOf({s, l, r}));
      auto [entry, isNew] = byTable.try_emplace(table, layout);
      ASSERT_TRUE(layout.equivalent(entry->second)) << toString(layout);
      ASSERT_EQ(layout.merged(), entry->second.merged());
      ASSERT_EQ(hash_value(layout.merged()),
                hash_value(entry->second.merged()));
    });
    for (auto &[tableA, a] : byTable)
      for (auto &[tableB, b] : byTable)
        ASSERT_EQ(a.equivalent(b), tableA == tableB);
  }
}

// VX-28.
TEST(Layout, VX28_OperandsOnTheSameLanesDoNotRecombine) {
  Layout operand = fromText({{{Lane, 4, 1}}});
  DimMap maps[] = {DimMap(2, {0}), DimMap(2, {1})};
  EXPECT_FALSE(
      Layout::recombine({operand, operand}, maps, DimMap::identity(2)));
}

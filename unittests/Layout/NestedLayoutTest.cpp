//===- NestedLayoutTest.cpp - The five levels -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace distaff;
using namespace distaff::test;
using llvm::SmallVector;

/// ⟨S[2,1]:[1,0] B[2,4] T[16,4]:[1,16] E[1,4]⟩ of spec 1.5.
static NestedLayout workedExample() {
  return nested({2, 1}, {2, 4}, {1, 1}, {16, 4}, {1, 4}, {1, 0}, {1, 16});
}

static int64_t registerAt(const NestedLayout &layout,
                          const Index &coordinates) {
  return positionIn(layout.distributedShape(), coordinates);
}

// Formulas (1), (2), (3) of spec 1.3 and 1.4, written from the spec.
static Index indexByFormula(const NestedLayout &layout, int64_t s, int64_t l,
                            const Index &registers) {
  Index index;
  int64_t n = layout.rank();
  for (int64_t d = 0; d < n; ++d) {
    int64_t sigma = layout[d].subgroupStride, tau = layout[d].threadStride;
    int64_t vs = sigma > 0 && layout[d].subgroupTile > 1
                     ? (s / sigma) % layout[d].subgroupTile
                     : 0;
    int64_t vt = tau > 0 && layout[d].threadTile > 1
                     ? (l / tau) % layout[d].threadTile
                     : 0;
    int64_t b = registers[d], o = registers[n + d], e = registers[2 * n + d];
    index.push_back(
        (((vs * layout[d].batchTile + b) * layout[d].outerTile + o) *
             layout[d].threadTile +
         vt) *
            layout[d].elementTile +
        e);
  }
  return index;
}

// VX-22.
TEST(NestedLayout, VX22_WorkedExample) {
  NestedLayout layout = workedExample();
  EXPECT_FALSE(layout.verify());
  Layout digits = layout.toLayout();
  auto at = [&](int64_t s, int64_t l, int64_t b0, int64_t b1, int64_t e1) {
    return indexAt(digits, {s, l, registerAt(layout, {b0, b1, 0, 0, 0, e1})});
  };
  EXPECT_EQ(at(3, 37, 1, 2, 3), (Index{53, 43}));
  EXPECT_EQ(at(2, 63, 1, 3, 3), (Index{31, 63}));
  EXPECT_EQ(at(1, 0, 0, 0, 0), (Index{32, 0}));
  // Subgroups 2 and 3 are replicas of 0 and 1.
  EXPECT_EQ(digits.replication({4, 64}), 2);
  EXPECT_TRUE(digits.isCanonical({1, 63, 0}));
  EXPECT_FALSE(digits.isCanonical({2, 0, 0}));
}

// Spec 1.4: virtual ids [0][0], [0][1], [1][0], ... are subgroups 0, 4, 1, ...
// (VX-22)
TEST(NestedLayout, VX22_SubgroupOrder) {
  Layout layout =
      nested({4, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 4}, {0, 0}).toLayout();
  std::vector<int64_t> ids;
  for (const Index &index : allIndices(layout.shape()))
    ids.push_back(layout.canonicalPlace(index).subgroup);
  EXPECT_EQ(ids, (std::vector<int64_t>{0, 4, 1, 5, 2, 6, 3, 7}));
}

// Law D, first half: digits and formulas are one map.
// (VX-22, VX-32)
TEST(NestedLayout, VX22_VX32_LawD_DigitsAgreeWithFormulas) {
  int64_t count = 0;
  auto check = [&](const NestedLayout &layout) {
    ASSERT_FALSE(layout.verify()) << toString(layout);
    Layout digits = layout.toLayout();
    ASSERT_EQ(digits.shape(), layout.shape());
    std::vector<Index> registers = allIndices(layout.distributedShape());
    ASSERT_EQ(digits.numRegisters(), (int64_t)registers.size());
    int64_t subgroups = digits.subgroupSpan() + 1;
    int64_t lanes = digits.laneSpan() + 1;
    for (int64_t s = 0; s < subgroups; ++s)
      for (int64_t l = 0; l < lanes; ++l)
        for (int64_t r = 0; r < digits.numRegisters(); ++r) {
          Index expected = indexByFormula(layout, s, l, registers[r]);
          ASSERT_EQ(indexAt(digits, {s, l, r}), expected) << toString(layout);
          ASSERT_EQ(digits.linearIndexOf({s, l, r}),
                    positionIn(digits.shape(), expected));
        }
    ++count;
  };
  forEachNested({.rank = 1, .maxElements = 1024, .gaps = {1, 3}}, check);
  forEachNested({.rank = 2, .maxElements = 8, .gaps = {1, 2}}, check);
  EXPECT_GT(count, 4000);
}

// VX-23.
TEST(NestedLayout, VX23_Shapes) {
  NestedLayout layout = workedExample();
  EXPECT_EQ(layout.shape(), (SmallVector<int64_t>{64, 64}));
  EXPECT_EQ(layout.distributedShape(),
            (SmallVector<int64_t>{2, 4, 1, 1, 1, 4}));
  EXPECT_EQ(layout.unpackedShape(), (SmallVector<int64_t>{2, 16}));
  EXPECT_EQ(layout.packedShape(),
            (SmallVector<int64_t>{2, 1, 2, 4, 1, 1, 16, 4, 1, 4}));
  EXPECT_TRUE(NestedLayout::units(0).distributedShape().empty());
  EXPECT_EQ(NestedLayout::units(0).toLayout(), Layout());
}

// VX-2.
TEST(NestedLayout, VX2_StrideIsZeroWhereTheTileIsOne) {
  NestedLayout a =
      nested({1, 2}, {1, 1}, {1, 1}, {4, 1}, {1, 1}, {7, 1}, {1, 9});
  NestedLayout b =
      nested({1, 2}, {1, 1}, {1, 1}, {4, 1}, {1, 1}, {0, 1}, {1, 0});
  EXPECT_NE(a, b);
  a.normalize();
  EXPECT_EQ(a, b);
  EXPECT_EQ(hash_value(a), hash_value(b));
}

//===----------------------------------------------------------------------===//
// NV1 .. NV6
//===----------------------------------------------------------------------===//

static std::string faultOf(const NestedLayout &layout) {
  return layout.verify().value_or("");
}

// VX-3.
TEST(NestedLayout, VX3_NV1_FieldsOfOneRank) {
  SmallVector<SmallVector<int64_t>> lists(7, {1, 1});
  lists[2].pop_back();
  std::string why;
  EXPECT_FALSE(NestedLayout::fromLists(lists, why));
  EXPECT_EQ(why, "fields must all have rank 2, that of subgroup_tile; "
                 "outer_tile [1] has 1");
  lists[2] = {3, 5};
  std::optional<NestedLayout> layout = NestedLayout::fromLists(lists, why);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->list(&NestedDim::outerTile), lists[2]);
}

// VX-3.
TEST(NestedLayout, VX3_NV2_TilesArePositive) {
  NestedLayout layout = NestedLayout::units(2);
  layout[1].batchTile = 0;
  EXPECT_EQ(faultOf(layout),
            "tile sizes must be positive, batch_tile is [1, 0]");
}

// VX-3.
TEST(NestedLayout, VX3_NV3_StridesAreNotNegative) {
  NestedLayout layout = NestedLayout::units(1);
  layout[0].threadStride = -1;
  EXPECT_EQ(faultOf(layout),
            "strides must not be negative, thread_strides is [-1]");
}

// VX-4: a tile of stride 0 is not distributed. What a place of the normal form
// holds is what the formula says, its digit running over the whole tile.
TEST(NestedLayout, VX4_StrideZeroIsNotDistributed) {
  for (int64_t code = 0; code < 3 * 3 * 2 * 3 * 2 * 4; ++code) {
    int64_t rest = code;
    auto next = [&](int64_t count) {
      int64_t value = rest % count;
      rest /= count;
      return value;
    };
    NestedDim dim;
    dim.subgroupTile = 1 + next(3), dim.batchTile = 1 + next(3);
    dim.outerTile = 1 + next(2), dim.threadTile = 1 + next(3);
    dim.elementTile = 1 + next(2);
    dim.subgroupStride = next(2), dim.threadStride = next(2);
    NestedLayout layout{{dim}};
    layout.normalize();
    ASSERT_EQ(faultOf(layout), "");
    EXPECT_EQ(layout[0].extent(), dim.extent());
    Layout map = layout.toLayout();
    for (int64_t subgroup = 0; subgroup < 4; ++subgroup)
      for (int64_t lane = 0; lane < 4; ++lane) {
        std::vector<int64_t> wanted, held;
        for (int64_t i = 0; i < dim.extent(); ++i) {
          int64_t vt = i / dim.elementTile % dim.threadTile;
          int64_t vs = i / (dim.extent() / dim.subgroupTile);
          bool isMine =
              (!dim.threadStride || vt == lane % dim.threadTile) &&
              (!dim.subgroupStride || vs == subgroup % dim.subgroupTile);
          if (isMine)
            wanted.push_back(i);
        }
        for (int64_t reg = 0; reg < map.numRegisters(); ++reg)
          held.push_back(map.indexOf({subgroup, lane, reg})[0]);
        // Registers are in the order of what they hold.
        EXPECT_EQ(held, wanted);
      }
  }
}

// VX-4: a tile that would not fit as registers stays, and is too large.
TEST(NestedLayout, VX4_NV6_StrideZeroOfTooMany) {
  NestedLayout layout = NestedLayout::units(1);
  layout[0].threadTile = int64_t(1) << 40;
  layout[0].outerTile = int64_t(1) << 40;
  layout.normalize();
  EXPECT_NE(faultOf(layout).find("layout too large"), std::string::npos);
}

// VX-5.
TEST(NestedLayout, VX5_NV5_OverlappingStrides) {
  NestedLayout threads =
      nested({1, 1}, {1, 1}, {1, 1}, {4, 8}, {1, 1}, {0, 0}, {1, 1});
  EXPECT_EQ(faultOf(threads),
            "thread strides overlap: strides [1, 1] with thread tile [4, 8], "
            "where 1 is no multiple of 1 * 4");
  NestedLayout subgroups =
      nested({2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 3}, {0, 0});
  EXPECT_EQ(faultOf(subgroups),
            "subgroup strides overlap: strides [1, 3] with subgroup tile "
            "[2, 2], where 3 is no multiple of 1 * 2");
}

// VX-5.
TEST(NestedLayout, VX5_NV5_GapsAreLegal) {
  EXPECT_FALSE(
      nested({1, 1}, {1, 1}, {1, 1}, {4, 3}, {1, 1}, {0, 0}, {2, 24}).verify());
}

// NV5 against its meaning: a chain is accepted, and only what is a chain.
// (VX-5)
TEST(NestedLayout, VX5_NV5_ExactlyTheChains) {
  for (int64_t t0 = 1; t0 <= 4; ++t0)
    for (int64_t t1 = 1; t1 <= 4; ++t1)
      for (int64_t s0 = 1; s0 <= 12; ++s0)
        for (int64_t s1 = 1; s1 <= 12; ++s1) {
          NestedLayout layout = nested({1, 1}, {1, 1}, {1, 1}, {t0, t1}, {1, 1},
                                       {0, 0}, {s0, s1});
          bool chain =
              t0 == 1 || t1 == 1 || s1 % (s0 * t0) == 0 || s0 % (s1 * t1) == 0;
          EXPECT_EQ(!layout.verify(), chain)
              << t0 << " " << t1 << " " << s0 << " " << s1;
        }
}

// VX-5.
TEST(NestedLayout, VX5_NV6_TooLarge) {
  // 2^24 elements are the most.
  NestedLayout most = NestedLayout::units(2);
  most[0].batchTile = most[1].elementTile = int64_t(1) << 12;
  EXPECT_FALSE(most.verify());
  most[0].threadTile = 2;
  most[0].threadStride = 1;
  EXPECT_NE(faultOf(most).find("layout too large"), std::string::npos);
  NestedLayout dim = NestedLayout::units(1);
  dim[0].batchTile = int64_t(1) << 40;
  dim[0].elementTile = int64_t(1) << 40;
  EXPECT_NE(faultOf(dim).find("layout too large"), std::string::npos);
  NestedLayout count = NestedLayout::units(2);
  count[0].batchTile = count[1].batchTile = int64_t(1) << 40;
  EXPECT_NE(faultOf(count).find("layout too large"), std::string::npos);
  NestedLayout strides = NestedLayout::units(1);
  strides[0].threadTile = 4;
  strides[0].threadStride = int64_t(1) << 62;
  EXPECT_NE(faultOf(strides).find("layout too large"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Algebra on fields
//===----------------------------------------------------------------------===//

static DimMap randomProjectedPermutation(std::mt19937 &random, int64_t dims) {
  std::vector<int64_t> results;
  for (int64_t dim = 0; dim < dims; ++dim)
    if (random() % 4 != 0)
      results.push_back(dim);
  if (random() % 3 == 0)
    results.push_back(DimMap::Zero);
  std::shuffle(results.begin(), results.end(), random);
  return DimMap(dims, results);
}

// Law P on fields: registers move with their dims' coordinates.
// (VX-26)
TEST(NestedLayout, VX26_LawP_PermuteMovesAllSevenFields) {
  int64_t permutation[] = {1, 0};
  forEachNested(
      {.rank = 2, .sizes = {1, 2, 3}, .maxElements = 12, .gaps = {1, 2}},
      [&](const NestedLayout &layout) {
        NestedLayout permuted = layout.permute(permutation);
        ASSERT_EQ(permuted.permute(permutation), layout);
        Layout a = layout.toLayout(), b = permuted.toLayout();
        for (const Index &x : allIndices(layout.distributedShape())) {
          Index y = {x[1], x[0], x[3], x[2], x[5], x[4]};
          for (int64_t s = 0; s < a.subgroupSpan(); ++s)
            for (int64_t l = 0; l < a.laneSpan(); ++l) {
              Index i = indexAt(a, {s, l, registerAt(layout, x)});
              Index j = indexAt(b, {s, l, registerAt(permuted, y)});
              ASSERT_EQ(j, (Index{i[1], i[0]})) << toString(layout);
            }
        }
      });
}

// Laws J and A on fields.
// (VX-26, VX-27)
TEST(NestedLayout, VX26_VX27_LawsJA_ApplyOwnsTheImage) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    NestedLayout layout = randomNested(random, 3, {1, 1, 2, 3}, true);
    DimMap map = randomProjectedPermutation(random, 3);
    std::optional<NestedLayout> operand = layout.apply(map);
    ASSERT_TRUE(operand);
    ASSERT_FALSE(operand->verify());
    Layout a = layout.toLayout(), b = operand->toLayout();
    for (int64_t s : {0, 1, 2, 5})
      for (int64_t l : {0, 1, 2, 3, 7, 11}) {
        std::set<Index> image;
        for (const Index &index : ownedIndices(a, s, l)) {
          auto mapped = map(index);
          image.emplace(mapped.begin(), mapped.end());
        }
        ASSERT_EQ(ownedIndices(b, s, l), image) << toString(layout);
      }
  }
}

// VX-27.
TEST(NestedLayout, VX27_ApplyRefusesDiagonalsAndExpressions) {
  NestedLayout layout = workedExample();
  EXPECT_FALSE(layout.apply(DimMap(2, {0, 0})));
  EXPECT_FALSE(layout.apply(DimMap(2, {DimMap::Other})));
  EXPECT_FALSE(layout.apply(DimMap(3, {0, 1})));
  EXPECT_TRUE(layout.apply(DimMap(2, {DimMap::Zero, 1, DimMap::Zero})));
}

// Law M: operands come back, whatever map they were read by.
// (VX-28)
TEST(NestedLayout, VX28_LawM_RecombineGivesBackTheOperands) {
  std::mt19937 random(11);
  DimMap all = DimMap::identity(3);
  int64_t complete = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    NestedLayout space = randomNested(random, 3, {1, 2, 3}, true);
    DimMap maps[] = {randomProjectedPermutation(random, 3),
                     randomProjectedPermutation(random, 3),
                     randomProjectedPermutation(random, 3)};
    std::vector<NestedLayout> operands;
    llvm::SmallBitVector present(3);
    for (const DimMap &map : maps) {
      operands.push_back(*space.apply(map));
      for (int64_t dim : map.results)
        if (dim >= 0)
          present.set(dim);
    }
    std::optional<NestedLayout> back =
        NestedLayout::recombine(operands, maps, all);
    ASSERT_EQ(back.has_value(), present.all());
    if (!back)
      continue;
    ++complete;
    ASSERT_EQ(*back, space);
    EXPECT_TRUE(NestedLayout::agreeOn(operands, maps, present));
  }
  EXPECT_GT(complete, 500);
}

static void expectFieldMatters(int64_t NestedDim::*field, int64_t value) {
  // lhs (m, k), rhs (k, n): they share k.
  DimMap maps[] = {DimMap(3, {0, 2}), DimMap(3, {2, 1})};
  NestedLayout layout =
      nested({1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {0, 1}, {0, 1});
  NestedLayout other =
      nested({2, 1}, {2, 1}, {2, 1}, {2, 1}, {2, 1}, {1, 0}, {1, 0});
  NestedLayout operands[] = {layout, other};
  llvm::SmallBitVector k(3);
  k.set(2);
  EXPECT_TRUE(NestedLayout::agreeOn(operands, maps, k));
  EXPECT_TRUE(NestedLayout::recombine(operands, maps, DimMap(3, {0, 2})));
  operands[1][0].*field = value;
  EXPECT_FALSE(NestedLayout::agreeOn(operands, maps, k));
  EXPECT_FALSE(NestedLayout::recombine(operands, maps, DimMap(3, {0, 2})));
  // Without k in the result the mismatch is agreeOn's business.
  EXPECT_TRUE(NestedLayout::recombine(operands, maps, DimMap(3, {0, 1})));
}

// VX-28, VX-29.
TEST(NestedLayout, VX28_VX29_EveryFieldMustAgree) {
  expectFieldMatters(&NestedDim::subgroupTile, 3);
  expectFieldMatters(&NestedDim::batchTile, 3);
  expectFieldMatters(&NestedDim::outerTile, 3);
  expectFieldMatters(&NestedDim::threadTile, 3);
  expectFieldMatters(&NestedDim::elementTile, 3);
  expectFieldMatters(&NestedDim::subgroupStride, 2);
  expectFieldMatters(&NestedDim::threadStride, 2);
}

// VX-28.
TEST(NestedLayout, VX28_OperandsOnTheSameLanesDoNotRecombine) {
  NestedLayout operand = NestedLayout::units(1);
  operand[0].threadTile = 4;
  operand[0].threadStride = 1;
  DimMap maps[] = {DimMap(2, {0}), DimMap(2, {1})};
  EXPECT_FALSE(
      NestedLayout::recombine({operand, operand}, maps, DimMap::identity(2)));
}

TEST(NestedLayout, ShortNotation) {
  EXPECT_EQ(toString(workedExample()),
            "⟨S[2,1]:[1,0] B[2,4] T[16,4]:[1,16] E[1,4]⟩");
  EXPECT_EQ(toString(NestedLayout::units(2)), "⟨E[1,1]⟩");
  EXPECT_EQ(toString(NestedLayout::units(0)), "⟨⟩");
  EXPECT_EQ(toString(workedExample().toLayout()), toString(workedExample()));
  Layout digits =
      *Layout::get({{{Axis::Lane, 4, 2}, {Axis::Register, 2, 1}},
                    {{Axis::Register, 3, 2}, {Axis::Subgroup, 2, 1}}});
  EXPECT_EQ(toString(digits), "⟨[lane(4,2) reg(2,1)] [reg(3,2) sg(2,1)]⟩");
}

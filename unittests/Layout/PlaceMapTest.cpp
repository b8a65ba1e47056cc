//===- PlaceMapTest.cpp - Elements that all move alike --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random maps of 12 to 64 lanes and 1 to 4 registers on random layouts. What a
// map does to an id is computed here by counting through the tile.
//
//===----------------------------------------------------------------------===//
#include "distaff/Layout/PlaceMap.h"
#include "Layouts.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <map>

using namespace distaff;
using namespace distaff::test;

namespace {

using Digits = llvm::SmallVector<Digit>;

/// The ids in which the digits of each axis, by increasing stride, have the
/// given sizes, in a random order of significance.
Digits randomTile(std::vector<std::pair<Axis, std::vector<int64_t>>> axes,
                  std::mt19937 &random) {
  Digits digits;
  for (auto &[axis, sizes] : axes) {
    int64_t stride = 1;
    for (int64_t size : sizes) {
      digits.push_back({axis, size, stride});
      stride *= size;
    }
  }
  std::shuffle(digits.begin(), digits.end(), random);
  return digits;
}

/// By number in the tile, the (lane, register) that the digits place it at.
std::vector<std::pair<int64_t, int64_t>> placesOf(const Digits &digits) {
  int64_t count = 1;
  for (const Digit &digit : digits)
    count *= digit.size;
  std::vector<std::pair<int64_t, int64_t>> places;
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number, lane = 0, reg = 0;
    for (auto it = digits.rbegin(); it != digits.rend(); ++it) {
      (it->axis == Axis::Lane ? lane : reg) += rest % it->size * it->stride;
      rest /= it->size;
    }
    places.push_back({lane, reg});
  }
  return places;
}

struct Case {
  int64_t lanes;
  std::vector<std::vector<int64_t>> lanesAs, registersAs;
};

const Case cases[] = {
    {32, {{2, 2, 2, 2, 2}, {4, 2, 4}, {4, 8}, {32}}, {{}, {2}, {2, 2}}},
    {64, {{2, 2, 2, 2, 2, 2}, {8, 8}, {4, 4, 4}}, {{}, {2}, {4}}},
    {12, {{2, 2, 3}, {3, 2, 2}, {4, 3}}, {{}, {3}, {2}}},
};

TEST(PlaceMap, VX126_AppliedLayoutsPlaceTheSameElementsElsewhere) {
  std::mt19937 random(126);
  auto pick = [&](const auto &list) { return list[random() % list.size()]; };
  int applied = 0, refused = 0, moving = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Case &chosen = cases[trial % 3];
    auto registers = pick(chosen.registersAs);
    Digits from = randomTile(
        {{Axis::Lane, pick(chosen.lanesAs)}, {Axis::Register, registers}},
        random);
    Digits to = from;
    std::shuffle(to.begin(), to.end(), random);
    std::optional<PlaceMap> map = PlaceMap::get(from, to, chosen.lanes);
    if (!map)
      continue; // the sizes have no common cuts
    std::map<std::pair<int64_t, int64_t>, std::pair<int64_t, int64_t>> goes;
    auto before = placesOf(from), after = placesOf(to);
    for (size_t number = 0; number < before.size(); ++number)
      goes[before[number]] = after[number];

    // A layout of two dims whose digits come from all of the ids.
    int64_t more = 1 + random() % 3;
    auto registersBeyond = registers;
    registersBeyond.push_back(more);
    Digits all = randomTile({{Axis::Lane, pick(chosen.lanesAs)},
                             {Axis::Register, registersBeyond},
                             {Axis::Subgroup, {2}}},
                            random);
    llvm::SmallVector<llvm::SmallVector<Digit>> dims(2);
    for (const Digit &digit : all)
      if (digit.axis != Axis::Lane || random() % 8)
        dims[random() % 2].push_back(digit);
    std::optional<Layout> layout = Layout::get(dims);
    ASSERT_TRUE(layout);
    std::optional<Layout> result = map->apply(*layout);
    if (!result) {
      ++refused;
      continue;
    }
    ++applied;
    int64_t group = map->registers();
    for (int64_t lane = 0; lane < chosen.lanes; ++lane)
      for (int64_t reg = 0; reg < layout->numRegisters(); ++reg) {
        auto [toLane, toReg] = goes.at({lane, reg % group});
        Place place{1, lane, reg}, there{1, toLane, reg - reg % group + toReg};
        EXPECT_EQ(map->to(place), there);
        EXPECT_EQ(map->inverse().to(there), place);
        EXPECT_EQ(result->indexOf(there), layout->indexOf(place));
        moving += !(place == there);
      }
    std::optional<Layout> back = map->inverse().apply(*result);
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->equivalent(*layout));
  }
  EXPECT_GT(applied, 1000);
  EXPECT_GT(refused, 100);
  EXPECT_GT(moving, 10000);
}

TEST(PlaceMap, VX126_DigitsThatAreNotWholeAreRefused) {
  Digit a{Axis::Lane, 4, 1}, b{Axis::Lane, 8, 4};
  std::optional<PlaceMap> map = PlaceMap::get({a, b}, {b, a}, 32);
  ASSERT_TRUE(map);
  // Lanes beyond the fifth hold copies, by a remainder that is no digit.
  EXPECT_FALSE(map->apply(*Layout::get({{{Axis::Lane, 5, 1}}})));
  EXPECT_FALSE(map->apply(*Layout::get({{{Axis::Lane, 3, 4}}})));
  // Registers are left alone, of any count; all lanes may hold the same.
  std::optional<Layout> registers = Layout::get({{{Axis::Register, 5, 1}}});
  EXPECT_EQ(map->apply(*registers), registers);
  EXPECT_EQ(map->apply(Layout()), Layout());
  // A tile that leaves lanes or registers out is none.
  EXPECT_FALSE(PlaceMap::get({a}, {a}, 32));
  EXPECT_FALSE(PlaceMap::get({b, a}, {b, a}, 64));
  EXPECT_FALSE(PlaceMap::get({b, a, {Axis::Register, 2, 2}},
                             {b, a, {Axis::Register, 2, 2}}, 32));
  EXPECT_FALSE(PlaceMap::get({{Axis::Lane, 6, 1}}, // no common cut
                             {{Axis::Lane, 2, 3}, {Axis::Lane, 3, 1}}, 12));
}

TEST(PlaceMap, VX126_LanesWithCopiesDoNotBecomeRegisters) {
  Digit e{Axis::Register, 2, 1}, l{Axis::Lane, 2, 1};
  std::optional<PlaceMap> map = PlaceMap::get({l, e}, {e, l}, 2);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->registers(), 2);
  EXPECT_FALSE(map->apply(*Layout::get({{e}})));
  EXPECT_EQ(map->apply(*Layout::get({{l, e}})), Layout::get({{e, l}}));
  EXPECT_FALSE(map->apply(*Layout::get({{l}})));
}

} // namespace

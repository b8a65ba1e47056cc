//===- PictureTest.cpp - Where the parts of a drawing are -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Schedules.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace distaff::draw;
using namespace distaff::test;

static bool contains(const Box &outer, const Box &inner) {
  return outer.x <= inner.x && outer.y <= inner.y &&
         inner.right() <= outer.right() && inner.bottom() <= outer.bottom();
}

static bool overlaps(const Box &a, const Box &b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() &&
         b.y < a.bottom();
}

static bool isBlock(const Item &item) {
  return item.kind == Item::Kind::Loop || item.kind == Item::Kind::Branch;
}

/// The cells that a box's border leaves for text.
static int64_t roomIn(const Item &item) {
  switch (item.kind) {
  case Item::Kind::Phase:
    return item.box.width - 4;
  case Item::Kind::Role:
  case Item::Kind::Barrier:
    return item.box.width - 2;
  case Item::Kind::Slot:
    return item.box.width;
  case Item::Kind::Loop:
  case Item::Kind::Branch:
    return item.box.width - 6;
  }
  return 0;
}

static void expectSound(const Picture &picture) {
  Box whole{0, 0, picture.width, picture.height};
  for (size_t i = 0; i < picture.items.size(); ++i) {
    const Item &a = picture.items[i];
    EXPECT_TRUE(contains(whole, a.box)) << i;
    EXPECT_LE(static_cast<int64_t>(a.lines.size()), a.box.height) << i;
    for (const Line &line : a.lines)
      EXPECT_LE(columnsOf(line.text), roomIn(a)) << line.text;
    for (size_t j = 0; j < i; ++j) {
      const Item &b = picture.items[j];
      bool isInside = isBlock(b) && contains(b.box, a.box);
      EXPECT_TRUE(isInside || !overlaps(a.box, b.box)) << i << " and " << j;
    }
  }
}

// The law of layOut, for 1 to 5 roles, up to 12 slots, and nested blocks.
TEST(Picture, ItemsLieInsideAndApart) {
  for (size_t roles : {1, 2, 3, 4, 5})
    for (size_t slots : {0, 1, 2, 5, 8, 12})
      expectSound(layOut(mixed(roles, slots)));
}

TEST(Picture, NothingIsDrawnOfNothing) {
  Picture picture = layOut({.title = "@empty", .roles = {}});
  EXPECT_TRUE(picture.items.empty());
  EXPECT_EQ(picture.height, 0);
}

TEST(Picture, ARoleWithoutStepsHasItsHead) {
  Picture picture = layOut(withRoles(1));
  ASSERT_EQ(picture.items.size(), 1u);
  EXPECT_EQ(picture.items[0].kind, Item::Kind::Role);
  expectSound(picture);
}

TEST(Picture, PhasesOfOneSlotBeginTogether) {
  Schedule schedule = withRoles(3);
  schedule.steps = {{Phase{.label = "a"}},
                    {Phase{.label = "b", .firstRole = 2, .lastRole = 2}},
                    {Phase{.label = "c"}}};
  Picture picture = layOut(schedule);
  std::vector<Box> boxes;
  for (const Item &item : picture.items)
    if (item.kind == Item::Kind::Phase)
      boxes.push_back(item.box);
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_EQ(boxes[0].y, boxes[1].y);
  EXPECT_EQ(boxes[2].y, boxes[0].bottom());
  EXPECT_EQ(boxes[2].x, boxes[0].x);
}

TEST(Picture, APhaseOfSeveralRolesBeginsBelowAllOfTheirs) {
  Schedule schedule = withRoles(2);
  schedule.steps = {{Phase{.label = "a", .firstRole = 1, .lastRole = 1}},
                    {Phase{.label = "both", .firstRole = 0, .lastRole = 1}},
                    {Phase{.label = "c"}}};
  Picture picture = layOut(schedule);
  expectSound(picture);
  const Box &both = picture.items[4].box;
  EXPECT_EQ(both.y, picture.items[3].box.bottom());
  EXPECT_EQ(both.x, picture.items[0].box.x);
  EXPECT_EQ(both.right(), picture.items[1].box.right());
  EXPECT_EQ(picture.items[5].box.y, both.bottom());
}

TEST(Picture, ABarrierOfSomeIsOverThem) {
  Schedule schedule = withRoles(4);
  schedule.steps = {{Barrier{"some", {3, 0, 1}}}};
  Picture picture = layOut(schedule);
  ASSERT_EQ(picture.items.size(), 6u);
  EXPECT_EQ(picture.items[4].box.right(), picture.items[1].box.right());
  EXPECT_EQ(picture.items[5].box.x, picture.items[3].box.x);
  EXPECT_EQ(picture.items[4].box.y, picture.items[5].box.y);
}

TEST(Picture, SlotsAroundTheLoopSayWhereTheyAre) {
  std::vector<std::string> names;
  Picture picture = layOut(producerConsumer());
  for (const Item &item : picture.items)
    if (item.kind == Item::Kind::Slot) {
      std::string name;
      for (const Line &line : item.lines)
        name += (name.empty() ? "" : " ") + line.text;
      names.push_back(name);
    }
  EXPECT_EQ(names, (std::vector<std::string>{"slot 1 prologue", "slot 2",
                                             "slot 3 epilogue"}));
}

TEST(Picture, ListsAreBrokenBetweenTheirItems) {
  Schedule schedule = withRoles(4);
  schedule.steps = {{Phase{
      .label = "x", .reads = {"aaaa[k mod 2, 0:8]", "bbbb[k mod 2, 0:8]"}}}};
  std::vector<std::string> lines;
  Picture picture = layOut(schedule);
  for (const Line &line : picture.items.back().lines)
    lines.push_back(line.text);
  EXPECT_EQ(lines, (std::vector<std::string>{"x", "reads aaaa[k mod 2, 0:8],",
                                             "  bbbb[k mod 2, 0:8]"}));
}

TEST(Picture, FourRolesFitOnAScreen) {
  EXPECT_LE(layOut(mixed(4, 12)).width, 160);
}

TEST(Wrap, LinesAreNoLongerThanAsked) {
  EXPECT_EQ(wrap("reads la, lb", 40), std::vector<std::string>{"reads la, lb"});
  EXPECT_EQ(wrap("reads la, lb", 9),
            (std::vector<std::string>{"reads la,", "  lb"}));
  for (int64_t width : {4, 5, 9, 30})
    for (const std::string &line :
         wrap("a " + std::string(70, 'x') + " ⟨S[2,1]⟩ 漢漢漢漢", width))
      EXPECT_LE(columnsOf(line), width) << line;
}

TEST(Wrap, NoCharacterIsLost) {
  std::string text = "a " + std::string(70, 'x') + " ⟨S[2,1]⟩ 漢漢漢漢";
  auto strip = [](llvm::StringRef given) {
    std::string kept;
    for (char c : given)
      if (c != ' ')
        kept += c;
    return kept;
  };
  for (int64_t width : {4, 5, 9, 30})
    EXPECT_EQ(strip(llvm::join(wrap(text, width), "")), strip(text));
  EXPECT_EQ(wrap("", 10), std::vector<std::string>{""});
}

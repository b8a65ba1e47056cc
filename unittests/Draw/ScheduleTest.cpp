//===- ScheduleTest.cpp - Schedules as text, SVG and HTML -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Schedules.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <regex>

using namespace distaff::draw;
using namespace distaff::test;

TEST(Schedule, TextShowsRolesSideBySide) {
  EXPECT_EQ(textOf(producerConsumer()), R"(@k
            prod                        cons
            [0, p)                      [p, n)
           ──────────────────────────  ─────────────────────────
  slot 1   ┌────────────────────────┐  ┌───────────────────────┐
  prologue │ copy                   │  │ init                  │
           │ writes la[0]           │  └───────────────────────┘
           └────────────────────────┘
           ━━━━━━━━━━━━━━━━━━━━━ all wait ━━━━━━━━━━━━━━━━━━━━━━
╔═ k = 0 .. nk ══════════════════════════════════════════════════╗
║ slot 2   ┌────────────────────────┐  ┌───────────────────────┐ ║
║          │ copy                   │  │ matmul                │ ║
║          │ writes la[(k+1) mod 2] │  │ reads la[k mod 2]     │ ║
║          └────────────────────────┘  │ gives tensor<4x4xf32> │ ║
║                                      └───────────────────────┘ ║
║          ━━━━━━━━━━━━━━━━━━━━━ all wait ━━━━━━━━━━━━━━━━━━━━━━ ║
╚════════════════════════════════════════════════════════════════╝
  slot 3                               ┌───────────────────────┐
  epilogue                             │ store                 │
                                       └───────────────────────┘
note: a note
)");
}

TEST(Schedule, EmptyAndOneRole) {
  EXPECT_EQ(textOf({.title = "@e", .roles = {}, .notes = {"no phase"}}),
            "@e\nnote: no phase\n");
  EXPECT_NE(textOf(withRoles(1)).find("r0"), std::string::npos);
  EXPECT_NE(svgOf({.title = "@e", .roles = {}}).find("</svg>"),
            std::string::npos);
  EXPECT_NE(htmlOf({}).find("</html>"), std::string::npos);
}

// A cell holds one character: no line of a drawing is wider than its picture.
TEST(Schedule, TextIsAsWideAsThePicture) {
  for (size_t roles : {1, 2, 4}) {
    Schedule schedule = mixed(roles, 9);
    schedule.roles[0].name = "漢字 role⟩";
    Picture picture = layOut(schedule);
    llvm::SmallVector<llvm::StringRef> lines;
    std::string text = textOf(schedule);
    llvm::SplitString(text, lines, "\n");
    ASSERT_EQ(lines.size(), 1u + picture.height);
    for (llvm::StringRef line : lines)
      EXPECT_LE(columnsOf(line), picture.width) << line.str();
  }
}

/// Every box of an SVG, and that it is inside the view.
static size_t expectInsideView(const std::string &svg) {
  std::smatch view;
  EXPECT_TRUE(std::regex_search(
      svg, view, std::regex("viewBox=\"0 0 ([0-9]+) ([0-9]+)\"")));
  double width = std::stod(view[1]), height = std::stod(view[2]);
  std::regex rect("<rect x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" "
                  "width=\"([-0-9.]+)\" height=\"([-0-9.]+)\"");
  size_t count = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), rect), end; it != end;
       ++it, ++count) {
    double x = std::stod((*it)[1]), y = std::stod((*it)[2]);
    double w = std::stod((*it)[3]), h = std::stod((*it)[4]);
    EXPECT_GE(x, 0);
    EXPECT_GE(y, 0);
    EXPECT_GT(w, 0);
    EXPECT_GT(h, 0);
    EXPECT_LE(x + w, width);
    EXPECT_LE(y + h, height);
  }
  return count;
}

TEST(Schedule, SvgBoxesAreInsideTheView) {
  for (size_t roles : {1, 2, 4})
    for (size_t slots : {0, 1, 12})
      EXPECT_GE(expectInsideView(svgOf(mixed(roles, slots))), roles);
}

TEST(Schedule, TextInMarkupIsEscaped) {
  Schedule schedule = withRoles(1);
  schedule.title = "@<t> & \"u\"";
  schedule.roles[0] = {"<r>", "a&b"};
  schedule.buffers = {{"<buffer>", "\"what\""}};
  schedule.notes = {"</ul><script>"};
  schedule.steps = {{Phase{.label = "<phase>", .reads = {"x<1>&2"}}},
                    {Barrier{"</svg>"}},
                    {Block{.title = "<loop>", .steps = {}}}};
  std::string html = htmlOf(schedule);
  for (llvm::StringRef raw : {"<t>", "<r>", "a&b", "<buffer>", "\"what\"",
                              "</ul><script>", "<phase>", "x<1>", "<loop>"})
    EXPECT_EQ(html.find(raw.str()), std::string::npos) << raw.str();
  for (llvm::StringRef written :
       {"@&lt;t&gt; &amp; &quot;u&quot;", "&lt;r&gt;", "a&amp;b",
        "&lt;buffer&gt;", "&lt;/ul&gt;&lt;script&gt;", "&lt;phase&gt;",
        "reads x&lt;1&gt;&amp;2", "&lt;/svg&gt;", "&lt;loop&gt;"})
    EXPECT_NE(html.find(written.str()), std::string::npos) << written.str();
}

TEST(Schedule, PagesTakeNothingFromElsewhere) {
  std::string html = htmlOf({producerConsumer(), mixed(4, 12)});
  for (llvm::StringRef word : {"<script", "src=", "href=", "url(", "@import"})
    EXPECT_EQ(html.find(word.str()), std::string::npos) << word.str();
  // Of two pictures on one page, each has ids of its own.
  EXPECT_NE(html.find("id=\"schedule-1-title\""), std::string::npos);
  EXPECT_NE(html.find("id=\"schedule-2-title\""), std::string::npos);
}

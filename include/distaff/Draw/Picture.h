//===- Picture.h - Layout of a schedule drawing -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places the boxes of a schedule on a grid of character cells, which a terminal
// prints as they are and an SVG scales. Lines are broken here, so that all text
// fits:
//   Picture picture = layOut(schedule);
//   picture.items[0].box          // {.x = 9, .y = 0, .width = 22, .height = 2}
//
// \post of layOut: every item lies inside the picture, and of two items one
// contains the other or they share no cell; only blocks contain others.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRAW_PICTURE_H
#define DISTAFF_DRAW_PICTURE_H

#include "distaff/Draw/Schedule.h"
#include <cstdint>

namespace distaff::draw {

struct Box {
  int64_t x = 0, y = 0, width = 0, height = 0;

  int64_t right() const { return x + width; }
  int64_t bottom() const { return y + height; }
};

struct Line {
  enum class Style { Title, Plain, Reads, Writes, Payload };
  std::string text;
  Style style = Style::Plain;
};

struct Item {
  enum class Kind {
    Role,    ///< the head of a column
    Slot,    ///< what a row is called, left of the columns
    Phase,   ///< a box with a border of one cell
    Barrier, ///< a bar over neighbouring roles; lines in its middle
    Loop,    ///< a frame with a border of one cell; lines are its title, of
    Branch,  ///< which the first stands in the border
  };
  Kind kind;
  Box box;
  std::vector<Line> lines = {};
  size_t firstRole = 0, lastRole = 0; ///< of phases and barriers
};

struct Picture {
  int64_t width = 0, height = 0;
  std::vector<Item> items; ///< a block before what is in it
};

/// Returns the number of terminal columns that `text` takes; each byte that is
/// not UTF-8 takes one.
int64_t columnsOf(llvm::StringRef text);

/// Breaks `text` into lines of at most `width` columns. Lines after the first
/// are indented by two; words that are longer than a line are cut.
/// \pre width >= 4
std::vector<std::string> wrap(llvm::StringRef text, int64_t width);

Picture layOut(const Schedule &schedule);

} // namespace distaff::draw

#endif // DISTAFF_DRAW_PICTURE_H

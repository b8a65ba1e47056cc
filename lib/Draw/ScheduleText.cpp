//===- ScheduleText.cpp - Terminal output of schedules --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Draw/Picture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace distaff::draw {
namespace {

/// A canvas is a grid of cells with one character each and its combining
/// characters.
class Canvas {
public:
  Canvas(int64_t width, int64_t height)
      : width(width), cells(width * height, " ") {}

  void put(int64_t x, int64_t y, llvm::StringRef text);
  void fill(int64_t x, int64_t y, int64_t count, llvm::StringRef character) {
    for (int64_t i = 0; i < count; ++i)
      at(x + i, y) = character;
  }
  void print(llvm::raw_ostream &os) const;

private:
  std::string &at(int64_t x, int64_t y) { return cells[y * width + x]; }

  int64_t width;
  std::vector<std::string> cells;
};

void Canvas::put(int64_t x, int64_t y, llvm::StringRef text) {
  int64_t last = x;
  while (!text.empty()) {
    size_t bytes =
        std::min<size_t>(text.size(), llvm::getNumBytesForUTF8(text.front()));
    llvm::StringRef character = text.take_front(bytes);
    text = text.drop_front(bytes);
    int64_t columns = columnsOf(character);
    if (columns == 0) {
      at(last, y) += character;
      continue;
    }
    last = x;
    at(x++, y) = character;
    for (int64_t i = 1; i < columns; ++i)
      at(x++, y).clear();
  }
}

void Canvas::print(llvm::raw_ostream &os) const {
  for (size_t start = 0; start < cells.size(); start += width) {
    std::string line;
    for (const std::string &cell : llvm::ArrayRef(cells).slice(start, width))
      line += cell;
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

/// Holds the characters of a frame's corners and edges.
struct Frame {
  llvm::StringRef topLeft, topRight, bottomLeft, bottomRight, flat, upright;
};
constexpr Frame box = {"┌", "┐", "└", "┘", "─", "│"};
constexpr Frame loop = {"╔", "╗", "╚", "╝", "═", "║"};
constexpr Frame branch = {"╭", "╮", "╰", "╯", "╌", "┆"};

void drawFrame(Canvas &canvas, const Box &where, const Frame &frame) {
  int64_t last = where.right() - 1;
  for (int64_t y : {where.y, where.bottom() - 1})
    canvas.fill(where.x + 1, y, where.width - 2, frame.flat);
  for (int64_t y = where.y + 1; y < where.bottom() - 1; ++y)
    for (int64_t x : {where.x, last})
      canvas.fill(x, y, 1, frame.upright);
  canvas.put(where.x, where.y, frame.topLeft);
  canvas.put(last, where.y, frame.topRight);
  canvas.put(where.x, where.bottom() - 1, frame.bottomLeft);
  canvas.put(last, where.bottom() - 1, frame.bottomRight);
}

void drawLines(Canvas &canvas, const Item &item, int64_t dx, int64_t dy) {
  for (auto [i, line] : llvm::enumerate(item.lines))
    canvas.put(item.box.x + dx, item.box.y + dy + static_cast<int64_t>(i),
               line.text);
}

void drawBarrier(Canvas &canvas, const Item &item) {
  for (auto [i, line] : llvm::enumerate(item.lines)) {
    int64_t y = item.box.y + static_cast<int64_t>(i);
    int64_t free = item.box.width - columnsOf(line.text);
    canvas.fill(item.box.x, y, item.box.width, "━");
    canvas.put(item.box.x + free / 2 - 1, y, " " + line.text + " ");
  }
}

void draw(Canvas &canvas, const Item &item) {
  switch (item.kind) {
  case Item::Kind::Role:
    drawLines(canvas, item, 1, 0);
    canvas.fill(item.box.x, item.box.bottom() - 1, item.box.width, "─");
    return;
  case Item::Kind::Slot:
    return drawLines(canvas, item, 0, 0);
  case Item::Kind::Phase:
    drawFrame(canvas, item.box, box);
    return drawLines(canvas, item, 2, 1);
  case Item::Kind::Barrier:
    return drawBarrier(canvas, item);
  case Item::Kind::Loop:
  case Item::Kind::Branch:
    drawFrame(canvas, item.box, item.kind == Item::Kind::Loop ? loop : branch);
    canvas.put(item.box.x + 2, item.box.y, " " + item.lines.front().text + " ");
    for (size_t i = 1; i < item.lines.size(); ++i)
      canvas.put(item.box.x + 3, item.box.y + static_cast<int64_t>(i),
                 item.lines[i].text);
    return;
  }
}

} // namespace

void printText(const Schedule &schedule, llvm::raw_ostream &os) {
  os << schedule.title << "\n";
  Picture picture = layOut(schedule);
  Canvas canvas(picture.width, picture.height);
  for (const Item &item : picture.items)
    draw(canvas, item);
  if (picture.width > 0)
    canvas.print(os);
  for (const std::string &note : schedule.notes)
    os << "note: " << note << "\n";
}

} // namespace distaff::draw

//===- ScheduleSvg.cpp - SVG output of schedules --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws the picture's grid at one size: a cell is as wide as the characters of
// the widest usual font at that size, so that text that fits in cells fits in
// pixels.
//
//===----------------------------------------------------------------------===//
#include "Escape.h"
#include "distaff/Draw/Picture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace distaff::draw {
namespace {

constexpr int64_t cellWidth = 8, cellHeight = 18, margin = 12;
constexpr size_t numColours = 6;

/// Colours of roles differ in lightness as well as in hue.
constexpr llvm::StringLiteral scheduleStyles = R"(
.distaff { color-scheme: light dark; --ink: #1d2430; --faint: #5b6472;
  --paper: #ffffff; --bar: #2b3340; --bartext: #ffffff; --frame: #8a93a1;
  --c0: #1f6fb2; --c1: #c2570c; --c2: #2c7d3f; --c3: #7a4fb0; --c4: #a8325e; --c5: #6b6a1e; }
@media (prefers-color-scheme: dark) { .distaff { --ink: #e6e9ee; --faint: #a3acba;
  --paper: #14181f; --bar: #d6dbe3; --bartext: #14181f; --frame: #6d7786;
  --c0: #6fb4ee; --c1: #f0975a; --c2: #74c98a; --c3: #b99aeb; --c4: #ee86ac; --c5: #cfcb6b; } }
.distaff text { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); white-space: pre; }
.distaff .title { font-weight: 600; }
.distaff .slot text, .distaff .payload { fill: var(--faint); }
.distaff .back { fill: var(--paper); }
.distaff .phase rect { fill: var(--role); fill-opacity: .12; stroke: var(--role); stroke-width: 1.3; }
.distaff .role rect { fill: var(--role); fill-opacity: .85; }
.distaff .role text { fill: var(--paper); }
.distaff .barrier rect { fill: var(--bar); }
.distaff .barrier text { fill: var(--bartext); text-anchor: middle; }
.distaff .loop rect, .distaff .branch rect { fill: var(--frame); fill-opacity: .06; stroke: var(--frame); stroke-width: 1.5; }
.distaff .branch rect { stroke-dasharray: 5 4; }
.distaff .loop path { fill: var(--frame); }
.distaff .many { --role: var(--faint); }
)";

int64_t pixelX(int64_t column) { return margin + column * cellWidth; }
int64_t pixelY(int64_t row) { return margin + row * cellHeight; }

class Writer {
public:
  explicit Writer(llvm::raw_ostream &os) : os(os) {}

  void write(const Item &item);

private:
  /// Draws a rectangle that leaves `by` pixels of the box's edges free.
  void rectangle(const Box &box, double by, int radius);
  void text(const Line &line, int64_t x, int64_t y);
  /// Draws the title of a frame, just below its upper edge.
  void titleLines(const Item &item) {
    linesFrom(item, 3, pixelY(item.box.y) + 4);
  }
  /// Draws all lines, the first in row `row` of the box, `column` columns into
  /// it.
  void lines(const Item &item, int64_t column, int64_t row) {
    linesFrom(item, column, pixelY(item.box.y + row));
  }
  /// Draws all lines, vertically centred in the box.
  void centredLines(const Item &item, int64_t column) {
    int64_t rows = item.box.height - static_cast<int64_t>(item.lines.size());
    linesFrom(item, column, pixelY(item.box.y) + rows * cellHeight / 2);
  }
  void linesFrom(const Item &item, int64_t column, int64_t y);
  void barrierLines(const Item &item);
  /// Draws an upward arrow on a loop's left side, the back edge of the loop.
  void backArrow(const Box &box);

  llvm::raw_ostream &os;
};

void Writer::rectangle(const Box &box, double by, int radius) {
  os << llvm::formatv(
      R"(<rect x="{0:F1}" y="{1:F1}" width="{2:F1}" height="{3:F1}" rx="{4}"/>)",
      pixelX(box.x) + by, pixelY(box.y) + by, box.width * cellWidth - 2 * by,
      box.height * cellHeight - 2 * by, radius);
}

llvm::StringRef classOf(Line::Style style) {
  switch (style) {
  case Line::Style::Title:
    return "title";
  case Line::Style::Plain:
    return "plain";
  case Line::Style::Reads:
    return "reads";
  case Line::Style::Writes:
    return "writes";
  case Line::Style::Payload:
    return "payload";
  }
  return "";
}

/// Draws a line at `x` and `y` in pixels; y is the middle of the line.
void Writer::text(const Line &line, int64_t x, int64_t y) {
  os << llvm::formatv(R"(<text class="{0}" x="{1}" y="{2:F1}">{3}</text>)",
                      classOf(line.style), x, y + 4.5, escape(line.text));
}

void Writer::linesFrom(const Item &item, int64_t column, int64_t y) {
  for (const Line &line : item.lines) {
    // Not every renderer draws blanks in front of a text.
    llvm::StringRef shown = llvm::StringRef(line.text).ltrim();
    int64_t indent = static_cast<int64_t>(line.text.size() - shown.size());
    text({shown.str(), line.style}, pixelX(item.box.x + column + indent),
         y + cellHeight / 2);
    y += cellHeight;
  }
}

void Writer::barrierLines(const Item &item) {
  for (auto [i, line] : llvm::enumerate(item.lines))
    text(line, pixelX(item.box.x) + item.box.width * cellWidth / 2,
         pixelY(item.box.y + static_cast<int64_t>(i)) + cellHeight / 2);
}

void Writer::backArrow(const Box &box) {
  int64_t x = pixelX(box.x) + 3, y = pixelY(box.y) + cellHeight + 6;
  os << llvm::formatv(R"(<path d="M{0} {1} l-5 9 h10 z"/>)", x, y);
}

std::string classOf(const Item &item) {
  switch (item.kind) {
  case Item::Kind::Role:
    return "role";
  case Item::Kind::Slot:
    return "slot";
  case Item::Kind::Phase:
    return "phase";
  case Item::Kind::Barrier:
    return "barrier";
  case Item::Kind::Loop:
    return "loop";
  case Item::Kind::Branch:
    return "branch";
  }
  return "";
}

/// Returns the class that sets `--role` to the colour of the item's roles.
std::string colourOf(const Item &item) {
  if (item.firstRole != item.lastRole)
    return "many";
  return llvm::formatv("c{0}", item.firstRole % numColours);
}

void Writer::write(const Item &item) {
  os << llvm::formatv(R"(<g class="{0} {1}">)", classOf(item), colourOf(item));
  switch (item.kind) {
  case Item::Kind::Role:
    rectangle(item.box, 3, 6);
    centredLines(item, 2);
    break;
  case Item::Kind::Slot:
    lines(item, 0, 0);
    break;
  case Item::Kind::Phase:
    rectangle(item.box, 4, 5);
    lines(item, 2, 1);
    break;
  case Item::Kind::Barrier:
    rectangle(item.box, 1.5, 4);
    barrierLines(item);
    break;
  case Item::Kind::Loop:
    rectangle(item.box, 3, 8);
    backArrow(item.box);
    titleLines(item);
    break;
  case Item::Kind::Branch:
    rectangle(item.box, 3, 8);
    titleLines(item);
    break;
  }
  os << "</g>\n";
}

} // namespace

void printSvg(const Schedule &schedule, llvm::raw_ostream &os,
              llvm::StringRef id) {
  Picture picture = layOut(schedule);
  int64_t width = picture.width * cellWidth + 2 * margin;
  int64_t height = picture.height * cellHeight + 2 * margin;
  os << llvm::formatv(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="distaff" role="img" )"
      R"(aria-labelledby="{0}-title" width="{1}" height="{2}" )"
      R"(viewBox="0 0 {1} {2}">)",
      escape(id), width, height);
  os << llvm::formatv("\n<title id=\"{0}-title\">{1}</title>\n<style>{2}",
                      escape(id), escape(schedule.title), scheduleStyles);
  for (size_t colour = 0; colour < numColours; ++colour)
    os << llvm::formatv(".distaff .c{0} {{ --role: var(--c{0}); }\n", colour);
  os << "</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n";
  Writer writer(os);
  for (const Item &item : picture.items)
    writer.write(item);
  os << "</svg>\n";
}

} // namespace distaff::draw

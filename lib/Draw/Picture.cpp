//===- Picture.cpp - Placement of a schedule on a grid --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of slots stand left of the columns, and the frames of blocks left
// and right of all columns, the outermost frame outside. A row is a slot: its
// boxes begin at its top and stack up within their columns.
//
//===----------------------------------------------------------------------===//
#include "distaff/Draw/Picture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

namespace distaff::draw {
namespace {

using Style = Line::Style;

constexpr int64_t gap = 2;    // between columns
constexpr int64_t border = 1; // of a box or frame
constexpr int64_t inset = 2;  // from a frame to the next one inside of it
constexpr int64_t narrowest = 18;
constexpr int64_t barMargin = 6; // left and right of a barrier's label
constexpr int64_t widestBar = 80;

/// Columns of a slot's name, and of the gap between it and the boxes.
constexpr int64_t slotWidth = 8, slotGap = 1;

/// Returns the largest width of a column with which all columns fit on a
/// screen.
int64_t widestColumn(size_t numRoles) {
  constexpr int64_t widest[] = {72, 48, 36};
  return numRoles <= 3 ? widest[numRoles - 1] : 30;
}

const std::vector<Step> *stepsIn(const Step &step) {
  auto *block = std::get_if<Block>(&step.what);
  return block ? &block->steps : nullptr;
}

int64_t depthOf(const std::vector<Step> &steps) {
  int64_t depth = 0;
  for (const Step &step : steps)
    if (const std::vector<Step> *inner = stepsIn(step))
      depth = std::max(depth, 1 + depthOf(*inner));
  return depth;
}

/// Calls `visit` for each phase or barrier, also of nested blocks.
template <typename What, typename Visit>
void forEach(const std::vector<Step> &steps, Visit visit) {
  for (const Step &step : steps)
    if (auto *what = std::get_if<What>(&step.what))
      visit(*what);
    else if (const std::vector<Step> *inner = stepsIn(step))
      forEach<What>(*inner, visit);
}

/// Replaces a space at which no line may be broken: U+00A0.
constexpr llvm::StringLiteral noBreak = "\xC2\xA0";

std::string replaced(llvm::StringRef text, llvm::StringRef from,
                     llvm::StringRef to) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, from);
  return llvm::join(parts, to);
}

/// Returns `a b, c d`, with line breaks between items only where that is
/// enough.
std::string listed(const std::vector<std::string> &items) {
  std::string text;
  for (const std::string &item : items)
    text += (text.empty() ? "" : ", ") + replaced(item, " ", noBreak);
  return text;
}

/// Returns the unbroken lines of the text of a box.
std::vector<Line> linesOf(const Phase &phase) {
  std::vector<Line> lines = {{phase.label, Style::Title}};
  auto add = [&](llvm::StringRef verb, const std::string &what, Style style) {
    if (!what.empty())
      lines.push_back({(verb + " " + what).str(), style});
  };
  add("takes", phase.takes, Style::Payload);
  add("reads", listed(phase.reads), Style::Reads);
  add("writes", listed(phase.writes), Style::Writes);
  add("gives", phase.gives, Style::Payload);
  return lines;
}

std::vector<Line> broken(const std::vector<Line> &lines, int64_t width) {
  std::vector<Line> result;
  for (const Line &line : lines)
    for (const std::string &part : wrap(line.text, width))
      result.push_back({replaced(part, noBreak, " "), line.style});
  return result;
}

class Layouter {
public:
  explicit Layouter(const Schedule &schedule) : schedule(schedule) {}

  Picture run() {
    depth = depthOf(schedule.steps);
    placeColumns();
    placeHeads();
    cursors.assign(columns.size(), 0);
    placeAll(schedule.steps);
    picture.height = y;
    return std::move(picture);
  }

private:
  void placeColumns();
  void placeHeads();
  void placeAll(const std::vector<Step> &steps);
  void place(const Phase &phase);
  void place(const Barrier &barrier);
  void place(const Block &block);
  void placeBar(const std::string &label, size_t first, size_t last);

  /// Returns the width that fits all boxes which are in this column alone.
  int64_t naturalWidth(size_t role) const;
  /// Returns by how much columns must grow to fit the labels of all barriers.
  int64_t missingForBars(int64_t width) const;
  Box across(size_t first, size_t last) const {
    assert(first <= last && last < columns.size() && "roles are neighbours");
    return {columns[first].x, y, columns[last].right() - columns[first].x, 0};
  }
  /// Returns "prologue" before the first loop, "epilogue" after the last loop,
  /// and else an empty text.
  std::string part() const;
  void openRow();
  void closeRow();

  const Schedule &schedule;
  Picture picture;
  std::vector<Box> columns;     // x and width
  std::vector<int64_t> cursors; // below the last box of each column
  int64_t depth = 0;            // of blocks in blocks
  int64_t level = 0;            // of blocks around what is placed
  int64_t y = 0, numSlots = 0;
  bool isOpen = false;
  size_t loopsSeen = 0;
};

int64_t Layouter::naturalWidth(size_t role) const {
  const Role &head = schedule.roles[role];
  int64_t widest = std::max(columnsOf(head.name), columnsOf(head.members));
  forEach<Phase>(schedule.steps, [&](const Phase &phase) {
    if (phase.firstRole == role && phase.lastRole == role)
      for (const Line &line : linesOf(phase))
        widest = std::max(widest, columnsOf(line.text));
  });
  return widest + 2 * (border + 1);
}

int64_t Layouter::missingForBars(int64_t width) const {
  int64_t longest = 0;
  forEach<Barrier>(schedule.steps, [&](const Barrier &barrier) {
    if (barrier.roles.empty())
      longest = std::max(longest, columnsOf(barrier.label) + barMargin);
  });
  return std::max<int64_t>(std::min(longest, widestBar) - width, 0);
}

void Layouter::placeColumns() {
  int64_t count = schedule.roles.size(), widest = widestColumn(count);
  int64_t total = gap * (count - 1);
  for (int64_t role = 0; role < count; ++role) {
    int64_t width = std::clamp(naturalWidth(role), narrowest, widest);
    columns.push_back({.width = width});
    total += width;
  }
  int64_t more = llvm::divideCeil(missingForBars(total), count);
  int64_t x = inset * depth + slotWidth + slotGap;
  for (Box &column : columns) {
    column.x = x;
    column.width += more;
    x += column.width + gap;
  }
  picture.width = x - gap + inset * depth;
}

void Layouter::placeHeads() {
  int64_t height = 0;
  for (auto [role, head] : llvm::enumerate(schedule.roles)) {
    int64_t width = columns[role].width - 2;
    std::vector<Line> lines = broken({{head.name, Style::Title}}, width);
    if (!head.members.empty())
      llvm::append_range(lines, broken({{head.members}}, width));
    height = std::max<int64_t>(height, lines.size() + 1);
    picture.items.push_back(
        {Item::Kind::Role, columns[role], std::move(lines), role, role});
  }
  for (Item &item : picture.items)
    item.box.height = height;
  y = height;
}

std::string Layouter::part() const {
  auto isLoop = [](const Step &step) {
    auto *block = std::get_if<Block>(&step.what);
    return block && block->kind == Block::Kind::Loop;
  };
  size_t loops = llvm::count_if(schedule.steps, isLoop);
  if (loops == 0 || level > 0)
    return "";
  if (loopsSeen == 0)
    return "prologue";
  return loopsSeen == loops ? "epilogue" : "";
}

void Layouter::openRow() {
  if (isOpen)
    return;
  isOpen = true;
  llvm::fill(cursors, y);
  std::vector<Line> lines = {{"slot " + std::to_string(++numSlots)}};
  if (std::string where = part(); !where.empty())
    lines.push_back({where});
  Box box{inset * depth, y, slotWidth, static_cast<int64_t>(lines.size())};
  picture.items.push_back({Item::Kind::Slot, box, std::move(lines)});
}

void Layouter::closeRow() {
  if (isOpen)
    y = *llvm::max_element(cursors);
  isOpen = false;
}

void Layouter::place(const Phase &phase) {
  openRow();
  Box box = across(phase.firstRole, phase.lastRole);
  auto mine = llvm::MutableArrayRef(cursors).slice(
      phase.firstRole, phase.lastRole - phase.firstRole + 1);
  box.y = *llvm::max_element(mine);
  std::vector<Line> lines =
      broken(linesOf(phase), box.width - 2 * (border + 1));
  box.height = 2 * border + static_cast<int64_t>(lines.size());
  llvm::fill(mine, box.bottom());
  picture.items.push_back({Item::Kind::Phase, box, std::move(lines),
                           phase.firstRole, phase.lastRole});
}

void Layouter::placeBar(const std::string &label, size_t first, size_t last) {
  Box box = across(first, last);
  std::vector<Line> lines = broken({{label}}, box.width - barMargin);
  for (Line &line : lines)
    line.text = llvm::StringRef(line.text).ltrim();
  box.height = lines.size();
  picture.items.push_back(
      {Item::Kind::Barrier, box, std::move(lines), first, last});
}

void Layouter::place(const Barrier &barrier) {
  closeRow();
  std::vector<size_t> roles = barrier.roles;
  if (roles.empty())
    for (size_t role = 0; role < columns.size(); ++role)
      roles.push_back(role);
  llvm::sort(roles);
  size_t before = picture.items.size();
  for (size_t i = 0, j = 0; i < roles.size(); i = j) {
    for (j = i + 1; j < roles.size() && roles[j] <= roles[j - 1] + 1; ++j)
      ;
    placeBar(barrier.label, roles[i], roles[j - 1]);
  }
  for (const Item &bar : llvm::ArrayRef(picture.items).drop_front(before))
    y = std::max(y, bar.box.bottom());
}

void Layouter::place(const Block &block) {
  closeRow();
  bool isLoop = block.kind == Block::Kind::Loop;
  int64_t x = inset * level;
  Box box{x, y, picture.width - 2 * x, 0};
  std::vector<Line> lines =
      broken({{block.title, Style::Title}}, box.width - 6);
  y += static_cast<int64_t>(lines.size());
  size_t index = picture.items.size();
  picture.items.push_back(
      {isLoop ? Item::Kind::Loop : Item::Kind::Branch, box, std::move(lines)});
  ++level;
  placeAll(block.steps);
  --level;
  loopsSeen += isLoop && level == 0;
  y += border;
  picture.items[index].box.height = y - box.y;
}

void Layouter::placeAll(const std::vector<Step> &steps) {
  for (const Step &step : steps)
    std::visit([&](const auto &what) { place(what); }, step.what);
  closeRow();
}

} // namespace

Picture layOut(const Schedule &schedule) {
  if (schedule.roles.empty())
    return {};
  return Layouter(schedule).run();
}

} // namespace distaff::draw

//===- Picture.cpp - From a schedule to boxes on a grid -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Left of the columns stand the names of slots, and left and right of all the
// frames of blocks, the outermost outside. A row is a slot: its boxes begin at
// its top and stack up within their columns.
//
//===----------------------------------------------------------------------===//
#include "distaff/Draw/Picture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cassert>

namespace distaff::draw {
namespace {

using Style = Line::Style;

constexpr int64_t gap = 2;    // between columns
constexpr int64_t border = 1; // of a box or frame
constexpr int64_t inset = 2;  // from a frame to the next one inside of it
constexpr int64_t narrowest = 18;

/// Columns of a slot's name, and what parts it from the boxes.
constexpr int64_t slotWidth = 8, slotGap = 1;

/// The widest that a column may be, so that all fit on a screen.
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

template <typename Visit>
void forEachPhase(const std::vector<Step> &steps, Visit visit) {
  for (const Step &step : steps)
    if (auto *phase = std::get_if<Phase>(&step.what))
      visit(*phase);
    else if (const std::vector<Step> *inner = stepsIn(step))
      forEachPhase(*inner, visit);
}

/// What a box says, in lines as long as they come.
std::vector<Line> linesOf(const Phase &phase) {
  std::vector<Line> lines = {{phase.label, Style::Title}};
  auto add = [&](llvm::StringRef verb, const std::string &what, Style style) {
    if (!what.empty())
      lines.push_back({(verb + " " + what).str(), style});
  };
  add("takes", phase.takes, Style::Payload);
  add("reads", llvm::join(phase.reads, ", "), Style::Reads);
  add("writes", llvm::join(phase.writes, ", "), Style::Writes);
  add("gives", phase.gives, Style::Payload);
  return lines;
}

std::vector<Line> broken(const std::vector<Line> &lines, int64_t width) {
  std::vector<Line> result;
  for (const Line &line : lines)
    for (std::string &part : wrap(line.text, width))
      result.push_back({std::move(part), line.style});
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

  /// Whether a column is wide enough for all that is only in it.
  int64_t naturalWidth(size_t role) const;
  Box across(size_t first, size_t last) const {
    assert(first <= last && last < columns.size() && "roles are neighbours");
    return {columns[first].x, y, columns[last].right() - columns[first].x, 0};
  }
  /// Where a row is: around the only loop, or the first and the last.
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
  forEachPhase(schedule.steps, [&](const Phase &phase) {
    if (phase.firstRole == role && phase.lastRole == role)
      for (const Line &line : linesOf(phase))
        widest = std::max(widest, columnsOf(line.text));
  });
  return widest + 2 * (border + 1);
}

void Layouter::placeColumns() {
  int64_t x = inset * depth + slotWidth + slotGap;
  int64_t widest = widestColumn(schedule.roles.size());
  for (size_t role = 0; role < schedule.roles.size(); ++role) {
    int64_t width = std::clamp(naturalWidth(role), narrowest, widest);
    columns.push_back({.x = x, .width = width});
    x += width + gap;
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
  std::vector<Line> lines = broken({{label}}, box.width - 6);
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

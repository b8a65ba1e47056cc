//===- Digits.cpp - Nested layouts to digits and back ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To digits: every level of size > 1 is a digit; registers are numbered
// row-major in [B..., O..., E...].
//
// From digits: a register digit may stand for B, O or E as far as its position
// among its dim's digits allows (above the lane digit B or O, below it E), and
// the numbering must agree: by decreasing stride, digits must increase in
// (level, dim). Of all such choices `chooseLevels` takes the one with the least
// distance from "batch above the lanes, element below or without them".
//
//===----------------------------------------------------------------------===//

#include "LayoutBuilder.h"
#include "distaff/Layout/NestedLayout.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <cassert>
#include <limits>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// To digits
//===----------------------------------------------------------------------===//

Layout NestedLayout::toLayout() const {
  assert(!verify() && "what is no layout has no digits");
  SmallVector<int64_t> registers = distributedShape();
  SmallVector<int64_t> strides(registers.size(), 1);
  for (int64_t i = static_cast<int64_t>(registers.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * registers[i + 1];

  int64_t n = rank();
  DimDigits digits(n);
  for (int64_t at = 0; at < n; ++at) {
    const NestedDim &dim = dims[at];
    digits[at] = {
        {Axis::Subgroup, dim.subgroupTile, dim.subgroupStride},
        {Axis::Register, dim.batchTile, strides[at]},
        {Axis::Register, dim.outerTile, strides[n + at]},
        {Axis::Lane, dim.threadTile, dim.threadStride},
        {Axis::Register, dim.elementTile, strides[2 * n + at]},
    };
    llvm::erase_if(digits[at],
                   [](const Digit &digit) { return digit.size == 1; });
  }
  return LayoutBuilder::build(std::move(digits));
}

//===----------------------------------------------------------------------===//
// From digits
//===----------------------------------------------------------------------===//

namespace {
/// The register levels: batch, outer and element.
constexpr int64_t numLevels = 3;

/// A choice is a register digit with the cost of each level; negative where its
/// position forbids the level.
struct Choice {
  int64_t dim;
  Digit digit;
  std::array<int64_t, numLevels> cost;
};
} // namespace

static constexpr std::array<int64_t, numLevels> aboveLanes = {0, 1, -1};
static constexpr std::array<int64_t, numLevels> belowLanes = {-1, -1, 0};
static constexpr std::array<int64_t, numLevels> withoutLanes = {1, 2, 0};

/// Splits a dim's digits into the two hardware levels of `nested` and the
/// choices of its registers. Returns false unless they read `subgroup?
/// register* lane? register*`.
static bool takeApart(ArrayRef<Digit> digits, int64_t dim, NestedLayout &nested,
                      llvm::SmallVectorImpl<Choice> &choices) {
  bool hasLanes = llvm::any_of(
      digits, [](const Digit &digit) { return digit.axis == Axis::Lane; });
  bool first = true, seenLanes = false;
  for (const Digit &digit : digits) {
    switch (digit.axis) {
    case Axis::Subgroup:
      if (!first)
        return false;
      nested[dim].subgroupTile = digit.size;
      nested[dim].subgroupStride = digit.stride;
      break;
    case Axis::Lane:
      if (seenLanes)
        return false;
      seenLanes = true;
      nested[dim].threadTile = digit.size;
      nested[dim].threadStride = digit.stride;
      break;
    case Axis::Register:
      choices.push_back({dim, digit,
                         !hasLanes   ? withoutLanes
                         : seenLanes ? belowLanes
                                     : aboveLanes});
      break;
    }
    first = false;
  }
  return true;
}

/// Picks a level for each choice, sorted by decreasing stride, such that
/// (level, dim) increases, at least total cost. Returns an empty list if there
/// is none.
static SmallVector<int64_t> chooseLevels(ArrayRef<Choice> choices) {
  constexpr int64_t never = std::numeric_limits<int64_t>::max() / 2;
  struct Best {
    int64_t cost = never;
    int64_t next = -1;
  };
  // best[i][level] is the least cost of choices i.. when i has that level.
  int64_t count = choices.size();
  SmallVector<std::array<Best, numLevels>> best(count + 1);
  for (int64_t i = count - 1; i >= 0; --i) {
    for (int64_t level = 0; level < numLevels; ++level) {
      if (choices[i].cost[level] < 0)
        continue;
      Best rest;
      if (i + 1 == count)
        rest.cost = 0;
      else
        for (int64_t next = level; next < numLevels; ++next)
          if ((next > level || choices[i + 1].dim > choices[i].dim) &&
              best[i + 1][next].cost < rest.cost)
            rest = {best[i + 1][next].cost, next};
      if (rest.cost < never)
        best[i][level] = {choices[i].cost[level] + rest.cost, rest.next};
    }
  }
  if (count == 0)
    return {};
  int64_t level = 0;
  for (int64_t other = 1; other < numLevels; ++other)
    if (best[0][other].cost < best[0][level].cost)
      level = other;
  if (best[0][level].cost >= never)
    return {};
  SmallVector<int64_t> levels;
  for (int64_t i = 0; i < count; ++i) {
    levels.push_back(level);
    level = best[i][level].next;
  }
  return levels;
}

/// Returns the nested form whose digits are exactly these.
static std::optional<NestedLayout> fromDigits(const Layout &layout) {
  NestedLayout nested = NestedLayout::units(layout.rank());
  SmallVector<Choice> choices;
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    if (!takeApart(layout.digits(dim), dim, nested, choices))
      return std::nullopt;
  llvm::sort(choices, [](const Choice &a, const Choice &b) {
    return a.digit.stride > b.digit.stride;
  });
  SmallVector<int64_t> levels = chooseLevels(choices);
  if (levels.size() != choices.size())
    return std::nullopt;
  static constexpr int64_t NestedDim::*tiles[] = {
      &NestedDim::batchTile, &NestedDim::outerTile, &NestedDim::elementTile};
  for (auto [choice, level] : llvm::zip_equal(choices, levels))
    nested[choice.dim].*tiles[level] = choice.digit.size;
  // This rejects digits of one dim that are numbered against their order.
  if (nested.toLayout() != layout)
    return std::nullopt;
  return nested;
}

std::optional<NestedLayout> NestedLayout::fromLayout(const Layout &layout) {
  if (std::optional<NestedLayout> nested = fromDigits(layout))
    return nested;
  std::optional<NestedLayout> nested = fromDigits(layout.merged());
  assert((!nested || nested->toLayout().equivalent(layout)) &&
         "a nested form is exactly the map that it is of");
  return nested;
}

std::optional<NestedLayout> NestedLayout::fromOwnership(const Layout &layout) {
  DimDigits dims;
  for (int64_t dim = 0; dim < layout.rank(); ++dim) {
    SmallVector<Digit> &along = dims.emplace_back();
    for (const Digit &digit : layout.digits(dim))
      appendMerged(along, digit, /*anyRegisters=*/true);
  }
  numberRegisters(dims);
  return fromDigits(LayoutBuilder::build(std::move(dims)));
}

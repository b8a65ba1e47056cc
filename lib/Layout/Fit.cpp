//===- Fit.cpp - Layouts larger than the hardware -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout may need more lanes than a subgroup has (its lane ids are thread ids
// of the workgroup: *workgroup-threaded*) or more subgroups than the workgroup
// has (*oversubscribed*). Both are the same operation: split the digits of an
// axis at the number of ids there are, and read the upper parts from the next
// axis.
//
//     lanes     at w:  lane(64, 1) on w = 32     -> sg(2, 1) lane(32, 1)
//     subgroups at N:  sg(4, 1) sg(2, 4) on N = 4 -> sg(4, 1) reg(2)
//
// It is exact only where the split goes between digits or through one that
// splits there; otherwise the layout is refused (spec 2.1.4).
//
//===----------------------------------------------------------------------===//

#include "LayoutBuilder.h"
#include "distaff/Layout/NestedLayout.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <cassert>

using namespace distaff;
using llvm::SmallVector;
using llvm::Twine;

static void say(std::string *why, const Twine &reason) {
  if (why)
    *why = reason.str();
}

namespace {
/// The parts of a digit below and from `count` on; size 1 where there is none.
struct SplitDigit {
  Digit upper, lower;
};
} // namespace

/// Splits a digit at id `count`. Returns nothing if its value would depend on
/// the ids on both sides at once.
static std::optional<SplitDigit> splitAt(const Digit &digit, int64_t count) {
  assert(count > 0 && "a digit is cut at an id above 0");
  Digit none{digit.axis, 1, 1};
  if (digit.stride >= count)
    return SplitDigit{digit, none};
  int64_t end = digit.stride * digit.size;
  if (end <= count)
    return count % end == 0 ? std::optional(SplitDigit{none, digit})
                            : std::nullopt;
  int64_t below = count / digit.stride;
  if (count % digit.stride != 0 || digit.size % below != 0)
    return std::nullopt;
  return SplitDigit{{digit.axis, digit.size / below, count},
                    {digit.axis, below, digit.stride}};
}

static std::string describeSplit(const Digit &digit, int64_t count) {
  return (Twine("its digit of size ") + Twine(digit.size) + " and stride " +
          Twine(digit.stride) + " does not split at " + Twine(count))
      .str();
}

/// Replaces the digits of `axis` by their lower parts with `raise(upper)` above
/// them. Returns nothing, and the digit in `why`, if one does not split or
/// raise.
static std::optional<DimDigits>
splitAxis(const Layout &layout, Axis axis, int64_t count,
          llvm::function_ref<std::optional<Digit>(Digit)> raise,
          std::string *why) {
  DimDigits dims(layout.rank());
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    for (const Digit &digit : layout.digits(dim)) {
      if (digit.axis != axis) {
        dims[dim].push_back(digit);
        continue;
      }
      std::optional<SplitDigit> split = splitAt(digit, count);
      std::optional<Digit> raised = split ? raise(split->upper) : std::nullopt;
      if (!raised) {
        say(why, describeSplit(digit, count));
        return std::nullopt;
      }
      for (const Digit &part : {*raised, split->lower})
        if (part.size > 1)
          dims[dim].push_back(part);
    }
  return dims;
}

/// Makes lane digits from `lanes` on subgroup digits.
static std::optional<Layout> splitThreads(const Layout &layout, int64_t lanes,
                                          std::string *why) {
  std::optional<DimDigits> dims = splitAxis(
      layout, Axis::Lane, lanes,
      [&](Digit upper) -> std::optional<Digit> {
        if (upper.size == 1)
          return upper;
        if (upper.stride % lanes != 0)
          return std::nullopt;
        return Digit{Axis::Subgroup, upper.size, upper.stride / lanes};
      },
      why);
  if (dims)
    return LayoutBuilder::build(std::move(*dims));
  // A digit 3 above a digit 2 does not split at 3, but their merged digit 6
  // does.
  Layout merged = layout.merged();
  return merged == layout ? std::nullopt : splitThreads(merged, lanes, why);
}

/// Folds a layout that stays nested: whole subgroup tiles become batch.
static std::optional<NestedLayout> foldNested(NestedLayout nested,
                                              int64_t subgroups) {
  for (NestedDim &dim : nested.dims) {
    int64_t size = dim.subgroupTile;
    if (size == 1)
      continue;
    std::optional<SplitDigit> split =
        splitAt({Axis::Subgroup, size, dim.subgroupStride}, subgroups);
    if (split && split->upper.size == 1)
      continue;
    if (!split || split->lower.size != 1)
      return std::nullopt;
    dim.batchTile *= size;
    dim.subgroupTile = 1;
    dim.subgroupStride = 0;
  }
  return nested;
}

/// Folds digits: the new registers are the outermost ones.
static std::optional<Layout> foldDigits(const Layout &layout, int64_t subgroups,
                                        std::string *why) {
  int64_t nextRegister = layout.numRegisters();
  std::optional<DimDigits> dims = splitAxis(
      layout, Axis::Subgroup, subgroups,
      [&](Digit upper) -> std::optional<Digit> {
        if (upper.size == 1)
          return upper;
        Digit folded{Axis::Register, upper.size, nextRegister};
        nextRegister *= upper.size;
        return folded;
      },
      why);
  if (dims)
    return LayoutBuilder::build(std::move(*dims));
  Layout merged = layout.merged();
  return merged == layout ? std::nullopt : foldDigits(merged, subgroups, why);
}

static bool canFold(const Layout &layout, int64_t subgroups, std::string *why) {
  if (layout.subgroupSpan() % subgroups == 0)
    return true;
  say(why, "its span is no multiple of the number of subgroups");
  return false;
}

std::optional<Layout> Layout::foldOversubscription(int64_t subgroups,
                                                   std::string *why) const {
  if (neededSubgroups() <= subgroups)
    return *this;
  if (!canFold(*this, subgroups, why))
    return std::nullopt;
  if (std::optional<NestedLayout> nested = NestedLayout::fromLayout(*this))
    if (std::optional<NestedLayout> folded = foldNested(*nested, subgroups))
      return folded->toLayout();
  std::optional<Layout> folded = foldDigits(*this, subgroups, why);
  assert((!folded || (folded->shape() == shape() &&
                      folded->neededSubgroups() <= subgroups)) &&
         "a folded layout is of the same value and has so many subgroups");
  return folded;
}

std::optional<Layout>
NestedLayout::foldOversubscription(int64_t subgroups, std::string *why) const {
  Layout layout = toLayout();
  if (layout.neededSubgroups() <= subgroups)
    return layout;
  if (!canFold(layout, subgroups, why))
    return std::nullopt;
  if (std::optional<NestedLayout> folded = foldNested(*this, subgroups))
    return folded->toLayout();
  return foldDigits(layout, subgroups, why);
}

/// Implements spec 2.1.4, with `fold` for subgroups beyond those of the
/// workgroup.
static std::optional<Layout>
fit(const Layout &layout, int64_t workgroupSize, int64_t subgroupSize,
    llvm::function_ref<std::optional<Layout>(const Layout &, int64_t,
                                             std::string *)>
        fold,
    std::string *why) {
  if (subgroupSize < 1 || workgroupSize < 1 ||
      workgroupSize % subgroupSize != 0) {
    say(why, Twine("a workgroup of ") + Twine(workgroupSize) +
                 " threads is no whole number of subgroups of " +
                 Twine(subgroupSize));
    return std::nullopt;
  }
  int64_t subgroups = workgroupSize / subgroupSize;
  auto refuse = [&](llvm::StringRef axis, int64_t span, int64_t need,
                    const Twine &reason) {
    say(why, Twine("layout needs ") + Twine(need) + " " + axis + " (span " +
                 Twine(span) + "), the target has W = " + Twine(workgroupSize) +
                 ", w = " + Twine(subgroupSize) + ", N = " + Twine(subgroups) +
                 ": " + reason);
    return std::nullopt;
  };

  Layout fitted = layout;
  std::string reason;
  if (int64_t need = layout.neededLanes(); need > subgroupSize) {
    int64_t span = layout.laneSpan();
    if (layout.neededSubgroups() > 1)
      return refuse("lanes", span, need,
                    "lanes beyond w only without subgroup tiles");
    if (span > workgroupSize)
      return refuse("lanes", span, need, "its span exceeds W");
    std::optional<Layout> split = splitThreads(layout, subgroupSize, &reason);
    if (!split)
      return refuse("lanes", span, need, reason);
    fitted = *split;
  }
  if (int64_t need = fitted.neededSubgroups(); need > subgroups) {
    std::optional<Layout> folded = fold(fitted, subgroups, &reason);
    if (!folded)
      return refuse("subgroups", fitted.subgroupSpan(), need, reason);
    fitted = *folded;
  }
  assert(fitted.fits({subgroups, subgroupSize}) &&
         fitted.shape() == layout.shape() &&
         "a fitted layout is of the same value and fits");
  return fitted;
}

std::optional<Layout> Layout::forTarget(int64_t workgroupSize,
                                        int64_t subgroupSize,
                                        std::string *why) const {
  return fit(
      *this, workgroupSize, subgroupSize,
      [](const Layout &layout, int64_t subgroups, std::string *reason) {
        return layout.foldOversubscription(subgroups, reason);
      },
      why);
}

std::string Layout::howToFit(int64_t workgroupSize,
                             int64_t subgroupSize) const {
  assert(subgroupSize > 0 && "a subgroup has lanes");
  constexpr int64_t mostThreads = 1024; // of any GPU
  int64_t subgroups = workgroupSize / subgroupSize;
  std::string fix = (Twine("; lay it out over ") + Twine(subgroups) +
                     (subgroups == 1 ? " subgroup of " : " subgroups of ") +
                     Twine(subgroupSize) + " lanes at most")
                        .str();
  int64_t threads =
      subgroupSize *
      std::max<int64_t>(neededSubgroups(),
                        llvm::divideCeil(laneSpan(), subgroupSize));
  if (threads <= mostThreads && forTarget(threads, subgroupSize))
    fix += (Twine(", or let ") + Twine(threads) +
            " threads hold it (workgroup_size)")
               .str();
  return fix;
}

std::optional<Layout> NestedLayout::forTarget(int64_t workgroupSize,
                                              int64_t subgroupSize,
                                              std::string *why) const {
  // Only a layout whose lanes fit is folded, and that is this one.
  return fit(
      toLayout(), workgroupSize, subgroupSize,
      [&](const Layout &, int64_t subgroups, std::string *reason) {
        return foldOversubscription(subgroups, reason);
      },
      why);
}

std::optional<std::string>
NestedLayout::verifyForTarget(int64_t workgroupSize,
                              int64_t subgroupSize) const {
  std::string why;
  if (forTarget(workgroupSize, subgroupSize, &why))
    return std::nullopt;
  return why;
}

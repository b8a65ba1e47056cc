//===- Classify.cpp - The tier of a layout conversion ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiers of spec 4.1 (VX-33), decided on place tables. With D = destination
// and S = source, both sums over subgroup, lane and register (PlaceTables.h):
//
//     T1   one renaming serves all lanes, so it serves lane 0 of subgroup 0;
//          without it, the tables for subgroups and lanes must be equal
//     T1s  D(s, l, r) - S(s, l, 0) must be some S(0, 0, r'): depends on (s, l)
//          only through the difference of two table entries
//     T2   the same one level up, with lane and register on the source's side
//
//===----------------------------------------------------------------------===//

#include "PlaceTables.h"
#include "distaff/Layout/Conversion.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;

llvm::StringRef distaff::stringifyTier(Tier tier) {
  static constexpr llvm::StringLiteral names[] = {"T0", "T1", "T1s", "T2",
                                                  "T3"};
  return names[static_cast<int>(tier)];
}

llvm::StringRef distaff::describeTier(Tier tier) {
  static constexpr llvm::StringLiteral names[] = {
      "identity", "register permutation", "register select", "lane shuffle",
      "shared memory"};
  return names[static_cast<int>(tier)];
}

//===----------------------------------------------------------------------===//
// Register renamings
//===----------------------------------------------------------------------===//

static Holders holdersOf(ArrayRef<int64_t> held, int64_t numElements) {
  Holders holders(numElements);
  for (auto [id, position] : llvm::enumerate(held))
    holders.enter(position, id);
  return holders;
}

/// Returns the register of each wanted position, if all are held.
static std::optional<SmallVector<int64_t>>
lookUp(ArrayRef<int64_t> wanted, ArrayRef<int64_t> held, int64_t numElements) {
  Holders holders = holdersOf(held, numElements);
  SmallVector<int64_t> source;
  for (int64_t position : wanted) {
    source.push_back(holders[position]);
    if (source.back() < 0)
      return std::nullopt;
  }
  return source;
}

static std::optional<SmallVector<int64_t>>
renamingBetween(const PlaceTables &src, const PlaceTables &dst,
                int64_t numElements) {
  if (src.subgroup != dst.subgroup || src.lane != dst.lane)
    return std::nullopt;
  return lookUp(dst.reg, src.reg, numElements);
}

std::optional<SmallVector<int64_t>>
distaff::registerSource(const Layout &src, const Layout &dst,
                        const DimMap &dstToSrc, HardwareShape hardware) {
  if (std::optional<Layout> wanted = dst.apply(dstToSrc);
      !wanted || wanted->shape() != src.shape())
    return std::nullopt;
  // The index in dst, mapped to a position in src.
  SmallVector<int64_t> shape = src.shape();
  auto positionOf = [&](Place place) {
    int64_t position = 0;
    for (auto [extent, along] :
         llvm::zip_equal(shape, dstToSrc(dst.indexOf(place))))
      position = position * extent + along;
    return position;
  };
  PlaceTables wanted(dst, hardware);
  for (auto [id, position] : llvm::enumerate(wanted.subgroup))
    position = positionOf({static_cast<int64_t>(id), 0, 0});
  for (auto [id, position] : llvm::enumerate(wanted.lane))
    position = positionOf({0, static_cast<int64_t>(id), 0});
  for (auto [id, position] : llvm::enumerate(wanted.reg))
    position = positionOf({0, 0, static_cast<int64_t>(id)});
  return renamingBetween(PlaceTables(src, hardware), wanted, src.numElements());
}

std::optional<SmallVector<int64_t>>
distaff::registerSourceByPosition(const Layout &src, const Layout &dst,
                                  HardwareShape hardware) {
  if (src.numElements() != dst.numElements())
    return std::nullopt;
  return renamingBetween(PlaceTables(src, hardware), PlaceTables(dst, hardware),
                         src.numElements());
}

//===----------------------------------------------------------------------===//
// Tiers
//===----------------------------------------------------------------------===//

/// Returns whether each bit of a position is set by one digit of the layout.
static bool isOfBits(const Layout &layout) {
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    for (const Digit &digit : layout.digits(dim))
      if (!llvm::isPowerOf2_64(digit.size))
        return false;
  return true;
}

namespace {
/// A failure is a place whose element a tier cannot deliver.
using Failure = std::optional<Place>;

class Classifier {
public:
  Classifier(const Layout &src, const Layout &dst, HardwareShape hardware)
      : layout(dst), src(src, hardware), dst(dst, hardware),
        ofBits(isOfBits(src) && isOfBits(dst)) {}

  /// Returns the least tier that moves all elements.
  Tier classify();

  Failure findUnequal();
  Failure findRenamed();
  Failure findOnOtherLane();
  Failure findInOtherSubgroup() const;

  std::string nameElement(Place place) const;

private:
  bool agreesBesidesRegisters() const {
    return src.lane == dst.lane && src.subgroup == dst.subgroup;
  }
  /// Returns the registers of the source by position; -1: not in lane 0.
  const Holders &registers() {
    if (!ofRegisters)
      ofRegisters = holdersOf(src.reg, layout.numElements());
    return *ofRegisters;
  }

  const Layout &layout;
  PlaceTables src, dst;
  bool ofBits;
  std::optional<Holders> ofRegisters;
};
} // namespace

std::string Classifier::nameElement(Place place) const {
  std::string text = "(";
  for (auto [dim, along] : llvm::enumerate(layout.indexOf(place)))
    text += (dim ? ", " : "") + std::to_string(along);
  return text + ")";
}

/// Returns the bits that some position of the table has.
static int64_t bitsOf(ArrayRef<int64_t> table) {
  int64_t bits = 0;
  for (int64_t position : table)
    bits |= position;
  return bits;
}

/// Returns the bits in which the tables differ at some id.
static int64_t differingBits(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  int64_t bits = 0;
  for (auto [ours, theirs] : llvm::zip_equal(a, b))
    bits |= ours ^ theirs;
  return bits;
}

/// Returns the tier. With layouts of bits, each register or lane holds every
/// value of its bits; so it holds the element that it needs unless the two
/// positions differ in another bit. The first subgroup and lane are at 0:
/// differences of both do not cancel.
Tier Classifier::classify() {
  if (agreesBesidesRegisters() && src.reg == dst.reg)
    return Tier::Identity;
  if (!ofBits) {
    if (!findRenamed())
      return Tier::RegisterPermutation;
    if (!findOnOtherLane())
      return Tier::RegisterSelect;
    return findInOtherSubgroup() ? Tier::SharedMemory : Tier::LaneShuffle;
  }
  int64_t inRegisters = bitsOf(src.reg);
  int64_t inSubgroup = inRegisters | bitsOf(src.lane);
  int64_t wantedOfRegisters = bitsOf(dst.reg);
  int64_t betweenLanes = differingBits(src.lane, dst.lane);
  int64_t betweenSubgroups = differingBits(src.subgroup, dst.subgroup);
  if (((wantedOfRegisters | bitsOf(dst.lane) | betweenSubgroups) &
       ~inSubgroup) != 0)
    return Tier::SharedMemory;
  if (((wantedOfRegisters | betweenLanes | betweenSubgroups) & ~inRegisters) !=
      0)
    return Tier::LaneShuffle;
  return betweenLanes | betweenSubgroups ? Tier::RegisterSelect
                                         : Tier::RegisterPermutation;
}

/// T0: returns a place that holds another element. An axis on which the tables
/// agree cannot be the cause.
Failure Classifier::findUnequal() {
  for (auto [r, wanted] : llvm::enumerate(dst.reg))
    if (r >= src.reg.size() || src.reg[r] != wanted)
      return Place{0, 0, static_cast<int64_t>(r)};
  return findRenamed();
}

/// T1: returns a place for which the register found on lane 0 does not hold the
/// element on the place's lane.
Failure Classifier::findRenamed() {
  if (llvm::any_of(dst.reg,
                   [&](int64_t wanted) { return registers()[wanted] < 0; }))
    return findOnOtherLane();
  for (auto [l, wanted] : llvm::enumerate(dst.lane))
    if (src.lane[l] != wanted)
      return Place{0, static_cast<int64_t>(l), 0};
  for (auto [s, wanted] : llvm::enumerate(dst.subgroup))
    if (src.subgroup[s] != wanted)
      return Place{static_cast<int64_t>(s), 0, 0};
  return std::nullopt;
}

/// T1s: returns a place whose element its lane does not hold.
Failure Classifier::findOnOtherLane() {
  llvm::DenseSet<int64_t> served;
  for (auto [s, wantedOfSubgroup] : llvm::enumerate(dst.subgroup))
    for (auto [l, wantedOfLane] : llvm::enumerate(dst.lane)) {
      int64_t base =
          wantedOfSubgroup + wantedOfLane - src.subgroup[s] - src.lane[l];
      if (!served.insert(base).second)
        continue;
      for (auto [r, wanted] : llvm::enumerate(dst.reg))
        if (registers()[base + wanted] < 0)
          return Place{static_cast<int64_t>(s), static_cast<int64_t>(l),
                       static_cast<int64_t>(r)};
    }
  return std::nullopt;
}

/// T2: returns a place whose element its subgroup does not hold.
Failure Classifier::findInOtherSubgroup() const {
  Holders lanes(layout.numElements());
  for (auto [l, position] : llvm::enumerate(src.lane))
    for (int64_t inRegister : src.reg)
      lanes.enter(position + inRegister, l);
  llvm::DenseSet<int64_t> served;
  for (auto [s, wantedOfSubgroup] : llvm::enumerate(dst.subgroup)) {
    int64_t base = wantedOfSubgroup - src.subgroup[s];
    if (!served.insert(base).second)
      continue;
    for (auto [l, wantedOfLane] : llvm::enumerate(dst.lane))
      for (auto [r, wanted] : llvm::enumerate(dst.reg))
        if (lanes[base + wantedOfLane + wanted] < 0)
          return Place{static_cast<int64_t>(s), static_cast<int64_t>(l),
                       static_cast<int64_t>(r)};
  }
  return std::nullopt;
}

static std::string nameLane(Place place) {
  return (Twine("lane ") + Twine(place.lane) + " of subgroup " +
          Twine(place.subgroup))
      .str();
}

Tier distaff::classifyConversion(const Layout &src, const Layout &dst,
                                 HardwareShape hardware,
                                 llvm::SmallVectorImpl<std::string> *why) {
  assert(src.shape() == dst.shape() && "a conversion keeps the shape");
  assert(src.fits(hardware) && dst.fits(hardware) &&
         "layouts are fitted to the hardware before they are converted");
  Classifier classifier(src, dst, hardware);
  if (!why)
    return classifier.classify();
  auto reject = [&](const Twine &reason) { why->push_back(reason.str()); };

  Failure unequal = classifier.findUnequal();
  if (!unequal)
    return Tier::Identity;
  reject("register " + Twine(unequal->reg) + " of " + nameLane(*unequal) +
         " must hold " + classifier.nameElement(*unequal) +
         " and holds another element");

  Failure elsewhere = classifier.findOnOtherLane();
  if (Failure renamed = classifier.findRenamed(); !renamed)
    return Tier::RegisterPermutation;
  else if (!elsewhere)
    reject("the register that holds " + classifier.nameElement(*renamed) +
           ", wanted by " + nameLane(*renamed) + ", depends on the lane");
  else
    reject(nameLane(*elsewhere) + " does not hold " +
           classifier.nameElement(*elsewhere));

  if (!elsewhere)
    return Tier::RegisterSelect;
  reject(nameLane(*elsewhere) + " does not hold " +
         classifier.nameElement(*elsewhere));

  Failure outside = classifier.findInOtherSubgroup();
  if (!outside)
    return Tier::LaneShuffle;
  reject("no lane of subgroup " + Twine(outside->subgroup) + " holds " +
         classifier.nameElement(*outside) + ", wanted by " +
         nameLane(*outside));
  return Tier::SharedMemory;
}

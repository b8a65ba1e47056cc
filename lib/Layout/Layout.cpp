//===- Layout.cpp - The map from hardware places to elements --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/Layout.h"
#include "LayoutBuilder.h"
#include "distaff/CheckedSize.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <map>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

llvm::StringRef distaff::stringifyAxis(Axis axis) {
  switch (axis) {
  case Axis::Subgroup:
    return "sg";
  case Axis::Lane:
    return "lane";
  case Axis::Register:
    return "reg";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static std::string str(const Digit &digit) {
  return (stringifyAxis(digit.axis) + "(" + llvm::Twine(digit.size) + ", " +
          llvm::Twine(digit.stride) + ")")
      .str();
}

/// Returns the digits of one axis, by increasing stride.
static SmallVector<Digit> digitsOf(const DimDigits &dims, Axis axis) {
  SmallVector<Digit> found;
  for (ArrayRef<Digit> digits : dims)
    llvm::copy_if(digits, std::back_inserter(found),
                  [&](const Digit &digit) { return digit.axis == axis; });
  llvm::sort(found, [](const Digit &a, const Digit &b) {
    return std::pair(a.stride, a.size) < std::pair(b.stride, b.size);
  });
  return found;
}

/// Returns the end of a digit, from which a digit above it in the chain may
/// begin. Registers are numbered by their elements, so they are at most a
/// vector's elements.
static std::optional<int64_t> endOf(const Digit &digit) {
  return checkedProduct(digit.size, digit.stride, mostIds);
}

static std::string reachesTooFar(const Digit &digit) {
  return "layout too large: " + str(digit) + " reaches beyond " +
         std::to_string(mostIds) + " ids";
}

/// Returns the reason why the digits of one axis are not a chain.
static std::optional<std::string> findChainFault(const DimDigits &dims,
                                                 Axis axis) {
  Digit before{axis, 1, 1};
  for (const Digit &digit : digitsOf(dims, axis)) {
    std::optional<int64_t> next = endOf(before);
    if (!next)
      return reachesTooFar(before);
    if (digit.stride % *next != 0)
      return (stringifyAxis(axis) + " strides overlap: the stride of " +
              str(digit) + " is no multiple of " + llvm::Twine(*next) +
              ", where " + str(before) + " ends")
          .str();
    if (axis == Axis::Register && digit.stride != *next)
      return "registers have a gap: nothing has stride " +
             std::to_string(*next) + " below " + str(digit);
    before = digit;
  }
  if (!endOf(before))
    return reachesTooFar(before);
  return std::nullopt;
}

static std::optional<std::string> findFault(const DimDigits &dims) {
  std::optional<int64_t> elements = 1;
  for (ArrayRef<Digit> digits : dims)
    for (const Digit &digit : digits) {
      if (digit.size < 1)
        return "digit sizes must be positive, " + str(digit) + " is not";
      if (digit.stride < 1)
        return "digit strides must be positive, that of " + str(digit) +
               " is not";
      elements = checkedProduct(*elements, digit.size, largestVectorElements);
      if (!elements)
        return "layout too large: more than " +
               std::to_string(largestVectorElements) + " elements";
    }
  for (Axis axis : {Axis::Subgroup, Axis::Lane, Axis::Register})
    if (std::optional<std::string> fault = findChainFault(dims, axis))
      return fault;
  return std::nullopt;
}

bool LayoutBuilder::isLayout(const DimDigits &dims) {
  for (ArrayRef<Digit> digits : dims)
    if (llvm::any_of(digits,
                     [](const Digit &digit) { return digit.size == 1; }))
      return false;
  return !findFault(dims);
}

std::optional<Layout> Layout::get(ArrayRef<SmallVector<Digit>> dims,
                                  std::string *why) {
  DimDigits kept(dims.begin(), dims.end());
  for (SmallVector<Digit> &digits : kept)
    llvm::erase_if(digits, [](const Digit &digit) { return digit.size == 1; });
  if (std::optional<std::string> fault = findFault(kept)) {
    if (why)
      *why = *fault;
    return std::nullopt;
  }
  return LayoutBuilder::build(std::move(kept));
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

static int64_t extentOf(ArrayRef<Digit> digits) {
  int64_t extent = 1;
  for (const Digit &digit : digits)
    extent *= digit.size;
  return extent;
}

SmallVector<int64_t> Layout::shape() const {
  return llvm::map_to_vector(
      dims, [](const SmallVector<Digit> &digits) { return extentOf(digits); });
}

int64_t Layout::numElements() const {
  int64_t elements = 1;
  for (ArrayRef<Digit> digits : dims)
    elements *= extentOf(digits);
  return elements;
}

int64_t Layout::numRegisters() const {
  return extentOf(digitsOf(dims, Axis::Register));
}

SmallVector<int64_t> Layout::registerShape() const {
  SmallVector<int64_t> sizes;
  SmallVector<Digit> registers = digitsOf(dims, Axis::Register);
  for (const Digit &digit : llvm::reverse(registers))
    sizes.push_back(digit.size);
  return sizes;
}

[[maybe_unused]] static bool isPlace(Place place) {
  return place.subgroup >= 0 && place.lane >= 0 && place.reg >= 0;
}

static int64_t idOn(Axis axis, Place place) {
  switch (axis) {
  case Axis::Subgroup:
    return place.subgroup;
  case Axis::Lane:
    return place.lane;
  case Axis::Register:
    return place.reg;
  }
  return 0;
}

SmallVector<int64_t> Layout::indexOf(Place place) const {
  assert(isPlace(place) && "ids of a place are not negative");
  SmallVector<int64_t> index;
  for (ArrayRef<Digit> digits : dims) {
    int64_t along = 0;
    for (const Digit &digit : digits)
      along = along * digit.size +
              idOn(digit.axis, place) / digit.stride % digit.size;
    index.push_back(along);
  }
  return index;
}

int64_t Layout::linearIndexOf(Place place) const {
  assert(isPlace(place) && "ids of a place are not negative");
  int64_t linear = 0;
  for (ArrayRef<Digit> digits : dims)
    for (const Digit &digit : digits)
      linear = linear * digit.size +
               idOn(digit.axis, place) / digit.stride % digit.size;
  return linear;
}

SmallVector<DigitTerm> Layout::terms(Axis axis) const {
  SmallVector<DigitTerm> found;
  for (auto [dim, digits] : llvm::enumerate(dims)) {
    int64_t indexStride = 1;
    for (const Digit &digit : llvm::reverse(digits)) {
      if (digit.axis == axis)
        found.push_back(
            {static_cast<int64_t>(dim), digit.size, digit.stride, indexStride});
      indexStride *= digit.size;
    }
  }
  llvm::sort(found, [](const DigitTerm &a, const DigitTerm &b) {
    return a.idStride < b.idStride;
  });
  return found;
}

static int64_t idFrom(ArrayRef<DigitTerm> terms, ArrayRef<int64_t> index) {
  int64_t id = 0;
  for (const DigitTerm &term : terms)
    id += index[term.dim] / term.indexStride % term.size * term.idStride;
  return id;
}

/// Returns the smallest id that has the same digits as `id`.
static int64_t canonicalId(ArrayRef<DigitTerm> terms, int64_t id) {
  int64_t canonical = 0;
  for (const DigitTerm &term : terms)
    canonical += id / term.idStride % term.size * term.idStride;
  return canonical;
}

Place LayoutInverse::operator()(ArrayRef<int64_t> index) const {
  return {idFrom(subgroup, index), idFrom(lane, index), idFrom(reg, index)};
}

LayoutInverse Layout::invert() const {
  return {terms(Axis::Subgroup), terms(Axis::Lane), terms(Axis::Register)};
}

Place Layout::canonicalPlace(ArrayRef<int64_t> index) const {
  Place place = invert()(index);
  assert(ArrayRef(indexOf(place)) == index &&
         "an element of the value is held at its canonical place");
  return place;
}

bool Layout::isCanonical(Place place) const {
  return canonicalId(terms(Axis::Subgroup), place.subgroup) == place.subgroup &&
         canonicalId(terms(Axis::Lane), place.lane) == place.lane;
}

Place Layout::compose(const LayoutInverse &source, Place place) const {
  return source(indexOf(place));
}

static int64_t neededIds(ArrayRef<DigitTerm> terms) {
  int64_t needed = 1;
  for (const DigitTerm &term : terms)
    needed += term.idStride * (term.size - 1);
  return needed;
}

static int64_t spanOf(ArrayRef<DigitTerm> terms) {
  return terms.empty() ? 1 : terms.back().idStride * terms.back().size;
}

int64_t Layout::neededSubgroups() const {
  return neededIds(terms(Axis::Subgroup));
}
int64_t Layout::neededLanes() const { return neededIds(terms(Axis::Lane)); }
int64_t Layout::subgroupSpan() const { return spanOf(terms(Axis::Subgroup)); }
int64_t Layout::laneSpan() const { return spanOf(terms(Axis::Lane)); }

/// Counts, of the first `count` ids, those with each canonical id.
static std::map<int64_t, int64_t> countCopies(ArrayRef<DigitTerm> terms,
                                              int64_t count) {
  std::map<int64_t, int64_t> copies;
  for (int64_t id = 0; id < count; ++id)
    ++copies[canonicalId(terms, id)];
  return copies;
}

std::optional<int64_t> Layout::replication(HardwareShape hardware) const {
  assert(hardware.subgroups > 0 && hardware.lanes > 0 &&
         "a workgroup has a subgroup, and that a lane");
  int64_t total = 1;
  for (auto [axis, count] : {std::pair(Axis::Subgroup, hardware.subgroups),
                             std::pair(Axis::Lane, hardware.lanes)}) {
    std::map<int64_t, int64_t> copies = countCopies(terms(axis), count);
    for (auto [id, number] : copies)
      if (number != copies.begin()->second)
        return std::nullopt;
    total *= copies.begin()->second;
  }
  return total;
}

int64_t Layout::replicas(ArrayRef<int64_t> index,
                         HardwareShape hardware) const {
  Place home = canonicalPlace(index);
  return countCopies(terms(Axis::Subgroup), hardware.subgroups)[home.subgroup] *
         countCopies(terms(Axis::Lane), hardware.lanes)[home.lane];
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

void distaff::appendMerged(llvm::SmallVectorImpl<Digit> &digits, Digit lower,
                           bool anyRegisters) {
  if (!digits.empty() && digits.back().axis == lower.axis) {
    Digit &upper = digits.back();
    bool neighbours = upper.stride == lower.stride * lower.size ||
                      (anyRegisters && lower.axis == Axis::Register);
    if (neighbours) {
      upper = {lower.axis, upper.size * lower.size, lower.stride};
      return;
    }
  }
  digits.push_back(lower);
}

Layout Layout::merged() const {
  DimDigits shortest;
  for (ArrayRef<Digit> digits : dims) {
    SmallVector<Digit> &along = shortest.emplace_back();
    for (const Digit &digit : digits)
      appendMerged(along, digit);
  }
  return LayoutBuilder::build(std::move(shortest));
}

bool Layout::equivalent(const Layout &other) const {
  return *this == other || merged() == other.merged();
}

llvm::hash_code distaff::hash_value(const Layout &layout) {
  llvm::hash_code code = llvm::hash_value(layout.rank());
  for (ArrayRef<Digit> digits : layout.dims) {
    code = llvm::hash_combine(code, digits.size());
    for (const Digit &digit : digits)
      code = llvm::hash_combine(code, digit.axis, digit.size, digit.stride);
  }
  return code;
}

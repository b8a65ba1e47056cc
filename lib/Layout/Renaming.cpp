//===- Renaming.cpp - Layouts of renamed values ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations that keep the place of every element and change the dims of
// its index: permute, project, apply, recombine. All pick whole dims' digits;
// then only the registers must be numbered.
//
//===----------------------------------------------------------------------===//

#include "LayoutBuilder.h"

#include "llvm/ADT/SmallVectorExtras.h"

#include <array>
#include <cassert>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Numbering registers
//===----------------------------------------------------------------------===//

/// Returns the register digits of all dims, in the order of the lists.
static SmallVector<Digit *> registerDigits(DimDigits &dims) {
  SmallVector<Digit *> found;
  for (SmallVector<Digit> &digits : dims)
    for (Digit &digit : digits)
      if (digit.axis == Axis::Register)
        found.push_back(&digit);
  return found;
}

/// Sets strides so that the first digit of the list is the outermost.
static void numberInOrder(ArrayRef<Digit *> outermostFirst) {
  int64_t stride = 1;
  for (Digit *digit : llvm::reverse(outermostFirst)) {
    digit->stride = stride;
    stride *= digit->size;
  }
}

void distaff::closeRegisterGaps(DimDigits &dims) {
  SmallVector<Digit *> registers = registerDigits(dims);
  llvm::sort(registers, [](const Digit *a, const Digit *b) {
    return a->stride > b->stride;
  });
  numberInOrder(registers);
}

/// The register digits of a nested layout's batch, outer and element level.
using Levels = std::array<SmallVector<Digit *>, 3>;

/// Sorts one dim's register digits into the levels, if its digits read
/// `subgroup? batch? outer? lane? element?`.
static bool findLevels(SmallVector<Digit> &digits, Levels &levels) {
  SmallVector<Digit *> above, below;
  int64_t subgroups = 0, lanes = 0;
  for (Digit &digit : digits) {
    if (digit.axis == Axis::Register) {
      (lanes ? below : above).push_back(&digit);
    } else if (digit.axis == Axis::Lane) {
      ++lanes;
    } else {
      if (lanes || !above.empty())
        return false;
      ++subgroups;
    }
  }
  if (lanes == 0 && !above.empty())
    below.push_back(above.pop_back_val());
  if (subgroups > 1 || lanes > 1 || above.size() > 2 || below.size() > 1)
    return false;
  for (auto [level, digit] : llvm::enumerate(above))
    levels[level].push_back(digit);
  llvm::append_range(levels[2], below);
  return true;
}

void distaff::numberRegisters(DimDigits &dims) {
  Levels levels;
  if (!llvm::all_of(dims, [&](SmallVector<Digit> &digits) {
        return findLevels(digits, levels);
      }))
    return numberInOrder(registerDigits(dims));
  numberInOrder(
      llvm::to_vector(llvm::concat<Digit *>(levels[0], levels[1], levels[2])));
}

bool distaff::ownAlike(ArrayRef<Digit> a, ArrayRef<Digit> b) {
  return llvm::equal(a, b, [](const Digit &x, const Digit &y) {
    return x.axis == y.axis && x.size == y.size &&
           (x.axis == Axis::Register || x.stride == y.stride);
  });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Layout Layout::permute(ArrayRef<int64_t> permutation) const {
  assert(static_cast<int64_t>(permutation.size()) == rank() &&
         "the permutation has another rank");
  DimMap map(rank(), permutation);
  assert(map.isPermutation() && "a permutation has each dim once");
  return *apply(map);
}

Layout Layout::project(const llvm::SmallBitVector &dropped) const {
  assert(static_cast<int64_t>(dropped.size()) == rank() &&
         "one mark per dim is needed");
  return *apply(DimMap::dropping(dropped));
}

std::optional<Layout> Layout::apply(const DimMap &map) const {
  if (map.numDims != rank() || !map.isProjectedPermutation())
    return std::nullopt;
  DimDigits picked;
  for (int64_t result : map.results)
    picked.push_back(result == DimMap::Zero ? SmallVector<Digit>()
                                            : dims[result]);
  closeRegisterGaps(picked);
  return LayoutBuilder::build(std::move(picked));
}

/// Returns the digits of an iteration dim in the operands that have it: nothing
/// if none has it or two differ.
static std::optional<SmallVector<Digit>>
findShared(ArrayRef<Layout> operands, ArrayRef<DimMap> maps, int64_t dim) {
  std::optional<SmallVector<Digit>> shared;
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    std::optional<int64_t> at = map.resultOf(dim);
    if (!at)
      continue;
    ArrayRef<Digit> digits = operand.digits(*at);
    if (shared && !ownAlike(*shared, digits))
      return std::nullopt;
    if (!shared)
      shared.emplace(digits.begin(), digits.end());
  }
  return shared;
}

static bool describeOperands(ArrayRef<Layout> operands, ArrayRef<DimMap> maps,
                             int64_t numDims) {
  return operands.size() == maps.size() &&
         llvm::all_of(llvm::zip(operands, maps), [&](auto pair) {
           auto &[operand, map] = pair;
           return map.numDims == numDims && map.isProjectedPermutation() &&
                  static_cast<int64_t>(map.results.size()) == operand.rank();
         });
}

std::optional<Layout> Layout::recombine(ArrayRef<Layout> operands,
                                        ArrayRef<DimMap> maps,
                                        const DimMap &result) {
  if (!result.isProjectedPermutation() ||
      !describeOperands(operands, maps, result.numDims))
    return std::nullopt;
  DimDigits digits;
  for (int64_t dim : result.results) {
    SmallVector<Digit> &along = digits.emplace_back();
    if (dim == DimMap::Zero)
      continue;
    std::optional<SmallVector<Digit>> shared = findShared(operands, maps, dim);
    if (!shared)
      return std::nullopt;
    along = std::move(*shared);
  }
  // Checks this because two dims may be read from one hardware digit in
  // different operands.
  numberRegisters(digits);
  return Layout::get(digits);
}

bool Layout::agreeOn(ArrayRef<Layout> operands, ArrayRef<DimMap> maps,
                     const llvm::SmallBitVector &dims) {
  if (!describeOperands(operands, maps, dims.size()))
    return false;
  return llvm::all_of(dims.set_bits(), [&](unsigned dim) {
    return findShared(operands, maps, dim).has_value();
  });
}

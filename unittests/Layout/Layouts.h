//===- Layouts.h - Layouts to test with -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates and draws layouts, and says by brute force who owns what. Nothing
// here uses what it helps to test beyond Layout::indexOf, and that has its own
// test against the formulas of spec 1.3 and 1.4.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_LAYOUT_LAYOUTS_H
#define DISTAFF_UNITTESTS_LAYOUT_LAYOUTS_H

#include "distaff/Layout/NestedLayout.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <ostream>
#include <random>
#include <set>
#include <vector>

namespace distaff {
/// How GoogleTest shows them.
inline void PrintTo(const Layout &layout, std::ostream *os) {
  *os << toString(layout);
}
inline void PrintTo(const NestedLayout &layout, std::ostream *os) {
  *os << toString(layout);
}
} // namespace distaff

namespace distaff::test {

using Shape = std::vector<int64_t>;
using Index = std::vector<int64_t>;

inline Index indexAt(const Layout &layout, Place place) {
  auto index = layout.indexOf(place);
  return {index.begin(), index.end()};
}

/// The row-major position of an index.
int64_t positionIn(llvm::ArrayRef<int64_t> shape, const Index &index);
/// All indices of a box, row-major.
std::vector<Index> allIndices(llvm::ArrayRef<int64_t> shape);

/// Indices, and their positions, that a lane owns.
std::set<Index> ownedIndices(const Layout &layout, int64_t subgroup,
                             int64_t lane);
std::set<int64_t> ownedPositions(const Layout &layout, int64_t subgroup,
                                 int64_t lane);

struct NestedRange {
  int64_t rank = 1;
  std::vector<int64_t> sizes = {1, 2, 3, 4};
  int64_t maxElements = 24;
  /// Factors between the end of one stride and the next.
  std::vector<int64_t> gaps = {1};
  /// Whether subgroup tiles vary at all.
  bool subgroups = true;
};
/// Calls `body` with every normal nested layout in the range.
void forEachNested(const NestedRange &range,
                   llvm::function_ref<void(const NestedLayout &)> body);

/// Calls `body` with every gapless layout of the shape, digits split to primes:
/// up to equivalence these are all gapless layouts there are.
void forEachPrimeLayout(llvm::ArrayRef<int64_t> shape,
                        llvm::function_ref<void(const Layout &)> body);

/// All shapes of a number of elements with the rank, extents of 1 included.
std::vector<Shape> shapesOf(int64_t elements, int64_t rank);

struct RandomRange {
  /// Bounds on the ids that the digits need.
  int64_t maxSubgroups = 8, maxLanes = 64, maxRegisters = 64;
  bool gaps = true;
};
/// Gives every dim its number of a list.
void setList(NestedLayout &layout, int64_t NestedDim::*number,
             llvm::ArrayRef<int64_t> values);

/// A layout of the shape with random digits, axes and strides, in the bounds.
Layout randomLayout(std::mt19937 &random, llvm::ArrayRef<int64_t> shape,
                    const RandomRange &range);
NestedLayout randomNested(std::mt19937 &random, int64_t rank,
                          const std::vector<int64_t> &sizes, bool gaps);
int64_t pick(std::mt19937 &random, const std::vector<int64_t> &values);

NestedLayout
nested(std::vector<int64_t> subgroupTile, std::vector<int64_t> batchTile,
       std::vector<int64_t> outerTile, std::vector<int64_t> threadTile,
       std::vector<int64_t> elementTile, std::vector<int64_t> subgroupStrides,
       std::vector<int64_t> threadStrides);

} // namespace distaff::test

#endif // DISTAFF_UNITTESTS_LAYOUT_LAYOUTS_H

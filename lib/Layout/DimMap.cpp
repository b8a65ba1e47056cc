//===- DimMap.cpp - Projected permutations --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/DimMap.h"

#include "llvm/ADT/SmallVectorExtras.h"

#include <cassert>

using namespace distaff;

DimMap DimMap::identity(int64_t numDims) {
  return dropping(llvm::SmallBitVector(numDims));
}

DimMap DimMap::dropping(const llvm::SmallBitVector &dropped) {
  DimMap map;
  map.numDims = dropped.size();
  for (int64_t dim = 0; dim < map.numDims; ++dim)
    if (!dropped[dim])
      map.results.push_back(dim);
  return map;
}

bool DimMap::isProjectedPermutation() const {
  llvm::SmallBitVector seen(numDims);
  for (int64_t result : results) {
    if (result == Zero)
      continue;
    if (result < 0 || result >= numDims || seen[result])
      return false;
    seen.set(result);
  }
  return true;
}

bool DimMap::isPermutation() const {
  return static_cast<int64_t>(results.size()) == numDims &&
         isProjectedPermutation() && !llvm::is_contained(results, Zero);
}

std::optional<int64_t> DimMap::resultOf(int64_t dim) const {
  assert(dim >= 0 && dim < numDims && "the iteration space has that dim");
  const int64_t *found = llvm::find(results, dim);
  if (found == results.end())
    return std::nullopt;
  return found - results.begin();
}

llvm::SmallVector<int64_t>
DimMap::operator()(llvm::ArrayRef<int64_t> point) const {
  assert(isProjectedPermutation() && "the map has results that are no dims");
  assert(static_cast<int64_t>(point.size()) == numDims &&
         "a point has an index per dim");
  return llvm::map_to_vector(results, [&](int64_t result) {
    return result == Zero ? 0 : point[result];
  });
}

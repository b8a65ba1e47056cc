//===- DimMap.h - Projected permutations ------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DimMap is the part of an affine map that the layout algebra needs: for each
// result, whether it is one of the dims, the constant 0, or something else
// (which no layout can express). The dialect converts an mlir::AffineMap into
// it; the algebra stays free of MLIR.
//
//     (d0, d1, d2) -> (d0, 0, d2)      is DimMap(3, {0, DimMap::Zero, 2})
//     (d0, d1) -> (d0 + d1)            is DimMap(2, {DimMap::Other})
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_DIMMAP_H
#define DISTAFF_LAYOUT_DIMMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace distaff {

struct DimMap {
  /// The result is the constant 0: an operand dim of extent 1.
  static constexpr int64_t Zero = -1;
  /// The result is neither a dim nor 0.
  static constexpr int64_t Other = -2;

  int64_t numDims = 0;
  /// A dim, Zero or Other per result.
  llvm::SmallVector<int64_t> results;

  DimMap() = default;
  DimMap(int64_t numDims, llvm::ArrayRef<int64_t> results)
      : numDims(numDims), results(results.begin(), results.end()) {}
  static DimMap identity(int64_t numDims);
  /// Returns the map that keeps the unmarked dims in order.
  static DimMap dropping(const llvm::SmallBitVector &dropped);

  /// Returns whether every result is a dim or 0, and no dim is used twice.
  bool isProjectedPermutation() const;
  /// Returns whether every dim is a result, once, and nothing else is.
  bool isPermutation() const;
  /// Returns the position of `dim` among the results.
  std::optional<int64_t> resultOf(int64_t dim) const;
  /// Returns the operand index read at an iteration point.
  /// \pre  isProjectedPermutation(), and the point has an index per dim
  llvm::SmallVector<int64_t> operator()(llvm::ArrayRef<int64_t> point) const;

  bool operator==(const DimMap &other) const = default;
};

} // namespace distaff

#endif // DISTAFF_LAYOUT_DIMMAP_H

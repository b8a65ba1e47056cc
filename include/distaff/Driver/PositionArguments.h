//===- PositionArguments.h - Arguments used as indices ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer argument whose elements the kernel uses as positions must stay
// within the extents they index, or random inputs would be out of bounds:
//
//   %rows = vector.transfer_read %arg1[%i], %c0 : memref<64xi32>, ...
//   %at = arith.index_cast %rows : vector<16xi32> to vector<16xindex>
//   %v = transfer_gather %arg0[%c0, %c0] [%at : ...] ... : memref<512x8xf16>
//
// makes arg1 an array of positions below 512. Values are followed through
// reads, casts and changes of shape, not through arithmetic: a position that is
// computed has no known extent.
//
// A number that is a loop's bound or step, and any other scalar of type index,
// is small: a loop to a random number of 63 bits would not end.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_POSITIONARGUMENTS_H
#define DISTAFF_DRIVER_POSITIONARGUMENTS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Describes what the elements of an argument index.
struct PositionUse {
  int64_t extent; ///< elements are in [least, extent)
  /// Elements are positions of writes: two equal ones would be a race.
  bool isDistinct = false;
  /// The extents of an array of coordinates, one per number of its last dim:
  /// each coordinate is below its own extent, and rows differ if one is
  /// distinct.
  SmallVector<int64_t> extentsOfRow = {};
  int64_t least = 0; ///< 1 for a loop's step
};

/// Returns the tightest use of each argument of a kernel as its author wrote
/// it; none for an argument that is not an array of positions. `shapes` are the
/// arguments' shapes.
SmallVector<std::optional<PositionUse>>
findPositionArguments(FunctionOpInterface kernel,
                      ArrayRef<SmallVector<int64_t>> shapes);

/// Returns, per argument, whether the kernel writes it, or may.
SmallVector<bool> findWritten(FunctionOpInterface kernel);

/// Returns, per argument, whether the kernel only writes it, so that its
/// initial contents do not matter.
SmallVector<bool> findOutputs(FunctionOpInterface kernel);

} // namespace distaff

#endif // DISTAFF_DRIVER_POSITIONARGUMENTS_H

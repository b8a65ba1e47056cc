//===- TilePad.h - Padding to multiples of tiles ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of 64 divides neither an extent of 1000 nor a dynamic one. The ops of
// the group are then padded to the next multiple of the tile: their inputs are
// padded, and reductions combine neutral elements past the end. The result is
// the same, and all tiles divide. Accesses of memory are clipped again
// (TileEdges.h), so that no padding is stored.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILEPAD_H
#define DISTAFF_LIB_TILING_TILE_TILEPAD_H

#include "TileGrid.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// The upper bound of dynamic extents.
inline constexpr int64_t largestExtent = int64_t(1) << 31;

/// A padded axis is one axis of a group before and after padding.
struct PaddedAxis {
  int64_t extent = 1; ///< in elements; `ShapedType::kDynamic` if dynamic
  /// The tensor whose dimension `dim` is the dynamic extent; without `dim`, the
  /// extent itself.
  Value of;
  std::optional<unsigned> dim;
  /// The extent after padding. For a dynamic extent it is larger than any
  /// extent, and differs from that of other axes.
  int64_t padded = 1;

  /// The extent of a workgroup's tile, and whether the workgroup iterates over
  /// it in steps.
  int64_t held = 1;
  bool isWalked = false;

  bool isCut() const { return extent != padded; }
  bool hasExtentOf(const PaddedAxis &other) const {
    return extent == other.extent && of == other.of && dim == other.dim;
  }
  /// Returns the extent as an attribute, or computed at the insertion point of
  /// `b`.
  OpFoldResult extentAt(OpBuilder &b, Location loc) const;
};

/// A padded kernel has tiles that divide its axes.
struct PaddedKernel {
  SmallVector<PaddedAxis> axes; ///< numbered as those of the group
  /// The requirements on the launch: dims of different tensors that are one
  /// axis have equal extents.
  SmallVector<ExtentRequirement> requirements;
};

/// Pads the ops of `group` to multiples of the tiles, which are per axis: of
/// workgroups, and of the loops inside. Inputs from outside of the group become
/// tensor.pad with zero, or with the neutral element of the reductions that
/// read them (NeutralPads.h). A reduction over a padded axis combines its
/// neutral element past the end, by its padding or by a mask, or keeps its
/// result. The kernel's results keep the types of its signature, which differ
/// from the ops' result types.
/// \post the group has the padded extents
FailureOr<PaddedKernel> padToTiles(RewriterBase &rewriter, func::FuncOp kernel,
                                   FusedGroup &group,
                                   ArrayRef<int64_t> workgroupTiles,
                                   ArrayRef<int64_t> serialTiles);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEPAD_H

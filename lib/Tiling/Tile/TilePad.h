//===- TilePad.h - Extents that tiles divide --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of 64 does not divide an extent of 1000, or one that only the launch
// knows. The ops of the group then get the next multiple of it: their inputs
// are padded, and what they reduce is neutral behind the end. The program means
// the same, and tiling it is tiling one that divides. What is padded here is
// cut again where a tile meets memory (TileEdges.h), so nothing padded is
// stored.
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

/// What extents are smaller than that only the launch knows.
inline constexpr int64_t largestExtent = int64_t(1) << 31;

/// One axis of a group before and after padding.
struct PaddedAxis {
  int64_t extent = 1; ///< in elements; `ShapedType::kDynamic` if dynamic
  /// Of a dynamic one, whose dimension it is; or, without a dimension, itself.
  Value of;
  std::optional<unsigned> dim;
  /// What the ops have now. For a dynamic extent a bound that no extent
  /// reaches, and no other axis has.
  int64_t padded = 1;

  /// How much of it a workgroup has, and whether it goes along that step by
  /// step.
  int64_t held = 1;
  bool isWalked = false;

  bool isCut() const { return extent != padded; }
  bool hasExtentOf(const PaddedAxis &other) const {
    return extent == other.extent && of == other.of && dim == other.dim;
  }
  /// The extent as an attribute, or computed where `b` stands.
  OpFoldResult extentAt(OpBuilder &b, Location loc) const;
};

/// A kernel whose tiles divide.
struct PaddedKernel {
  SmallVector<PaddedAxis> axes; ///< numbered as those of the group
  /// What the launch has to see to: dims of different tensors that are one axis
  /// have equal extents.
  SmallVector<ExtentRequirement> requirements;
};

/// Pads the ops of `group` to multiples of the tiles, which are per axis: of
/// workgroups, and of the loops inside. Inputs from outside of the group become
/// tensor.pad with zero, or with the neutral element of what reduces them
/// (NeutralPads.h). A reduction over a padded axis combines its neutral
/// element, by its padding or by a mask, or leaves its result, behind the end.
/// The kernel's results keep the types of its signature, which are those of the
/// ops' results no longer.
/// \post the group has the padded extents
FailureOr<PaddedKernel> padToTiles(RewriterBase &rewriter, func::FuncOp kernel,
                                   FusedGroup &group,
                                   ArrayRef<int64_t> workgroupTiles,
                                   ArrayRef<int64_t> serialTiles);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEPAD_H

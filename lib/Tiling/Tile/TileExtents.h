//===- TileExtents.h - Extents of axes --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis of a group is a dim of several tensors. One of them determines the
// extent, and the launch checks that the others agree.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILEEXTENTS_H
#define DISTAFF_LIB_TILING_TILE_TILEEXTENTS_H

#include "TileGrid.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// An axis place is a dim of a tensor that comes from outside of the group, or
/// that a result is written to.
struct AxisPlace {
  Value tensor;
  unsigned dim;
  Operation *op; // the op of the group that reads it
};

/// Collects the places of a group's axes; arguments of the launch come first,
/// since they determine an extent best.
class AxisPlaces {
public:
  AxisPlaces(func::FuncOp kernel, const FusedGroup &group);

  ArrayRef<AxisPlace> of(unsigned axis) const { return places[axis]; }

  /// Returns the equalities that the launch must satisfy if the axes have these
  /// extents, static or dynamic. Fails where an extent is no formula of the
  /// launch's.
  FailureOr<SmallVector<ExtentRequirement>>
  findRequirements(ArrayRef<int64_t> axisExtents) const;

private:
  mutable func::FuncOp kernel;
  SmallVector<SmallVector<AxisPlace>> places; // per axis
};

/// Returns whether a fill is not a result of the kernel.
bool isReadFill(const GroupOp &groupOp);

/// Returns the extent of a tensor that is a view of another one, or may be
/// erased; null for a tensor with memory of its own.
Value sizeOf(RewriterBase &rewriter, AxisPlace at);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEEXTENTS_H

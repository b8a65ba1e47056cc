//===- TileExtents.h - Which dims are an axis -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis of a group is a dim of several tensors. One of them says how long it
// is, and a launch has to see that the others agree.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILEEXTENTS_H
#define DISTAFF_LIB_TILING_TILE_TILEEXTENTS_H

#include "TileGrid.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Where an axis is a dim of a tensor that comes from outside of the group, or
/// of what a result is written to.
struct AxisPlace {
  Value tensor;
  unsigned dim;
  Operation *op; // of the group, that has it
};

/// Where the axes of a group are, what a launch passes first: that tells an
/// extent best.
class AxisPlaces {
public:
  AxisPlaces(func::FuncOp kernel, const FusedGroup &group);

  ArrayRef<AxisPlace> of(unsigned axis) const { return places[axis]; }

  /// What has to be equal, if the axes have these extents, static or dynamic.
  /// An error where an extent is no formula of the launch's.
  FailureOr<SmallVector<ExtentRequirement>>
  findRequirements(ArrayRef<int64_t> axisExtents) const;

private:
  mutable func::FuncOp kernel;
  SmallVector<SmallVector<AxisPlace>> places; // per axis
};

/// A fill that is no result.
bool isReadFill(const GroupOp &groupOp);

/// The extent of what has another one in memory, or need not be there any more;
/// null of what has memory of its own.
Value sizeOf(RewriterBase &rewriter, AxisPlace at);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEEXTENTS_H

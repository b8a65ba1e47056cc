//===- LinalgExtRegions.h - Regions of iree_linalg_ext ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares what the files that lower ops of iree_linalg_ext share.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_IMPORT_DISPATCH_LINALGEXTREGIONS_H
#define DISTAFF_LIB_IMPORT_DISPATCH_LINALGEXTREGIONS_H

#include "distaff/Dialect/Dispatch/LinalgExt.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace distaff {

/// Returns the block of an op's region; null where it has none.
Block *regionOf(Operation *op);

/// Clones the ops of a region for `arguments`, and returns the yielded value.
Value inlineRegion(OpBuilder &b, Block *region, ValueRange arguments);

/// Returns the dimension of an op along which it works, if it names one of
/// `type`.
std::optional<unsigned> dimensionOf(Operation *op, RankedTensorType type);

/// Returns whether a region takes two elements of each type, in this order, and
/// yields one value of type `yielded`.
bool takesPairs(Block *region, ArrayRef<Type> elements, Type yielded);

/// Creates an empty tensor of a computed shape.
Value emptyTensor(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes,
                  Type element);

LogicalResult lowerIm2col(dispatch::Im2colOp op);
LogicalResult lowerMapStore(dispatch::MapStoreOp op);
LogicalResult lowerScan(dispatch::ScanOp op);
LogicalResult lowerSort(dispatch::SortOp op);
LogicalResult lowerTopk(Operation *op, ValueRange inputs, ValueRange outputs);

} // namespace distaff

#endif // DISTAFF_LIB_IMPORT_DISPATCH_LINALGEXTREGIONS_H

//===- MixedSlice.h - Composition of slices ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mixed slice has offsets, sizes and strides as values or numbers. Element i
// of a slice is at `offset + i * stride`; so element i of an inner slice of an
// outer one is at
// `outer.offset + (inner.offset + i * inner.stride) * outer.stride`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FUSION_MIXEDSLICE_H
#define DISTAFF_LIB_PCF_FUSION_MIXEDSLICE_H

#include "distaff/LLVM.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

namespace distaff::pcf {

struct MixedSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  static MixedSlice of(OffsetSizeAndStrideOpInterface op);

  /// Returns the slice at offset 0, with stride 1, of these sizes.
  static MixedSlice leading(Builder &builder, ArrayRef<OpFoldResult> sizes);

  bool hasUnitStrides() const;

  /// Returns whether both slices have the same numbers and the same values.
  bool operator==(const MixedSlice &other) const;

  /// Returns the slice of the whole that `inner`, a slice of this slice, is.
  MixedSlice compose(OpBuilder &builder, Location loc,
                     const MixedSlice &inner) const;

  /// Returns the slice with a dimension of size 1 at offset 0 for each in
  /// `dropped`.
  MixedSlice withUnitDims(Builder &builder,
                          const llvm::SmallBitVector &dropped) const;
};

/// Returns the tensor, vector or memref `source` with a unit dimension for each
/// in `dropped`: dimensions of a slice of these sizes that `source` lacks.
Value expandToSlice(OpBuilder &builder, Location loc, Value source,
                    ArrayRef<OpFoldResult> sizes,
                    const llvm::SmallBitVector &dropped);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_MIXEDSLICE_H

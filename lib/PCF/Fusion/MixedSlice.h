//===- MixedSlice.h - Slices of slices --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets, sizes and strides as values or numbers. Element i of a slice is at
// `offset + i * stride`; so element i of an inner slice of an outer one is at
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

  /// The part at offset 0, with stride 1, of these sizes.
  static MixedSlice leading(Builder &builder, ArrayRef<OpFoldResult> sizes);

  bool hasUnitStrides() const;

  /// Whether both say the same in the same values.
  bool operator==(const MixedSlice &other) const;

  /// The slice that `inner` is of the whole, if it is one of this slice.
  MixedSlice compose(OpBuilder &builder, Location loc,
                     const MixedSlice &inner) const;

  /// The slice with a dimension of size 1 at offset 0 for each in `dropped`.
  MixedSlice withUnitDims(Builder &builder,
                          const llvm::SmallBitVector &dropped) const;
};

/// A tensor, vector or memref with a unit dimension for each that a slice of
/// these sizes has and it lacks (`dropped`).
Value expandToSlice(OpBuilder &builder, Location loc, Value source,
                    ArrayRef<OpFoldResult> sizes,
                    const llvm::SmallBitVector &dropped);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_MIXEDSLICE_H

//===- Slices.h - Slices of srefs -------------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DIALECT_PCF_SLICES_H
#define DISTAFF_LIB_DIALECT_PCF_SLICES_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// A slice as its static lists have it; `ShapedType::kDynamic` where a value
/// is not known.
struct StaticSlice {
  SmallVector<int64_t> offsets, sizes, strides;

  static StaticSlice of(OffsetSizeAndStrideOpInterface op);
};

/// The first dimension in which a slice, none of whose sizes is 0, leaves the
/// extents; none where that cannot be said.
std::optional<unsigned> findExcess(const StaticSlice &slice,
                                   ArrayRef<int64_t> extents);

/// How a value that is read or written goes with the sizes of its slice: the
/// first dimension in which it does not.
std::optional<unsigned> findMisfit(ShapedType value, ArrayRef<int64_t> sizes);

/// The slice lies in its sref. `op` is one of the slice ops.
LogicalResult verifySliceInside(Operation *op);

/// Makes lists static where their operands are constants that the verifier
/// takes; sizes only if `withSizes`. Whether any did.
bool foldSlice(OffsetSizeAndStrideOpInterface op, bool withSizes);

/// Sizes that would become static, as the op's mixed sizes; the others as they
/// are.
SmallVector<OpFoldResult> foldSizes(OffsetSizeAndStrideOpInterface op);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_DIALECT_PCF_SLICES_H

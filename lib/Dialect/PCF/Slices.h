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

/// The static lists of a slice; `ShapedType::kDynamic` for unknown values.
struct StaticSlice {
  SmallVector<int64_t> offsets, sizes, strides;

  static StaticSlice of(OffsetSizeAndStrideOpInterface op);
};

/// Returns the first dimension in which a slice, none of whose sizes is 0,
/// exceeds the extents; nullopt if none or unknown.
std::optional<unsigned> findExcess(const StaticSlice &slice,
                                   ArrayRef<int64_t> extents);

/// Returns the first dimension in which a value that is read or written does
/// not match the sizes of its slice.
std::optional<unsigned> findMisfit(ShapedType value, ArrayRef<int64_t> sizes);

/// Verifies that the slice lies in its sref. `op` is one of the slice ops.
LogicalResult verifySliceInside(Operation *op);

/// Makes lists static if their operands are constants that the verifier
/// accepts; sizes only if `withSizes`. Returns whether the lists changed.
bool foldSlice(OffsetSizeAndStrideOpInterface op, bool withSizes);

/// Returns the op's mixed sizes with those that can become static replaced.
SmallVector<OpFoldResult> foldSizes(OffsetSizeAndStrideOpInterface op);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_DIALECT_PCF_SLICES_H

//===- RefBox.h - Boxes of slices as linear terms ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of a ref, or of views of it, lies in a box of the ref: of elements
// from `low` to the one before `high` in each dimension, which are terms of
// index arithmetic (IndexTerms.h). If the box is not known, it is the whole
// extent.
//
// Example: `pcf.read_slice %v[8, 0] [4, 64] [1, 1]`, where %v is
// `pcf.subview %ring[%k mod 2, 0, 0] [1, 32, 64] [1, 1, 1]` without its first
// dimension, has the box [k mod 2, k mod 2 + 1) x [8, 12) x [0, 64) of %ring.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_REFBOX_H
#define DISTAFF_LIB_PCF_ORDER_REFBOX_H

#include "IndexTerms.h"
#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

struct RefBox {
  /// The bounds of the box; null where a slice may be anywhere.
  SmallVector<AffineExpr> low, high;

  /// Returns the unbounded box of a ref with `rank` dimensions.
  static RefBox anywhere(unsigned rank);

  /// Returns the box of a slice in its direct source or target.
  static RefBox of(OffsetSizeAndStrideOpInterface slice, IndexTerms &terms);

  /// Returns the box of a slice in the memory that `ref`, its source or target,
  /// is a name or a view of; `isMemory` holds for the names of that memory.
  static RefBox in(OffsetSizeAndStrideOpInterface slice, Value ref,
                   unsigned rank, function_ref<bool(Value)> isMemory,
                   IndexTerms &terms);

  /// Adds the constraints that hold if the boxes share an element.
  void addOverlap(const RefBox &other,
                  SmallVectorImpl<IndexConstraint> &constraints) const;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_REFBOX_H

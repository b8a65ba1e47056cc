//===- LayoutOf.h - From layout attributes to layouts -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts a layout attribute to a layout, and a layout to its attribute:
//
//   VectorLayoutInterface attr = op.getLayout();
//   attr.getLayout().indexOf({/*subgroup=*/3, /*lane=*/37, /*reg=*/0});
//   getLayoutAttr(context, attr.getLayout().permute({1, 0}));
//
// Separate from VectorExt.h, so that Simt can read the dialect's ops but not
// layouts.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_LAYOUTOF_H
#define DISTAFF_DIALECT_VECTOREXT_LAYOUTOF_H

#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Layout/NestedLayout.h"

namespace distaff {
/// Hashes digits, so that an attribute can hold them.
inline llvm::hash_code hash_value(const Digit &digit) {
  return llvm::hash_combine(digit.axis, digit.size, digit.stride);
}
} // namespace distaff

namespace distaff::vector_ext {

/// Returns the attribute of a layout: nested form if there is one, else digits.
VectorLayoutInterface getLayoutAttr(MLIRContext *context, const Layout &layout);

/// Same; null for nullopt.
VectorLayoutInterface getLayoutAttr(MLIRContext *context,
                                    const std::optional<Layout> &layout);

/// Returns the digits of each dimension, outermost first.
SmallVector<SmallVector<Digit>> getDigits(const Layout &layout);

/// Returns the attribute whose dimensions have these digits, which must be
/// those of a layout.
DigitLayoutAttr getDigitLayoutAttr(MLIRContext *context,
                                   ArrayRef<SmallVector<Digit>> dims);

/// Converts an affine map to the form that the layout algebra uses.
DimMap toDimMap(AffineMap map);

} // namespace distaff::vector_ext

#endif // DISTAFF_DIALECT_VECTOREXT_LAYOUTOF_H

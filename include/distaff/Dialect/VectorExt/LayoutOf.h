//===- LayoutOf.h - From layout attributes to layouts -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a layout attribute means, and the attribute of a layout:
//
//   VectorLayoutInterface attr = op.getLayout();
//   attr.getLayout().indexOf({/*subgroup=*/3, /*lane=*/37, /*reg=*/0});
//   getLayoutAttr(context, attr.getLayout().permute({1, 0}));
//
// Apart from VectorExt.h, so that Simt can read the dialect's ops and is not
// able to read a layout.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_LAYOUTOF_H
#define DISTAFF_DIALECT_VECTOREXT_LAYOUTOF_H

#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Layout/NestedLayout.h"

namespace distaff {
/// Lets an attribute hold digits.
inline llvm::hash_code hash_value(const Digit &digit) {
  return llvm::hash_combine(digit.axis, digit.size, digit.stride);
}
} // namespace distaff

namespace distaff::vector_ext {

/// The attribute of a layout: nested form where there is one, else digits.
VectorLayoutInterface getLayoutAttr(MLIRContext *context, const Layout &layout);

/// As above; null for none.
VectorLayoutInterface getLayoutAttr(MLIRContext *context,
                                    const std::optional<Layout> &layout);

/// The digits of each dimension, outermost first.
SmallVector<SmallVector<Digit>> getDigits(const Layout &layout);

/// The attribute whose dimensions have these digits, which are those of a
/// layout.
DigitLayoutAttr getDigitLayoutAttr(MLIRContext *context,
                                   ArrayRef<SmallVector<Digit>> dims);

/// What the layout algebra needs to know of an affine map.
DimMap toDimMap(AffineMap map);

} // namespace distaff::vector_ext

#endif // DISTAFF_DIALECT_VECTOREXT_LAYOUTOF_H

//===- LayoutBuilder.h - Layouts from digits known to be legal --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that the files of the algebra share: building a Layout without
// checking its digits again, and setting the strides of register digits.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_LAYOUTBUILDER_H
#define DISTAFF_LIB_LAYOUT_LAYOUTBUILDER_H

#include "distaff/Layout/Layout.h"
#include <cassert>

namespace distaff {

/// Digits of all dimensions, outermost first.
using DimDigits = llvm::SmallVector<llvm::SmallVector<Digit>>;

class LayoutBuilder {
public:
  /// \pre  Layout::get would accept the digits, and none has size 1
  static Layout build(DimDigits dims) {
    assert(isLayout(dims) && "digits of size above 1 are chains without gaps "
                             "in the registers");
    Layout layout;
    layout.dims = std::move(dims);
    return layout;
  }
  /// Returns whether Layout::get would accept the digits as they are.
  static bool isLayout(const DimDigits &dims);
  static const DimDigits &digits(const Layout &layout) { return layout.dims; }
};

/// Closes the gaps that dropped digits left among the registers and keeps their
/// order.
void closeRegisterGaps(DimDigits &dims);

/// Renumbers the registers, whatever their strides are: as a nested layout with
/// these digits does, and if there is none, by decreasing significance of the
/// digits in the order of the lists.
void numberRegisters(DimDigits &dims);

/// Returns whether a and b are the same digits up to register strides.
bool ownAlike(llvm::ArrayRef<Digit> a, llvm::ArrayRef<Digit> b);

/// Appends `lower` below the digits, merged with the last of them if together
/// they read one part of an id. With `anyRegisters`, neighbouring register
/// digits count as one whatever their strides.
void appendMerged(llvm::SmallVectorImpl<Digit> &digits, Digit lower,
                  bool anyRegisters = false);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_LAYOUTBUILDER_H

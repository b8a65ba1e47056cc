//===- HiddenIndices.h - Opaque placeholders for slice indices --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FUSION_HIDDENINDICES_H
#define DISTAFF_LIB_PCF_FUSION_HIDDENINDICES_H

#include "MixedSlice.h"

#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Replaces the values in slices by placeholders, which are equal if the values
/// are. A tilable op that computes the tile of two operands composes the
/// computation of their offsets anew for each operand, and then takes them for
/// different; it leaves a placeholder as it is.
class HiddenIndices {
public:
  /// Creates placeholders at the builder's insertion point.
  HiddenIndices(OpBuilder &builder) : builder(builder) {}

  MixedSlice hide(const MixedSlice &slice);

  /// Replaces the placeholders by the values.
  void restore(RewriterBase &rewriter);

  /// Returns the value that a placeholder stands for; other values unchanged.
  static Value lookThrough(Value value);

private:
  OpFoldResult hide(OpFoldResult index);

  OpBuilder &builder;
  SmallVector<UnrealizedConversionCastOp> standIns;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_HIDDENINDICES_H

//===- HiddenIndices.h - Indices without their definition -------*- C++ -*-===//
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

/// Stand-ins for the values in slices, equal where the values are. Asked for
/// the tile of two operands, a tilable op composes what computes their offsets,
/// anew for each, and then takes them for different; what it does not see it
/// leaves.
class HiddenIndices {
public:
  /// Stand-ins are created at the builder's place.
  HiddenIndices(OpBuilder &builder) : builder(builder) {}

  MixedSlice hide(const MixedSlice &slice);

  /// Puts the values back.
  void restore(RewriterBase &rewriter);

  /// The value behind a stand-in; other values are returned as they are.
  static Value lookThrough(Value value);

private:
  OpFoldResult hide(OpFoldResult index);

  OpBuilder &builder;
  SmallVector<UnrealizedConversionCastOp> standIns;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_HIDDENINDICES_H

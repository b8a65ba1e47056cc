//===- ContractionView.h - Common view of contractions ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes what `vector.contract` and `distaff.contract` have in common:
// loops, some of them reduced, and maps from the loops to the operands and the
// result.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_CONTRACTIONVIEW_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_CONTRACTIONVIEW_H

#include "distaff/LLVM.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace distaff::vectortiles {

struct ContractionView {
  SmallVector<AffineMap> maps;  ///< of lhs, rhs and the result
  SmallVector<bool> reduced;    ///< by loop
  SmallVector<int64_t> extents; ///< by loop
  Value lhs, rhs, accumulator;
  Value mask; ///< of the loops' points; may be null

  /// Returns the view of a contraction; none for another op.
  static std::optional<ContractionView> get(Operation *op);
};

/// Returns whether an op is a contraction whose reduced loops may be split.
bool isContraction(Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_CONTRACTIONVIEW_H

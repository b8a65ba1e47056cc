//===- NeutralPads.h - Neutral padding of reductions ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Past the end of a padded extent a reduction must combine its neutral element.
// A maximum of rows that are padded with -inf does so without a mask, and so
// does a sum of squares of rows that are padded with zero, if it starts from
// +0.0:
//
//   %p = tensor.pad %x high[0, 24] { -inf }             : tensor<8x1024xf32>
//   linalg.generic ins(%p) {
//     arith.maximumf %in, %out
//   }
//
// This saves a select per element and the registers of its condition (VX-296).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_NEUTRALPADS_H
#define DISTAFF_LIB_TILING_TILE_NEUTRALPADS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// A padded reduction is a reduction with padded loops.
struct PaddedReduction {
  linalg::LinalgOp op;
  SmallVector<unsigned> loops; // the reduced ones that are padded

  /// Returns whether reduction number `number` combines a neutral element
  /// wherever a position along one of the loops is past the end, because of the
  /// padding of its inputs.
  /// \pre inputs that are tensor.pad end where the loops do
  bool isNeutralBehind(unsigned number) const;
};

/// Replaces the zero padding of inputs by the neutral element of a reduction
/// where more terms then need no mask. Inputs of contractions, which rely on
/// zeros, keep their padding.
void padNeutrally(RewriterBase &rewriter, ArrayRef<PaddedReduction> reductions);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_NEUTRALPADS_H

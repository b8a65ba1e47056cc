//===- NeutralPads.h - Padding that reductions need no mask for -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind the end of a padded extent a reduction combines its neutral element. A
// maximum of rows that are padded with -inf does so without a mask, and so does
// a sum of squares of rows that are padded with zero, if it starts from +0.0:
//
//   %p = tensor.pad %x high[0, 24] { -inf }             : tensor<8x1024xf32>
//   linalg.generic ins(%p) {
//     arith.maximumf %in, %out
//   }
//
// A select per element, and the registers of its condition, are spared
// (VX-296).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_NEUTRALPADS_H
#define DISTAFF_LIB_TILING_TILE_NEUTRALPADS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// A reduction some of whose loops are padded.
struct PaddedReduction {
  linalg::LinalgOp op;
  SmallVector<unsigned> loops; // the reduced ones that are padded

  /// Whether reduction number `number` combines a neutral element wherever a
  /// position along one of the loops is behind the end, by what its inputs are
  /// padded with.
  /// \pre inputs that are tensor.pad end where the loops do
  bool isNeutralBehind(unsigned number) const;
};

/// Replaces the zero that inputs are padded with by the neutral element of a
/// reduction where more terms need no mask then. Inputs of contractions, which
/// rely on zeros, keep theirs.
void padNeutrally(RewriterBase &rewriter, ArrayRef<PaddedReduction> reductions);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_NEUTRALPADS_H

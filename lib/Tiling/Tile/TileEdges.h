//===- TileEdges.h - Boundary tiles -----------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After tiling a padded kernel (TilePad.h) every tile is whole, and reads and
// writes past the ends of tensors. This file clips each tile: of n elements
// from offset o on, a tile of 64 has min(64, n - o).
//
//   tensor.extract_slice (tensor.pad %x)[%o] [64]
//     =>  tensor.pad (tensor.extract_slice %x[%o] [%c])      // to 64
//   tensor.parallel_insert_slice %t into %out[%o] [64]
//     =>  tensor.parallel_insert_slice (extract_slice %t[0] [%c])
//           into %out[%o] [%c]
//   arith.cmpi slt, (linalg.index 1) + %o, %n
//     =>  arith.cmpi slt, (linalg.index 1), %c
//
// where %c is one value. A workgroup that iterates over its tile in steps then
// has two versions of a step: one for whole tiles, where %c is 64, and one for
// boundary tiles (TileSplit.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILEEDGES_H
#define DISTAFF_LIB_TILING_TILE_TILEEDGES_H

#include "TilePad.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Clips the reads of tensor.pad outside of the loop over workgroups, the
/// writes to results smaller than its tiles, and the ends in comparisons of
/// positions.
LogicalResult cutEdges(RewriterBase &rewriter, scf::ForallOp forall,
                       ArrayRef<PaddedAxis> paddedAxes);

/// Gives workgroups with a whole tile a separate body, if a contraction in it
/// runs in steps. Equal values must have been merged before. With `splitsSteps`
/// a product's only loop is split where possible, instead of duplicated;
/// returns the loop over the remaining steps, which must not be peeled.
scf::ForOp splitEdges(RewriterBase &rewriter, scf::ForallOp forall,
                      bool splitsSteps);

/// Adds patterns that fold comparisons of positions with ends that a whole tile
/// does not reach.
void populateFoldInside(RewritePatternSet &patterns);

/// Peels the last step of loops in `forall` whose step does not divide their
/// range, unless they are known to have fewer steps than `fewestSteps`, or are
/// `except`. Returns whether a loop was peeled.
bool peelEdges(RewriterBase &rewriter, scf::ForallOp forall,
               int64_t fewestSteps = 1, scf::ForOp except = {});

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEEDGES_H

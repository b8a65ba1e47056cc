//===- TileEdges.h - Where tiles meet the ends of tensors -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After tiling a padded kernel (TilePad.h) every tile is whole, and reads and
// writes beyond the ends of tensors. Here each is cut: of n elements from
// offset o on, a tile of 64 has min(64, n - o).
//
//   tensor.extract_slice (tensor.pad %x)[%o] [64]
//     =>  tensor.pad (tensor.extract_slice %x[%o] [%c])      // to 64
//   tensor.parallel_insert_slice %t into %out[%o] [64]
//     =>  tensor.parallel_insert_slice (extract_slice %t[0] [%c])
//           into %out[%o] [%c]
//   arith.cmpi slt, (linalg.index 1) + %o, %n
//     =>  arith.cmpi slt, (linalg.index 1), %c
//
// where %c is one value. A workgroup that walks its tile step by step then has
// two versions of a step: one in which all is whole, %c is 64, and one in which
// it is cut (TileSplit.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILEEDGES_H
#define DISTAFF_LIB_TILING_TILE_TILEEDGES_H

#include "TilePad.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Cuts what the loop over workgroups reads of tensor.pad outside of it, what
/// it writes to results smaller than its tiles, and what its ops compare
/// positions with.
LogicalResult cutEdges(RewriterBase &rewriter, scf::ForallOp forall,
                       ArrayRef<PaddedAxis> paddedAxes);

/// Gives workgroups whose tile is whole a body of their own, if a contraction
/// is walked in it, step by step. To be called once equal values are one. With
/// `splitsSteps` a product's only loop is split where it can be, instead of
/// written twice; returned is the loop over steps with edges, which is not to
/// be peeled.
scf::ForOp splitEdges(RewriterBase &rewriter, scf::ForallOp forall,
                      bool splitsSteps);

/// Folds comparisons of positions with ends that a whole tile does not reach.
void populateFoldInside(RewritePatternSet &patterns);

/// Splits loops inside of `forall` whose step does not divide their range into
/// whole steps and the last one, unless they are known to have fewer steps than
/// `fewestSteps`, or are `except`. Returns whether there was one.
bool peelEdges(RewriterBase &rewriter, scf::ForallOp forall,
               int64_t fewestSteps = 1, scf::ForOp except = {});

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEEDGES_H

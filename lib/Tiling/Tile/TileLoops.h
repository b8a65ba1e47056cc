//===- TileLoops.h - Loops of tiling ----------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiling creates two kinds of loops: one over workgroups around the whole
// kernel, and serial loops inside a workgroup. Tile sizes of both are per axis
// (see FusedGroup.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILELOOPS_H
#define DISTAFF_LIB_TILING_TILE_TILELOOPS_H

#include "TilePad.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff {
struct Target;

/// Moves the group that computes the function's results into one `scf.forall`
/// over workgroups, and returns the loop. Its results have the extents of
/// `paddedAxes`, and the types that the ops' had before. The target's grid
/// limits the number and the counts of its loops; the innermost, x, takes the
/// remainder.
FailureOr<scf::ForallOp>
tileToWorkgroups(RewriterBase &rewriter, func::FuncOp kernel,
                 const FusedGroup &group, ArrayRef<PaddedAxis> paddedAxes,
                 ArrayRef<Type> types, ArrayRef<int64_t> tiles,
                 const Target &target);

/// Gives the ops in the body of `forall` their serial loops. A loop over a
/// padded axis ends at the axis's extent before padding. An expensive result
/// that several loops read, of at most `keptBytes` bytes, is kept in memory
/// between them. With `foldsExponents` the scale of attention's scores becomes
/// part of its exponentials.
LogicalResult tileSerially(RewriterBase &rewriter, scf::ForallOp forall,
                           ArrayRef<PaddedAxis> paddedAxes, bool strictFp,
                           bool foldsExponents, int64_t keptBytes);

/// Gives ops of a CPU workgroup whose tiles exceed its registers loops over
/// register tiles.
LogicalResult registerTiling(RewriterBase &rewriter, scf::ForallOp forall,
                             const Target &host);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILELOOPS_H

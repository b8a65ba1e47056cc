//===- TileOnlineSoftmax.h - Attention in one pass --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILEONLINESOFTMAX_H
#define DISTAFF_LIB_TILING_TILE_TILEONLINESOFTMAX_H

#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Replaces the contraction of `online` by a loop along its keys, `tile` at a
/// time, which carries the maximum, the sum and the result so far. Scores are
/// computed inside, by the ops of `group` that make them; `foldsExponents`
/// takes their scale into the exponentials. Returns the loop.
FailureOr<scf::ForOp> tileOnlineSoftmax(RewriterBase &rewriter,
                                        const OnlineSoftmax &online,
                                        const FusedGroup &group, unsigned axis,
                                        int64_t tile, bool foldsExponents);

/// Makes the sum of a loop along a dynamic number of keys 1 where there are no
/// keys, so that the result, 0, is divided by a number.
void divideByOneWithoutKeys(RewriterBase &rewriter, scf::ForOp loop);

/// Where a causal mask, -inf selected by a comparison of a key's position and a
/// row's, has masked all rows of the group's tile: a multiple of `tile` from
/// which on keys change nothing, computed in front of the contraction. Null
/// where there is no such mask.
Value endOfKeys(RewriterBase &rewriter, const OnlineSoftmax &online,
                const FusedGroup &group, unsigned axis, int64_t tile);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEONLINESOFTMAX_H

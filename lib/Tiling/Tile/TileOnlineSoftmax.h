//===- TileOnlineSoftmax.h - Online softmax ---------------------*- C++ -*-===//
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

/// Replaces the contraction of `online` by a loop over its keys, `tile` at a
/// time, which carries the running maximum, sum and result. The ops of `group`
/// compute the scores inside; `foldsExponents` folds their scale into the
/// exponentials. Returns the loop.
FailureOr<scf::ForOp> tileOnlineSoftmax(RewriterBase &rewriter,
                                        const OnlineSoftmax &online,
                                        const FusedGroup &group, unsigned axis,
                                        int64_t tile, bool foldsExponents);

/// Makes the sum of a loop over a dynamic number of keys 1 if there are no
/// keys, so that the result, 0, is divided by a number.
void divideByOneWithoutKeys(RewriterBase &rewriter, scf::ForOp loop);

/// Returns the first key, a multiple of `tile`, from which on a causal mask
/// (-inf selected by a comparison of a key's position and a row's) masks all
/// rows of the group's tile; it is computed in front of the contraction.
/// Returns null where there is no such mask.
Value endOfKeys(RewriterBase &rewriter, const OnlineSoftmax &online,
                const FusedGroup &group, unsigned axis, int64_t tile);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEONLINESOFTMAX_H

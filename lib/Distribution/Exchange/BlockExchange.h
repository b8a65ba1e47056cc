//===- BlockExchange.h - Exchange of blocks between subgroups ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If lanes are distributed later (DistributionOptions::keepsBlocks), data
// between subgroups is written and read as blocks, so that the lanes can share
// that work too:
//
//   transfer_write %mine, %buffer[rows, columns]      each element once
//   wait
//   %new = transfer_read %buffer[rows', columns']
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BLOCKEXCHANGE_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BLOCKEXCHANGE_H

#include "LaneExchange.h"

namespace distaff {

/// Describes the rounds of blocks through memory that has no room for all of
/// them: `count` slices of one dim, which are written, awaited and read one
/// after the other. A block has all of the dim, of which a slice is the same
/// part for every subgroup, or it lies in one of the slices:
///
///   2 slices of the rows    from columns of 16 x 64: rows 0-7, then 8-15
///                           to rows of 1 x 1024: half of the subgroups each
struct BlockRounds {
  int64_t dim = 0, count = 1;
};

/// Plans an exchange in as few rounds as the remaining memory permits. Fails,
/// with a refusal, where no number of slices fits (PCF-134).
FailureOr<BlockRounds> planBlockRounds(Operation *op, Type element,
                                       const Placement &from,
                                       const Placement &to, Distributor &out);

/// Returns `value`, a block by `from`, as a block by `to`.
/// \pre  all subgroups run this together
Value exchangeBlocks(OpBuilder &b, Location loc, Value value,
                     const Placement &from, const Placement &to,
                     const BlockRounds &rounds, Distributor &out);

/// Returns the shape of the memory of `reduceBlocks`: a block of the result for
/// each subgroup that has a part of the source.
SmallVector<int64_t> shapeOfBlocks(const Reach &reach);

/// Returns the `partial` of each subgroup of `reach`, a scalar or the result's
/// block, in the order of their digits.
/// \pre  all subgroups run this together
SmallVector<Value> shareBlocks(OpBuilder &b, Location loc, Value partial,
                               const Reach &reach, Distributor &out);

/// Combines the `partial` of the subgroups of `reach`, a scalar or the result's
/// block, in the order of their digits.
/// \pre  all subgroups run this together
Value reduceBlocks(OpBuilder &b, Location loc, vector::CombiningKind kind,
                   Value partial, const Reach &reach, Distributor &out);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BLOCKEXCHANGE_H

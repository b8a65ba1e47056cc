//===- BlockExchange.h - Blocks that subgroups exchange --------*- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes have their turn later (DistributionOptions::keepsBlocks), what
// subgroups pass to each other is written and read as blocks, so that the lanes
// can share that work too:
//
//   transfer_write %mine, %buffer[rows, columns]      each element once
//   wait
//   %new = transfer_read %buffer[rows', columns']
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_BLOCKEXCHANGE_H
#define DISTAFF_LIB_DISTRIBUTION_BLOCKEXCHANGE_H

#include "LaneExchange.h"

namespace distaff {

/// `value`, a block by `from`, as a block by `to`.
/// \pre  all subgroups run this together
Value exchangeBlocks(OpBuilder &b, Location loc, Value value,
                     const Placement &from, const Placement &to,
                     Distributor &out);

/// The shape of the memory that `reduceBlocks` takes: a block of the result for
/// each subgroup that has a part of what is reduced.
SmallVector<int64_t> shapeOfBlocks(const Reach &reach);

/// Combines what the subgroups of `reach` have in `partial`, a scalar or the
/// result's block, in the order of their digits.
/// \pre  all subgroups run this together
Value reduceBlocks(OpBuilder &b, Location loc, vector::CombiningKind kind,
                   Value partial, const Reach &reach, Distributor &out);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_BLOCKEXCHANGE_H

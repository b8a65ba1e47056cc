//===- Blocks.h - Blocks of subgroups ---------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code may be distributed in two steps: over subgroups, then the code of each
// subgroup over its lanes. In between a value is a vector of as many dims as
// before that all lanes of a subgroup hold together, its *block*:
//
//   layout of 64x32       S[2,1] B[1,2] T[8,4] E[4,4]
//   block, 32x32          B[1,2] T[8,4] E[4,4]
//
// A layout's subgroup digits are the outermost of each dim, so a block is
// contiguous, and begins at the subgroup's index times its extent.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BLOCKS_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BLOCKS_H

#include "Placement.h"
#include "distaff/Distribution/Distribution.h"

namespace distaff {

/// Returns the placement of a block in one of `numSubgroups`: element by
/// element, with a dim per dim of the index. Fails, with the reason, where
/// blocks are not contiguous or there are more of them than subgroups.
FailureOr<Placement> placeBlocks(vector_ext::VectorLayoutInterface layout,
                                 int64_t numSubgroups, std::string *why);

/// Returns the layout of a block.
vector_ext::VectorLayoutInterface
layoutOfBlock(vector_ext::VectorLayoutInterface layout);

/// Creates a to_layout of `block` with the block's part of the layout of `op`.
vector_ext::ToLayoutOp layOutBlock(OpBuilder &b, Location loc, Value block,
                                   vector_ext::ToLayoutOp op);

/// Returns the placement of a layout on these members, as `options.keepsBlocks`
/// requires. Fails, with the reason, if they cannot hold it.
FailureOr<Placement> placeFor(vector_ext::VectorLayoutInterface layout,
                              const DistributionOptions &options,
                              std::string *why);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BLOCKS_H

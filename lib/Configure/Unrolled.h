//===- Unrolled.h - A budget for unrolled code ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After lower each register has an operation of its own, so one step of a tile
// is fully unrolled code of a lane. Few registers do not make it short: a lane
// that holds 8x8 elements of a product and steps through K by 64 multiplies
// 4,096 times in one iteration.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_UNROLLED_H
#define DISTAFF_LIB_CONFIGURE_UNROLLED_H

#include "Candidates.h"
#include "distaff/Analysis/Registers/UnrolledCode.h"

namespace distaff {

/// Describes the tiles of a group's root, and the lanes that run them.
struct UnrolledTiles {
  ArrayRef<int64_t> workgroup, reduction; // per loop of the root
  int64_t lanes;
  const MmaRow *row; // of the root's instruction, may be null
};

/// Returns the operations of one lane in one step of every op.
int64_t unrolledOperations(const FusedGroup &group, const Target &target,
                           const UnrolledTiles &tiles);

/// Warns where the tiles of the group's root, which may be the user's, unroll
/// to more than the budget.
void warnOfUnrolledCode(const FusedGroup &group, const Target &target,
                        int64_t lanes);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_UNROLLED_H

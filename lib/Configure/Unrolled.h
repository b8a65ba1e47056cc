//===- Unrolled.h - A budget on straight code ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After lower each register has an operation of its own, so what a lane
// computes of one step of a tile is straight code. Few registers do not make it
// short: a lane that holds 8x8 elements of a product and walks K in steps of 64
// multiplies 4,096 times in one iteration.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_UNROLLED_H
#define DISTAFF_LIB_CONFIGURE_UNROLLED_H

#include "Candidates.h"
#include "distaff/Analysis/UnrolledCode.h"

namespace distaff {

/// Marks a candidate beyond the budget, of which `row` (null: no instruction)
/// computes the root: it is no choice while there is another that fits.
void checkUnrolledCode(const FusedGroup &group, const Target &target,
                       const MmaRow *row, Candidate &candidate);

/// Warns where the tiles of the group's root, which may be the user's, unroll
/// to more than the budget.
void warnOfUnrolledCode(const FusedGroup &group, const Target &target,
                        int64_t lanes);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_UNROLLED_H

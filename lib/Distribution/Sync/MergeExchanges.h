//===- MergeExchanges.h - One barrier for independent exchanges -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reduction over subgroups writes, waits and reads. Several that do not
// depend on each other's results may all write before the first barrier:
//
//   store A; sync; load A; f; store B; sync; load B
//   store A; f; store B; sync; load A; load B          f needs nothing of A
//
// Their buffers are then live at the same time, and lie side by side.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_MERGEEXCHANGES_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_MERGEEXCHANGES_H

#include "WorkgroupBuffers.h"

namespace distaff {

/// Moves the stores of exchanges, and the values that they store, before the
/// first load of an earlier exchange in their block where that is possible, and
/// records the merged group in `buffers`. The buffers of one group take at most
/// `limit` bytes (0: any amount).
/// \post  each thread computes the same values as before
void mergeExchanges(Region &region, MutableArrayRef<WorkgroupBuffer> buffers,
                    int64_t limit, const Hazards &hazards);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_MERGEEXCHANGES_H

//===- MergeExchanges.h - One barrier for independent exchanges -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reduction over subgroups writes, waits and reads. Of several, of which
// none takes part in what another stores, all may write before anybody waits:
//
//   store A; sync; load A; f; store B; sync; load B
//   store A; f; store B; sync; load A; load B          f needs nothing of A
//
// Their buffers then hold something at the same time, and lie side by side.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_MERGEEXCHANGES_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_MERGEEXCHANGES_H

#include "WorkgroupBuffers.h"

namespace distaff {

/// Moves the stores of exchanges, and what they store, before the first load of
/// an earlier exchange in their block where that is possible, and says so in
/// `buffers`. Those of one meeting take at most `limit` bytes (0: any amount).
/// \post  what each thread computes is what it computed
void mergeExchanges(Region &region, MutableArrayRef<WorkgroupBuffer> buffers,
                    int64_t limit, const Hazards &hazards);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_MERGEEXCHANGES_H

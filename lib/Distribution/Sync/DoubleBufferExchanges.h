//===- DoubleBufferExchanges.h - Double-buffered exchanges ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exchange that is alone in a loop's body waits twice: its stores for the
// loads of the previous iteration, its loads for the stores. With a buffer of
// two halves that iterations use alternately it waits once: a thread that
// stores into a half has waited in the previous iteration, and so have all
// threads that loaded from that half two iterations before.
//
//   for { sync; store A; sync; load A }
//   for i { store A[i % 2]; sync; load A[i % 2] }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_DOUBLEBUFFEREXCHANGES_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_DOUBLEBUFFEREXCHANGES_H

#include "WorkgroupBuffers.h"

namespace distaff {

/// Doubles small buffers of exchanges, or of merged groups (MergeExchanges.h),
/// that are alone in a loop which no other loop repeats, and records that in
/// `hazards`. The buffers take at most `limit` bytes (0: any amount).
void doubleBufferExchanges(Region &region,
                           MutableArrayRef<WorkgroupBuffer> buffers,
                           int64_t limit, Hazards &hazards);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_DOUBLEBUFFEREXCHANGES_H

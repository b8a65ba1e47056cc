//===- DoubleBufferExchanges.h - Two exchange buffers, in turns -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only exchange of a loop's turn waits twice: its stores for the loads of
// the turn before, its loads for the stores. With a buffer of two halves that
// turns take alternately it waits once: who stores into a half has waited in
// the turn before, as all who loaded from that half two turns before had then.
//
//   for { sync; store A; sync; load A }
//   for { store A[turn % 2]; sync; load A[turn % 2] }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_DOUBLEBUFFEREXCHANGES_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_DOUBLEBUFFEREXCHANGES_H

#include "WorkgroupBuffers.h"

namespace distaff {

/// Doubles small buffers of exchanges, or of meetings (MergeExchanges.h), that
/// are alone in a loop which no other loop repeats, and tells `hazards`. They
/// take at most `limit` bytes (0: any amount).
void doubleBufferExchanges(Region &region,
                           MutableArrayRef<WorkgroupBuffer> buffers,
                           int64_t limit, Hazards &hazards);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_DOUBLEBUFFEREXCHANGES_H

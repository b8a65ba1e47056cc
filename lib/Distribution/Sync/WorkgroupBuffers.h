//===- WorkgroupBuffers.h - Overlapping of exchange buffers -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exchange writes its buffer, waits and reads it; before and after that the
// buffer is dead. Exchanges come one after the other, so any buffers may lie on
// the same bytes, at the price of a sync between the reads of the first and the
// writes of the second where there is none yet:
//
//   store A 32 KiB; sync; load A; store B 32 KiB; sync; load B       64 KiB
//   store A       ; sync; load A; sync; store B ; sync; load B       32 KiB
//
// In a loop every iteration pays for that sync; after a loop it is negligible.
// So several plans are made, from separate buffers to all that may share, and
// the cheapest that fits is taken: a sync costs as much as `bytesPerSync`,
// times the iterations of the loops around it. Bytes that no other workgroup
// would use cost nothing.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_WORKGROUPBUFFERS_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_WORKGROUPBUFFERS_H

#include "Hazards.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace distaff {

/// The bytes of workgroup memory that one barrier is worth: buffers share
/// bytes, which takes barriers, where that saves as much, and a second buffer
/// that saves a barrier may take as much.
inline constexpr int64_t bytesPerSync = 1024;

/// A buffer that a rule has allocated.
struct WorkgroupBuffer {
  memref::AllocOp alloc;
  int64_t bytes; // rounded up to the alignment
  /// The merged group of the buffer, or -1. Buffers of one group lie side by
  /// side: their exchanges are one, with one barrier (MergeExchanges.h).
  int64_t meeting = -1;
};

/// The places of all buffers, and the syncs that they need.
struct BufferPlan {
  /// Empty: every buffer is separate.
  BufferPlaces places;
  int64_t bytes = 0;
  Hazards::Syncs syncs;
};

/// Returns so many bytes of workgroup memory; null: any allocation will do.
using BufferSource = std::function<Value(OpBuilder &, Location, int64_t bytes)>;

/// Plans the places of `buffers`, each of one exchange, which together get
/// `limit` bytes (0: any amount), `idle` of them free of cost. Fails as
/// Hazards::findSyncs does.
/// \pre   no buffer is accessed between the first and last access of another,
///       except those of one merged group
/// \post  the plan fits if the largest buffer does
FailureOr<BufferPlan>
planBuffers(Region &region, ArrayRef<WorkgroupBuffer> buffers, int64_t limit,
            int64_t idle, const Uniformity &uniformity, Hazards &hazards);

/// Makes the buffers of a plan views of one array aligned to `alignment` bytes,
/// at the place of the first of them: from `allocate`, or an allocation.
/// Separate buffers stay separate where possible.
void emitBuffers(BufferPlan plan, ArrayRef<WorkgroupBuffer> buffers,
                 int64_t alignment, const BufferSource &allocate);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_WORKGROUPBUFFERS_H

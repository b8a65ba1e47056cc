//===- WorkgroupBuffers.h - Which buffers share bytes -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exchange writes its buffer, waits and reads it; before and after that the
// buffer holds nothing. Exchanges come one after the other, so any buffers may
// lie on the same bytes, at the price of a sync between the reads of the first
// and the writes of the second where none is there yet:
//
//   store A 32 KiB; sync; load A; store B 32 KiB; sync; load B       64 KiB
//   store A       ; sync; load A; sync; store B ; sync; load B       32 KiB
//
// In a loop every turn pays, after it nobody notices. So several plans are
// drawn up, from each buffer by itself to all that may share, and the cheapest
// that fits is taken: a sync costs as much as `bytesPerSync`, times the turns
// of the loops around it. Bytes that no other workgroup would use cost nothing.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_WORKGROUPBUFFERS_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_WORKGROUPBUFFERS_H

#include "Hazards.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace distaff {

/// Bytes of workgroup memory that are worth one barrier: buffers share bytes,
/// which takes barriers, where that saves as much, and a second buffer that
/// saves a barrier may take as much.
inline constexpr int64_t bytesPerSync = 1024;

/// A buffer that a rule has allocated.
struct WorkgroupBuffer {
  memref::AllocOp alloc;
  int64_t bytes; // rounded up to the alignment
  /// Buffers of one number, unless it is -1, lie side by side: their exchanges
  /// are one, for which threads meet once (MergeExchanges.h).
  int64_t meeting = -1;
};

/// Where all buffers lie, and where threads wait for each other because of it.
struct BufferPlan {
  /// Empty: every buffer by itself.
  BufferPlaces places;
  int64_t bytes = 0;
  Hazards::Syncs syncs;
};

/// Gives so many bytes of workgroup memory; null: any allocation will do.
using BufferSource = std::function<Value(OpBuilder &, Location, int64_t bytes)>;

/// Plans for `buffers`, each of one exchange, which together get `limit` bytes
/// (0: any amount), `idle` of them for nothing. Fails as Hazards::findSyncs
/// does.
/// \pre   no buffer is accessed between the first and last access of another,
///        but for those of one meeting
/// \post  the plan fits if the largest buffer does
FailureOr<BufferPlan>
planBuffers(Region &region, ArrayRef<WorkgroupBuffer> buffers, int64_t limit,
            int64_t idle, const Uniformity &uniformity, Hazards &hazards);

/// Makes the buffers of a plan views of one array: `allocate` gives it, at the
/// place of the first of them, or it is an allocation there,
/// aligned to `alignment` bytes. Buffers that are
/// by themselves stay so where they may.
void emitBuffers(BufferPlan plan, ArrayRef<WorkgroupBuffer> buffers,
                 int64_t alignment, const BufferSource &allocate);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_WORKGROUPBUFFERS_H

//===- Hazards.h - Where threads must wait for each other -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distribution turns one thread of control into many, and with it orders that
// nobody had to ask for: what one thread wrote, another reads. Each rule says
// which memory its ops access; afterwards one walk over the region, loops in
// it and around it included, places a sync before each access that conflicts
// with one since the last sync:
//
//   for k { A: store, load   B: store, load }       two buffers
//   for k { [sync] store A; store B; [sync] load A; load B }
//
// Accesses of one group belong to one undistributed op, whose threads access
// different elements; they do not conflict with each other in one execution of
// it. In those of different iterations of a loop they do, unless the op moves
// by at least what it touches, or not at all:
//
//   for k step 16 { write vector<16> at [k] }      no sync
//   for k step 8  { [sync] write vector<16> at [k] }
//
// Accesses of different function arguments (kernel ABI: no two are the same
// memory), of different allocations, or at provably different positions do not
// conflict.
//
// Buffers that share bytes are different allocations here, with a place each in
// one array. Those whose places overlap are the same memory.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_HAZARDS_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_HAZARDS_H

#include "PendingAccesses.h"
#include "ThreadUniformity.h"
#include "distaff/Distribution/Sync/MemberSync.h"
#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

namespace distaff {

/// What threads wait for.
enum class SyncReason { ReadsWritten, WritesRead, WritesWritten };
/// "reads what other threads write before it", ...
StringRef describe(SyncReason reason);

class Hazards {
public:
  using Syncs = llvm::MapVector<Operation *, SyncReason>;

  /// `sync` says which ops of the source are syncs already.
  explicit Hazards(const MemberSync &sync) : sync(sync) {}

  /// A group for the accesses of one undistributed op's step.
  int64_t newGroup() { return nextGroup++; }

  /// `op` (or ops inside it) makes `access`. Ops of one group, of which the
  /// accesses are alike, are recorded one by one: any of them may turn out to
  /// be dead and go.
  void record(Operation *op, MemoryAccess access) {
    accesses[op].push_back(std::move(access));
  }

  /// `op` is about to be erased, and another one may be made at its address.
  /// Ops of the source, which rules erase, have no accesses.
  void forget(Operation *op) { accesses.erase(op); }

  /// Turns of `loop` access one half of `memref` and the other alternately, and
  /// in each threads wait between what is written and what is read.
  void alternate(Value memref, Operation *loop) { alternating[memref] = loop; }

  /// The ops of `region` before which a sync is needed. Fails, with a
  /// diagnostic, where that is in control flow that threads do not share.
  FailureOr<Syncs> findSyncs(Region &region, const Uniformity &uniformity,
                             const BufferPlaces &places);

  /// The accesses that `op` makes.
  ArrayRef<MemoryAccess> accessesOf(Operation *op) const {
    auto found = accesses.find(op);
    return found == accesses.end() ? ArrayRef<MemoryAccess>() : found->second;
  }

private:
  using Earlier = PendingAccesses::Entry;

  /// True if `op` must not make access `b` before `a` is done.
  bool conflict(Earlier a, const MemoryAccess &b, Operation *op) const;
  /// `loop`: of which `a` was an earlier iteration, or null.
  bool mayOverlap(const MemoryAccess &a, const MemoryAccess &b,
                  Operation *loop) const;
  LogicalResult walk(Region &region, PendingAccesses &pending);
  LogicalResult walkInTurns(Region &region);
  LogicalResult visit(Operation *op, PendingAccesses &pending);
  LogicalResult visitRegions(Operation *op, PendingAccesses &pending);
  LogicalResult requireSyncBefore(Operation *op, SyncReason reason,
                                  PendingAccesses &pending);
  /// Why `op` must wait for what is pending; nothing where it need not.
  std::optional<SyncReason> findHazard(Operation *op,
                                       ArrayRef<MemoryAccess> accesses,
                                       const PendingAccesses &pending) const;

  const MemberSync &sync;
  llvm::DenseMap<Operation *, SmallVector<MemoryAccess, 1>> accesses;
  llvm::DenseMap<Value, Operation *> alternating;
  Syncs syncBefore;
  /// What each loop that has been walked leaves pending of its own.
  llvm::DenseMap<Operation *, SmallVector<Earlier>> leftBy;
  const Uniformity *uniformity = nullptr;
  const BufferPlaces *places = nullptr;
  int64_t nextGroup = 0;
  bool changed = false;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_HAZARDS_H

//===- Hazards.h - Hazards between threads ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distribution converts one thread of control to many, and implicit orders
// become hazards: one thread reads what another wrote. Each rule records which
// memory its ops access; afterwards one walk over the region, including loops
// in it and around it, places a sync before each access that conflicts with one
// since the last sync:
//
//   for k { A: store, load   B: store, load }       two buffers
//   for k { [sync] store A; store B; [sync] load A; load B }
//
// Accesses of one group belong to one undistributed op, whose threads access
// different elements; they do not conflict with each other in one execution of
// it. In different iterations of a loop they do, unless the op moves by at
// least the extent of its access, or not at all:
//
//   for k step 16 { write vector<16> at [k] }      no sync
//   for k step 8  { [sync] write vector<16> at [k] }
//
// Accesses of different function arguments (kernel ABI: no two are the same
// memory), of different allocations, or at provably different positions do not
// conflict.
//
// Buffers that share bytes are different allocations here, with a place each in
// one array. Buffers with overlapping places are the same memory.
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

/// The reasons of a sync.
enum class SyncReason { ReadsWritten, WritesRead, WritesWritten };
/// Returns "reads what other threads write before it", ...
StringRef describe(SyncReason reason);

class Hazards {
public:
  using Syncs = llvm::MapVector<Operation *, SyncReason>;

  /// `sync` decides which ops of the source are syncs already.
  explicit Hazards(const MemberSync &sync) : sync(sync) {}

  /// Returns a group for the accesses of one undistributed op's step.
  int64_t newGroup() { return nextGroup++; }

  /// Records that `op` (or an op inside it) makes `access`. Ops of one group,
  /// whose accesses are alike, are recorded one by one: any of them may become
  /// dead and be erased.
  void record(Operation *op, MemoryAccess access) {
    accesses[op].push_back(std::move(access));
  }

  /// Removes `op`, which will be erased; another op may be created at its
  /// address. Ops of the source, which rules erase, have no accesses.
  void forget(Operation *op) { accesses.erase(op); }

  /// Records that iterations of `loop` access the halves of `memref`
  /// alternately, and that in each iteration threads wait between writes and
  /// reads.
  void alternate(Value memref, Operation *loop) { alternating[memref] = loop; }

  /// Returns the ops of `region` before which a sync is needed. Fails, with a
  /// diagnostic, where that is in divergent control flow.
  FailureOr<Syncs> findSyncs(Region &region, const Uniformity &uniformity,
                             const BufferPlaces &places);

  /// Returns the accesses that `op` makes.
  ArrayRef<MemoryAccess> accessesOf(Operation *op) const {
    auto found = accesses.find(op);
    return found == accesses.end() ? ArrayRef<MemoryAccess>() : found->second;
  }

private:
  using Earlier = PendingAccesses::Entry;

  /// Returns whether `op` must not make access `b` before `a` is done.
  bool conflict(Earlier a, const MemoryAccess &b, Operation *op) const;
  /// `loop` is the loop of which `a` was an earlier iteration, or null.
  bool mayOverlap(const MemoryAccess &a, const MemoryAccess &b,
                  Operation *loop) const;
  LogicalResult walk(Region &region, PendingAccesses &pending);
  LogicalResult walkInTurns(Region &region);
  LogicalResult visit(Operation *op, PendingAccesses &pending);
  LogicalResult visitRegions(Operation *op, PendingAccesses &pending);
  LogicalResult requireSyncBefore(Operation *op, SyncReason reason,
                                  PendingAccesses &pending);
  /// Returns why `op` must wait for pending accesses; nothing where it need
  /// not.
  std::optional<SyncReason> findHazard(Operation *op,
                                       ArrayRef<MemoryAccess> accesses,
                                       const PendingAccesses &pending) const;

  const MemberSync &sync;
  llvm::DenseMap<Operation *, SmallVector<MemoryAccess, 1>> accesses;
  llvm::DenseMap<Value, Operation *> alternating;
  Syncs syncBefore;
  /// The accesses that each walked loop leaves pending of its own.
  llvm::DenseMap<Operation *, SmallVector<Earlier>> leftBy;
  const Uniformity *uniformity = nullptr;
  const BufferPlaces *places = nullptr;
  int64_t nextGroup = 0;
  bool changed = false;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_HAZARDS_H

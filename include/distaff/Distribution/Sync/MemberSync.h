//===- MemberSync.h - Synchronization of members ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of a part of a kernel are the threads that run it: all of a
// workgroup, some of its subgroups, the lanes of one. The barrier of a part is
// known to the pass that made the part, which therefore provides this
// interface; the distributor calls it where one member reads what another
// wrote:
//
//   whole workgroup     wait: gpu.barrier
//   subgroups 2 and 3   wait: nvvm.barrier id = 1 number_of_threads = 64
//
// A barrier for the whole workgroup, in code that only half of it runs, would
// never be reached by all: therefore no function here has a default.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DISTRIBUTION_SYNC_MEMBERSYNC_H
#define DISTAFF_DISTRIBUTION_SYNC_MEMBERSYNC_H

#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"

namespace distaff {

class MemberSync {
public:
  virtual ~MemberSync() = default;

  /// Emits code after which every member sees what the others wrote before it.
  /// Called only where all members arrive together.
  virtual void wait(OpBuilder &b, Location loc) const = 0;

  /// Emits code that signals to the threads waiting at this barrier that a
  /// member has arrived, and publishes the member's earlier writes; the member
  /// itself goes on. Fails, and emits nothing, where the barrier has no such
  /// half.
  virtual LogicalResult arrive(OpBuilder &b, Location loc) const = 0;

  /// Emits code that orders a member's earlier writes before its next accesses,
  /// as the other members see them, without a wait. Fails, and emits nothing,
  /// where only a `wait` does that.
  virtual LogicalResult fence(OpBuilder &b, Location loc) const = 0;

  /// Returns whether `op`, of the source, makes these members wait for each
  /// other, and no other threads.
  virtual bool isWait(Operation *op) const = 0;
};

/// The barrier of a whole workgroup, which has no halves.
class WorkgroupSync final : public MemberSync {
public:
  void wait(OpBuilder &b, Location loc) const override;
  LogicalResult arrive(OpBuilder &b, Location loc) const override;
  LogicalResult fence(OpBuilder &b, Location loc) const override;
  bool isWait(Operation *op) const override;
};

} // namespace distaff

#endif // DISTAFF_DISTRIBUTION_SYNC_MEMBERSYNC_H

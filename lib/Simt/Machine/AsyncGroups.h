//===- AsyncGroups.h - Groups of asynchronous operations --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous operations (cp.async copies, wgmma) are started one by one, and
// committed in groups. A wait leaves the newest groups in flight and passes
// when all older ones are complete:
//
//   start, start, commit      group 0
//   start, commit             group 1
//   start                     in no group yet
//   wait, at most 1 in flight passes when group 0 is complete
//
// Each lane starts and awaits its own copies; a subgroup does so as one for
// MMA, which is an object of one lane.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_ASYNCGROUPS_H
#define DISTAFF_LIB_SIMT_MACHINE_ASYNCGROUPS_H

#include "Workgroup.h"

namespace distaff::simt {

class AsyncGroups final : public SyncKind<AsyncGroups> {
public:
  enum class Of { Copies, Mma };

  AsyncGroups(Of operations, int64_t lanes)
      : operations(operations), lanes(lanes) {}

  /// Returns the number of an agent's groups in the table.
  static int64_t find(Agent &agent, Of operations);

  /// \returns the group that the operation will be in
  int64_t start(int64_t lane);
  void finish(int64_t lane, int64_t group);
  /// \returns the number of the group
  int64_t commit(int64_t lane);
  /// Makes a lane wait for the groups before `group`; the caller then blocks
  /// the agent on the object.
  void await(int64_t lane, int64_t group);
  /// Returns the first group that a wait leaves in flight.
  int64_t firstInFlight(int64_t lane, int64_t mostInFlight) const;
  int64_t committed(int64_t lane) const {
    return int64_t(lanes[lane].pending.size()) - 1;
  }

  bool isOpen(const Wait &wait) const override;
  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

private:
  struct Lane {
    /// Operations that are not complete, per group; the last is uncommitted.
    std::vector<int32_t> pending = {0};
    int64_t complete = 0; // all groups before this one
    int64_t awaited = 0;
  };
  bool isOpen(const Lane &lane) const { return lane.complete >= lane.awaited; }

  Of operations;
  std::vector<Lane> lanes;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_ASYNCGROUPS_H

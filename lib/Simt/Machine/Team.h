//===- Team.h - Workers that an agent started -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An agent that opens a scope starts the scope's workers and waits for them
// (fork and join). A worker may stand for several, as a group that runs code as
// one, and may start others itself:
//
//   workgroup                starts the executor's group, for 4 subgroups
//     all subgroups          starts its clusters
//       cluster ws.prod      of 1 subgroup
//       cluster ws.cons      of 3
//
// A barrier of a scope waits for the threads of all the scope's workers,
// whichever agent stands for them: here for 128, of which ws.prod counts for
// 32. The order of arrivals decides which instances of a barrier match.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_TEAM_H
#define DISTAFF_LIB_SIMT_MACHINE_TEAM_H

#include "Workgroup.h"

namespace distaff::simt {

class Team final : public SyncKind<Team> {
public:
  /// The properties of an opened scope.
  struct Purpose {
    Operation *op = nullptr;
    const void *scope = nullptr; // null: for some workers of another scope
    int64_t starter = 0;         // slot
    int64_t starterThread = 0;
    int64_t weight = 0; // threads of all workers
    /// Whether the starter is ordered after all memory accesses of its workers.
    bool isKnown = false;
    SmallVector<int64_t> knownBuffers;
  };

  /// Returns the number of the team of an op that an agent executes.
  static int64_t find(Agent &starter, Operation *op);
  /// Returns the innermost team of a scope's workers that contains an agent, or
  /// null.
  static Team *enclosing(const Agent &agent, const void *scope);

  void begin(Purpose newPurpose);
  const Purpose &getPurpose() const { return purpose; }
  void add(const Agent &agent);
  void finish(Agent &agent);
  ArrayRef<int64_t> getSlots() const { return slots; }

  /// Returns the number of the barrier of all workers, or of a set of them.
  int64_t findBarrier(Workgroup &group, const void *set);

  bool isOpen(const Wait &wait) const override { return running == 0; }
  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;
  bool isOfOthers() const override { return true; }

private:
  Purpose purpose;
  SmallVector<int64_t> slots;
  int64_t running = 0;
  std::optional<Knowledge> shared; // clock that all finished workers share
  std::map<const void *, int64_t> barriers;
};

class TeamBarrier final : public PhasedSync<TeamBarrier> {
public:
  explicit TeamBarrier(int64_t team) : team(team) {}

  /// Lets an agent arrive at a barrier of `threads` threads. It waits by
  /// blocking on the phase that was current before. The barrier orders earlier
  /// writes to `fenced` buffers; fences order the others.
  void arrive(Agent &agent, int64_t threads, Reach reach,
              SmallVector<int64_t> fenced);

  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

private:
  int64_t team;
  int64_t expected = 0, arrived = 0; // threads in the current phase
  struct Arrival {
    Reach reach;
    SmallVector<int64_t> fenced;
  };
  std::map<int64_t, Arrival> arrivals; // by slot: the last arrival of each
  llvm::SmallDenseSet<int64_t> present;
  Knowledge gathered, released; // in the current phase, in the last one
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_TEAM_H

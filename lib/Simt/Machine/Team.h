//===- Team.h - Workers that an agent started -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An agent that opens a scope starts the scope's workers and waits for them. A
// worker may stand for several, as a group does that runs code as one, and may
// start others itself:
//
//   workgroup                starts the executor's group, for 4 subgroups
//     all subgroups          starts its clusters
//       cluster ws.prod      of 1 subgroup
//       cluster ws.cons      of 3
//
// A barrier of a scope waits for the threads of all the scope's workers,
// whoever stands for them: here for 128, of which ws.prod counts for 32. Which
// instance meets which is the order in which each arrives.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_TEAM_H
#define DISTAFF_LIB_SIMT_MACHINE_TEAM_H

#include "Workgroup.h"

namespace distaff::simt {

class Team final : public SyncKind<Team> {
public:
  /// What opening a scope decides.
  struct Purpose {
    Operation *op = nullptr;
    const void *scope = nullptr; // null: of a part of the workers of another
    int64_t starter = 0;         // slot
    int64_t starterThread = 0;
    int64_t weight = 0; // threads of all workers
    /// What the starter knows of what its workers did.
    bool isKnown = false;
    SmallVector<int64_t> knownBuffers;
  };

  /// The team of an op that an agent executes.
  static int64_t find(Agent &starter, Operation *op);
  /// The innermost team of a scope's workers that an agent belongs to, or null.
  static Team *enclosing(const Agent &agent, const void *scope);

  void begin(Purpose newPurpose);
  const Purpose &getPurpose() const { return purpose; }
  void add(const Agent &agent);
  void finish(Agent &agent);
  ArrayRef<int64_t> getSlots() const { return slots; }

  /// The number of the barrier of all workers, or of a set of them.
  int64_t findBarrier(Workgroup &group, const void *set);

  bool isOpen(const Wait &wait) const override { return running == 0; }
  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;
  bool isOfOthers() const override { return true; }

private:
  Purpose purpose;
  SmallVector<int64_t> slots;
  int64_t running = 0;
  std::optional<Knowledge> shared; // of those that have finished
  std::map<const void *, int64_t> barriers;
};

class TeamBarrier final : public PhasedSync<TeamBarrier> {
public:
  explicit TeamBarrier(int64_t team) : team(team) {}

  /// An agent arrives for a barrier of so many threads. It waits by blocking on
  /// the phase that was current before. Writes to `fenced` buffers before are
  /// known after it, others as fences say.
  void arrive(Agent &agent, int64_t threads, Reach reach,
              SmallVector<int64_t> fenced);

  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

private:
  int64_t team;
  int64_t expected = 0, arrived = 0; // threads, of the current phase
  struct Arrival {
    Reach reach;
    SmallVector<int64_t> fenced;
  };
  std::map<int64_t, Arrival> arrivals; // by slot: the last one of each
  llvm::SmallDenseSet<int64_t> present;
  Knowledge gathered, released; // of the current phase, of the last one
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_TEAM_H

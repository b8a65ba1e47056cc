//===- Workgroup.h - Agents by turns, and their memory ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup runs its agents by turns that a seed chooses, lets those go on
// whose synchronisation object has opened (SyncTable.h), completes asynchronous
// copies, and owns workgroup and private memory.
//
// Which agent runs, for how many steps, and when the bytes of a copy arrive is
// chosen by the seed: with 0 each agent runs as far as it can, and copies
// arrive as late as they may, when nobody can go on without. With any other
// seed agents take turns, and copies arrive at once, or at any time until then.
// Results may not depend on it.
//
// All of this is state, and state is a value: a copy of a workgroup, stopped
// between any two steps, runs on as the original does. It then has the global
// memory of that moment for itself, so copy one while no other workgroup runs.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_WORKGROUP_H
#define DISTAFF_LIB_SIMT_MACHINE_WORKGROUP_H

#include "Agent.h"
#include "AsyncCopy.h"
#include "Clocks.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff::simt {

class Launch;

class Workgroup {
public:
  Workgroup(Launch &launch, int64_t number);
  Workgroup(const Workgroup &other);
  Workgroup &operator=(const Workgroup &) = delete;

  /// Runs all agents to the end, or to the first fault.
  void run();
  /// Executes one instruction of the agent whose turn it is.
  /// \returns false when all have finished, or after a fault
  bool step();

  Launch &launch;
  int64_t number;
  std::array<int64_t, 3> id;
  std::vector<Agent> agents;
  SyncTable sync;
  Clocks clocks;
  Counters counters;
  std::optional<Fault> fault;
  std::optional<Fault> unwritten; // the first read without a value
  Operation *undecided = nullptr;

  /// Global buffers come first, then this workgroup's own.
  Buffer &buffer(int64_t number);
  Shadow &shadow(int64_t number);
  int64_t numBuffers() const;
  int64_t addBuffer(Buffer buffer);
  /// A buffer that has no values yet.
  int64_t freshBuffer(Buffer::Space space, Kind kind, ArrayRef<int64_t> shape);
  /// The buffer of an allocation in workgroup memory: one for all agents.
  int64_t sharedBuffer(Operation *op, Kind kind, int64_t elements);
  /// A private buffer of each lane of an agent, `elements` each; the one of the
  /// op's last execution unless a fresh one is wanted.
  int64_t privateBuffer(Operation *op, const Agent &agent, Kind kind,
                        int64_t elements, bool isFresh = false);
  void freeBuffer(int64_t number);

  /// Lets the agents go on whose object is open.
  void wake();
  /// The running agent looks for something that has not happened: others run
  /// first, and copies may arrive.
  void yield();

  /// A copy that was checked (Agent::checkCopy) is in flight from now on.
  void startCopy(AsyncCopy copy);
  /// A thread has waited for its copies of groups before that one.
  void retireCopies(int64_t thread, int64_t firstInFlight);

private:
  /// One step of an agent, or a fault when the workgroup has had too many.
  void stepWithinLimit(Agent &agent);
  /// \returns false when nobody can go on, which may be a deadlock
  bool chooseTurn();
  Agent *nextRunning();
  Agent *randomRunning();
  Fault explainDeadlock() const;

  /// The bytes of a copy arrive: of one in flight, false where there is none.
  bool completeACopy();
  void complete(AsyncCopy &copy);
  void moveBytes(const AsyncCopy &copy);
  /// Calls visit(buffer, shadow, element) for each element of a copy's source
  /// or of its target.
  template <typename Visit>
  void forEachElement(const AsyncCopy &copy, bool ofTarget, Visit visit);

  std::vector<Buffer> ownGlobals; // of a copy
  std::vector<Buffer> *globals;
  std::vector<AsyncCopy> copies; // in flight, in the order of their start
  size_t turn = 0;               // the agent
  uint64_t stepsLeft = 0;        // of its turn
  uint64_t random;               // nextRandom's state

  std::vector<Buffer> local;
  std::vector<Shadow> globalShadows;
  llvm::DenseMap<Operation *, int64_t> shared;
  llvm::DenseMap<std::pair<Operation *, int64_t>, int64_t> privates;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_WORKGROUP_H

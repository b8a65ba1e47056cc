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
// An agent may start others, as the workers of a scope do (pcf), and waits
// until they have finished: they are a team (Team.h). Each of them, or of their
// lanes, is a thread of the clocks; whoever is the same worker of the same
// agent is the same thread again.
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
#include <deque>

namespace distaff::simt {

class Launch;

/// A worker that an agent starts.
struct WorkerStart {
  Seat seat; // slot and team are the workgroup's to say
  int64_t lanes = 1;
  SmallVector<std::pair<Reg, int64_t>> numbers; // of its own, in all lanes
};

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
  std::deque<Agent> agents; // those that workers were are used again
  SyncTable sync;
  Clocks clocks;
  Counters counters;
  std::optional<Fault> fault;
  std::optional<Fault> unwritten; // the first read without a value
  Operation *undecided = nullptr;

  /// Threads of the clocks for workers of a thread; what they are of is named
  /// by an address. `name(i)` is asked once.
  /// \returns the first of them, or nothing where there would be too many
  std::optional<int64_t>
  workerThreads(int64_t parent, const void *of, int64_t count,
                llvm::function_ref<std::string(int64_t)> name);
  const std::string &nameOfWorker(int64_t thread) const {
    assert(thread >= firstWorker &&
           thread - firstWorker < int64_t(workerNames.size()) &&
           "the thread is a worker");
    return workerNames[thread - firstWorker];
  }
  /// "lane 5 of subgroup 1 in workgroup (0, 0, 0)"
  std::string describeThread(int64_t thread) const;
  /// Starts agents of a team in the program; they run when their turn comes.
  void start(Agent &parent, int64_t team, const InnerProgram &inner,
             ArrayRef<WorkerStart> workers);
  /// The agents of a team, which have finished, may become others.
  void dismiss(ArrayRef<int64_t> slots) {
    idle.append(slots.begin(), slots.end());
  }
  int64_t nextInstance() { return ++instances; }

  /// Global buffers come first, then this workgroup's own.
  Buffer &buffer(int64_t number);
  Shadow &shadow(int64_t number);
  int64_t numBuffers() const;
  int64_t addBuffer(Buffer buffer);
  /// A buffer that has no values yet.
  int64_t freshBuffer(Buffer::Space space, Kind kind, ArrayRef<int64_t> shape);
  /// The buffer of an allocation in workgroup memory: one for all agents.
  int64_t sharedBuffer(Operation *op, const Agent &agent, Kind kind,
                       int64_t elements);
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
  /// Buffers that a thread's copies in groups before that one write.
  SmallVector<int64_t> targetsOfCopies(int64_t thread,
                                       int64_t firstInFlight) const;
  /// A thread has waited for its copies of groups before that one.
  void retireCopies(int64_t thread, int64_t firstInFlight);

private:
  /// One step of an agent, or a fault when the workgroup has had too many.
  void stepWithinLimit(Agent &agent);
  Agent &place(Agent agent);
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
  llvm::DenseMap<std::pair<Operation *, int64_t>, int64_t> shared;

  int64_t firstWorker; // thread
  std::vector<std::string> workerNames;
  llvm::DenseMap<std::pair<const void *, int64_t>, std::pair<int64_t, int64_t>>
      workers; // threads: the first, and their number
  SmallVector<int64_t> idle;
  int64_t instances = 0;
  llvm::DenseMap<std::pair<Operation *, int64_t>, int64_t> privates;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_WORKGROUP_H

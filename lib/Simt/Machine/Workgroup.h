//===- Workgroup.h - Scheduler of the agents, and their memory --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup interleaves its agents in an order that a seed chooses, wakes
// those whose synchronization object has opened (SyncTable.h), completes
// asynchronous copies, and owns workgroup and private memory.
//
// The seed chooses which agent runs, for how many steps, and when the bytes of
// a copy arrive: with 0 each agent runs as far as it can, and copies arrive as
// late as possible, when no agent can continue without them. With any other
// seed agents alternate, and copies arrive at once or at any later time.
// Results must not depend on it.
//
// An agent may start others, as the workers of a scope (pcf), and waits until
// they have finished: they are a team (Team.h). Each of them, or of their
// lanes, is a thread of the clocks; the same worker of the same agent is the
// same thread each time.
//
// All of this is state, and state is a value: a copy of a workgroup, made
// between any two steps, continues like the original. The copy has its own copy
// of the global memory of that moment, so copy one only while no other
// workgroup runs.
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
  Seat seat; // the workgroup chooses slot and team
  int64_t lanes = 1;
  SmallVector<std::pair<Reg, int64_t>> numbers; // its own values, in all lanes
};

class Workgroup {
public:
  Workgroup(Launch &launch, int64_t number);
  Workgroup(const Workgroup &other);
  Workgroup &operator=(const Workgroup &) = delete;

  /// Runs all agents to the end, or to the first fault.
  void run();
  /// Executes one instruction of the agent that is scheduled next.
  /// \returns false when all have finished, or after a fault
  bool step();

  Launch &launch;
  int64_t number;
  std::array<int64_t, 3> id;
  std::deque<Agent> agents; // slots of finished workers are used again
  SyncTable sync;
  Clocks clocks;
  Counters counters;
  std::optional<Fault> fault;
  std::optional<Fault> unwritten; // the first read without a value
  Operation *undecided = nullptr;

  /// Returns threads of the clocks for the workers of a thread; the address
  /// `of` identifies the set of workers. `name(i)` is called once per worker.
  /// \returns the first of them, or nothing if there would be too many
  std::optional<int64_t>
  workerThreads(int64_t parent, const void *of, int64_t count,
                llvm::function_ref<std::string(int64_t)> name);
  const std::string &nameOfWorker(int64_t thread) const {
    assert(thread >= firstWorker &&
           thread - firstWorker < int64_t(workerNames.size()) &&
           "the thread is a worker");
    return workerNames[thread - firstWorker];
  }
  /// Returns "lane 5 of subgroup 1 in workgroup (0, 0, 0)".
  std::string describeThread(int64_t thread) const;
  /// Starts agents of a team in the program; the scheduler runs them later.
  void start(Agent &parent, int64_t team, const InnerProgram &inner,
             ArrayRef<WorkerStart> workers);
  /// Frees the agents of a finished team for later workers.
  void dismiss(ArrayRef<int64_t> slots) {
    idle.append(slots.begin(), slots.end());
  }
  int64_t nextInstance() { return ++instances; }

  /// Returns a buffer. Global buffers come first, then this workgroup's own.
  Buffer &buffer(int64_t number);
  Shadow &shadow(int64_t number);
  int64_t numBuffers() const;
  int64_t addBuffer(Buffer buffer);
  /// Adds a buffer that has no values yet.
  int64_t freshBuffer(Buffer::Space space, Kind kind, ArrayRef<int64_t> shape);
  /// Returns the buffer of an allocation in workgroup memory: one for all
  /// agents.
  int64_t sharedBuffer(Operation *op, const Agent &agent, Kind kind,
                       int64_t elements);
  /// Returns a private buffer of each lane of an agent, `elements` each; the
  /// buffer of the op's last execution unless `isFresh`.
  int64_t privateBuffer(Operation *op, const Agent &agent, Kind kind,
                        int64_t elements, bool isFresh = false);
  void freeBuffer(int64_t number);

  /// Resumes the agents whose object is open.
  void wake();
  /// Lets other agents run first, and copies arrive, because the running agent
  /// polls for an event that has not happened.
  void yield();

  /// Puts a checked copy (Agent::checkCopy) in flight.
  void startCopy(AsyncCopy copy);
  /// Returns the buffers that a thread's copies in groups before
  /// `firstInFlight` write.
  SmallVector<int64_t> targetsOfCopies(int64_t thread,
                                       int64_t firstInFlight) const;
  /// Completes the wait of a thread for its copies of groups before
  /// `firstInFlight`.
  void retireCopies(int64_t thread, int64_t firstInFlight);

private:
  /// Executes one step of an agent; faults after too many steps of the
  /// workgroup.
  void stepWithinLimit(Agent &agent);
  Agent &place(Agent agent);
  /// \returns false when no agent can continue, which may be a deadlock
  bool chooseTurn();
  Agent *nextRunning();
  Agent *randomRunning();
  Fault explainDeadlock() const;

  /// Completes one copy in flight; returns false if there is none.
  bool completeACopy();
  void complete(AsyncCopy &copy);
  void moveBytes(const AsyncCopy &copy);
  /// Calls visit(buffer, shadow, element) for each element of a copy's source
  /// or of its target.
  template <typename Visit>
  void forEachElement(const AsyncCopy &copy, bool ofTarget, Visit visit);

  std::vector<Buffer> ownGlobals; // set in copies of a workgroup
  std::vector<Buffer> *globals;
  std::vector<AsyncCopy> copies; // in flight, in the order of their start
  size_t turn = 0;               // the scheduled agent
  uint64_t stepsLeft = 0;        // before the next scheduling decision
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

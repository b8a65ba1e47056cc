//===- Workgroup.h - Agents by turns, and their memory ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup runs its agents by turns that a seed chooses, releases barriers
// when all agents have arrived, and owns workgroup and private memory.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_WORKGROUP_H
#define DISTAFF_LIB_SIMT_MACHINE_WORKGROUP_H

#include "Agent.h"
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

  Launch &launch;
  int64_t number;
  std::array<int64_t, 3> id;
  uint32_t epoch = 1;
  std::vector<Agent> agents;
  Counters counters;
  std::optional<Fault> fault;
  std::optional<Fault> unwritten; // the first read without a value
  Operation *undecided = nullptr;

  /// Global buffers come first, then this workgroup's own.
  Buffer &buffer(int64_t number);
  Shadow &shadow(int64_t number);
  int64_t numBuffers() const;
  int64_t addBuffer(Buffer buffer);
  /// The buffer of an allocation in workgroup memory: one for all agents.
  int64_t sharedBuffer(Operation *op, Kind kind, int64_t elements);
  /// A private buffer of each lane of an agent, `elements` each; the one of the
  /// op's last execution unless a fresh one is wanted.
  int64_t privateBuffer(Operation *op, const Agent &agent, Kind kind,
                        int64_t elements, bool isFresh = false);
  void freeBuffer(int64_t number);

private:
  /// One step of an agent, or a fault when the workgroup has had too many.
  void stepWithinLimit(Agent &agent);
  void runInTurns(uint64_t seed);
  void releaseBarrier();

  std::vector<Buffer> local;
  std::vector<Shadow> globalShadows;
  llvm::DenseMap<Operation *, int64_t> shared;
  llvm::DenseMap<std::pair<Operation *, int64_t>, int64_t> privates;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_WORKGROUP_H

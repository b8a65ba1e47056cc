//===- Barrier.h - Barriers of a workgroup and of a part of it --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier opens when as many threads have arrived as are counted, and is then
// as new. That of the whole workgroup (gpu.barrier) counts all and is reached
// by all at one place; a named one (nvvm.barrier with a number of threads)
// counts the threads that its users say, wherever they are, and some may arrive
// without waiting. Vendors' barriers are reached wherever one is:
//
//   subgroup 0: fill a buffer
//               nvvm.barrier.arrive id = 1 number_of_threads = 64
//   subgroup 1: nvvm.barrier id = 1 number_of_threads = 64
//               read the buffer
//
// Whole subgroups are counted, also one that has fewer threads, and a group
// that runs code as one for all that it stands for.
//
// A loop over workgroups (pcf.loop) runs several of them in one: each iteration
// is a workgroup and has barriers of its own, whatever their numbers.
//
// Those of a vendor also order memory. iree_gpu.global_subgroup_barrier does
// not, fences do; and it pairs up wherever its users are.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_BARRIER_H
#define DISTAFF_LIB_SIMT_MACHINE_BARRIER_H

#include "Workgroup.h"

namespace distaff::simt {

class Barrier final : public PhasedSync<Barrier> {
public:
  static constexpr int64_t perWorkgroup = 16;

  explicit Barrier(int64_t number) : number(number) {}

  /// The barrier of that number of the workgroup that an agent belongs to.
  static int64_t find(const Agent &agent, int64_t number);

  /// A subgroup arrives, for a barrier of `threads`, or of all. It waits by
  /// blocking on the phase that was current before. `anywhere`: others may
  /// arrive by another instruction, also where all do.
  /// \pre `ordersMemory` is that of the wait
  /// \returns what is wrong with that
  std::optional<Fault> arrive(Agent &agent, Operation *op,
                              std::optional<int64_t> threads,
                              bool ordersMemory = true, bool anywhere = false);
  /// Whether a subgroup has arrived in the current phase.
  bool hasArrived(int64_t agent) const;
  /// Whether a subgroup has arrived by a signal for which it has not waited.
  bool &owesWait(int64_t agent) { return owing[agent]; }
  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

private:
  struct Arrival {
    int64_t agent;
    uint32_t position;
    Operation *op;
    bool anywhere; // need not be at the others' place
  };

  std::optional<Fault> checkArrival(const Agent &agent, const Arrival &arrival,
                                    bool isWhole, int64_t threads) const;

  int64_t number;
  int64_t expected = 0, arrived = 0; // threads, of the current phase
  bool ofWhole = false;
  SmallVector<Arrival> arrivals;
  llvm::SmallDenseMap<int64_t, bool> owing;
  Knowledge gathered, released; // of the current phase, of the last one
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_BARRIER_H

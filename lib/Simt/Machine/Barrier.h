//===- Barrier.h - Barriers of a workgroup and of its subgroups -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier opens when the expected number of threads has arrived, and then
// starts again. The barrier of the whole workgroup (gpu.barrier) counts all
// threads, which arrive at one op; a named barrier (nvvm.barrier with a number
// of threads) counts the threads that its ops specify, at any op, and some may
// arrive without waiting. Barriers of vendor dialects match across different
// ops:
//
//   subgroup 0: fill a buffer
//               nvvm.barrier.arrive id = 1 number_of_threads = 64
//   subgroup 1: nvvm.barrier id = 1 number_of_threads = 64
//               read the buffer
//
// Whole subgroups are counted, also one with fewer threads; a group that runs
// code as one counts for all its workers.
//
// A loop over workgroups (pcf.loop) runs several of them in one: each iteration
// is a workgroup and has barriers of its own, whatever their numbers.
//
// Vendors' barriers also order memory. iree_gpu.global_subgroup_barrier does
// not, only fences do; and it too matches across different ops.
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

  /// Returns the number, in the table, of a barrier of an agent's workgroup.
  static int64_t find(const Agent &agent, int64_t number);

  /// Lets a subgroup arrive at a barrier of `threads`, or of all threads. It
  /// waits by blocking on the phase that was current before. `anywhere`: other
  /// subgroups may arrive at another op, also at a barrier of all threads.
  /// \pre `ordersMemory` is that of the wait
  /// \returns the fault of the arrival, if any
  std::optional<Fault> arrive(Agent &agent, Operation *op,
                              std::optional<int64_t> threads,
                              bool ordersMemory = true, bool anywhere = false);
  /// Returns whether a subgroup has arrived in the current phase.
  bool hasArrived(int64_t agent) const;
  /// Returns whether a subgroup has arrived by a signal and not yet waited.
  bool &owesWait(int64_t agent) { return owing[agent]; }
  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

private:
  struct Arrival {
    int64_t agent;
    uint32_t position;
    Operation *op;
    bool anywhere; // may arrive at another op than the others
  };

  std::optional<Fault> checkArrival(const Agent &agent, const Arrival &arrival,
                                    bool isWhole, int64_t threads) const;

  int64_t number;
  int64_t expected = 0, arrived = 0; // threads in the current phase
  bool ofWhole = false;
  SmallVector<Arrival> arrivals;
  llvm::SmallDenseMap<int64_t, bool> owing;
  Knowledge gathered, released; // in the current phase, in the last one
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_BARRIER_H

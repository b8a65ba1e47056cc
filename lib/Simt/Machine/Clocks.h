//===- Clocks.h - What happened before what ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads are ordered by what they wait for. In most kernels that is only the
// barrier of the whole workgroup: it divides the run into epochs, and what was
// done in an earlier epoch is known to all. Where a kernel orders some threads
// and not others (named barriers, mbarriers), each thread has a clock of its
// own and knows a time of every other's:
//
//   thread 3 writes [7] at its time 5
//   thread 3 arrives at barrier 1     what it knows, 3@5, is in the barrier
//   thread 9 has waited there         it knows 3@5
//   thread 9 reads [7]                fine, and a race for a thread that knows
//                                     no more than 3@4
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_CLOCKS_H
#define DISTAFF_LIB_SIMT_MACHINE_CLOCKS_H

#include <cstdint>
#include <vector>

namespace distaff::simt {

/// A time of each thread, up to which its past is known; empty knows nothing.
using Knowledge = std::vector<uint32_t>;

class Clocks {
public:
  /// `partial`: not only barriers of the whole workgroup order its threads.
  Clocks(int64_t threads, bool partial)
      : times(partial ? threads : 0, 1),
        known(partial ? threads : 0, Knowledge(threads, 0)) {}

  bool isPartial() const { return !times.empty(); }
  /// 1 before the first barrier of the whole workgroup.
  uint32_t epoch() const { return currentEpoch; }

  uint32_t now(int64_t thread) const { return times[thread]; }
  /// Whether what `other` did at `time` happened before what `thread` does now.
  bool knows(int64_t thread, int64_t other, uint32_t time) const {
    return thread == other || known[thread][other] >= time;
  }

  /// Lanes of a subgroup, whose first thread is given, arrive: what they know
  /// and did goes into `into`; what they do from now on does not.
  void release(int64_t first, uint64_t lanes, Knowledge &into);
  /// They have waited: they know it.
  void acquire(int64_t first, uint64_t lanes, const Knowledge &from);
  /// All threads have waited for each other.
  void nextEpoch() { ++currentEpoch; }

private:
  uint32_t currentEpoch = 1;
  std::vector<uint32_t> times;
  std::vector<Knowledge> known; // [thread][other]
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_CLOCKS_H

//===- Synchronization.h - Barriers of a workgroup --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barrier i of a workgroup counts threads in whole subgroups. A subgroup at
// bar.sync waits, a subgroup at bar.arrive continues; when the count is full,
// all waiting subgroups continue and join the knowledge of all on arrival. A
// subgroup at bar.arrive releases its knowledge and acquires none. A barrier
// without a count is for all that have not exited: it does not wait for a
// subgroup whose last lane exits, and that subgroup releases nothing.
//
//   bar.arrive 1, 64   subgroup 0: 32 of 64, continues
//   bar.sync 1, 64     subgroup 1: 64 of 64, continues and sees subgroup 0's
//                      writes; the barrier is reset
//
// An mbarrier counts arrivals of threads. Its phase ends when none is pending;
// a thread that tests the previous phase acquires the knowledge of all arrivals
// in it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_SYNCHRONIZATION_H
#define DISTAFF_LIB_PTX_SYNCHRONIZATION_H

#include "Shadow.h"

namespace distaff::ptx {

struct Barrier {
  unsigned expected = 0; ///< threads, 0: no subgroup has arrived
  unsigned arrived = 0;
  bool isForAll = false; ///< whether a subgroup arrived without a count
  Mask came = 0;         ///< subgroups that arrived
  Knowledge known;       ///< knowledge of all that arrived
  bool isReduction = false;
  /// Result of bar.red over all threads that arrived.
  uint64_t count = 0, threads = 0;
  unsigned line = 0; ///< line of the first arrival
};

struct Mbarrier {
  uint32_t expected = 0; ///< arrivals per phase
  uint32_t pending = 0;
  uint64_t phase = 0;
  Knowledge known;       ///< knowledge of the arrivals in this phase
  Knowledge knownBefore; ///< knowledge of the previous phase
  /// Arrivals that copies will make, each after a number of polls.
  struct Late {
    unsigned subgroup = 0, lane = 0, polls = 0;
    uint64_t copies = 0; ///< copies with a lower number are then over
  };
  std::vector<Late> late;
};

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_SYNCHRONIZATION_H

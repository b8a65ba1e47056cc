//===- Synchronization.h - What subgroups wait for --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barrier i of a workgroup counts threads in whole subgroups. Who syncs waits,
// who arrives goes on; when the count is full, everybody that waits goes on and
// knows what all of them knew on arrival. A subgroup that arrives tells and
// learns nothing. A barrier without a count is for all that have not exited: a
// subgroup whose last lane exits is waited for no longer, and tells nothing.
//
//   bar.arrive 1, 64   subgroup 0: 32 of 64, goes on
//   bar.sync 1, 64     subgroup 1: 64 of 64, goes on and sees subgroup 0's
//                      writes; the barrier is as new
//
// An mbarrier counts arrivals of threads. Its phase ends when none is pending;
// who tests the phase before learns what all that arrived in it knew.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_SYNCHRONIZATION_H
#define DISTAFF_LIB_PTX_SYNCHRONIZATION_H

#include "Shadow.h"

namespace distaff::ptx {

struct Barrier {
  unsigned expected = 0; ///< threads, 0: nobody came yet
  unsigned arrived = 0;
  bool isForAll = false; ///< somebody came without a count
  Mask came = 0;         ///< subgroups
  Knowledge known;       ///< of all that came
  bool isReduction = false;
  /// bar.red: over all threads that came.
  uint64_t count = 0, threads = 0;
  unsigned line = 0; ///< of the first that came
};

struct Mbarrier {
  uint32_t expected = 0; ///< arrivals per phase
  uint32_t pending = 0;
  uint64_t phase = 0;
  Knowledge known;       ///< of who arrived in this phase
  Knowledge knownBefore; ///< of the phase before
  /// Arrivals that copies will make, with the polls after which they do.
  struct Late {
    unsigned subgroup = 0, lane = 0, polls = 0;
    uint64_t copies = 0; ///< the lane's with a lower number are over then
  };
  std::vector<Late> late;
};

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_SYNCHRONIZATION_H

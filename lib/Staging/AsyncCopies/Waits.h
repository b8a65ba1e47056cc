//===- Waits.h - Waits for asynchronous copies ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies that are started between two barriers are a group, and a lane waits
// for it before any op that publishes memory, accesses what the copies write,
// or may write what they read:
//
//   copy %a -> %panel
//   create group
//   ...                          nothing that touches %panel
//   wait, 0 groups in flight
//   fence, barrier
//
// A ring of d slots is filled d - 1 iterations ahead. The barrier before which
// a group has to be complete is then of a later iteration, and the groups that
// were made since may stay in flight:
//
//   for k: if (k + 2 < n) copy -> %ring[(k + 2) mod 3]
//          create group          of every iteration, so that counting is easy
//          compute with %ring[k mod 3]
//          wait, 1 group in flight: slot k + 1 is there
//          barrier
//
// Waits move only where all accesses to the ring are in this loop, around it,
// or in slots that are known to differ, and where every copy that is started is
// of a later iteration of the loop.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_STAGING_ASYNCCOPIES_WAITS_H
#define DISTAFF_LIB_STAGING_ASYNCCOPIES_WAITS_H

#include "CopyPlan.h"

namespace distaff::async_copies {

/// A group is a set of copies with one wait.
struct Group {
  SmallVector<const Copy *> copies;
  /// The last op of the group's block that starts copies; the group is created
  /// after it.
  Operation *last;
  /// The op of that block before which the lane waits for all copies, and how
  /// many younger groups may be in flight then.
  Operation *wait;
  int64_t inFlight = 0;
};

/// Returns the groups of the copies; copies without a wait are in none.
SmallVector<Group> planGroups(ArrayRef<Copy> copies, IndexSums &sums,
                              Hazards &hazards);

} // namespace distaff::async_copies

#endif // DISTAFF_LIB_STAGING_ASYNCCOPIES_WAITS_H

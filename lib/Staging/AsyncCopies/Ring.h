//===- Ring.h - Waits for copies of later iterations ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits.h states when a wait may come later than the barrier after the copies.
// The loop's body is a list of events: barriers of the workgroup, and accesses
// to the arrays that are copied to. From a group on, through this iteration and
// later ones, a search finds the first access that may be to an element which
// the group writes; the group has to be complete at the last barrier before it.
//
// Where other lanes run another case of a switch, a loop of theirs that waits
// as often counts too: its accesses between its n-th and (n + 1)-th barrier are
// between those of this loop.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_STAGING_ASYNCCOPIES_RING_H
#define DISTAFF_LIB_STAGING_ASYNCCOPIES_RING_H

#include "Waits.h"

namespace distaff::async_copies {

/// Moves the waits of groups in loops to the last barrier that is early enough.
void waitInLaterIterations(MutableArrayRef<Group> groups, IndexSums &sums,
                           Hazards &hazards);

} // namespace distaff::async_copies

#endif // DISTAFF_LIB_STAGING_ASYNCCOPIES_RING_H

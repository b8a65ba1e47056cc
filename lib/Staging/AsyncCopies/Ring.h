//===- Ring.h - Copies for later iterations ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits.h says when a wait may come later than the barrier behind the copies.
// The loop's body is a list of events: barriers of all, and what accesses the
// arrays that are copied to. From a group on, through this iteration and those
// that follow, the first access that may be to what the group writes is looked
// for; the last barrier before it is where the group has to be complete.
//
// Where other lanes run another case of a switch, a loop of theirs that waits
// as often counts too: what it accesses between its n-th and (n + 1)-th barrier
// is between those of this loop.
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

//===- BarriersBetween.h - Barriers that order two phases -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase boundary synchronizes no worker, so a write in one phase and a read
// in another are ordered only by barriers of all workers that fence the memory.
// A barrier counts if every path between the two phases passes it: it stands in
// a block on the path, not in a branch or a loop beside it.
//
// Example: in `for { A; barrier; B }` B is ordered after A in an iteration, and
// A of the next iteration may run while B still does.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_BARRIERSBETWEEN_H
#define DISTAFF_LIB_PCF_ORDER_BARRIERSBETWEEN_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Returns whether all workers of the executor around a barrier wait at it.
bool isOfEverybody(BarrierOp barrier);

/// Returns whether a barrier of all workers that fences the memory of `ref`, no
/// view, stands in a block from `begin` on, before `end`.
bool hasBarrier(Block::iterator begin, Block::iterator end, Value ref);

/// Returns whether `second` may begin while `first` runs, in one iteration of
/// every loop around both: no barrier that fences `ref` is certain to be passed
/// between them.
bool mayMeet(Operation *first, Operation *second, Value ref);

/// Returns whether `second` of an iteration may begin while `first` of an
/// earlier one runs, for some loop around both.
bool mayMeetAround(Operation *first, Operation *second, Value ref);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_BARRIERSBETWEEN_H

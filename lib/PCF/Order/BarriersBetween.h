//===- BarriersBetween.h - Which phases barriers order ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase boundary makes nobody wait, so what one phase writes and another
// reads is ordered by barriers of all workers that fence it, and by nothing
// else. A barrier counts where it is certain to be passed on the way: it stands
// in a block that the way goes through, not in a branch or a loop beside it.
//
// Example: in `for { A; barrier; B }` B is ordered behind A in an iteration,
// and A of the next iteration may run while B still does.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_BARRIERSBETWEEN_H
#define DISTAFF_LIB_PCF_ORDER_BARRIERSBETWEEN_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Whether all workers of the executor around a barrier wait at it.
bool isOfEverybody(BarrierOp barrier);

/// Whether a barrier of all workers that fences the memory of `ref`, no view,
/// stands in a block from `begin` on, before `end`.
bool hasBarrier(Block::iterator begin, Block::iterator end, Value ref);

/// Whether `second` may begin while `first` runs, in one iteration of every
/// loop around both: no barrier that fences `ref` is certain in between.
bool mayMeet(Operation *first, Operation *second, Value ref);

/// Whether `second` of an iteration may begin while `first` of one before it
/// runs, of some loop around both.
bool mayMeetAround(Operation *first, Operation *second, Value ref);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_BARRIERSBETWEEN_H

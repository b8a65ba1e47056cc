//===- LaunchMemory.h - Memory for intermediates on a CPU -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_LAUNCHMEMORY_H
#define DISTAFF_LIB_LAUNCHES_LAUNCHMEMORY_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace distaff {

/// Returns whether an op reduces or contracts, and so decides the distribution.
bool isHeavy(Operation *op);

/// Returns whether a core is faster with the intermediates between the heavy
/// ops of a launch in memory: with a product their tiles would be in memory
/// anyway, one step at a time. An attention's scores have memory of their own
/// where its keys are iterated over, unless its features are so many that few
/// rows fit in addition; else they stay where they are if they are known to be
/// too many for memory.
bool wantsMemoryBetween(const llvm::SetVector<Operation *> &ops);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_LAUNCHMEMORY_H

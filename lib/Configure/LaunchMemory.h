//===- LaunchMemory.h - What lies between launches on a CPU -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_LAUNCHMEMORY_H
#define DISTAFF_LIB_CONFIGURE_LAUNCHMEMORY_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace distaff {

/// An op that reduces or contracts, and so decides who shares what.
bool isHeavy(Operation *op);

/// Whether a core is better off with what lies between the heavy ops of a
/// launch in memory: beside a product their tiles would wait there anyway, one
/// step at a time. An attention's scores have memory of their own where its
/// keys are walked, unless its features are so many that few rows have room
/// beside them; else they stay where they are if they are known to be too many
/// for memory.
bool wantsMemoryBetween(const llvm::SetVector<Operation *> &ops);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_LAUNCHMEMORY_H

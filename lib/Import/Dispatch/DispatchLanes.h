//===- DispatchLanes.h - Work that a dispatch shares out --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the import of dispatches whose loops are mapped to lanes is made of:
// their tensors get memory, then their loops become a lane's code.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHLANES_H
#define DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHLANES_H

#include "DispatchInterface.h"

namespace distaff {

/// Who runs an iteration of a loop inside of a workgroup.
enum class WorkerLevel { thread, subgroup, lane };

/// The level that a loop is mapped to; none where the op is no such loop.
std::optional<WorkerLevel> workerLevelOf(Operation *op);

/// Whether a function shares work out among its lanes by loops.
bool hasLaneLoops(func::FuncOp function);

/// Whether an op is inside of a loop over threads or lanes.
bool isInLaneCode(Operation *op);

/// Gives memory to the tensors of a function with such loops: to those that a
/// lane has alone its own, to others the workgroup's, or the bindings'.
LogicalResult bufferizeLaneLoops(func::FuncOp function);

/// Makes a lane's code of a function with such loops; leaves others.
LogicalResult importLaneLoops(func::FuncOp function,
                              const DispatchLaunch &launch);

/// Makes scalar code of what a lane's code has of structured ops, and divisions
/// of how it splits an index by extents that are not static.
void lowerLaneOps(func::FuncOp function);

} // namespace distaff

#endif // DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHLANES_H

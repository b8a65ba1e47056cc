//===- DispatchLanes.h - Loops mapped to lanes in a dispatch ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the steps of the import of dispatches whose loops are mapped to
// lanes: their tensors get memory, then their loops become a lane's code.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHLANES_H
#define DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHLANES_H

#include "DispatchInterface.h"

namespace distaff {

/// The level whose workers run the iterations of a loop inside of a workgroup.
enum class WorkerLevel { thread, subgroup, lane };

/// Returns the level that a loop is mapped to; none if the op is no such loop.
std::optional<WorkerLevel> workerLevelOf(Operation *op);

/// Returns whether a function distributes work among its lanes by loops.
bool hasLaneLoops(func::FuncOp function);

/// Returns whether an op is inside of a loop over threads or lanes.
bool isInLaneCode(Operation *op);

/// Bufferizes a function with such loops: tensors of one lane get private
/// memory, others the workgroup's, or the bindings'.
LogicalResult bufferizeLaneLoops(func::FuncOp function);

/// Converts a function with such loops to a lane's code; leaves others.
LogicalResult importLaneLoops(func::FuncOp function,
                              const DispatchLaunch &launch);

/// Lowers structured ops of a lane's code to scalar code, and splits of an
/// index by extents that are not static to divisions.
void lowerLaneOps(func::FuncOp function);

} // namespace distaff

#endif // DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHLANES_H

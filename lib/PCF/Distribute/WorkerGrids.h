//===- WorkerGrids.h - Number of members of a group -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_WORKERGRIDS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_WORKERGRIDS_H

#include "distaff/Dialect/PCF/Distribution.h"

namespace distaff::pcf {

/// Returns the number of workers of a scope that the launch of the kernel
/// around `op` fixes; none if the launch does not fix it.
std::optional<int64_t> getLaunchCount(Operation *op, Attribute scope);

/// Returns the members of the group that a phase runs on. Counts that the
/// kernel's launch or the bounds of the cluster fix are attributes; others are
/// null.
WorkerGrid getWorkerGrid(RunClusterOp op);
WorkerGrid getWorkerGrid(RunThreadOp op);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_WORKERGRIDS_H

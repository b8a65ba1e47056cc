//===- Distribution.h - From a workgroup's vectors to a lane's --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites a function in which one workgroup computes with large vectors into
// the code that one lane of it runs. Which lane holds what is fixed before: the
// `to_layout` ops determine every layout, and nothing here chooses one.
//
//   %x = transfer_read ... : vector<64xf32>        T[64]: one element per lane
//   %s = multi_reduction <add>, %x, %z [0]
// becomes, with the handed lane id %lane,
//   %x = transfer_read %m[%row, %lane] ... : vector<1xf32>
//   %p = multi_reduction <add>, %x, -0.0 [0, ...]
//   %s = gpu.subgroup_reduce add %p cluster(size = 64)
//
// The distributor is handed what it works with: ids of subgroup and lane, how
// many of each there are, which of the two levels it may use, and how to
// synchronise. It never creates a thread id or a barrier itself, so it serves a
// whole workgroup (`distaff-distribute`) as well as a part of one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DISTRIBUTION_DISTRIBUTION_H
#define DISTAFF_DISTRIBUTION_DISTRIBUTION_H

#include "distaff/LLVM.h"
#include "distaff/Layout/BankModel.h"
#include "distaff/Layout/MoveCosts.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <functional>

namespace distaff {

/// What a distributor is handed.
struct DistributionOptions {
  /// Which subgroup and which lane of it runs the code; `index` values that
  /// dominate everything that is distributed. The subgroup id may be null if
  /// there is only one subgroup.
  Value subgroupId;
  Value laneId;
  /// How many there are.
  int64_t numSubgroups = 1;
  int64_t subgroupSize = 32;
  /// Levels that layouts may use.
  bool maySplitOverSubgroups = true;
  bool maySplitOverLanes = true;
  /// Emits code after which every handed thread sees what the others wrote
  /// before it. Called only in control flow that all of them share.
  std::function<void(OpBuilder &, Location)> sync;
  /// Float additions and multiplications keep their order, or are refused.
  bool strictFp = false;
  /// Workgroup memory that may be allocated; 0 if that is not known.
  int64_t sharedMemoryBytes = 0;
  /// What conversions through shared memory are ranked by.
  MoveCosts costs;
  BankModel banks;
};

/// Distributes every vector of `function`. On failure every op that could not
/// be distributed has got a diagnostic that says why, and the function is left
/// half distributed: valid IR, of no further use.
LogicalResult distributeVectors(FunctionOpInterface function,
                                const DistributionOptions &options);

} // namespace distaff

#endif // DISTAFF_DISTRIBUTION_DISTRIBUTION_H

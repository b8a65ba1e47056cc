//===- ThreadUniformity.h - Uniformity across threads -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The undistributed program is the program of all members together: each of its
// scalars has one value, those from outside too. Divergence comes only from ids
// that the source itself reads (gpu.thread_id and the like).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_THREADUNIFORMITY_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_THREADUNIFORMITY_H

#include "distaff/LLVM.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseSet.h"

namespace distaff {

/// Finds divergent values once, on the undistributed region.
class Uniformity {
public:
  /// `ids` are those of the members, if the source uses them.
  Uniformity(Region &region, ValueRange ids);

  /// Returns whether `value` is the same in all threads.
  bool isUniform(Value value) const { return !divergent.contains(value); }

  /// Returns the innermost op in the region around `op` that some threads may
  /// enter and others not, or leave after different trip counts; null if there
  /// is none.
  Operation *divergentParent(Operation *op) const;

private:
  Region &region;
  llvm::DenseSet<Value> divergent;
  llvm::DenseSet<Operation *> divergentOps;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_THREADUNIFORMITY_H

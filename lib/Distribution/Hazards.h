//===- Hazards.h - Where threads must wait for each other ------*- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distribution turns one thread of control into many, and with it orders that
// nobody had to ask for: what one thread wrote, another reads. Each rule says
// which memory its ops access; afterwards one walk over the function, loops
// included, places a sync before each access that conflicts with one since the
// last sync:
//
//   for k { A: store, load   B: store, load }       two buffers
//   for k { [sync] store A; store B; [sync] load A; load B }
//
// Accesses of one group belong to one undistributed op, whose threads access
// different elements; they do not conflict with each other. Neither do those of
// different function arguments (kernel ABI: no two are the same memory), of
// different allocations, or at provably different positions.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_HAZARDS_H
#define DISTAFF_LIB_DISTRIBUTION_HAZARDS_H

#include "Uniformity.h"
#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

namespace distaff {

/// The part of a memref that an op touches: per dim the first index, where it
/// is constant, and how many. Empty means all of it.
struct MemoryBox {
  SmallVector<std::optional<int64_t>> start;
  SmallVector<int64_t> extent;

  void add(Value first, int64_t count);
};

struct MemoryAccess {
  Value memref;
  bool writes;
  int64_t group;
  MemoryBox box;
};

class Hazards {
public:
  /// A group for the accesses of one undistributed op's step.
  int64_t newGroup() { return nextGroup++; }

  /// `op` (or ops inside it) makes `access`. Ops of one group are recorded one
  /// by one: any of them may turn out to be dead and go.
  void record(Operation *op, MemoryAccess access) {
    accesses[op].push_back(std::move(access));
  }

  /// Calls `sync` where it is needed in `function`. Fails, with a diagnostic,
  /// where that is in control flow that threads do not share.
  LogicalResult
  placeSyncs(FunctionOpInterface function, const Uniformity &uniformity,
             const std::function<void(OpBuilder &, Location)> &sync);

private:
  using Pending = llvm::SetVector<const MemoryAccess *>;

  LogicalResult walk(Region &region, Pending &pending);
  LogicalResult visit(Operation *op, Pending &pending);
  LogicalResult requireSyncBefore(Operation *op, Pending &pending);

  llvm::DenseMap<Operation *, SmallVector<MemoryAccess>> accesses;
  llvm::SetVector<Operation *> syncBefore;
  const Uniformity *uniformity = nullptr;
  int64_t nextGroup = 0;
  bool changed = false;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_HAZARDS_H

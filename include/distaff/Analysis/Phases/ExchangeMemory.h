//===- ExchangeMemory.h - Workgroup memory for exchanges --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members of a phase exchange data through workgroup memory: they read only
// what they have written in the same phase, after a barrier at its beginning.
// So the exchanges of all phases that synchronize the same members share the
// same bytes, as many as the largest of them takes (PCF-134):
//
//   phase 1: barrier; store 16 KiB; barrier; load       %buffer, 16 KiB
//   phase 2: barrier; store 10 KiB; barrier; load       %buffer, the first 10
//
// Where a barrier covers one cluster only, its members do not wait for those of
// another cluster, nor for a phase of the whole group that other members still
// execute: each cluster, and the whole group, has bytes of its own (PCF-160).
// Where every barrier covers all workers, they all wait between two exchanges,
// and one buffer suffices. Lanes wait for their own subgroup only, so each
// subgroup has its own part of the memory in which lanes exchange data.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_PHASES_EXCHANGEMEMORY_H
#define DISTAFF_ANALYSIS_PHASES_EXCHANGEMEMORY_H

#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {
struct Target;

class ExchangeMemory {
public:
  /// Creates the memory for phases of one scope. `target` limits the memory;
  /// null: any amount. `clustersWaitAlone`: whether members of a cluster wait
  /// for each other only, rather than for all workers.
  explicit ExchangeMemory(const Target *target = nullptr,
                          bool clustersWaitAlone = true)
      : target(target), clustersWaitAlone(clustersWaitAlone) {}

  const Target *getTarget() const { return target; }

  /// Counts the bytes of a kernel's own buffers and panels, without the memory
  /// of the whole group that this class has allocated in it.
  void countTaken(FunctionOpInterface kernel);

  /// Counts the groups of an executor that may exchange data in bytes of their
  /// own: the limit of each is its share.
  /// \pre  no phase of the executor is distributed
  void countGroups(pcf::SharedExecutorOp executor);

  /// Returns the bytes that each phase of the group of `phase` may use for one
  /// subgroup if `areLanes`, else for all members, out of the bytes that were
  /// free when they were counted; 0 for any amount. Subgroups leave a quarter
  /// for the lanes, whose phases are distributed later.
  int64_t getLimit(Operation *phase, bool areLanes) const;

  /// Returns memory of `type` at the insertion point, in the code of one member
  /// of the group of `phase`.
  /// \pre  the code waits for the other members before it writes there
  Value getBuffer(OpBuilder &builder, Operation *phase, MemRefType type,
                  int64_t alignment, bool areLanes);

private:
  /// The block in which the workgroup's memory is allocated, and the cluster
  /// whose members wait for each other; null for all workers.
  using Key = std::pair<Block *, Value>;

  /// The memory of one group.
  struct Shared {
    memref::AllocOp alloc;
    /// Bytes between the parts of two subgroups; null for one part.
    Operation *stride = nullptr;
  };

  Key keyOf(Operation *phase) const;
  Shared &getShared(OpBuilder &builder, Operation *phase, MemRefType type,
                    int64_t alignment, int64_t parts);

  const Target *target;
  bool clustersWaitAlone;
  int64_t taken = 0;
  int64_t numGroups = 1;
  llvm::DenseMap<Key, Shared> sharedIn;
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_PHASES_EXCHANGEMEMORY_H

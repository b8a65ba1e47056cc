//===- ExchangeMemory.h - Memory that phases exchange data in --*- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members of a phase exchange data through workgroup memory: all that they read
// of it they have written in the same phase, behind a barrier at its beginning.
// So the exchanges of all phases of a scope are given the same bytes, as many
// as the largest of them takes (PCF-134):
//
//   phase 1: barrier; store 16 KiB; barrier; load       %buffer, 16 KiB
//   phase 2: barrier; store 10 KiB; barrier; load       %buffer, the first 10
//
// Lanes wait for their own subgroup alone, so each subgroup has a part of its
// own of what lanes exchange data in.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_EXCHANGEMEMORY_H
#define DISTAFF_ANALYSIS_EXCHANGEMEMORY_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {
struct Target;

class ExchangeMemory {
public:
  /// For phases of one scope. `target`: whose memory it is; null: any amount.
  explicit ExchangeMemory(const Target *target = nullptr) : target(target) {}

  const Target *getTarget() const { return target; }

  /// Counts what a kernel's own buffers and its panels take, without the memory
  /// that this has made in it.
  void countTaken(FunctionOpInterface kernel);

  /// Bytes that each phase of the scope of `phase` may take for one subgroup
  /// if `areLanes`, else for all, of what was not taken when that was counted;
  /// 0 if any amount. Subgroups leave a quarter for the lanes, whose turn comes
  /// after theirs.
  int64_t getLimit(Operation *phase, bool areLanes) const;

  /// Memory of `type` at the insertion point, in the code of one member of the
  /// scope of `phase`.
  /// \pre  the code waits for the other members before it writes there
  Value getBuffer(OpBuilder &builder, Operation *phase, MemRefType type,
                  int64_t alignment, bool areLanes);

private:
  /// The memory of one workgroup.
  struct Shared {
    memref::AllocOp alloc;
    /// Bytes between the parts of two subgroups; null for one part.
    Operation *stride = nullptr;
  };

  Shared &getShared(OpBuilder &builder, Operation *phase, MemRefType type,
                    int64_t alignment, int64_t parts);

  const Target *target;
  int64_t taken = 0;
  llvm::DenseMap<Block *, Shared> sharedIn;
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_EXCHANGEMEMORY_H

//===- RowReads.h - Reads that go along a row of memory ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read of one element, or of a column of them, that a loop moves along a row
// of memory: what it takes in several steps is read at once.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_ROWREADS_H
#define DISTAFF_LIB_CPU_ROWREADS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include <optional>

namespace distaff {

struct RowRead {
  vector::TransferReadOp read;
  memref::SubViewOp view; // that moves on instead of the read; or null
  unsigned memrefDim;     // along which it moves
  unsigned vectorDim;     // which has one element

  /// Of a part of what the read returns, for so many steps.
  SmallVector<int64_t> shapeOf(int64_t steps) const;

  /// What the read takes in so many steps from `at`, which is what the loop
  /// counts. What else it is computed from is looked up in `map`.
  Value readSteps(OpBuilder &b, Value at, int64_t steps,
                  const IRMapping &map = {}) const;
  /// The same with the steps as the last dim.
  Value readStepsLast(OpBuilder &b, Value at, int64_t steps,
                      const IRMapping &map = {}) const;
  /// The dims of a part in that order.
  SmallVector<int64_t> stepsLast() const;

private:
  Value readInOrder(OpBuilder &b, Value at, int64_t steps,
                    ArrayRef<int64_t> dims, const IRMapping &map) const;
};

/// Matches a read in a loop by steps of 1. `isFixed` says of a value whether it
/// is the same in all steps.
std::optional<RowRead> matchRowRead(vector::TransferReadOp read,
                                    scf::ForOp loop,
                                    function_ref<bool(Value)> isFixed);

/// Builds what is done for the steps `from` to before `to`: as many at once as
/// the first width says as long as there are as many, then by the next one.
/// Returns where fewer are left than the last one.
Value forSeveralSteps(
    OpBuilder &b, Location loc, Value from, Value to, ArrayRef<int64_t> widths,
    function_ref<void(OpBuilder &, Value at, int64_t steps)> body);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_ROWREADS_H

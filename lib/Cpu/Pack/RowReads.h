//===- RowReads.h - Reads along a row of memory -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row read is a read of one element, or of a column of them, that a loop
// moves along a row of memory: its values of several steps are read at once.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_PACK_ROWREADS_H
#define DISTAFF_LIB_CPU_PACK_ROWREADS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include <optional>

namespace distaff {

struct RowRead {
  vector::TransferReadOp read;
  memref::SubViewOp view; // the view that moves instead of the read, or null
  unsigned memrefDim;     // the dim along which it moves
  unsigned vectorDim;     // the dim that has one element

  /// Returns the shape of a part of the read's result, for so many steps.
  SmallVector<int64_t> shapeOf(int64_t steps) const;

  /// Reads the values of so many steps from `at`, a value of the induction
  /// variable. Other operands are looked up in `map`.
  Value readSteps(OpBuilder &b, Value at, int64_t steps,
                  const IRMapping &map = {}) const;
  /// Reads the same with the steps as the last dim.
  Value readStepsLast(OpBuilder &b, Value at, int64_t steps,
                      const IRMapping &map = {}) const;
  /// Returns the dims of a part in that order.
  SmallVector<int64_t> stepsLast() const;

private:
  Value readInOrder(OpBuilder &b, Value at, int64_t steps,
                    ArrayRef<int64_t> dims, const IRMapping &map) const;
};

/// Matches a read in a loop with step 1. `isFixed` returns whether a value is
/// loop-invariant.
std::optional<RowRead> matchRowRead(vector::TransferReadOp read,
                                    scf::ForOp loop,
                                    function_ref<bool(Value)> isFixed);

/// Builds `body` for the steps `from` to before `to`: by the first width while
/// as many are left, then by the next one. Returns the first step that is left
/// after the last width.
Value forSeveralSteps(
    OpBuilder &b, Location loc, Value from, Value to, ArrayRef<int64_t> widths,
    function_ref<void(OpBuilder &, Value at, int64_t steps)> body);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_PACK_ROWREADS_H

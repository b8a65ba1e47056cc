//===- CarriedValues.h - What control flow hands on -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that loops carry, branches yield or blocks take has a type at every
// place where control flow hands it on. A pass that changes the type changes
// all of them at once: results and arguments of blocks, and the operands from
// which they come.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_CARRIEDVALUES_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_CARRIEDVALUES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace distaff::pcf {

/// What control flow hands on, of those values for which `isWanted` holds.
struct CarriedValues {
  explicit CarriedValues(llvm::function_ref<bool(Value)> isWanted)
      : isWanted(isWanted) {}

  /// Adds what a loop or a branch of scf hands on; nothing for other ops.
  void addOp(Operation *op);
  /// Adds what branches hand on from block to block of a region.
  void addBlocks(Region &region);

  SmallVector<Value> values;
  SmallVector<OpOperand *> operands;

private:
  void add(ValueRange range);
  void add(MutableArrayRef<OpOperand> range);

  llvm::function_ref<bool(Value)> isWanted;
};

/// Whether the op is control flow all of whose operands and results are handed
/// on as they are.
bool handsOnValues(Operation *op);

/// Calls `visit(from, to)` for what an op of control flow hands on: an operand
/// of it, or of what ends its regions, and what that becomes.
void forEachHandedOn(Operation *op,
                     llvm::function_ref<void(Value, Value)> visit);

/// The blocks of a region: one that dominates another comes first, and those
/// that control does not reach come last.
llvm::SetVector<Block *> sortBlocksByDominance(Region &region);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_CARRIEDVALUES_H

//===- CarriedValues.h - Values carried through control flow ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that loops carry, branches yield or blocks take as arguments has a
// type at each of these places. A pass that changes the type changes all of
// them at once: results and block arguments, and the operands from which they
// come.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_CARRIEDVALUES_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_CARRIEDVALUES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace distaff::pcf {

/// Collects the results, block arguments and operands through which control
/// flow carries the values for which `isWanted` holds.
struct CarriedValues {
  explicit CarriedValues(llvm::function_ref<bool(Value)> isWanted)
      : isWanted(isWanted) {}

  /// Adds the carried values of a loop or a branch of scf. Other ops add
  /// nothing.
  void addOp(Operation *op);
  /// Adds the values that branches pass from block to block of a region.
  void addBlocks(Region &region);

  SmallVector<Value> values;
  SmallVector<OpOperand *> operands;

private:
  void add(ValueRange range);
  void add(MutableArrayRef<OpOperand> range);

  llvm::function_ref<bool(Value)> isWanted;
};

/// Returns whether the op is control flow that forwards all of its operands and
/// results unchanged.
bool handsOnValues(Operation *op);

/// Calls `visit(from, to)` for each value that an op of control flow forwards:
/// `from` is an operand of the op, or of a terminator of its regions, and `to`
/// is the result or block argument that it becomes.
void forEachHandedOn(Operation *op,
                     llvm::function_ref<void(Value, Value)> visit);

/// Returns the blocks of a region in dominance order: a block that dominates
/// another one comes first, and unreachable blocks come last.
llvm::SetVector<Block *> sortBlocksByDominance(Region &region);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_CARRIEDVALUES_H

//===- TransferRules.h - The rows of the transfer table ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for the rows of the table: `Inference` holds the slots of one op and
// relates them, in both directions, filling unknown layouts and checking known
// ones. Rows are free functions, one file per op family.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_LAYOUT_TRANSFERRULES_H
#define DISTAFF_LIB_ANALYSIS_LAYOUT_TRANSFERRULES_H

#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace distaff {

/// A slot that may be absent: an optional operand or one that is no vector.
using Slot = VectorLayoutInterface *;
using LayoutFunction =
    llvm::function_ref<VectorLayoutInterface(VectorLayoutInterface)>;

class Inference {
public:
  Inference(OpLayouts &slots, std::string &why) : slots(slots), why(why) {}

  Slot operand(OpOperand &operand) { return slots.find(operand); }
  Slot operand(MutableOperandRange range) {
    return range.empty() ? nullptr : slots.find(range[0]);
  }
  Slot result(Value value) { return slots.find(value); }
  /// Returns the mask of the vector.mask around this op, if there is one.
  Slot outerMask();

  /// Requires that both slots have one layout.
  LogicalResult equal(Slot a, Slot b);

  /// Requires that the layout of `b` is a function of the layout of `a`.
  LogicalResult determines(Slot a, Slot b, LayoutFunction function);

  /// Requires that the layout of each slot is a function of the other's.
  LogicalResult relate(Slot a, Slot b, LayoutFunction forward,
                       LayoutFunction backward);

  /// Requires that `source` without the dims `dropped` has the layout of
  /// `target`.
  LogicalResult projects(Slot source, const llvm::SmallBitVector &dropped,
                         Slot target);

  /// Requires that all slots index one iteration space: dims that two of them
  /// share have the same layout, and a slot whose dims the others cover follows
  /// from them.
  /// \pre maps is parallel to spaceSlots; maps are projected permutations
  LogicalResult shareIterationSpace(ArrayRef<Slot> spaceSlots,
                                    ArrayRef<AffineMap> maps);

  /// Requires that lhs and rhs of a contraction have the dims that acc lacks in
  /// the same layout.
  LogicalResult agreeOnReduced(Slot lhs, Slot rhs, ArrayRef<AffineMap> maps);

  /// Requires the same subgroups and batches for the dims that both slots have.
  LogicalResult splitAlike(Slot a, AffineMap mapA, Slot b, AffineMap mapB);

  LogicalResult contradiction(const llvm::Twine &text, const llvm::Twine &fix) {
    why = (text + "; " + fix).str();
    return failure();
  }
  /// Returns `operand #1` or `result`, for messages.
  std::string describe(Slot slot);

  OpLayouts &slots;

private:
  std::string &why;
};

/// Applies the op's row, or returns nullopt if it has none.
std::optional<LogicalResult> inferOrdinary(Operation *op, Inference &inference);

/// Gives vectors of rank 0 their only layout.
void fixRankZero(OpLayouts &slots);

/// Applies to elementwise ops and all ops whose vectors have one common layout.
LogicalResult inferAllEqual(Operation *op, Inference &inference);

/// Each function returns nullopt if the op is not of its family.
std::optional<LogicalResult> inferShapeOp(Operation *op, Inference &inference);
std::optional<LogicalResult> inferReductionOp(Operation *op,
                                              Inference &inference);
std::optional<LogicalResult> inferSliceOp(Operation *op, Inference &inference);
std::optional<LogicalResult> inferMemoryOp(Operation *op, Inference &inference);

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_LAYOUT_TRANSFERRULES_H

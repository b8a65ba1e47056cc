//===- TransferRules.h - The rows of the transfer table ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a row of the table is written with: `Inference` holds the slots of one
// op and relates them, in both directions, filling what is unknown and checking
// what is known. Rows are free functions, one file per op family.
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
  /// The mask of the vector.mask around this op, if there is one.
  Slot outerMask();

  /// Both slots have one layout.
  LogicalResult equal(Slot a, Slot b);

  /// The layout of `b` is a function of the layout of `a`.
  LogicalResult determines(Slot a, Slot b, LayoutFunction function);

  /// The layout of each slot is a function of the other's.
  LogicalResult relate(Slot a, Slot b, LayoutFunction forward,
                       LayoutFunction backward);

  /// `source` indexed without the dims `dropped` has the layout of `target`.
  LogicalResult projects(Slot source, const llvm::SmallBitVector &dropped,
                         Slot target);

  /// All slots index one iteration space: dims that two of them share are laid
  /// out alike, and a slot whose dims the others cover follows from them.
  /// \pre maps is parallel to spaceSlots; maps are projected permutations
  LogicalResult shareIterationSpace(ArrayRef<Slot> spaceSlots,
                                    ArrayRef<AffineMap> maps);

  /// Lhs and rhs of a contraction hold the dims that acc lacks alike.
  LogicalResult agreeOnReduced(Slot lhs, Slot rhs, ArrayRef<AffineMap> maps);

  /// Subgroups and batches of the dims that both slots have are the same.
  LogicalResult splitAlike(Slot a, AffineMap mapA, Slot b, AffineMap mapB);

  LogicalResult contradiction(const llvm::Twine &text, const llvm::Twine &fix) {
    why = (text + "; " + fix).str();
    return failure();
  }
  /// `operand #1` or `result`, for messages.
  std::string describe(Slot slot);

  OpLayouts &slots;

private:
  std::string &why;
};

/// The op's row, or nothing if it has none.
std::optional<LogicalResult> inferOrdinary(Operation *op, Inference &inference);

/// Of a vector of rank 0 there is one layout.
void fixRankZero(OpLayouts &slots);

/// Elementwise ops and all ops whose vectors have one common layout.
LogicalResult inferAllEqual(Operation *op, Inference &inference);

/// Each returns nothing if the op is not of its family.
std::optional<LogicalResult> inferShapeOp(Operation *op, Inference &inference);
std::optional<LogicalResult> inferReductionOp(Operation *op,
                                              Inference &inference);
std::optional<LogicalResult> inferSliceOp(Operation *op, Inference &inference);
std::optional<LogicalResult> inferMemoryOp(Operation *op, Inference &inference);

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_LAYOUT_TRANSFERRULES_H

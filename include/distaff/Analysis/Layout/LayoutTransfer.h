//===- LayoutTransfer.h - Layout transfer functions -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the table of the specification's chapter 5.3, one row per op
// family. A row is a function from known layouts to implied ones: it gets the
// op's slots (its vector operands and results), some with a layout, fills those
// that the known ones determine, and reports two known ones that contradict
// each other.
//
//   vector.multi_reduction <add>, %x, %acc [1]     slots  x, acc -> result
//   known   x = S[2,1] T[8,4]                fills  result = acc = S[2] T[8]
//   known   result = S[2] T[8]               fills  acc; x keeps its freedom on
//                                                   the reduced dim
//
// Propagation, choice and distribution all use this table, so that they cannot
// disagree. Loops and branches have no rows: their values are tied (`ties`).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_LAYOUTTRANSFER_H
#define DISTAFF_ANALYSIS_LAYOUT_LAYOUTTRANSFER_H

#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Operation.h"

namespace distaff {

using vector_ext::VectorLayoutInterface;

/// The vectors of one op, each with its layout or null. An op inside a
/// vector.mask has the mask as its last operand slot.
struct OpLayouts {
  SmallVector<OpOperand *> operands; // the vector operands, in order
  SmallVector<OpResult> results;     // the vector results, in order
  SmallVector<VectorLayoutInterface> operandLayouts;
  SmallVector<VectorLayoutInterface> resultLayouts;

  /// Returns all slots of `op`, without layouts.
  static OpLayouts get(Operation *op);

  /// Returns the slot of an operand or result; null if it is no vector of this
  /// op.
  VectorLayoutInterface *find(OpOperand &operand);
  VectorLayoutInterface *find(Value result);
};

/// Fills the slots that the known ones determine. Failure means contradiction;
/// `why` then names the slots and their layouts. On success `why` may give the
/// reason why a slot stayed open: what determines it has no such layout.
LogicalResult inferLayouts(Operation *op, OpLayouts &slots, std::string &why);

/// Returns whether the results of `op` take the layout that each use requires:
/// constants, vector.step, masks made from scalars, poison, the broadcast of a
/// scalar.
bool isLayoutFreeOp(Operation *op);

/// Returns whether the table has a row for `op`, or the op has no vectors at
/// all.
bool hasTransferRule(Operation *op);
/// Returns the op to reject if `op` has no rule: for a jump between blocks, the
/// op that has the blocks.
Operation *withoutTransferRule(Operation *op);
/// Emits an error (DG5) with the vector for which there is no rule.
/// \pre !hasTransferRule(op)
void reportNoTransferRule(Operation *op);

/// Returns `result, 'vector<[4]xf32>'`: the first scalable vector of `op`, or
/// nullopt.
std::optional<std::string> findScalable(Operation *op);

/// Returns the results' layouts that the operands' imply (null: undetermined).
/// \pre operandLayouts is parallel to OpLayouts::get(op).operands
SmallVector<VectorLayoutInterface>
resultLayouts(Operation *op, ArrayRef<VectorLayoutInterface> operandLayouts);

/// Returns the layout that operand slot `index` must have for the first result
/// to have `resultLayout`; null if that does not determine it.
VectorLayoutInterface operandLayout(Operation *op, unsigned index,
                                    VectorLayoutInterface resultLayout);

/// Returns the to_layout that lays out a contraction's operand, before or after
/// exact extensions, which an instruction includes; or null.
vector_ext::ToLayoutOp anchorOf(Value operand);

/// Returns the `anchorOf` the operand if it has an `mma_kind`; or null.
vector_ext::ToLayoutOp mmaAnchorOf(Value operand);

/// Does the same as inferLayouts, for a contraction that an instruction
/// implements, or none, whatever its to_layout ops name so far.
LogicalResult inferContraction(vector::ContractionOp op, bool byInstruction,
                               OpLayouts &slots, std::string &why);

/// Returns whether to_layout ops of the contraction's lhs and rhs name one
/// `mma_kind`: then the instruction's fragments relate the operands, not the
/// iteration space alone.
bool isMmaContraction(vector::ContractionOp op);

/// Returns whether `type` is a vector type: only vectors have a layout.
bool hasLayout(Type type);

/// Returns the only layout of a vector of rank 0.
VectorLayoutInterface rankZeroLayout(MLIRContext *context);

/// Returns the layout of the op's result; for rank 0, rankZeroLayout in any
/// spelling.
VectorLayoutInterface resultLayoutOf(vector_ext::ToLayoutOp op);

/// Returns the layout in which every lane holds the whole vector.
VectorLayoutInterface registerLayout(VectorType type);

/// An equality of layouts in a loop or branch: the value that enters (an
/// operand of the op or of a terminator) has the layout of the value it
/// becomes.
struct Tie {
  OpOperand *source;
  Value target;
};

/// Returns the ties of a region op (scf.for, scf.if, scf.while, vector.mask,
/// ...), in program order.
SmallVector<Tie> ties(Operation *op);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_LAYOUTTRANSFER_H

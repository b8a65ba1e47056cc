//===- LayoutTransfer.h - How an op relates layouts -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of the specification's chapter 5.3, one row per op family. A row is
// one function from what is known to what follows: it gets the op's slots (its
// vector operands and results), some with a layout, fills those that the known
// ones determine, and says so when two known ones contradict each other.
//
//   vector.multi_reduction <add>, %x, %acc [1]     slots  x, acc -> result
//   known   x = S[2,1] T[8,4]                fills  result = acc = S[2] T[8]
//   known   result = S[2] T[8]               fills  acc; x keeps its freedom on
//                                                   the reduced dim
//
// Propagation, choice and distribution all ask this table, so that they cannot
// disagree. Loops and branches are no rows: their values are tied (`ties`).
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

  /// All slots of `op`, no layout known.
  static OpLayouts get(Operation *op);

  /// The slot of an operand or result; null if it is no vector of this op.
  VectorLayoutInterface *find(OpOperand &operand);
  VectorLayoutInterface *find(Value result);
};

/// Fills the slots that the known ones determine. Failure means contradiction;
/// `why` then says which slots, with their layouts. On success `why` may say
/// why a slot stayed open: what determines it has no such layout.
LogicalResult inferLayouts(Operation *op, OpLayouts &slots, std::string &why);

/// True for ops whose results take the layout that each use demands: constants,
/// vector.step, masks made from scalars, poison, the broadcast of a scalar.
bool isLayoutFreeOp(Operation *op);

/// True if the table has a row for `op`, or the op has no vectors at all.
bool hasTransferRule(Operation *op);
/// What to refuse where `op` has no rule: of a jump between blocks, the op that
/// has the blocks.
Operation *withoutTransferRule(Operation *op);
/// Reports it (DG5), with the vector that there is no rule for.
/// \pre !hasTransferRule(op)
void reportNoTransferRule(Operation *op);

/// `result, 'vector<[4]xf32>'`: the first scalable vector of `op`, or nothing.
std::optional<std::string> findScalable(Operation *op);

/// The results' layouts that follow from the operands' (null: undetermined).
/// \pre operandLayouts is parallel to OpLayouts::get(op).operands
SmallVector<VectorLayoutInterface>
resultLayouts(Operation *op, ArrayRef<VectorLayoutInterface> operandLayouts);

/// The layout that operand slot `index` must have for the first result to have
/// `resultLayout`; null if that does not determine it.
VectorLayoutInterface operandLayout(Operation *op, unsigned index,
                                    VectorLayoutInterface resultLayout);

/// The to_layout that lays out a contraction's operand, on either side of exact
/// extensions, which an instruction takes over; or null.
vector_ext::ToLayoutOp anchorOf(Value operand);

/// That, if it has an `mma_kind`; or null.
vector_ext::ToLayoutOp mmaAnchorOf(Value operand);

/// As inferLayouts, for a contraction that an instruction will do, or none,
/// whatever its to_layout ops name so far.
LogicalResult inferContraction(vector::ContractionOp op, bool byInstruction,
                               OpLayouts &slots, std::string &why);

/// True if to_layout ops of the contraction's lhs and rhs name one `mma_kind`:
/// then the instruction's fragments relate the operands, not the iteration
/// space alone.
bool isMmaContraction(vector::ContractionOp op);

/// True if `type` is a vector type: what has a layout.
bool hasLayout(Type type);

/// The layout of a vector of rank 0, which there is one of.
VectorLayoutInterface rankZeroLayout(MLIRContext *context);

/// The layout of the op's result; of rank 0, the one that rankZeroLayout gives,
/// however it is written.
VectorLayoutInterface resultLayoutOf(vector_ext::ToLayoutOp op);

/// Every lane holds the whole vector.
VectorLayoutInterface registerLayout(VectorType type);

/// One equality of a loop or branch: the value that enters (an operand of the
/// op or of a terminator) has the layout of the value it becomes.
struct Tie {
  OpOperand *source;
  Value target;
};

/// The ties of a region op (scf.for, scf.if, scf.while, vector.mask, ...), in
/// program order.
SmallVector<Tie> ties(Operation *op);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_LAYOUTTRANSFER_H

//===- LayoutChoice.h - Choosing the layout of every vector -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the layout of each vector. Some ops prefer a layout (anchors): a
// to_layout, a contraction that runs on an MMA, a read or write that should be
// coalesced. Their layouts propagate by the table of LayoutTransfer.h, so every
// op gets a few candidates: complete assignments of layouts to its vectors. A
// candidate has the cost of the op in it (memory transactions, arithmetic on
// replicas, shuffles and barriers of reductions, registers), plus, where an
// operand's layout differs from its definition's, the cost of the conversion
// (planConversion), times the trips of the enclosing loops. Selection.h finds
// the cheapest combination.
//
//   read x --- exp2 --- sum over dim 1 --- write
//    |  candidates of read: rows on lanes   (uncoalesced, no shuffles)
//    |                      columns on lanes (coalesced, 5 shuffle rounds)
//
// A layout-free value (a constant, ...) takes the layout that each use
// requires. A loop variable is one node: its init and its yield are uses.
//
// This analysis only chooses; the AssignLayouts pass writes the choice into the
// IR.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_LAYOUTCHOICE_H
#define DISTAFF_ANALYSIS_LAYOUT_LAYOUTCHOICE_H

#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/LLVM.h"
#include "distaff/Layout/Conversion.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace distaff {

/// A change of layout that the choice implies: `uses` need `value` in `layout`.
/// It is converted once for all of them, or cloned.
struct LayoutChange {
  Value value;
  VectorLayoutInterface source, layout;
  SmallVector<OpOperand *> uses;
  /// A user's to_layout that already is this change; then `uses` is its input.
  vector_ext::ToLayoutOp existing;
  std::shared_ptr<const ConversionPlan> plan;
  /// The instruction that converts it at a lower cost than `plan`, or null.
  const TargetOp *targetOp = nullptr;
  int64_t cost = 0; // of one execution
  int64_t trips = 1;
  bool clone = false; // a cheap chain that is cheaper to recompute
};

/// The chosen layouts. Where `uses` differs from the layout of its value, a
/// conversion or a clone is needed.
struct LayoutChoice {
  /// Layouts of all vector values that are not layout-free, in program order.
  llvm::MapVector<Value, VectorLayoutInterface> values;
  /// Layouts of all operands of ops with a row in the table, and of all ties.
  llvm::MapVector<OpOperand *, VectorLayoutInterface> uses;
  /// The changes in program order of their values.
  std::vector<LayoutChange> changes;
  /// The contractions that run on an MMA.
  llvm::MapVector<Operation *, ContractionCandidate> contractions;
  /// The other ops that an instruction implements, with its row of the target.
  llvm::MapVector<Operation *, const TargetOp *> targetOps;
  int64_t cost = 0;
  bool exact = false;
  /// False if the cheapest choice still exchanges data through workgroup memory
  /// although the kernel's own buffers leave none.
  bool isPossible = true;
};

/// Chooses for all vectors of `function`, which runs on `hardware` of `target`.
/// Without `stagesOperands` an operand of a contraction goes through shared
/// memory only if matrix loads read it back. Fails with a diagnostic if an op
/// has no rule (DG5) or a user's layout does not fit the hardware (DG6).
FailureOr<LayoutChoice> chooseLayouts(FunctionOpInterface function,
                                      const Target &target,
                                      HardwareShape hardware,
                                      DecisionLog *log = nullptr,
                                      bool stagesOperands = true);

/// Fails with a diagnostic (DG4) at each op with vectors that no to_layout
/// reaches, so that its layout would be chosen.
LogicalResult checkAnchored(FunctionOpInterface function, const Target &target,
                            HardwareShape hardware);

/// Returns subgroups and lanes from the function's `translation_info`, or fails
/// with a diagnostic (DG5) if it does not specify them.
FailureOr<HardwareShape> hardwareShapeOf(FunctionOpInterface function);

/// Returns the product of the trip counts of the loops around `op`; 16 for each
/// loop whose count is unknown.
int64_t tripsAround(Operation *op);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_LAYOUTCHOICE_H

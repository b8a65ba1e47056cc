//===- PanelPlan.h - What workgroups of a CPU share -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PackPanels.cpp copies and walks over, and what has to hold for it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_PANELPLAN_H
#define DISTAFF_LIB_CPU_PANELPLAN_H

#include "CacheBlocking.h"
#include "PackedDotOperands.h"
#include "RowReads.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/CheckedSize.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace distaff {

/// Reads of one panel, the one that is right for every tile first.
struct Panel {
  SmallVector<vector::TransferReadOp, 2> reads;
  SmallVector<scf::ForOp> loops;      // around the first, outermost first
  llvm::SetVector<Operation *> slice; // what its address is computed by
  llvm::SmallBitVector ids;           // of the grid, that it depends on
  SmallVector<int64_t> trips;         // of the loops; one may be dynamic
  /// What makes other elements of each read, and is all that is done with it:
  /// the panel holds those. Empty where they stay as they are.
  SmallVector<Operation *, 2> conversions;
  /// Where the first goes along a row of memory: several steps are copied at
  /// once then.
  std::optional<RowRead> row;

  /// None: only a launch knows.
  std::optional<int64_t> steps() const {
    return ShapedType::isDynamicShape(trips)
               ? std::nullopt
               : std::optional(saturatingProduct(trips));
  }
  /// What the panel has for each step.
  VectorType partType() const {
    return conversions.empty()
               ? vector::TransferReadOp(reads.front()).getVectorType()
               : cast<VectorType>(conversions.front()->getResult(0).getType());
  }
  /// What its read of that number is after its conversion.
  Value operandOf(unsigned read) const {
    return conversions.empty() ? reads[read]->getResult(0)
                               : conversions[read]->getResult(0);
  }
  int64_t bytesOfStep() const {
    VectorType type = partType();
    return saturatingProduct(type.getNumElements(),
                             bytesInMemory(type.getElementType()));
  }
};

/// The tiles that one workgroup takes, and what they share.
struct TileGroup {
  struct Walk {
    unsigned dim;  // of the grid
    int64_t tiles; // at most
  };
  SmallVector<Walk, 2> walks; // outermost first
  /// None: the tiles only lie side by side. In the first one the steps lie one
  /// behind the other; what goes along rows in another stays in rows.
  SmallVector<Panel, 2> panels;
  /// The tiles' loops, where they are done in blocks of so many steps.
  std::optional<CacheBlocking> blocked;
  int64_t stepsPerBlock = 0;
  /// Where both panels have several steps in a word.
  std::optional<PackedDotOperands> words;

  int64_t stepsPerWord() const { return words ? words->steps() : 1; }
  bool takesMatrices() const { return words && words->matrices; }
  /// What a panel has for so many steps.
  int64_t bytesOfSteps(const Panel &panel, int64_t steps) const;
};

/// Where a read begins, by dims of the array behind a view of it that neither
/// strides nor drops dims; empty for another view.
SmallVector<OpFoldResult> beginOf(vector::TransferReadOp read);

/// Whether a value is computed from another one, by ops without effects.
bool isComputedFrom(Value value, Value from);

/// Whatever tiles read that is the same for some others, in program order.
SmallVector<Panel, 0> findPanels(scf::ForallOp grid);

/// The group worth forming, if any.
std::optional<TileGroup> planGroup(scf::ForallOp grid, const Target &target,
                                   bool strictFp);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_PANELPLAN_H

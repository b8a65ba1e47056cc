//===- PanelPlan.h - Planning of shared panels of a workgroup ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes what PackPanels.cpp copies and iterates over, with its
// preconditions.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_PACK_PANELPLAN_H
#define DISTAFF_LIB_CPU_PACK_PANELPLAN_H

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

/// Describes the reads of one panel; the first one is right for every tile.
struct Panel {
  SmallVector<vector::TransferReadOp, 2> reads;
  SmallVector<scf::ForOp> loops;      // around the first, outermost first
  llvm::SetVector<Operation *> slice; // the ops that compute its address
  llvm::SmallBitVector ids;           // ids of the grid that it depends on
  SmallVector<int64_t> trips; // trip counts of the loops; one may be dynamic
  /// Conversions of each read's elements, which are its only uses: the panel
  /// holds the converted elements. Empty where there are none.
  SmallVector<Operation *, 2> conversions;
  /// Set if the first goes along a row of memory: then several steps are copied
  /// at once.
  std::optional<RowRead> row;

  /// Returns the number of steps; none if it is known only at launch.
  std::optional<int64_t> steps() const {
    return ShapedType::isDynamicShape(trips)
               ? std::nullopt
               : std::optional(saturatingProduct(trips));
  }
  /// Returns the type of the panel's part for each step.
  VectorType partType() const {
    return conversions.empty()
               ? vector::TransferReadOp(reads.front()).getVectorType()
               : cast<VectorType>(conversions.front()->getResult(0).getType());
  }
  /// Returns the value of its read of that number, after its conversion.
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

/// Describes the tiles that one workgroup takes, and the panels that they
/// share.
struct TileGroup {
  struct Walk {
    unsigned dim;  // dim of the grid
    int64_t tiles; // at most
  };
  SmallVector<Walk, 2> walks; // outermost first
  /// Empty if the tiles are only adjacent. In the first panel the steps are
  /// contiguous; another panel whose reads go along rows stays in rows.
  SmallVector<Panel, 2> panels;
  /// The tiles' loops, where they are blocked by so many steps.
  std::optional<CacheBlocking> blocked;
  int64_t stepsPerBlock = 0;
  /// Set where both panels have several steps in a word.
  std::optional<PackedDotOperands> words;

  int64_t stepsPerWord() const { return words ? words->steps() : 1; }
  bool takesMatrices() const { return words && words->matrices; }
  /// Returns the bytes that a panel has for so many steps.
  int64_t bytesOfSteps(const Panel &panel, int64_t steps) const;
};

/// Returns where a read begins, by dims of the array under a view of it that
/// neither strides nor drops dims; empty for another view.
SmallVector<OpFoldResult> beginOf(vector::TransferReadOp read);

/// Returns whether a value is computed from another one, by ops without
/// effects.
bool isComputedFrom(Value value, Value from);

/// Returns the reads that are the same for several tiles, in program order.
SmallVector<Panel, 0> findPanels(scf::ForallOp grid);

/// Returns the group worth forming, if any.
std::optional<TileGroup> planGroup(scf::ForallOp grid, const Target &target,
                                   bool strictFp);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_PACK_PANELPLAN_H

//===- PanelPlan.h - What workgroups of a CPU share -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PackPanels.cpp copies or walks over, and what has to hold for it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_PANELPLAN_H
#define DISTAFF_LIB_LOWER_PANELPLAN_H

#include "BlockedLoops.h"
#include "distaff/Analysis/AccessWidth.h"
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
  SmallVector<int64_t> trips;         // of the loops
  /// What makes other elements of each read, and is all that is done with it:
  /// the panel holds those. Empty where they stay as they are.
  SmallVector<Operation *, 2> conversions;
  /// Those around its reads, where they can be done in blocks of so many steps.
  std::optional<BlockedLoops> blocked;
  int64_t stepsPerBlock = 0;
  unsigned dim = 0;     // of the grid, along which a workgroup walks
  bool isCopied = true; // false: its parts are read once, and only walked over

  int64_t steps() const { return saturatingProduct(trips); }
  /// What the panel has for each step.
  VectorType partType() const {
    return conversions.empty()
               ? vector::TransferReadOp(reads.front()).getVectorType()
               : cast<VectorType>(conversions.front()->getResult(0).getType());
  }
  int64_t bytesOfStep() const {
    VectorType type = partType();
    return saturatingProduct(type.getNumElements(),
                             bytesInMemory(type.getElementType()));
  }
};

/// Tiles that one workgroup takes, at most.
inline constexpr int64_t mostTilesPerWorkgroup = 32;

/// The panel worth packing, or worth walking over in blocks, if any.
std::optional<Panel> planPanel(scf::ForallOp grid, const Target &target);

} // namespace distaff

#endif // DISTAFF_LIB_LOWER_PANELPLAN_H

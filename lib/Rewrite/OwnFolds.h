//===- OwnFolds.h - Replacements of wrong upstream folds --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_REWRITE_OWNFOLDS_H
#define DISTAFF_LIB_REWRITE_OWNFOLDS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Adds patterns that make offsets, sizes and strides of slices static where
/// they are constant.
void populateConstantSlices(RewritePatternSet &patterns);

/// Returns whether the integer op `op` has no overflow flags.
bool isWithoutFlags(Operation *op);

/// Adds patterns that drop overflow flags where constants can be merged.
void populateFlaglessConstants(RewritePatternSet &patterns);

/// Rewrites a view that drops some of its static units to drop all of them.
void nameDroppedUnits(memref::SubViewOp view);

/// Replaces reductions along no dimension by combinations with accumulators.
void combineWhatIsNotReduced(Operation *root);

/// Moves masks of transfers from regions to operands.
void takeTransfersOut(Operation *root);

/// Adds selects under the masks of transfers of whole tensors.
void selectUnderMasks(Operation *root);

} // namespace distaff

#endif // DISTAFF_LIB_REWRITE_OWNFOLDS_H

//===- OwnFolds.h - What replaces wrong folds of upstream -------*- C++ -*-===//
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

/// Returns whether `op`, of integer arithmetic, promises nothing about
/// overflow.
bool isWithoutFlags(Operation *op);

/// Adds patterns that drop such promises where constants can be merged.
void populateFlaglessConstants(RewritePatternSet &patterns);

/// Brings a view that drops some of its static units into a form in which it
/// drops all of them.
void nameDroppedUnits(memref::SubViewOp view);

/// Replaces reductions along no dimension by the combinations that they are.
void combineWhatIsNotReduced(Operation *root);

/// Gives transfers in the regions of masks these as operands.
void takeTransfersOut(Operation *root);

/// Says by selections what masks of transfers of whole tensors say.
void selectUnderMasks(Operation *root);

} // namespace distaff

#endif // DISTAFF_LIB_REWRITE_OWNFOLDS_H

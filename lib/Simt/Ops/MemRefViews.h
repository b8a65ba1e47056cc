//===- MemRefViews.h - Descriptors of parts of memory -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_MEMREFVIEWS_H
#define DISTAFF_LIB_SIMT_OPS_MEMREFVIEWS_H

#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace distaff::simt {

/// Gives a lane's descriptor a row-major shape.
/// \returns the number of its elements
int64_t setRowMajor(Agent &agent, Reg r, ArrayRef<int64_t> shape, int64_t lane);

/// Which elements of a dimension a view takes, as registers.
struct ViewedDimension {
  Reg offset, size, stride;
  bool isDropped;
};

/// The lists of an op; `dropped` are the dimensions that its result lacks.
SmallVector<ViewedDimension> viewedDimensions(OffsetSizeAndStrideOpInterface op,
                                              llvm::SmallBitVector dropped,
                                              Translator &t);

/// Makes r the view of `source` that takes a slice of each of its dimensions.
void emitSliceView(Operation *op, Reg source, Reg r,
                   SmallVector<ViewedDimension> dimensions, Translator &t);

/// Makes r the view of `source` whose dimensions are split row-major.
void emitExpandView(Operation *op, Reg source, Reg r,
                    ArrayRef<OpFoldResult> outputShape,
                    SmallVector<ReassociationIndices> groups, Translator &t);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_MEMREFVIEWS_H

//===- MemRefViews.h - Descriptors of memref views --------------*- C++ -*-===//
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

/// Sets a lane's descriptor to a row-major shape.
/// \returns the number of its elements
int64_t setRowMajor(Agent &agent, Reg r, ArrayRef<int64_t> shape, int64_t lane);

/// The elements of a dimension that a view takes, as registers.
struct ViewedDimension {
  Reg offset, size, stride;
  bool isDropped;
};

/// Returns the dimensions of an op's view; `dropped` are those that its result
/// lacks.
SmallVector<ViewedDimension> viewedDimensions(OffsetSizeAndStrideOpInterface op,
                                              llvm::SmallBitVector dropped,
                                              Translator &t);

/// Makes r the view of `source` with a slice of each dimension.
void emitSliceView(Operation *op, Reg source, Reg r,
                   SmallVector<ViewedDimension> dimensions, Translator &t);

/// Makes r the view of `source` whose dimensions are split row-major.
void emitExpandView(Operation *op, Reg source, Reg r,
                    ArrayRef<OpFoldResult> outputShape,
                    SmallVector<ReassociationIndices> groups, Translator &t);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_MEMREFVIEWS_H

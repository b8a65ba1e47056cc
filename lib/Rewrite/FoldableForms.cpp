//===- FoldableForms.cpp - Forms that upstream folds rightly --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of a vector may name its offsets for leading dimensions only. Where
// it is taken of an insertion, MLIR 22.1.8 looks at those alone and takes what
// was inserted, though it may be shorter in the others. With an offset for
// every dimension it looks at all.
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Returns `values` and behind them `rest`, as an attribute.
static ArrayAttr extended(ArrayAttr values, ArrayRef<int64_t> rest) {
  Builder builder(values.getContext());
  SmallVector<Attribute> all(values.getValue());
  for (int64_t value : rest)
    all.push_back(builder.getI64IntegerAttr(value));
  return builder.getArrayAttr(all);
}

void distaff::avoidWrongFolds(Operation *root) {
  root->walk([](arith::TruncIOp op) {
    op.setOverflowFlags(arith::IntegerOverflowFlags::none);
  });
  root->walk([](vector::ExtractStridedSliceOp slice) {
    size_t named = slice.getOffsets().size();
    ArrayRef<int64_t> rest =
        slice.getSourceVectorType().getShape().drop_front(named);
    SmallVector<int64_t> zeros(rest.size(), 0), ones(rest.size(), 1);
    slice.setOffsetsAttr(extended(slice.getOffsetsAttr(), zeros));
    slice.setSizesAttr(extended(slice.getSizesAttr(), rest));
    slice.setStridesAttr(extended(slice.getStridesAttr(), ones));
  });
}

//===- FoldableForms.cpp - Forms that upstream folds correctly ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of a vector may specify offsets for leading dimensions only. For a
// slice of an insertion MLIR 22.1.8 compares only these and returns the
// inserted value, though it may be shorter in the other dimensions. With an
// offset for every dimension it compares all of them.
//
// For ops of the index dialect upstream folds a comparison of a difference with
// zero to a comparison of its operands although the difference may wrap, and
// the least number divided and rounded up becomes positive. The same ops of
// arith are right.
//
//===----------------------------------------------------------------------===//
#include "OwnFolds.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Returns `values` followed by `rest`, as an attribute.
static ArrayAttr extended(ArrayAttr values, ArrayRef<int64_t> rest) {
  Builder builder(values.getContext());
  SmallVector<Attribute> all(values.getValue());
  for (int64_t value : rest)
    all.push_back(builder.getI64IntegerAttr(value));
  return builder.getArrayAttr(all);
}

/// Adds the missing offsets, sizes and strides of a slice.
static void nameAllDims(vector::ExtractStridedSliceOp slice) {
  size_t named = slice.getOffsets().size();
  ArrayRef<int64_t> rest =
      slice.getSourceVectorType().getShape().drop_front(named);
  SmallVector<int64_t> zeros(rest.size(), 0), ones(rest.size(), 1);
  slice.setOffsetsAttr(extended(slice.getOffsetsAttr(), zeros));
  slice.setSizesAttr(extended(slice.getSizesAttr(), rest));
  slice.setStridesAttr(extended(slice.getStridesAttr(), ones));
}

/// Returns the arith op for a comparison or a rounded division of indices; null
/// for other ops.
static Value inArith(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  if (auto cmp = dyn_cast<index::CmpOp>(op))
    return arith::CmpIOp::create(
        b, loc,
        *arith::symbolizeCmpIPredicate(
            index::stringifyIndexCmpPredicate(cmp.getPred())),
        cmp.getLhs(), cmp.getRhs());
  if (auto div = dyn_cast<index::CeilDivSOp>(op))
    return arith::CeilDivSIOp::create(b, loc, div.getLhs(), div.getRhs());
  if (auto div = dyn_cast<index::CeilDivUOp>(op))
    return arith::CeilDivUIOp::create(b, loc, div.getLhs(), div.getRhs());
  if (auto div = dyn_cast<index::FloorDivSOp>(op))
    return arith::FloorDivSIOp::create(b, loc, div.getLhs(), div.getRhs());
  return Value();
}

static void dropFlagsOfTruncations(Operation *root) {
  root->walk([](arith::TruncIOp op) {
    op.setOverflowFlags(arith::IntegerOverflowFlags::none);
  });
}

static void nameAllDimsOfSlices(Operation *root) { root->walk(nameAllDims); }

static void computeIndicesInArith(Operation *root) {
  root->walk([](Operation *op) {
    OpBuilder builder(op);
    if (Value same = inArith(op, builder)) {
      op->replaceAllUsesWith(ValueRange(same));
      op->erase();
    }
  });
}

static void nameDroppedUnitsOfViews(Operation *root) {
  root->walk(nameDroppedUnits);
}

static constexpr Form forms[] = {
    {"flags-of-truncations", dropFlagsOfTruncations},
    {"dims-of-vector-slices", nameAllDimsOfSlices},
    {"rounded-indices", computeIndicesInArith},
    {"dropped-units", nameDroppedUnitsOfViews},
    {"reductions-along-nothing", combineWhatIsNotReduced},
    {"masks-around-transfers", takeTransfersOut},
    // This form needs the masks that the form above moved to transfers.
    {"masks-of-whole-tensors", selectUnderMasks},
};

ArrayRef<Form> distaff::foldableForms() { return forms; }

void distaff::avoidWrongFolds(Operation *root) {
  for (const Form &form : forms)
    form.bring(root);
}

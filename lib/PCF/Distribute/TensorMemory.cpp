//===- TensorMemory.cpp - Memory for a tensor between phases --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TensorMemory.h"

#include "../Form/Panels.h"
#include "WorkerGrids.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace distaff;
using namespace distaff::pcf;

static bool canAllocate(Attribute scope) {
  return succeeded(
      cast<ScopeAttrInterface>(scope).getAllocMemSpace(scope.getContext()));
}

std::optional<TensorMemory> TensorMemory::allocate(SharedExecutorOp executor,
                                                   ShapedType type,
                                                   RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (canAllocate(executor.getScope())) {
    Value panel = addPanel(executor, type, rewriter);
    WholeSlice whole(panel);
    return TensorMemory{panel, whole.offsets, whole.sizes, whole.strides};
  }
  auto workers = executor->getParentOfType<GenericOp>();
  if (!workers || workers.getNumIds() != 1 || !canAllocate(workers.getScope()))
    return std::nullopt;
  std::optional<int64_t> count = getLaunchCount(workers, workers.getScope());
  if (!count)
    return std::nullopt;
  SmallVector<int64_t> shape(type.getShape());
  shape.front() *= *count;
  Value panel = addPanel(workers, type.clone(shape), rewriter);
  WholeSlice whole(panel);
  rewriter.setInsertionPointToStart(&workers.getExecute().front());
  whole.offsets.front() = affine::makeComposedFoldedAffineApply(
      rewriter, workers.getLoc(),
      rewriter.getAffineDimExpr(0) * type.getDimSize(0),
      {OpFoldResult(workers.getIds().front())});
  return TensorMemory{
      panel, whole.offsets,
      getAsIndexOpFoldResult(rewriter.getContext(), type.getShape()),
      whole.strides};
}

void TensorMemory::write(Value tensor, Location loc,
                         RewriterBase &rewriter) const {
  WriteSliceOp::create(rewriter, loc, tensor, ref, offsets, sizes, strides);
}

Value TensorMemory::read(ShapedType type, Location loc,
                         RewriterBase &rewriter) const {
  return ReadSliceOp::create(rewriter, loc, type, ref, offsets, sizes, strides);
}

//===- FuseExtractSlice.cpp - Shrinking results to their slices -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If only the elements of a result up to some extents are used, the op gets a
// ref of those extents, and each write is clipped to them.
//
//===----------------------------------------------------------------------===//
#include "MixedSlice.h"
#include "OwnerRefs.h"
#include "RefUsers.h"

#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/Dominance.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns the writes of the result, if it can shrink.
static FailureOr<SmallVector<WriteSliceOp>>
matchExtractSlice(tensor::ExtractSliceOp slice) {
  auto owner = slice.getSource().getDefiningOp<RefOwnerOpInterface>();
  if (!owner || !isa<GenericOp, LoopOp>(*owner) ||
      owner->getBlock() != slice->getBlock() || !slice.getSource().hasOneUse())
    return failure();
  if (!llvm::all_of(slice.getMixedOffsets(), isZeroInteger) ||
      !slice.hasUnitStride() || slice.getDroppedDims().any())
    return failure();
  DominanceInfo dominance;
  for (Value size : slice.getSizes())
    if (!dominance.properlyDominates(size, owner))
      return failure();
  unsigned result = cast<OpResult>(slice.getSource()).getResultNumber();
  FailureOr<RefUsers> users = getTileUsers(owner, owner.getRefOfResult(result));
  if (failed(users) || !users->reads.empty() || !areTensorWrites(users->writes))
    return failure();
  return users->writes;
}

/// Returns max(0, min(size, extent - offset)).
static OpFoldResult clampSize(OpBuilder &builder, Location loc,
                              OpFoldResult offset, OpFoldResult size,
                              OpFoldResult extent) {
  MLIRContext *context = builder.getContext();
  AffineExpr s0, s1, s2;
  bindSymbols(context, s0, s1, s2);
  OpFoldResult smaller = affine::makeComposedFoldedAffineMin(
      builder, loc, AffineMap::get(0, 3, {s0, s1 - s2}, context),
      {size, extent, offset});
  return affine::makeComposedFoldedAffineMax(
      builder, loc,
      AffineMap::get(0, 1, {s0, builder.getAffineConstantExpr(0)}, context),
      {smaller});
}

/// Clips a write to the extents.
static void shrinkWrite(RewriterBase &rewriter, WriteSliceOp write,
                        ArrayRef<OpFoldResult> extents,
                        ArrayRef<int64_t> shapeBefore) {
  rewriter.setInsertionPoint(write);
  MixedSlice slice = MixedSlice::of(write);
  bool changes = false;
  for (auto [offset, size, extent, before] :
       llvm::zip_equal(slice.offsets, slice.sizes, extents, shapeBefore)) {
    if (getConstantIntValue(extent) == before)
      continue;
    size = clampSize(rewriter, write.getLoc(), offset, size, extent);
    changes = true;
  }
  if (!changes)
    return;
  MixedSlice part = MixedSlice::leading(rewriter, slice.sizes);
  Value source = tensor::ExtractSliceOp::create(rewriter, write.getLoc(),
                                                write.getSource(), part.offsets,
                                                part.sizes, part.strides);
  rewriter.replaceOpWithNewOp<WriteSliceOp>(write, source, write.getDest(),
                                            slice.offsets, slice.sizes,
                                            slice.strides);
}

FailureOr<RefOwnerOpInterface>
pcf::fuseExtractSlice(RewriterBase &rewriter, tensor::ExtractSliceOp slice) {
  FailureOr<SmallVector<WriteSliceOp>> writes = matchExtractSlice(slice);
  if (failed(writes))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  auto old = slice.getSource().getDefiningOp<RefOwnerOpInterface>();
  unsigned result = cast<OpResult>(slice.getSource()).getResultNumber();
  RefOwnerParts parts = RefOwnerParts::of(old);
  RefOwnerParts::Ref &ref = getRefOfResult(parts, result);
  SmallVector<int64_t> shapeBefore(ref.type.getShape());
  ref.type = cast<SRefType>(ref.type.cloneWith(slice.getType().getShape(),
                                               ref.type.getElementType()));
  ref.result = slice.getType();
  rewriter.setInsertionPoint(old);
  if (ref.source)
    ref.source = tensor::ExtractSliceOp::create(
        rewriter, slice.getLoc(), ref.source, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
  else
    ref.dims = SmallVector<Value>(slice.getSizes());
  RefOwnerOpInterface owner = rebuildWithRefs(rewriter, old, parts);
  for (WriteSliceOp write : *writes)
    shrinkWrite(rewriter, write, slice.getMixedSizes(), shapeBefore);
  rewriter.replaceOp(slice, owner->getResult(result));
  rewriter.eraseOp(old);
  return owner;
}

//===- FuseCollapseShape.cpp - Fusing collapse_shape into a result --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collapsed result is replaced by a ref of collapsed shape. The elements of
// one write are contiguous in a collapsed dimension as far as the inner
// dimensions are written whole; loops iterate over the others.
//
//   write [%i, 0, 0] [4, 2, 8] of 16x3x8, collapsed to one dimension:
//   dims 2 and 1 are a run of 2 * 8, as dim 2 is whole; dim 0 is looped over,
//   as dim 1 is not. Run k is at ((%i + k) * 3 + 0) * 8 + 0.
//
//===----------------------------------------------------------------------===//
#include "MixedSlice.h"
#include "OwnerRefs.h"
#include "RefUsers.h"

#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns the writes of the result, if it can be collapsed.
static FailureOr<SmallVector<WriteSliceOp>>
matchCollapseShape(tensor::CollapseShapeOp collapse) {
  auto owner = collapse.getSrc().getDefiningOp<RefOwnerOpInterface>();
  if (!owner || !isa<GenericOp, LoopOp>(*owner) ||
      owner->getBlock() != collapse->getBlock() ||
      !collapse.getSrc().hasOneUse())
    return failure();
  unsigned result = cast<OpResult>(collapse.getSrc()).getResultNumber();
  FailureOr<RefUsers> users = getTileUsers(owner, owner.getRefOfResult(result));
  if (failed(users) || !users->reads.empty() || !areTensorWrites(users->writes))
    return failure();
  return users->writes;
}

/// Returns the product of extents.
static OpFoldResult multiply(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> extents) {
  AffineExpr product = builder.getAffineConstantExpr(1);
  for (unsigned i : llvm::seq<unsigned>(0, extents.size()))
    product = product * builder.getAffineSymbolExpr(i);
  return affine::makeComposedFoldedAffineApply(builder, loc, product, extents);
}

/// Returns the dimensions of the slice that are not part of a run.
static SmallVector<unsigned>
getLoopDims(const MixedSlice &slice, ArrayRef<int64_t> shape,
            ArrayRef<ReassociationIndices> groups) {
  SmallVector<unsigned> loops;
  for (const ReassociationIndices &group : groups) {
    unsigned first = group.size() - 1;
    auto isWhole = [&](int64_t dim) {
      std::optional<int64_t> size = getConstantIntValue(slice.sizes[dim]);
      return isZeroInteger(slice.offsets[dim]) && size && *size == shape[dim];
    };
    while (first > 0 && isWhole(group[first]))
      --first;
    loops.append(group.begin(), group.begin() + first);
  }
  return loops;
}

/// Emits a loop over these dimensions of the slice, if there are any, and
/// reduces the slice to that of one iteration. Returns the corresponding slice
/// of the source.
static MixedSlice enterLoop(RewriterBase &rewriter, Location loc,
                            ArrayRef<unsigned> dims, MixedSlice &slice) {
  MixedSlice part = MixedSlice::leading(rewriter, slice.sizes);
  if (dims.empty())
    return part;
  SmallVector<OpFoldResult> ends;
  for (unsigned dim : dims)
    ends.push_back(slice.sizes[dim]);
  auto forall =
      scf::ForallOp::create(rewriter, loc, ends, ValueRange(), std::nullopt);
  rewriter.setInsertionPoint(forall.getTerminator());
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  for (auto [dim, id] : llvm::zip_equal(dims, forall.getInductionVars())) {
    part.offsets[dim] = id;
    part.sizes[dim] = slice.sizes[dim] = rewriter.getIndexAttr(1);
    slice.offsets[dim] = affine::makeComposedFoldedAffineApply(
        rewriter, loc, s0 + s1, {slice.offsets[dim], id});
  }
  return part;
}

/// Returns the slice of one run in the collapsed ref.
static MixedSlice collapseSlice(RewriterBase &rewriter, Location loc,
                                const MixedSlice &slice,
                                ArrayRef<OpFoldResult> extents,
                                ArrayRef<ReassociationIndices> groups) {
  SmallVector<OpFoldResult> offsets, sizes;
  for (const ReassociationIndices &group : groups) {
    auto inGroup = [&](ArrayRef<OpFoldResult> values) {
      return values.slice(group.front(), group.size());
    };
    sizes.push_back(multiply(rewriter, loc, inGroup(slice.sizes)));
    if (group.size() == 1) {
      offsets.push_back(slice.offsets[group.front()]);
      continue;
    }
    SmallVector<Value> indices =
        getValueOrCreateConstantIndexOp(rewriter, loc, inGroup(slice.offsets));
    offsets.push_back(affine::AffineLinearizeIndexOp::create(
                          rewriter, loc, indices, inGroup(extents),
                          /*disjoint=*/true)
                          .getResult());
  }
  MixedSlice result = MixedSlice::leading(rewriter, sizes);
  result.offsets = offsets;
  return result;
}

static void collapseWrite(RewriterBase &rewriter, WriteSliceOp write,
                          ArrayRef<OpFoldResult> extents,
                          ArrayRef<int64_t> shape,
                          ArrayRef<ReassociationIndices> groups) {
  rewriter.setInsertionPoint(write);
  Location loc = write.getLoc();
  MixedSlice slice = MixedSlice::of(write);
  Value source = write.getSource();
  SmallVector<unsigned> loops = getLoopDims(slice, shape, groups);
  MixedSlice part = enterLoop(rewriter, loc, loops, slice);
  if (!loops.empty())
    source = tensor::ExtractSliceOp::create(rewriter, loc, source, part.offsets,
                                            part.sizes, part.strides);
  MixedSlice run = collapseSlice(rewriter, loc, slice, extents, groups);
  source = tensor::CollapseShapeOp::create(rewriter, loc, source, groups);
  WriteSliceOp::create(rewriter, loc, source, write.getDest(), run.offsets,
                       run.sizes, run.strides);
  rewriter.eraseOp(write);
}

FailureOr<RefOwnerOpInterface>
pcf::fuseCollapseShape(RewriterBase &rewriter,
                       tensor::CollapseShapeOp collapse) {
  FailureOr<SmallVector<WriteSliceOp>> writes = matchCollapseShape(collapse);
  if (failed(writes))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  auto old = collapse.getSrc().getDefiningOp<RefOwnerOpInterface>();
  unsigned result = cast<OpResult>(collapse.getSrc()).getResultNumber();
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  RankedTensorType type = collapse.getResultType();
  Location loc = collapse.getLoc();
  rewriter.setInsertionPoint(old);
  RefOwnerParts parts = RefOwnerParts::of(old);
  RefOwnerParts::Ref &ref = getRefOfResult(parts, result);
  SmallVector<OpFoldResult> extents = getExtents(rewriter, loc, ref);
  SmallVector<int64_t> shape(ref.type.getShape());
  ref.type = cast<SRefType>(
      ref.type.cloneWith(type.getShape(), ref.type.getElementType()));
  ref.result = type;
  ref.dims.clear();
  if (ref.source)
    ref.source = tensor::CollapseShapeOp::create(rewriter, loc, type,
                                                 ref.source, groups);
  else
    for (auto [i, group] : llvm::enumerate(groups))
      if (type.isDynamicDim(i))
        ref.dims.push_back(getValueOrCreateConstantIndexOp(
            rewriter, loc,
            multiply(rewriter, loc,
                     ArrayRef(extents).slice(group.front(), group.size()))));
  RefOwnerOpInterface owner = rebuildWithRefs(rewriter, old, parts);
  for (WriteSliceOp write : *writes)
    collapseWrite(rewriter, write, extents, shape, groups);
  rewriter.replaceOp(collapse, owner->getResult(result));
  rewriter.eraseOp(old);
  return owner;
}

//===- MixedSlice.cpp - Composition of slices -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MixedSlice.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::pcf;

MixedSlice MixedSlice::of(OffsetSizeAndStrideOpInterface op) {
  return {op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides()};
}

MixedSlice MixedSlice::leading(Builder &builder, ArrayRef<OpFoldResult> sizes) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  return {SmallVector<OpFoldResult>(sizes.size(), zero),
          SmallVector<OpFoldResult>(sizes),
          SmallVector<OpFoldResult>(sizes.size(), one)};
}

bool MixedSlice::hasUnitStrides() const {
  return llvm::all_of(strides, isOneInteger);
}

bool MixedSlice::operator==(const MixedSlice &other) const {
  return isEqualConstantIntOrValueArray(offsets, other.offsets) &&
         isEqualConstantIntOrValueArray(sizes, other.sizes) &&
         isEqualConstantIntOrValueArray(strides, other.strides);
}

MixedSlice MixedSlice::compose(OpBuilder &builder, Location loc,
                               const MixedSlice &inner) const {
  assert(inner.sizes.size() == sizes.size() &&
         "a slice of a slice has its dimensions");
  AffineExpr s0, s1, s2;
  bindSymbols(builder.getContext(), s0, s1, s2);
  MixedSlice result{{}, inner.sizes, {}};
  for (unsigned dim : llvm::seq<unsigned>(0, sizes.size())) {
    result.offsets.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, s0 + s1 * s2,
        {offsets[dim], inner.offsets[dim], strides[dim]}));
    result.strides.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, s0 * s1, {strides[dim], inner.strides[dim]}));
  }
  return result;
}

MixedSlice MixedSlice::withUnitDims(Builder &builder,
                                    const llvm::SmallBitVector &dropped) const {
  assert(sizes.size() + dropped.count() == dropped.size() &&
         "a dimension is dropped, or the slice has it");
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  MixedSlice result;
  unsigned next = 0;
  for (unsigned dim : llvm::seq<unsigned>(0, dropped.size())) {
    bool isUnit = dropped[dim];
    result.offsets.push_back(isUnit ? zero : offsets[next]);
    result.sizes.push_back(isUnit ? one : sizes[next]);
    result.strides.push_back(isUnit ? one : strides[next]);
    next += !isUnit;
  }
  return result;
}

/// Returns the dimensions of the result for each dimension of the source: each
/// unit dimension is grouped with the source's next one, the last ones with its
/// last.
static SmallVector<ReassociationIndices>
groupDims(const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (unsigned dim : llvm::seq<unsigned>(0, dropped.size())) {
    group.push_back(dim);
    if (dropped[dim])
      continue;
    groups.push_back(group);
    group.clear();
  }
  if (!groups.empty())
    llvm::append_range(groups.back(), group);
  return groups;
}

Value pcf::expandToSlice(OpBuilder &builder, Location loc, Value source,
                         ArrayRef<OpFoldResult> sizes,
                         const llvm::SmallBitVector &dropped) {
  if (dropped.none())
    return source;
  auto type = cast<ShapedType>(source.getType());
  assert(type.getRank() + dropped.count() == dropped.size() &&
         sizes.size() == dropped.size() &&
         "a dimension is dropped, or the value has it");
  SmallVector<int64_t> shape;
  unsigned next = 0;
  for (unsigned dim : llvm::seq<unsigned>(0, dropped.size()))
    shape.push_back(dropped[dim] ? 1 : type.getDimSize(next++));
  SmallVector<ReassociationIndices> groups = groupDims(dropped);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::ShapeCastOp::create(
        builder, loc, VectorType::get(shape, vector.getElementType()), source);
  // A static extent of the source is also the result's, even if the sizes are
  // dynamic.
  SmallVector<OpFoldResult> output(sizes);
  for (auto [extent, size] : llvm::zip_equal(shape, output))
    if (ShapedType::isStatic(extent))
      size = builder.getIndexAttr(extent);
  if (isa<RankedTensorType>(type))
    return tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        source, groups, output);
  return memref::ExpandShapeOp::create(builder, loc, shape, source, groups,
                                       output);
}

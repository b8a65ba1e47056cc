//===- IndexSpace.cpp - Index boxes and their linear accesses -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "IndexSpace.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace distaff;
using namespace distaff::simt;

Shape simt::shapeOf(Value value) {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  return shaped ? Shape(shaped.getShape()) : Shape();
}

int64_t simt::numElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Shape simt::rowMajorStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// Adds factor * expr to the access; returns false if expr is not linear.
static bool addLinear(AffineExpr expr, int64_t factor, LinearAccess &access) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    access.strides[dim.getPosition()] += factor;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    access.base += factor * constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, access) &&
           addLinear(binary.getRHS(), factor, access);
  if (expr.getKind() == AffineExprKind::Mul)
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return addLinear(binary.getLHS(), factor * constant.getValue(), access);
  return false;
}

std::optional<LinearAccess> simt::linearAccessOf(AffineMap map,
                                                 ArrayRef<int64_t> strides) {
  LinearAccess access;
  access.strides.assign(map.getNumDims(), 0);
  for (auto [result, stride] : llvm::zip_equal(map.getResults(), strides))
    if (!addLinear(result, stride, access))
      return std::nullopt;
  return access;
}

std::vector<int64_t> simt::offsetsOf(const LinearAccess &access,
                                     ArrayRef<int64_t> box) {
  // Expands dimension by dimension, innermost last.
  std::vector<int64_t> offsets = {access.base};
  for (auto [extent, stride] : llvm::zip_equal(box, access.strides)) {
    std::vector<int64_t> grown;
    grown.reserve(offsets.size() * extent);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < extent; ++i)
        grown.push_back(offset + i * stride);
    offsets = std::move(grown);
  }
  return offsets;
}

std::vector<int64_t> simt::offsetsOf(AffineMap map, ArrayRef<int64_t> strides,
                                     ArrayRef<int64_t> box) {
  if (std::optional<LinearAccess> access = linearAccessOf(map, strides))
    return offsetsOf(*access, box);
  std::vector<int64_t> offsets;
  offsets.reserve(numElements(box));
  forEachIndex(box, [&](ArrayRef<int64_t> index) {
    offsets.push_back(linearIndex(map.compose(index), strides));
  });
  return offsets;
}

std::optional<ContractionSpace>
simt::contractionSpace(ArrayRef<AffineMap> maps, ArrayRef<int64_t> box,
                       ArrayRef<bool> isReduction, ArrayRef<int64_t> lhsShape,
                       ArrayRef<int64_t> rhsShape, ArrayRef<int64_t> accShape) {
  std::optional<LinearAccess> lhs =
      linearAccessOf(maps[0], rowMajorStrides(lhsShape));
  std::optional<LinearAccess> rhs =
      linearAccessOf(maps[1], rowMajorStrides(rhsShape));
  std::optional<LinearAccess> acc =
      linearAccessOf(maps[2], rowMajorStrides(accShape));
  if (!lhs || !rhs || !acc || lhs->base || rhs->base || acc->base)
    return std::nullopt;

  SmallVector<unsigned> batch, m, n, k;
  for (unsigned d = 0; d < box.size(); ++d) {
    if (isReduction[d])
      k.push_back(d);
    else if (!maps[1].isFunctionOfDim(d))
      m.push_back(d);
    else if (!maps[0].isFunctionOfDim(d))
      n.push_back(d);
    else
      batch.push_back(d);
  }
  auto flattened = [&](const LinearAccess &access, ArrayRef<unsigned> group) {
    LinearAccess part;
    Shape extents;
    for (unsigned d : group) {
      part.strides.push_back(access.strides[d]);
      extents.push_back(box[d]);
    }
    return offsetsOf(part, extents);
  };
  return ContractionSpace{
      flattened(*lhs, batch), flattened(*rhs, batch), flattened(*acc, batch),
      flattened(*lhs, m),     flattened(*acc, m),     flattened(*rhs, n),
      flattened(*acc, n),     flattened(*lhs, k),     flattened(*rhs, k)};
}

//===- SliceGathers.cpp - Slices of gathers -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of a transfer_gather reads through slices of its index vectors, each
// along the dims that its map names, and is offset along the contiguous dims of
// memory (VX-209). Of
//
//   %g = transfer_gather %base[%i, 0] [%rows : vector<512xindex>] {maps =
//          [(d0, d1)[s0] -> (s0, d1), (d0, d1)[s0] -> (d0)]} :
//          vector<512x64xf32>
//
// the slice [%j, 32] of size 4x32 has the index value %rows[%j .. %j + 4], and
// the offsets [%i, 32].
//
//===----------------------------------------------------------------------===//
#include "Slicer.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace distaff;
using namespace distaff::vectortiles;
using vector_ext::TransferGatherOp;

/// Returns the box of an operand that a map from the vector addresses; a
/// constant is a dim of extent 1.
static Slice mapped(AffineMap map, const Slice &part) {
  Slice result;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    result.offsets.push_back(dim ? part.offsets[dim.getPosition()] : Offset());
    result.sizes.push_back(dim ? part.sizes[dim.getPosition()] : 1);
  }
  return result;
}

/// Expands a mask whose map has some of the vector's dims to a bit for each
/// element of the vector.
static Value spreadMask(OpBuilder &b, Location loc, Value mask, AffineMap map,
                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> order, extents, own;
  llvm::SmallBitVector isNamed(shape.size());
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      isNamed.set(dim.getPosition());
      own.push_back(dim.getPosition());
    }
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim)
    if (!isNamed.test(dim))
      order.push_back(dim);
  llvm::append_range(order, own);
  auto extentsOf = [&](ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
  };
  Type bit = b.getI1Type();
  // The mask loses dims of extent 1 that the vector does not have.
  mask = b.createOrFold<vector::ShapeCastOp>(
      loc, VectorType::get(extentsOf(own), bit), mask);
  mask = vector::BroadcastOp::create(
      b, loc, VectorType::get(extentsOf(order), bit), mask);
  if (llvm::is_sorted(order))
    return mask;
  return vector::TransposeOp::create(b, loc, mask,
                                     invertPermutationVector(order));
}

Value Slicer::transferGather(Operation *op, const Slice &part) {
  auto gather = cast<TransferGatherOp>(op);
  Location loc = gather.getLoc();
  SmallVector<AffineMap> maps = gather.getIndexingMapsArray();
  SmallVector<Value> offsets(gather.getOffsets()), indices;
  for (auto [offset, expr] :
       llvm::zip_equal(offsets, gather.getBaseMap().getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      offset = sum(offset, part.offsets[dim.getPosition()]);
  for (auto [number, value] : llvm::enumerate(gather.getIndexVecs()))
    indices.push_back(slice(value, mapped(gather.getIndexMap(number), part)));
  Value mask = gather.getMask();
  if (mask)
    mask = slice(mask, mapped(gather.getMaskMap(), part));
  if (insideMask(loc, part)) {
    if (mask)
      mask = spreadMask(builder, loc, mask, gather.getMaskMap(), part.sizes);
    AffineMap all = AffineMap::get(
        part.sizes.size(), indices.size(),
        builder.getMultiDimIdentityMap(part.sizes.size()).getResults(),
        builder.getContext());
    if (mask)
      maps.pop_back();
    maps.push_back(all);
    mask = maskedInside(loc, mask, part);
  }
  return TransferGatherOp::create(
      builder, loc, typeOf(gather.getVector(), part), gather.getBase(), offsets,
      indices, gather.getPadding(), mask, builder.getAffineMapArrayAttr(maps),
      builder.getBoolArrayAttr(gather.getInBoundsArray()),
      /*indexed=*/ArrayAttr(), /*indexed_maps=*/ArrayAttr(),
      /*permutation_map=*/AffineMapAttr());
}

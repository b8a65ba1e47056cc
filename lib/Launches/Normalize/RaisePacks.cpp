//===- RaisePacks.cpp - linalg.pack and linalg.unpack as generics ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RaisePacks.h"
#include "FromPositions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

namespace {
/// The dims of a packed tensor that form one dim of the unpacked tensor.
struct PackedDim {
  unsigned outer = 0;
  std::optional<unsigned> inner; // inner dim of a tiled one
  int64_t tile = 1;
};
} // namespace

/// Returns the dims by those of the unpacked tensor; fails for tiles of a
/// dynamic size.
template <typename Op>
static FailureOr<SmallVector<PackedDim>> findDims(Op op, unsigned rank) {
  SmallVector<PackedDim> dims(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    dims[dim].outer = dim;
  for (auto [position, dim] : llvm::enumerate(op.getOuterDimsPerm()))
    dims[dim].outer = position;
  for (auto [number, dim, tile] :
       llvm::enumerate(op.getInnerDimsPos(), op.getStaticInnerTiles())) {
    if (ShapedType::isDynamic(tile))
      return op.emitOpError("has inner tiles of a computed size; give them a "
                            "constant one");
    dims[dim].inner = rank + number;
    dims[dim].tile = tile;
  }
  return dims;
}

/// Returns the sizes of a packed tensor, from those of the unpacked one where
/// they are dynamic: the destination has the same.
static SmallVector<OpFoldResult> packedSizes(RewriterBase &rewriter,
                                             linalg::PackOp pack,
                                             ArrayRef<PackedDim> dims) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t extent : pack.getDestType().getShape())
    sizes.push_back(rewriter.getIndexAttr(extent));
  SmallVector<OpFoldResult> inner =
      tensor::getMixedSizes(rewriter, pack.getLoc(), pack.getSource());
  for (auto [size, dim] : llvm::zip_equal(inner, dims))
    if (pack.getDestType().isDynamicDim(dim.outer))
      sizes[dim.outer] = affine::makeComposedFoldedAffineApply(
          rewriter, pack.getLoc(),
          rewriter.getAffineSymbolExpr(0).ceilDiv(dim.tile), {size});
  return sizes;
}

/// Returns whether the last tile along a dim may end past the tensor.
static bool mayBePadded(linalg::PackOp pack, unsigned number,
                        const PackedDim &dim) {
  int64_t extent = pack.getSourceType().getDimSize(number);
  return pack.getPaddingValue() && dim.inner &&
         (ShapedType::isDynamic(extent) || extent % dim.tile != 0);
}

LogicalResult distaff::raisePack(RewriterBase &rewriter, linalg::PackOp pack) {
  RankedTensorType type = pack.getDestType();
  FailureOr<SmallVector<PackedDim>> dims =
      findDims(pack, pack.getSourceType().getRank());
  if (failed(dims))
    return failure();
  rewriter.setInsertionPoint(pack);
  Location loc = pack.getLoc();
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, pack.getSource());
  Value packed = createFromPositions(
      rewriter, loc, packedSizes(rewriter, pack, *dims), type.getElementType(),
      [&](OpBuilder &b, ValueRange at) -> Value {
        AffineExpr outer = b.getAffineDimExpr(0), inner = b.getAffineDimExpr(1);
        SmallVector<Value> positions;
        Value inside;
        for (auto [number, dim] : llvm::enumerate(*dims)) {
          Value position = at[dim.outer];
          if (dim.inner)
            position = affine::makeComposedAffineApply(
                b, loc, outer * dim.tile + inner,
                {at[dim.outer], at[*dim.inner]});
          positions.push_back(position);
          if (!mayBePadded(pack, number, dim))
            continue;
          Value isIn = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::slt, position,
              getValueOrCreateConstantIndexOp(b, loc, extents[number]));
          inside = inside
                       ? arith::AndIOp::create(b, loc, inside, isIn).getResult()
                       : isIn;
        }
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        if (inside)
          for (Value &position : positions)
            position = arith::SelectOp::create(b, loc, inside, position, zero);
        Value read =
            tensor::ExtractOp::create(b, loc, pack.getSource(), positions);
        return inside ? arith::SelectOp::create(b, loc, inside, read,
                                                pack.getPaddingValue())
                            .getResult()
                      : read;
      });
  rewriter.replaceOp(pack, tensor::CastOp::create(rewriter, loc, type, packed));
  return success();
}

LogicalResult distaff::raiseUnpack(RewriterBase &rewriter,
                                   linalg::UnPackOp unpack) {
  RankedTensorType type = unpack.getDestType();
  FailureOr<SmallVector<PackedDim>> dims = findDims(unpack, type.getRank());
  if (failed(dims))
    return failure();
  rewriter.setInsertionPoint(unpack);
  Location loc = unpack.getLoc();
  unsigned rank = unpack.getSourceType().getRank();
  Value whole = createFromPositions(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, unpack.getDest()),
      type.getElementType(), [&](OpBuilder &b, ValueRange at) -> Value {
        AffineExpr place = b.getAffineDimExpr(0);
        SmallVector<Value> positions(rank);
        for (auto [position, dim] : llvm::zip_equal(at, *dims)) {
          positions[dim.outer] = position;
          if (!dim.inner)
            continue;
          positions[dim.outer] = affine::makeComposedAffineApply(
              b, loc, place.floorDiv(dim.tile), {position});
          positions[*dim.inner] = affine::makeComposedAffineApply(
              b, loc, place % dim.tile, {position});
        }
        return tensor::ExtractOp::create(b, loc, unpack.getSource(), positions);
      });
  rewriter.replaceOp(unpack,
                     tensor::CastOp::create(rewriter, loc, type, whole));
  return success();
}

//===- DistributeSlices.cpp - pcf.read_slice and pcf.write_slice ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice moves one tile of elements at a time, like a transfer: element p of
// the slice is at offset + p * stride, and a member has the elements at its
// base plus the tile's offset. Where a slice is smaller than its vector, tiles
// are clipped: a tile that begins past the slice's end has size 0, and accesses
// nothing.
//
//   write_slice %x into %r[%o] [%n] [2]         vector<64>, T[32] E[2]
//   write_slice %d into %r[%o + 2 * (2 * %lane)] [clamp(%n - 2 * %lane, 0, 2)]
//   [2]
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "TileAccess.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

namespace {
using Mixed = SmallVector<OpFoldResult>;

/// Describes one dim of a slice: the same for all tiles.
class SliceDim {
public:
  SliceDim(OpFoldResult offset, OpFoldResult size, OpFoldResult stride,
           int64_t extent, Value base)
      : offset(offset), size(size), stride(stride), extent(extent),
        base(getAsOpFoldResult(base)) {}

  /// Returns the offset of the element that is `place` after the base.
  OpFoldResult offsetAt(OpBuilder &b, Location loc, int64_t place) const {
    AffineExpr s0, s1, s2;
    bindSymbols(b.getContext(), s0, s1, s2);
    // A constant stride keeps the map linear.
    std::optional<int64_t> step = getConstantIntValue(stride);
    AffineExpr map = step ? s0 + (s1 + place) * *step : s0 + (s1 + place) * s2;
    return affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(0, 3, map),
        {offset, base, step ? OpFoldResult(b.getIndexAttr(0)) : stride});
  }

  /// Returns how many of `most` elements from there are in the slice.
  OpFoldResult sizeAt(OpBuilder &b, Location loc, int64_t place,
                      int64_t most) const {
    // Then all places are in the slice.
    if (getConstantIntValue(size) == extent)
      return b.getIndexAttr(most);
    AffineExpr s0, s1;
    bindSymbols(b.getContext(), s0, s1);
    OpFoldResult left = affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(0, 2, s0 - s1 - place), {size, base});
    OpFoldResult some =
        affine::makeComposedFoldedAffineMax(b, loc, bounds(b, 0), {left});
    return affine::makeComposedFoldedAffineMin(b, loc, bounds(b, most), {some});
  }

private:
  static AffineMap bounds(OpBuilder &b, int64_t bound) {
    return AffineMap::get(
        0, 1, {b.getAffineSymbolExpr(0), b.getAffineConstantExpr(bound)},
        b.getContext());
  }

  OpFoldResult offset, size, stride;
  int64_t extent;
  OpFoldResult base;
};

/// Returns the dims of a slice for one member.
template <typename SliceOp>
SmallVector<SliceDim> dimsOf(SliceOp op, const Placement &placement,
                             Distributor &out) {
  SmallVector<SliceDim> dims;
  SmallVector<int64_t> shape = placement.layout.shape();
  for (int64_t dim = 0; dim < placement.rank(); ++dim)
    dims.emplace_back(op.getMixedOffsets()[dim], op.getMixedSizes()[dim],
                      op.getMixedStrides()[dim], shape[dim],
                      out.ids.base(placement, dim));
  return dims;
}

/// The offsets and sizes of a tile's slice.
struct TileSlice {
  TileSlice(OpBuilder &b, Location loc, ArrayRef<SliceDim> dims,
            const Tile &tile, ArrayRef<int64_t> elementShape) {
    for (auto [dim, place, extent] :
         llvm::zip_equal(dims, tile.offset, elementShape)) {
      offsets.push_back(dim.offsetAt(b, loc, place));
      sizes.push_back(dim.sizeAt(b, loc, place, extent));
    }
  }
  Mixed offsets, sizes;
};
} // namespace

/// Returns the access of a slice. Accesses of two slices that begin at the same
/// place with the same strides are alike if there are no replicas.
template <typename SliceOp>
static MemoryAccess accessOf(SliceOp op, const Placement &placement,
                             bool writes, Distributor &out) {
  MemoryBox box;
  SmallVector<int64_t> shape = placement.layout.shape();
  SmallVector<Attribute> key{placement.attr};
  SmallVector<Value> values{op.getRef()};
  auto append = [&](OpFoldResult value) {
    if (auto constant = dyn_cast<Attribute>(value))
      return key.push_back(constant);
    values.push_back(cast<Value>(value));
    key.push_back(UnitAttr::get(op.getContext()));
  };
  for (auto [offset, size, stride, extent] :
       llvm::zip_equal(op.getMixedOffsets(), op.getMixedSizes(),
                       op.getMixedStrides(), shape)) {
    append(offset);
    append(stride);
    box.start.push_back(getConstantIntValue(offset));
    auto start = dyn_cast<Value>(offset);
    box.motion.push_back(start ? out.motions.of(start)
                               : std::optional(LoopMotion()));
    // With an unknown stride the access may be anywhere.
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (!step)
      box.start.back() = std::nullopt, box.motion.back() = std::nullopt;
    int64_t count =
        std::min(extent, getConstantIntValue(size).value_or(extent));
    box.extent.push_back((std::max<int64_t>(count, 1) - 1) * step.value_or(1) +
                         1);
  }
  MemoryAccess access{op.getRef(), writes, out.hazards.newGroup(),
                      std::move(box)};
  if (!isCanonical(out, placement))
    access.holders = out.holdersOf(key, values);
  return access;
}

LogicalResult distaff::distribute(pcf::ReadSliceOp op, Distributor &out) {
  if (!isa<VectorType>(op.getType()))
    return out.refuse(op, "reads a tensor; vectorize first");
  const Placement *placement = out.placementOf(op.getResult());

  OpBuilder b(op);
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getType());
  SmallVector<int64_t> elementShape = placement->elementShape();
  auto tileType = VectorType::get(elementShape, element);
  auto tiledType = VectorType::get(placement->tiledShape(), element);
  SmallVector<SliceDim> dims = dimsOf(op, *placement, out);
  MemoryAccess access = accessOf(op, *placement, /*writes=*/false, out);
  SmallVector<Tile> tiles = placement->tiles();
  Value tiled = tiles.size() > 1 ? undefined(b, loc, tiledType) : Value();
  for (const Tile &tile : tiles) {
    TileSlice slice(b, loc, dims, tile, elementShape);
    auto read = pcf::ReadSliceOp::create(b, loc, tileType, op.getSource(),
                                         slice.offsets, slice.sizes,
                                         op.getMixedStrides());
    out.hazards.record(read, access);
    if (tiles.size() == 1)
      tiled = reshapeRegisters(b, loc, read, tiledType.getShape());
    else
      tiled = vector::InsertOp::create(b, loc, read, tiled, tile.position);
  }
  out.replace(op, fromTiled(b, loc, tiled, *placement));
  return success();
}

LogicalResult distaff::distribute(pcf::WriteSliceOp op, Distributor &out) {
  if (!isa<VectorType>(op.getSource().getType()))
    return out.refuse(op, "writes no vector, so nothing says which member "
                          "writes what; vectorize first");
  const Placement *placement = out.placementOf(op.getSourceMutable());

  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> elementShape = placement->elementShape();
  Value value = toTiled(b, loc, out.get(b, op.getSourceMutable()), *placement);
  SmallVector<SliceDim> dims = dimsOf(op, *placement, out);
  MemoryAccess access = accessOf(op, *placement, /*writes=*/true, out);
  Operation *emitted =
      emitGuarded(b, loc, isCanonical(out, *placement), [&](OpBuilder &b) {
        for (const Tile &tile : placement->tiles()) {
          Value part =
              tile.position.empty()
                  ? value
                  : vector::ExtractOp::create(b, loc, value, tile.position);
          TileSlice slice(b, loc, dims, tile, elementShape);
          pcf::WriteSliceOp::create(b, loc, part, op.getDest(), slice.offsets,
                                    slice.sizes, op.getMixedStrides());
        }
      });
  out.hazards.record(emitted, std::move(access));
  op->erase();
  return success();
}

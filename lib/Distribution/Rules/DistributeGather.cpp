//===- DistributeGather.cpp - transfer_gather and transfer_scatter --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These ops move one tile at a time, like transfers. A dim of the vector that
// is contiguous in memory moves the offset; an index vector (and the mask) is
// split into tiles by the dims of its map, so an index vector of lower rank
// gives the same slice to every tile that differs elsewhere (VX-80, VX-81, W6).
// Scalar indices are unchanged.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "TileAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using vector_ext::TransferGatherOp;
using vector_ext::TransferScatterOp;

namespace {
struct IndexedPlan {
  const Placement *vector;
  SmallVector<const Placement *> indices; // null for scalars
  const Placement *mask = nullptr;
};
} // namespace

template <typename OpTy>
static IndexedPlan planIndexed(OpTy op, const Placement *vector,
                               Distributor &out) {
  IndexedPlan plan{vector, {}, nullptr};
  for (OpOperand &index : op.getIndexVecsMutable())
    plan.indices.push_back(out.placementOf(index));
  if (op.getMask())
    plan.mask = out.placementOf(op.getMaskMutable()[0]);
  return plan;
}

/// Returns the vector dim of each result of an operand's map; -1 for a constant
/// 0.
static SmallVector<int64_t> dimsOf(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) -> int64_t {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? int64_t(dim.getPosition()) : -1;
  });
}

namespace {
/// The operands of the op for one tile.
struct TileOperands {
  SmallVector<Value> offsets, indices;
  Value mask;
};

/// Holds the distributed operands, and splits them into tiles.
template <typename OpTy> class IndexedTiles {
public:
  IndexedTiles(OpBuilder &b, OpTy op, const IndexedPlan &plan, Distributor &out)
      : op(op), plan(plan), out(out) {
    for (auto [at, index] : llvm::enumerate(op.getIndexVecsMutable())) {
      indices.push_back(out.get(b, index));
      cutIndices.push_back(
          cut(indices.back(), plan.indices[at], op.getIndexMap(at)));
    }
    if (op.getMask())
      mask =
          cut(out.get(b, op.getMaskMutable()[0]), plan.mask, op.getMaskMap());
  }

  TileOperands at(OpBuilder &b, const Tile &tile) {
    Location loc = op.getLoc();
    TileOperands operands;
    for (auto [offset, expr] :
         llvm::zip_equal(op.getOffsets(), op.getBaseMap().getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      operands.offsets.push_back(
          dim ? shifted(b, offset, dim.getPosition(), tile) : offset);
    }
    SmallVector<int64_t> extent = plan.vector->elementShape();
    for (auto [index, tiles] : llvm::zip_equal(indices, cutIndices))
      operands.indices.push_back(tiles ? tiles->at(b, loc, tile, extent)
                                       : index);
    if (mask)
      operands.mask = mask->at(b, loc, tile, extent);
    return operands;
  }

  ArrayAttr maps(OpBuilder &b) {
    return b.getAffineMapArrayAttr(op.getIndexingMapsArray());
  }
  ArrayAttr inBounds(OpBuilder &b) {
    return b.getBoolArrayAttr(op.getInBoundsArray());
  }

private:
  static std::optional<OperandTiles>
  cut(Value value, const Placement *placement, AffineMap map) {
    if (!placement)
      return std::nullopt; // a scalar
    return OperandTiles(value, *placement, dimsOf(map));
  }

  Value shifted(OpBuilder &b, Value offset, int64_t dim, const Tile &tile) {
    Value own = out.ids.offset(b, op.getLoc(), out.ids.base(*plan.vector, dim),
                               tile.offset[dim]);
    return out.ids.step(b, op.getLoc(), offset, own, 1);
  }

  OpTy op;
  const IndexedPlan &plan;
  Distributor &out;
  SmallVector<Value> indices;
  SmallVector<std::optional<OperandTiles>> cutIndices; // none for scalars
  std::optional<OperandTiles> mask;
};
} // namespace

LogicalResult distaff::distribute(TransferGatherOp op, Distributor &out) {
  IndexedPlan plan = planIndexed(op, out.placementOf(op.getVector()), out);
  OpBuilder b(op);
  Location loc = op.getLoc();
  const Placement &placement = *plan.vector;
  Type element = op.getVectorType().getElementType();
  auto tileType = VectorType::get(placement.elementShape(), element);
  auto tiledType = VectorType::get(placement.tiledShape(), element);
  IndexedTiles<TransferGatherOp> tiles(b, op, plan, out);

  Value tiled = undefined(b, loc, tiledType);
  int64_t reading = out.hazards.newGroup();
  for (const Tile &tile : placement.tiles()) {
    TileOperands operands = tiles.at(b, tile);
    auto read = TransferGatherOp::create(
        b, loc, tileType, op.getBase(), operands.offsets, operands.indices,
        op.getPadding(), operands.mask, tiles.maps(b), tiles.inBounds(b),
        /*indexed=*/ArrayAttr(),
        /*indexed_maps=*/ArrayAttr(), /*permutation_map=*/AffineMapAttr());
    if (isa<MemRefType>(op.getBase().getType()))
      out.hazards.record(read, {op.getBase(), /*writes=*/false, reading, {}});
    tiled = tile.position.empty()
                ? read.getVector()
                : vector::InsertOp::create(b, loc, read.getVector(), tiled,
                                           tile.position);
  }
  out.replace(op, fromTiled(b, loc, tiled, placement));
  return success();
}

LogicalResult distaff::distribute(TransferScatterOp op, Distributor &out) {
  if (!isa<MemRefType>(op.getBase().getType()))
    return out.refuse(op, "writes a tensor; bufferize first");
  IndexedPlan plan =
      planIndexed(op, out.placementOf(op.getVectorMutable()), out);
  OpBuilder b(op);
  Location loc = op.getLoc();
  const Placement &placement = *plan.vector;
  IndexedTiles<TransferScatterOp> tiles(b, op, plan, out);
  Value value = toTiled(b, loc, out.get(b, op.getVectorMutable()), placement);
  Operation *emitted =
      emitGuarded(b, loc, isCanonical(out, placement), [&](OpBuilder &b) {
        for (const Tile &tile : placement.tiles()) {
          TileOperands operands = tiles.at(b, tile);
          Value part =
              tile.position.empty()
                  ? value
                  : vector::ExtractOp::create(b, loc, value, tile.position);
          TransferScatterOp::create(b, loc, /*result=*/Type(), part,
                                    op.getBase(), operands.offsets,
                                    operands.indices, operands.mask,
                                    tiles.maps(b), tiles.inBounds(b));
        }
      });
  out.hazards.record(
      emitted, {op.getBase(), /*writes=*/true, out.hazards.newGroup(), {}});
  op->erase();
  return success();
}

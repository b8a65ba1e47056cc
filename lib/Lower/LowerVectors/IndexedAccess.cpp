//===- IndexedAccess.cpp - Rules for gathers and scatters -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address of element v has one term per base dim: the offset, plus a
// coordinate of v, plus an element of an index vector. Elements along the
// vector dim that feeds the base's last dim directly are adjacent, so each row
// of them is a Tile of its own (Access.h) and may be accessed wide; all other
// dims are unrolled.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;
using namespace distaff::registers;

namespace {

/// Enumerates the rows of a gather or scatter.
template <typename Op> class IndexedRows {
public:
  IndexedRows(Op op, Lowering &lowering)
      : op(op), lowering(lowering), vector(op.getVectorType()),
        base(cast<MemRefType>(op.getBase().getType())),
        maps(op.getIndexingMapsArray()), inBounds(op.getInBoundsArray()) {
    runDim = findRunDim();
  }

  /// Calls `visit` on the tile of every row, with the positions in the vector
  /// of its elements.
  void
  forEach(llvm::function_ref<void(const Tile &, ArrayRef<int64_t>)> visit) {
    SmallVector<int64_t> starts(vector.getShape());
    if (runDim >= 0)
      starts[runDim] = 1;
    forEachIndex(starts, [&](int64_t, ArrayRef<int64_t> start) {
      SmallVector<int64_t> positions;
      Tile tile = row(start, positions);
      visit(tile, positions);
    });
  }

private:
  AffineMap baseMap() const { return maps.front(); }
  AffineMap indexMap(unsigned k) const { return maps[1 + k]; }

  static bool uses(AffineMap map, int64_t dim) {
    return map.isFunctionOfDim(dim);
  }

  /// Returns the vector dim whose coordinate is the last base dim's, and that
  /// moves nothing else; -1 for none.
  int64_t findRunDim() {
    if (base.getRank() == 0)
      return -1;
    auto dim = dyn_cast<AffineDimExpr>(baseMap().getResults().back());
    // A diagonal moves along two base dims.
    if (!dim || llvm::is_contained(baseMap().getResults().drop_back(), dim))
      return -1;
    for (unsigned k = 0; k < op.getIndexVecs().size(); ++k)
      if (uses(indexMap(k), dim.getPosition()))
        return -1;
    return dim.getPosition();
  }

  Tile row(ArrayRef<int64_t> start, SmallVectorImpl<int64_t> &positions) {
    int64_t extent = runDim >= 0 ? vector.getDimSize(runDim) : 1;
    int64_t rank = std::min<int64_t>(base.getRank(), 1);
    Tile tile{
        op.getLoc(),
        op.getBase(),
        addresses(start),
        VectorType::get(SmallVector<int64_t>(rank, extent),
                        vector.getElementType()),
        AffineMap::getMinorIdentityMap(base.getRank(), rank, op.getContext()),
        SmallVector<bool>(rank, runDim < 0 || inBounds[runDim]),
        /*alignment=*/1,
        {}};
    Value inside = insideOtherDims(tile, start);
    SmallVector<int64_t> index(start);
    for (int64_t i = 0; i < extent; ++i) {
      if (runDim >= 0)
        index[runDim] = i;
      positions.push_back(linearIndex(vector.getShape(), index));
      if (op.getMask() || inside)
        tile.mask.push_back(conjunction(maskBit(index), inside));
    }
    return tile;
  }

  /// Returns the value of index vector `k` for an element.
  Value indexValue(unsigned k, ArrayRef<int64_t> index) {
    Value indices = op.getIndexVecs()[k];
    Value value = element(indices, indexMap(k), index);
    if (value.getType().isIndex())
      return value;
    return lowering.builder.createOrFold<arith::IndexCastOp>(
        op.getLoc(), lowering.builder.getIndexType(), value);
  }

  SmallVector<Value> addresses(ArrayRef<int64_t> index) {
    SmallVector<Value> result;
    for (auto [offset, expr] :
         llvm::zip_equal(op.getOffsets(), baseMap().getResults())) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        result.push_back(lowering.offset(offset, index[dim.getPosition()]));
      else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
        result.push_back(lowering.builder.createOrFold<arith::AddIOp>(
            op.getLoc(), offset, indexValue(symbol.getPosition(), index)));
      else
        result.push_back(offset);
    }
    return result;
  }

  /// Returns whether a vector dim that may leave the base feeds this base dim.
  bool mayLeave(int64_t baseDim) {
    AffineExpr expr = baseMap().getResult(baseDim);
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return !inBounds[dim.getPosition()];
    auto symbol = dyn_cast<AffineSymbolExpr>(expr);
    if (!symbol)
      return false;
    for (auto [dim, isInside] : llvm::enumerate(inBounds))
      if (!isInside && uses(indexMap(symbol.getPosition()), dim))
        return true;
    return false;
  }

  /// Returns the condition of a row without its own dim, which the tile checks.
  Value insideOtherDims(const Tile &tile, ArrayRef<int64_t> start) {
    Value all;
    int64_t own = runDim >= 0 ? base.getRank() - 1 : base.getRank();
    for (int64_t dim = 0; dim < own; ++dim)
      if (mayLeave(dim))
        all = conjunction(
            all, insideCondition(tile, dim, tile.indices[dim], lowering));
    return all;
  }

  Value maskBit(ArrayRef<int64_t> index) {
    return op.getMask() ? element(op.getMask(), maps.back(), index) : Value();
  }

  /// Returns the element of an operand at its map's position for an index of
  /// the vector.
  Value element(Value operand, AffineMap map, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at =
        llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> int64_t {
          auto dim = dyn_cast<AffineDimExpr>(expr);
          return dim ? index[dim.getPosition()] : 0;
        });
    auto type = dyn_cast<VectorType>(operand.getType());
    ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
    return lowering.elements(operand)[linearIndex(shape, at)];
  }

  Value conjunction(Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return lowering.builder.createOrFold<arith::AndIOp>(op.getLoc(), lhs, rhs);
  }

  Op op;
  Lowering &lowering;
  VectorType vector;
  MemRefType base;
  SmallVector<AffineMap> maps;
  SmallVector<bool> inBounds;
  int64_t runDim;
};

} // namespace

static LogicalResult lowerTransferGather(vector_ext::TransferGatherOp op,
                                         Lowering &lowering) {
  if (!isa<MemRefType>(op.getBase().getType()))
    return op.emitOpError("accesses a tensor; bufferize first");
  SmallVector<Value> elements(op.getVectorType().getNumElements());
  IndexedRows(op, lowering)
      .forEach([&](const Tile &tile, ArrayRef<int64_t> positions) {
        for (auto [position, value] : llvm::zip_equal(
                 positions, readTile(tile, {op.getPadding()}, lowering)))
          elements[position] = value;
      });
  lowering.setElements(op.getVector(), elements);
  return success();
}

static LogicalResult lowerTransferScatter(vector_ext::TransferScatterOp op,
                                          Lowering &lowering) {
  if (!isa<MemRefType>(op.getBase().getType()))
    return op.emitOpError("accesses a tensor; bufferize first");
  SmallVector<Value> stored(lowering.elements(op.getVector()));
  IndexedRows(op, lowering)
      .forEach([&](const Tile &tile, ArrayRef<int64_t> positions) {
        writeTile(tile,
                  llvm::map_to_vector(positions,
                                      [&](int64_t i) { return stored[i]; }),
                  lowering);
      });
  return success();
}

void registers::addIndexedAccessRules(RuleSet &rules) {
  rules.add(lowerTransferGather);
  rules.add(lowerTransferScatter);
}

//===- Memory.cpp - Rules for loads, stores, transfers, gathers -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is described as a Tile (Access.h) and lowered chunk by chunk. Gathers
// and scatters access one element at a time.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Returns a transfer's mask in the order of the vector; the operand has the
/// dims of the memref, in their order and without the unused ones.
static SmallVector<Value> maskOf(VectorTransferOpInterface op,
                                 const Tiling &tiling, Lowering &lowering) {
  if (!op.getMask())
    return {};
  ArrayRef<int64_t> maskShape =
      cast<VectorType>(op.getMask().getType()).getShape();
  ArrayRef<Value> bits = lowering.elements(op.getMask());
  SmallVector<int64_t> used;
  for (int64_t dim : tiling.memrefDim)
    if (dim >= 0)
      used.push_back(dim);
  llvm::sort(used);
  SmallVector<Value> mask;
  forEachIndex(tiling.shape, [&](int64_t, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at(used.size());
    for (auto [digit, dim] : llvm::zip_equal(index, tiling.memrefDim))
      if (dim >= 0)
        at[llvm::find(used, dim) - used.begin()] = digit;
    mask.push_back(bits[linearIndex(maskShape, at)]);
  });
  return mask;
}

static FailureOr<Tile> maskedTileOf(VectorTransferOpInterface op,
                                    Lowering &lowering) {
  auto memref = dyn_cast<MemRefType>(op.getShapedType());
  if (!memref)
    return op->emitOpError("accesses a tensor; bufferize first");
  if (isa<VectorType>(memref.getElementType()))
    return op->emitOpError("accesses a memref of vectors; take memory of "
                           "scalars");
  Tile tile = registers::tileOf(op);
  tile.mask = maskOf(op, tilingOf(tile), lowering);
  return tile;
}

static LogicalResult lowerTransferRead(vector::TransferReadOp op,
                                       Lowering &lowering) {
  FailureOr<Tile> tile = maskedTileOf(
      cast<VectorTransferOpInterface>(op.getOperation()), lowering);
  if (failed(tile))
    return failure();
  tile->takesUnaligned =
      tile->mask.empty() && hasUnalignedRows(tile->memref, lowering.target);
  lowering.setElements(op.getResult(),
                       readTile(*tile, {op.getPadding()}, lowering));
  return success();
}

static LogicalResult lowerTransferWrite(vector::TransferWriteOp op,
                                        Lowering &lowering) {
  FailureOr<Tile> tile = maskedTileOf(
      cast<VectorTransferOpInterface>(op.getOperation()), lowering);
  if (failed(tile))
    return failure();
  writeTile(*tile, SmallVector<Value>(lowering.elements(op.getValueToStore())),
            lowering);
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores: transfers along the innermost dims, wholly inside
//===----------------------------------------------------------------------===//

template <typename Op>
static Tile minorTile(Op op, Value mask, Lowering &lowering) {
  Tile tile = registers::minorTile(op);
  if (mask)
    tile.mask = SmallVector<Value>(lowering.elements(mask));
  return tile;
}

static LogicalResult lowerLoad(vector::LoadOp op, Lowering &lowering) {
  Tile tile = minorTile(op, Value(), lowering);
  lowering.setElements(op.getResult(), readTile(tile, {}, lowering));
  return success();
}

static LogicalResult lowerMaskedLoad(vector::MaskedLoadOp op,
                                     Lowering &lowering) {
  Tile tile = minorTile(op, op.getMask(), lowering);
  SmallVector<Value> passThru(lowering.elements(op.getPassThru()));
  lowering.setElements(op.getResult(), readTile(tile, passThru, lowering));
  return success();
}

static LogicalResult lowerStore(vector::StoreOp op, Lowering &lowering) {
  Tile tile = minorTile(op, Value(), lowering);
  writeTile(tile, SmallVector<Value>(lowering.elements(op.getValueToStore())),
            lowering);
  return success();
}

static LogicalResult lowerMaskedStore(vector::MaskedStoreOp op,
                                      Lowering &lowering) {
  Tile tile = minorTile(op, op.getMask(), lowering);
  writeTile(tile, SmallVector<Value>(lowering.elements(op.getValueToStore())),
            lowering);
  return success();
}

//===----------------------------------------------------------------------===//
// Gathers and scatters
//===----------------------------------------------------------------------===//

/// Returns element `i` of a gather or scatter as a tile of one element.
template <typename Op>
static Tile elementTile(Op op, VectorType type, int64_t i, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  SmallVector<Value> indices(op.getOffsets());
  Value at = lowering.elements(op.getIndices())[i];
  if (!at.getType().isIndex())
    at = builder.createOrFold<arith::IndexCastOp>(op.getLoc(),
                                                  builder.getIndexType(), at);
  indices.back() =
      builder.createOrFold<arith::AddIOp>(op.getLoc(), indices.back(), at);
  return {op.getLoc(),
          op.getBase(),
          indices,
          VectorType::get({1}, type.getElementType()),
          AffineMap::getMinorIdentityMap(indices.size(), 1, op.getContext()),
          {true},
          /*alignment=*/1,
          {lowering.elements(op.getMask())[i]}};
}

static LogicalResult lowerGather(vector::GatherOp op, Lowering &lowering) {
  if (!isa<MemRefType>(op.getBase().getType()))
    return op.emitOpError("accesses a tensor; bufferize first");
  SmallVector<Value> passThru(lowering.elements(op.getPassThru()));
  SmallVector<Value> elements;
  for (auto [i, otherwise] : llvm::enumerate(passThru))
    llvm::append_range(
        elements, readTile(elementTile(op, op.getVectorType(), i, lowering),
                           {otherwise}, lowering));
  lowering.setElements(op.getResult(), elements);
  return success();
}

static LogicalResult lowerScatter(vector::ScatterOp op, Lowering &lowering) {
  if (!isa<MemRefType>(op.getBase().getType()))
    return op.emitOpError("accesses a tensor; bufferize first");
  // Stores are in order, so that of two equal positions the last one stays.
  SmallVector<Value> stored(lowering.elements(op.getValueToStore()));
  for (auto [i, value] : llvm::enumerate(stored))
    writeTile(elementTile(op, op.getVectorType(), i, lowering), {value},
              lowering);
  return success();
}

void registers::addMemoryRules(RuleSet &rules) {
  rules.add(lowerTransferRead);
  rules.add(lowerTransferWrite);
  rules.add(lowerLoad);
  rules.add(lowerMaskedLoad);
  rules.add(lowerStore);
  rules.add(lowerMaskedStore);
  rules.add(lowerGather);
  rules.add(lowerScatter);
}

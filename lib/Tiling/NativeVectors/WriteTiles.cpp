//===- WriteTiles.cpp - Loops over the tiles of roots ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WriteTiles.h"
#include "BufferAccess.h"
#include "Cone.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vectortiles;

namespace {
/// Holds a computed tile of a root before it is written.
struct Tile {
  Operation *root;
  SmallVector<Value, 3> values; // of the root's vector operands
};
} // namespace

/// Returns the results of a root's tiles that are kept. The last value of a
/// scan is a reduction of its own.
static SmallVector<Value> keptResults(Operation *root, const Buffers &buffers) {
  if (auto scan = dyn_cast<vector::ScanOp>(root))
    return {scan.getDest()};
  return llvm::filter_to_vector(
      ValueRange(root->getResults()),
      [&](Value result) { return buffers.contains(result); });
}

static Tile computeTile(Slicer &slicer, Operation *root, const Slice &part,
                        const Buffers &buffers) {
  Tile tile{root, {}};
  if (isSliceable(root) || isa<vector::ScanOp>(root)) {
    for (Value result : keptResults(root, buffers))
      tile.values.push_back(slicer.compute(result, part));
    return tile;
  }
  auto write = dyn_cast<vector::TransferWriteOp>(root);
  for (Value operand : root->getOperands()) {
    if (!isa<VectorType>(operand.getType()))
      continue;
    bool isMask = write && operand == write.getMask();
    tile.values.push_back(slicer.slice(
        operand, isMask ? sliceOfMask(write.getPermutationMap(), part) : part));
  }
  return tile;
}

static void writeTransfer(Slicer &slicer, vector::TransferWriteOp op,
                          ArrayRef<Value> values, const Slice &part) {
  AffineMap map = op.getPermutationMap();
  Value own = values.size() > 1 ? values[1] : Value();
  Value mask = slicer.maskedInside(op.getLoc(), own, sliceOfMask(map, part));
  vector::TransferWriteOp::create(
      slicer.builder, op.getLoc(), values[0], op.getBase(),
      slicer.moved(op.getIndices(), map, part.offsets),
      op.getPermutationMapAttr(), mask, op.getInBoundsAttr());
}

static void writeStore(Slicer &slicer, vector::StoreOp op, Value value,
                       const Slice &part) {
  OpBuilder &b = slicer.builder;
  AffineMap map = AffineMap::getMinorIdentityMap(
      op.getIndices().size(), part.sizes.size(), b.getContext());
  SmallVector<Value> indices = slicer.moved(op.getIndices(), map, part.offsets);
  if (Value inside = slicer.insideMask(op.getLoc(), part))
    writeBuffer(b, op.getLoc(), value, op.getBase(), indices, inside);
  else
    vector::StoreOp::create(b, op.getLoc(), value, op.getBase(), indices);
}

static void writeMasked(Slicer &slicer, vector::MaskedStoreOp op,
                        ArrayRef<Value> values, const Slice &part) {
  OpBuilder &b = slicer.builder;
  AffineMap map = AffineMap::getMinorIdentityMap(
      op.getIndices().size(), part.sizes.size(), b.getContext());
  vector::MaskedStoreOp::create(
      b, op.getLoc(), op.getBase(),
      slicer.moved(op.getIndices(), map, part.offsets),
      slicer.maskedInside(op.getLoc(), values[0], part), values[1]);
}

static void writeTile(Slicer &slicer, const Tile &tile, const Slice &part,
                      const Buffers &buffers) {
  OpBuilder &b = slicer.builder;
  ArrayRef<Value> values = tile.values;
  llvm::TypeSwitch<Operation *>(tile.root)
      .Case([&](vector::TransferWriteOp op) {
        writeTransfer(slicer, op, values, part);
      })
      .Case(
          [&](vector::StoreOp op) { writeStore(slicer, op, values[0], part); })
      .Case([&](vector::MaskedStoreOp op) {
        writeMasked(slicer, op, values, part);
      })
      .Case([&](vector::ScatterOp op) {
        vector::ScatterOp::create(
            b, op.getLoc(), Type(), op.getBase(), op.getOffsets(), values[0],
            slicer.maskedInside(op.getLoc(), values[1], part), values[2]);
      })
      .Default([&](Operation *op) {
        SmallVector<Value> indices;
        for (const Offset &offset : part.offsets)
          indices.push_back(slicer.valueOf(offset));
        for (auto [result, value] :
             llvm::zip_equal(keptResults(op, buffers), values))
          writeBuffer(b, op->getLoc(), value, buffers.lookup(result), indices,
                      slicer.insideMask(op->getLoc(), part));
      });
}

void vectortiles::writeTiles(ArrayRef<Operation *> roots, const RootTile &tile,
                             const Machine &machine, const Buffers &buffers) {
  Slicer slicer(roots.back(), machine, buffers);
  SmallVector<int64_t> shape(rootShape(roots.front()));
  Slice part = Slice::whole(shape);
  auto write = [&] {
    SmallVector<Tile> done;
    for (Operation *root : roots)
      done.push_back(computeTile(slicer, root, part, buffers));
    for (const Tile &each : done)
      writeTile(slicer, each, part, buffers);
  };
  SmallVector<size_t> dims; // the innermost loop last
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (dim != tile.ordered)
      dims.push_back(dim);
  if (tile.ordered)
    dims.push_back(*tile.ordered);
  auto nest = [&](auto &&nest, size_t depth) -> void {
    size_t dim = dims[depth];
    bool isLast = depth + 1 == dims.size();
    if (isLast && tile.ordered)
      return slicer.tilesInOrder(tile.scans, part, shape[dim], tile.sizes[dim],
                                 tile.rests[dim], [&](Offset at, int64_t size) {
                                   part.offsets[dim] = at;
                                   part.sizes[dim] = size;
                                   write();
                                 });
    slicer.tiles(shape[dim], tile.sizes[dim], tile.rests[dim], {},
                 [&](Offset at, int64_t size, ValueRange) {
                   part.offsets[dim] = at;
                   part.sizes[dim] = size;
                   if (isLast)
                     write();
                   else
                     nest(nest, depth + 1);
                   return SmallVector<Value>();
                 });
  };
  nest(nest, 0);
}

void vectortiles::writeValue(Operation *root, const Machine &machine,
                             const Buffers &buffers) {
  Slicer slicer(root, machine, buffers);
  Value result = root->getResult(0);
  if (auto extract = dyn_cast<vector::ExtractOp>(root);
      extract && !isa<VectorType>(result.getType())) {
    SmallVector<Offset> position;
    for (OpFoldResult index : extract.getMixedPosition()) {
      std::optional<int64_t> constant = getConstantIntValue(index);
      position.push_back(constant ? Offset{Value(), *constant}
                                  : Offset{cast<Value>(index)});
    }
    result.replaceAllUsesWith(slicer.element(extract.getSource(), position));
    return;
  }
  result.replaceAllUsesWith(
      slicer.compute(result, Slice::whole(rootShape(root))));
}

//===- TensorPack.cpp - linalg.pack and linalg.unpack ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both visit the elements of the packed tensor: its outer dims count tiles, its
// inner dims places in a tile, and both together give the element of the
// unpacked tensor, or none.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "TensorBox.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// The packing of a tensor of `rank` dims.
struct Packing {
  Operation *op;
  unsigned rank = 0;
  SmallVector<int64_t> outer, tiled; // unpacked dims: by outer, by inner dim
  SmallVector<IndexValue> tiles;

  template <typename Op>
  static Packing of(Op op, unsigned rank, Translator &t) {
    Packing packing{op, rank, llvm::to_vector(op.getOuterDimsPerm()),
                    llvm::to_vector(op.getInnerDimsPos()),
                    indexValues(op.getMixedTiles(), t)};
    if (packing.outer.empty())
      packing.outer = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    return packing;
  }

  /// Returns the extents of the packed tensor.
  Shape shapeOf(ArrayRef<int64_t> whole, ArrayRef<int64_t> tile) const {
    Shape counts(whole), shape;
    for (auto [dim, size] : llvm::zip_equal(tiled, tile))
      counts[dim] = llvm::divideCeil(counts[dim], size);
    for (int64_t dim : outer)
      shape.push_back(counts[dim]);
    llvm::append_range(shape, tile);
    return shape;
  }

  /// Returns the sizes of the tiles; faults if one is empty.
  std::optional<Shape> tileOf(Agent &agent) const {
    Shape tile = valuesOf(tiles, agent);
    if (llvm::all_of(tile, [](int64_t size) { return size > 0; }))
      return tile;
    agent.fault(op, FaultKind::OutOfBounds, "a tile has no elements");
    return std::nullopt;
  }

  /// Calls visit(element of the packed tensor, element of the other or -1).
  void forEach(ArrayRef<int64_t> whole, ArrayRef<int64_t> tile,
               function_ref<void(int64_t, int64_t)> visit) const;
};
} // namespace

void Packing::forEach(ArrayRef<int64_t> whole, ArrayRef<int64_t> tile,
                      function_ref<void(int64_t, int64_t)> visit) const {
  Shape shape = shapeOf(whole, tile), strides = rowMajorStrides(whole);
  Shape at(shape.size(), 0);
  for (int64_t element = 0, e = numElements(shape); element < e; ++element) {
    Shape place(rank, 0);
    for (auto [number, dim] : llvm::enumerate(outer))
      place[dim] = at[number];
    for (auto [number, dim] : llvm::enumerate(tiled))
      place[dim] = place[dim] * tile[number] + at[rank + number];
    int64_t from = 0;
    for (unsigned dim = 0; dim < rank; ++dim)
      from = from < 0 || place[dim] >= whole[dim]
                 ? -1
                 : from + place[dim] * strides[dim];
    visit(element, from);
    for (size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];)
      at[d] = 0;
  }
}

static LogicalResult translatePack(linalg::PackOp op, Translator &t) {
  Packing packing = Packing::of(op, op.getSourceType().getRank(), t);
  Reg source = t.reg(op.getSource()), r = t.reg(op.getResult());
  std::optional<Reg> padding;
  if (op.getPaddingValue())
    padding = t.reg(op.getPaddingValue());
  t.emit(op, [=](Agent &agent) {
    Shape whole(agent.tensor(source).shape);
    std::optional<Shape> tile = packing.tileOf(agent);
    if (!tile)
      return;
    Shape shape = packing.shapeOf(whole, *tile);
    if (!agent.mayAllocate(op, shape, r.cellBytes))
      return;
    Tensor result = Tensor::allocate(shape, r.cellBytes);
    uint8_t *to = result.mutableCells();
    bool isWhole = true;
    packing.forEach(whole, *tile, [&](int64_t element, int64_t from) {
      isWhole &= from >= 0 || padding;
      if (from >= 0 || padding)
        std::memcpy(to + element * r.cellBytes,
                    from >= 0 ? agent.cells(source) + from * r.cellBytes
                              : agent.cells(*padding),
                    r.cellBytes);
    });
    if (!isWhole)
      agent.fault(op, FaultKind::OutOfBounds,
                  "an extent of the source is no multiple of its tile, and "
                  "there is no padding_value");
    agent.tensor(r) = std::move(result);
  });
  return success();
}

static LogicalResult translateUnpack(linalg::UnPackOp op, Translator &t) {
  Packing packing = Packing::of(op, op.getDestType().getRank(), t);
  Reg source = t.reg(op.getSource()), dest = t.reg(op.getDest());
  Reg r = t.reg(op.getResult());
  t.emit(op, [=](Agent &agent) {
    Shape whole(agent.tensor(dest).shape);
    std::optional<Shape> tile = packing.tileOf(agent);
    if (!tile)
      return;
    if (packing.shapeOf(whole, *tile) != agent.tensor(source).shape) {
      agent.fault(op, FaultKind::OutOfBounds,
                  "the source has other tiles than the destination");
      return;
    }
    Tensor result = Tensor::allocate(whole, r.cellBytes);
    uint8_t *to = result.mutableCells();
    packing.forEach(whole, *tile, [&](int64_t element, int64_t at) {
      if (at >= 0)
        std::memcpy(to + at * r.cellBytes,
                    agent.cells(source) + element * r.cellBytes, r.cellBytes);
    });
    agent.tensor(r) = std::move(result);
  });
  return success();
}

void distaff::simt::registerTensorPack(OpRegistry &registry) {
  registry.add<linalg::PackOp>(translatePack);
  registry.add<linalg::UnPackOp>(translateUnpack);
}

//===- UnalignedRead.cpp - Wide reads of unaligned rows -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a target supports unaligned accesses, a lane reads several elements of
// a row at once from any begin; but the last elements of a row need not be a
// whole access (VX-289). A tile that is inside its memory is read by wide
// loads. In other tiles the elements are collected in words of at most 64 bits,
// one element per iteration of a loop:
//
//   scf.for %e = 0 to 4 iter_args(%word = 0 : i64) {
//     %x = scf.if %row < M and %col + %e < K { memref.load } else { padding }
//     %word = %word >> 16 | %x << 48 }
//
// whose code size is that of one element per word.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

namespace {
class UnalignedRead {
public:
  UnalignedRead(const Tile &tile, ArrayRef<Value> padding, int64_t width,
                Lowering &lowering)
      : tile(tile), padding(padding), width(width), lowering(lowering),
        builder(lowering.builder), tiling(tilingOf(tile)),
        bits(tile.vector.getElementTypeBitWidth()),
        word(builder.getIntegerType(std::min<int64_t>(64, width * bits))) {
    forEachChunk(tile, lowering,
                 [&](const Chunk &chunk) { chunks.push_back(chunk); });
  }

  /// Returns the elements in the order of memory.
  SmallVector<Value> read();

private:
  Value isWhole();
  SmallVector<Value> loadWhole();
  SmallVector<Value> gather();
  Value isInside(const Chunk &chunk, Value number);
  Value elementOf(const Chunk &chunk, Value number);
  Value push(Value before, Value element);
  SmallVector<Value> asVectors(ValueRange words);
  Value wordOf(int64_t value) {
    return lowering.constant(builder.getIntegerAttr(word, value));
  }
  int64_t perWord() const { return word.getWidth() / bits; }

  const Tile &tile;
  ArrayRef<Value> padding;
  int64_t width;
  Lowering &lowering;
  OpBuilder &builder;
  Tiling tiling;
  int64_t bits;     // width of an element
  IntegerType word; // type of one or more elements
  SmallVector<Chunk> chunks;
};
} // namespace

/// Returns whether all elements of the tile are in bounds; null: always.
Value UnalignedRead::isWhole() {
  Value condition;
  for (auto [dim, memrefDim] : llvm::enumerate(tiling.memrefDim)) {
    if (memrefDim < 0 || tile.inBounds[dim])
      continue;
    Value first = tile.indices[memrefDim];
    Value last = lowering.offset(first, tiling.shape[dim] - 1);
    if (!lowering.facts.isNonNegative(first))
      condition =
          both(condition, insideCondition(tile, memrefDim, first, lowering),
               lowering);
    condition = both(
        condition, insideCondition(tile, memrefDim, last, lowering), lowering);
  }
  return condition;
}

SmallVector<Value> UnalignedRead::loadWhole() {
  return llvm::map_to_vector(chunks, [&](const Chunk &chunk) {
    return loadUnguarded(tile, chunk, builder);
  });
}

/// Returns whether the element of that number of a chunk is in bounds; null:
/// always.
Value UnalignedRead::isInside(const Chunk &chunk, Value number) {
  int64_t position = chunk.positions.front();
  int64_t run = runDimOf(tile, tiling);
  Value condition;
  for (int64_t dim = tiling.shape.size(); dim-- > 0;) {
    int64_t digit = position % tiling.shape[dim];
    position /= tiling.shape[dim];
    int64_t memrefDim = tiling.memrefDim[dim];
    if (memrefDim < 0 || tile.inBounds[dim])
      continue;
    Value at = lowering.offset(tile.indices[memrefDim], digit);
    if (dim == run)
      at = arith::AddIOp::create(builder, tile.loc, at, number);
    condition = both(condition, insideCondition(tile, memrefDim, at, lowering),
                     lowering);
  }
  return condition;
}

/// Returns the element of that number of a chunk, as bits of a word, or the
/// padding.
Value UnalignedRead::elementOf(const Chunk &chunk, Value number) {
  Value otherwise =
      padding.size() == 1 ? padding.front() : padding[chunk.positions.front()];
  auto load = [&](OpBuilder &b) -> Value {
    SmallVector<Value> indices(chunk.address.indices);
    indices.back() = arith::AddIOp::create(b, tile.loc, indices.back(), number);
    return memref::LoadOp::create(b, tile.loc, chunk.address.memref, indices);
  };
  Value element;
  if (Value condition = isInside(chunk, number))
    element = scf::IfOp::create(
                  builder, tile.loc, condition,
                  [&](OpBuilder &b, Location loc) {
                    scf::YieldOp::create(b, loc, load(b));
                  },
                  [&](OpBuilder &b, Location loc) {
                    scf::YieldOp::create(b, loc, otherwise);
                  })
                  .getResult(0);
  else
    element = load(builder);
  auto plain = builder.getIntegerType(bits);
  if (element.getType() != plain)
    element = arith::BitcastOp::create(builder, tile.loc, plain, element);
  if (plain == word)
    return element;
  return arith::ExtUIOp::create(builder, tile.loc, word, element);
}

/// Returns the word with one more element at its end, and without its first
/// one.
Value UnalignedRead::push(Value before, Value element) {
  if (perWord() == 1)
    return element;
  Location loc = tile.loc;
  Value last = arith::ShLIOp::create(builder, loc, element,
                                     wordOf((perWord() - 1) * bits));
  Value others = arith::ShRUIOp::create(builder, loc, before, wordOf(bits));
  return arith::OrIOp::create(builder, loc, others, last);
}

SmallVector<Value> UnalignedRead::asVectors(ValueRange words) {
  int64_t perChunk = width / perWord();
  auto type = VectorType::get({perChunk}, word);
  SmallVector<Value> vectors;
  for (; !words.empty(); words = words.drop_front(perChunk)) {
    Value vector = vector::FromElementsOp::create(builder, tile.loc, type,
                                                  words.take_front(perChunk));
    vectors.push_back(vector::BitCastOp::create(
        builder, tile.loc, chunkType(tile, width), vector));
  }
  return vectors;
}

/// Reads the chunks of a tile that crosses an edge of the memref.
SmallVector<Value> UnalignedRead::gather() {
  Location loc = tile.loc;
  SmallVector<Value> empty(chunks.size() * (width / perWord()), wordOf(0));
  auto loop =
      scf::ForOp::create(builder, loc, lowering.index(0),
                         lowering.index(perWord()), lowering.index(1), empty);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> words;
    for (const Chunk &chunk : chunks)
      for (int64_t first = 0; first < width; first += perWord())
        words.push_back(push(
            loop.getRegionIterArg(words.size()),
            elementOf(chunk, lowering.offset(loop.getInductionVar(), first))));
    scf::YieldOp::create(builder, loc, words);
  }
  return asVectors(loop.getResults());
}

SmallVector<Value> UnalignedRead::read() {
  SmallVector<Value> vectors;
  if (Value whole = isWhole()) {
    SmallVector<Type> types(chunks.size(), chunkType(tile, width));
    auto branch =
        scf::IfOp::create(builder, tile.loc, types, whole,
                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, tile.loc, loadWhole());
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, tile.loc, gather());
    vectors.assign(branch->result_begin(), branch->result_end());
  } else {
    vectors = loadWhole();
  }
  SmallVector<Value> elements(ShapedType::getNumElements(tiling.shape));
  for (auto [chunk, vector] : llvm::zip_equal(chunks, vectors))
    for (auto [position, element] :
         llvm::zip_equal(chunk.positions, elementsOf(tile, vector, builder)))
      elements[position] = element;
  return elements;
}

SmallVector<Value> registers::readAcrossRowEnds(const Tile &tile,
                                                ArrayRef<Value> padding,
                                                int64_t width,
                                                Lowering &lowering) {
  return UnalignedRead(tile, padding, width, lowering).read();
}

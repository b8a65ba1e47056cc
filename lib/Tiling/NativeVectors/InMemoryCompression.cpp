//===- InMemoryCompression.cpp - Tiled compress and expand ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address of an element of a compressstore or an expandload depends on the
// mask's bits before it, so that tiles are processed in order (VX-198):
//
//   %at = scf.for %i ... iter_args(%p = %first) {
//     %m = read %masks[%i]
//     compressstore %base[%p], %m, (read %values[%i])
//     yield %p + (how many bits of %m are set)
//   }
//
//===----------------------------------------------------------------------===//
#include "BufferAccess.h"
#include "InMemory.h"

using namespace distaff;
using namespace distaff::vectortiles;

/// Returns the number of set bits of a mask, as an index.
static Value countBits(OpBuilder &b, Location loc, Value mask) {
  auto type = cast<VectorType>(mask.getType());
  Value ones = arith::ExtUIOp::create(b, loc, type.clone(b.getI32Type()), mask);
  Value count =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, ones);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), count);
}

/// Calls `move` for each tile of a row, with a mask and the last index into
/// memory.
static void walkInOrder(
    OpBuilder &b, Location loc, VectorType row, int64_t tile, Value masks,
    Value first,
    llvm::function_ref<void(OpBuilder &, VectorType, Value, Value, Value)>
        move) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto step = [&](OpBuilder &b, int64_t size, Value at, Value place) -> Value {
    auto type = VectorType::get({size}, row.getElementType());
    Value mask =
        readBuffer(b, loc, type.clone(b.getI1Type()), masks, ValueRange(at));
    move(b, type, mask, at, place);
    return arith::AddIOp::create(b, loc, place, countBits(b, loc, mask));
  };
  int64_t extent = row.getNumElements(), whole = extent / tile * tile;
  if (whole > 0)
    first =
        scf::ForOp::create(
            b, loc, index(0), index(whole), index(tile), first,
            [&](OpBuilder &b, Location, Value at, ValueRange carried) {
              scf::YieldOp::create(b, loc, step(b, tile, at, carried.front()));
            })
            .getResult(0);
  if (whole < extent)
    step(b, extent - whole, index(whole), first);
}

/// Returns the elements that are moved at a time: 4 native vector chunks of a
/// core, or what fits into a part of the registers of a lane, which holds all
/// elements and all bits of the mask.
static int64_t elementsInOrder(const Machine &machine) {
  constexpr int64_t pieces = 4, elementsOfLane = 32;
  return machine.isHost ? pieces * machine.pieceElements : elementsOfLane;
}

/// Returns whether registers cannot hold a vector whose elements are moved in
/// order.
bool MemoryForm::isLargeInOrder(VectorType type) const {
  if (type.getRank() != 1 || type.isScalable())
    return false;
  return isLarge(type) ||
         (!machine.isHost && type.getNumElements() > elementsInOrder(machine));
}

template <typename Op>
Value MemoryForm::moveInOrder(Op op, Value values, MoveTile<Op> move) {
  VectorType type = op.getVectorType(), maskType = op.getMaskVectorType();
  // VX-230: if there is no room for both buffers, the room is left to other
  // ops.
  if (!isLargeInOrder(type) ||
      bufferBytesOf(type) + bufferBytesOf(maskType) > machine.bufferBytes)
    return {};
  Value buffer = allocate(type, op), masks = allocate(maskType, op);
  OpBuilder b(op);
  write(b, values, buffer);
  write(b, op.getMask(), masks);
  SmallVector<Value> indices(op.getIndices());
  walkInOrder(
      b, op.getLoc(), type, elementsInOrder(machine), masks, indices.back(),
      [&](OpBuilder &b, VectorType type, Value mask, Value at, Value place) {
        indices.back() = place;
        Value tile = readBuffer(b, op.getLoc(), type, buffer, at);
        if (Value moved = move(b, op, tile, mask, indices))
          writeBuffer(b, op.getLoc(), moved, buffer, at);
      });
  return buffer;
}

// The builder of a store without an attribute mixes mask and value up
// (LLVM 22.1).
static Value compressTile(OpBuilder &b, vector::CompressStoreOp op, Value tile,
                          Value mask, ValueRange indices) {
  vector::CompressStoreOp::create(b, op.getLoc(), op.getBase(), indices, mask,
                                  tile, /*alignment=*/IntegerAttr());
  return {};
}

static Value expandTile(OpBuilder &b, vector::ExpandLoadOp op, Value tile,
                        Value mask, ValueRange indices) {
  return vector::ExpandLoadOp::create(b, op.getLoc(), tile.getType(),
                                      op.getBase(), indices, mask, tile,
                                      /*alignment=*/IntegerAttr());
}

void MemoryForm::moveCompressStore(vector::CompressStoreOp op) {
  if (moveInOrder(op, op.getValueToStore(), &compressTile))
    op.erase();
}

void MemoryForm::moveExpandLoad(vector::ExpandLoadOp op) {
  Value buffer = moveInOrder(op, op.getPassThru(), &expandTile);
  if (!buffer)
    return;
  OpBuilder b(op);
  op.replaceAllUsesWith(read(b, op.getResult(), buffer));
  op.erase();
}

//===- InMemoryCompression.cpp - Large vectors without gaps in memory -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an element of a compressstore or an expandload is in memory, the mask's
// bits before it say, so that tiles follow each other (VX-198):
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

/// How many bits of a mask are set, as an index.
static Value countBits(OpBuilder &b, Location loc, Value mask) {
  auto type = cast<VectorType>(mask.getType());
  Value ones = arith::ExtUIOp::create(b, loc, type.clone(b.getI32Type()), mask);
  Value count =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, ones);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), count);
}

/// Does `move` for each tile of a row, with a mask and the last index into
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

/// So many pieces have their masks counted at a time.
static constexpr int64_t piecesInOrder = 4;

void MemoryForm::moveCompressStore(vector::CompressStoreOp op) {
  VectorType type = op.getVectorType();
  if (!isLarge(type) || type.getRank() != 1)
    return;
  Value values = allocate(type, op);
  Value masks = values ? allocate(op.getMaskVectorType(), op) : Value();
  if (!masks)
    return;
  OpBuilder b(op);
  write(b, op.getValueToStore(), values);
  write(b, op.getMask(), masks);
  SmallVector<Value> indices(op.getIndices());
  walkInOrder(
      b, op.getLoc(), type, piecesInOrder * machine.pieceElements, masks,
      indices.back(),
      [&](OpBuilder &b, VectorType type, Value mask, Value at, Value place) {
        indices.back() = place;
        Value value = readBuffer(b, op.getLoc(), type, values, at);
        // The builder without an attribute mixes mask and value up
        // (LLVM 22.1).
        vector::CompressStoreOp::create(b, op.getLoc(), op.getBase(), indices,
                                        mask, value,
                                        /*alignment=*/IntegerAttr());
      });
  op.erase();
}

void MemoryForm::moveExpandLoad(vector::ExpandLoadOp op) {
  VectorType type = op.getVectorType();
  if (!isLarge(type) || type.getRank() != 1)
    return;
  Value values = allocate(type, op);
  Value masks = values ? allocate(op.getMaskVectorType(), op) : Value();
  if (!masks)
    return;
  OpBuilder b(op);
  write(b, op.getPassThru(), values);
  write(b, op.getMask(), masks);
  SmallVector<Value> indices(op.getIndices());
  walkInOrder(
      b, op.getLoc(), type, piecesInOrder * machine.pieceElements, masks,
      indices.back(),
      [&](OpBuilder &b, VectorType type, Value mask, Value at, Value place) {
        indices.back() = place;
        Value otherwise = readBuffer(b, op.getLoc(), type, values, at);
        Value loaded = vector::ExpandLoadOp::create(
            b, op.getLoc(), type, op.getBase(), indices, mask, otherwise,
            /*alignment=*/IntegerAttr());
        writeBuffer(b, op.getLoc(), loaded, values, at);
      });
  op.replaceAllUsesWith(read(b, op.getResult(), values));
  op.erase();
}

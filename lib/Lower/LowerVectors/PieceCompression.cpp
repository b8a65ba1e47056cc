//===- PieceCompression.cpp - Pieces that memory holds without gaps -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a CPU. A compressstore writes the elements that its mask takes one behind
// the other, an expandload reads them so. Each piece does that on its own, from
// where the pieces before it have ended: as many elements on as their masks
// have bits.
//
//===----------------------------------------------------------------------===//
#include "Registers.h"
#include "distaff/Analysis/AccessWidth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

/// The registers in which a value goes that is moved beside `vector`: pieces,
/// or elements where those do not fill the bytes that memory has for each.
static SmallVector<Value> movedAs(Value value, VectorType vector,
                                  Lowering &lowering) {
  return SmallVector<Value>(fillsItsBytes(vector.getElementType())
                                ? lowering.pieces(value)
                                : lowering.elements(value));
}

/// How many bits of a piece's mask are set, as an index.
static Value countOf(Value mask, Location loc, OpBuilder &b) {
  Type count = b.getI32Type();
  Value bits = mask;
  if (auto type = dyn_cast<VectorType>(mask.getType()))
    bits = vector::ReductionOp::create(
        b, loc, vector::CombiningKind::ADD,
        arith::ExtUIOp::create(b, loc, type.clone(count), mask));
  else
    bits = arith::ExtUIOp::create(b, loc, count, mask);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), bits);
}

/// Calls `move` on each piece's number and where it is in memory.
static void forEachPiece(ArrayRef<Value> masks, ValueRange indices,
                         Location loc, OpBuilder &b,
                         function_ref<void(size_t, ValueRange)> move) {
  SmallVector<Value> at(indices);
  for (auto [i, mask] : llvm::enumerate(masks)) {
    move(i, at);
    if (i + 1 < masks.size())
      at.back() =
          arith::AddIOp::create(b, loc, at.back(), countOf(mask, loc, b));
  }
}

static LogicalResult lowerCompressStore(vector::CompressStoreOp op,
                                        Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  SmallVector<Value> masks = movedAs(op.getMask(), type, lowering);
  SmallVector<Value> stored = movedAs(op.getValueToStore(), type, lowering);
  forEachPiece(masks, op.getIndices(), loc, b, [&](size_t i, ValueRange at) {
    if (isa<VectorType>(stored[i].getType())) {
      // The builder without an attribute mixes mask and value up (LLVM 22.1).
      vector::CompressStoreOp::create(b, loc, op.getBase(), at, masks[i],
                                      stored[i], /*alignment=*/IntegerAttr());
      return;
    }
    scf::IfOp::create(b, loc, masks[i], [&](OpBuilder &b, Location loc) {
      memref::StoreOp::create(b, loc, stored[i], op.getBase(), at);
      scf::YieldOp::create(b, loc);
    });
  });
  return success();
}

static LogicalResult lowerExpandLoad(vector::ExpandLoadOp op,
                                     Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  SmallVector<Value> masks = movedAs(op.getMask(), type, lowering);
  SmallVector<Value> loaded = movedAs(op.getPassThru(), type, lowering);
  forEachPiece(masks, op.getIndices(), loc, b, [&](size_t i, ValueRange at) {
    Value &piece = loaded[i];
    if (isa<VectorType>(piece.getType())) {
      piece = vector::ExpandLoadOp::create(b, loc, piece.getType(),
                                           op.getBase(), at, masks[i], piece,
                                           /*alignment=*/IntegerAttr());
      return;
    }
    auto branch = scf::IfOp::create(
        b, loc, masks[i],
        [&](OpBuilder &b, Location loc) {
          Value element = memref::LoadOp::create(b, loc, op.getBase(), at);
          scf::YieldOp::create(b, loc, element);
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, piece);
        });
    piece = branch.getResult(0);
  });
  if (fillsItsBytes(type.getElementType()))
    lowering.setPieces(op.getResult(), loaded);
  else
    lowering.setElements(op.getResult(), loaded);
  return success();
}

void registers::addPieceCompressionRules(RuleSet &rules) {
  rules.add(lowerCompressStore);
  rules.add(lowerExpandLoad);
}

//===- ChunkCompression.cpp - Compressed stores and expanding loads -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These rules are for CPUs. A compressstore writes the elements that its mask
// selects contiguously, an expandload reads them so. Each native vector chunk
// does that on its own, from where the previous chunk ended: the address
// advances by the number of its mask's bits.
//
//===----------------------------------------------------------------------===//
#include "ScalarRegisters.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

/// Returns the number of set bits of a chunk's mask, as an index.
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

/// Calls `move` on each chunk of `value`, with the bits of the mask for it and
/// its address in memory; returns the results. Chunks are single elements where
/// these do not fill the bytes that memory has for each.
template <typename Op>
static SmallVector<Value>
moveEach(Op op, Value value, Lowering &lowering,
         function_ref<Value(Value, Value, ValueRange)> move) {
  OpBuilder &b = lowering.builder;
  Location loc = op.getLoc();
  auto registersOf = [&](Value vector) -> SmallVector<Value> {
    return SmallVector<Value>(fillsItsBytes(op.getVectorType().getElementType())
                                  ? lowering.pieces(vector)
                                  : lowering.elements(vector));
  };
  SmallVector<Value> masks = registersOf(op.getMask());
  SmallVector<Value> moved = registersOf(value);
  SmallVector<Value> at(op.getIndices());
  for (auto [i, mask] : llvm::enumerate(masks)) {
    moved[i] = move(moved[i], mask, at);
    if (i + 1 < masks.size())
      at.back() =
          arith::AddIOp::create(b, loc, at.back(), countOf(mask, loc, b));
  }
  return moved;
}

static LogicalResult lowerCompressStore(vector::CompressStoreOp op,
                                        Lowering &lowering) {
  auto store = [&](Value stored, Value mask, ValueRange at) -> Value {
    OpBuilder &b = lowering.builder;
    if (isa<VectorType>(stored.getType())) {
      // The builder without an attribute mixes mask and value up (LLVM 22.1).
      vector::CompressStoreOp::create(b, op.getLoc(), op.getBase(), at, mask,
                                      stored, /*alignment=*/IntegerAttr());
      return stored;
    }
    scf::IfOp::create(b, op.getLoc(), mask, [&](OpBuilder &b, Location loc) {
      memref::StoreOp::create(b, loc, stored, op.getBase(), at);
      scf::YieldOp::create(b, loc);
    });
    return stored;
  };
  moveEach(op, op.getValueToStore(), lowering, store);
  return success();
}

static LogicalResult lowerExpandLoad(vector::ExpandLoadOp op,
                                     Lowering &lowering) {
  auto load = [&](Value otherwise, Value mask, ValueRange at) -> Value {
    OpBuilder &b = lowering.builder;
    if (isa<VectorType>(otherwise.getType()))
      return vector::ExpandLoadOp::create(b, op.getLoc(), otherwise.getType(),
                                          op.getBase(), at, mask, otherwise,
                                          /*alignment=*/IntegerAttr());
    auto branch = scf::IfOp::create(
        b, op.getLoc(), mask,
        [&](OpBuilder &b, Location loc) {
          Value element = memref::LoadOp::create(b, loc, op.getBase(), at);
          scf::YieldOp::create(b, loc, element);
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, otherwise);
        });
    return branch.getResult(0);
  };
  SmallVector<Value> loaded = moveEach(op, op.getPassThru(), lowering, load);
  if (fillsItsBytes(op.getVectorType().getElementType()))
    lowering.setPieces(op.getResult(), loaded);
  else
    lowering.setElements(op.getResult(), loaded);
  return success();
}

void registers::addChunkCompressionRules(RuleSet &rules) {
  rules.add(lowerCompressStore);
  rules.add(lowerExpandLoad);
}

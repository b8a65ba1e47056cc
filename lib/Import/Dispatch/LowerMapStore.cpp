//===- LowerMapStore.cpp - map_store as loops over elements ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map_store writes each element at the position that its region yields, or
// nowhere:
//
//   for %i, %j:
//     %p, %q, %keep = region(%i, %j)
//     if %keep: output[%p, %q] = input[%i, %j]
//
// A tensor of the output is carried from iteration to iteration; a vector of
// the input is first put into memory, since its elements are not accessible by
// indices (VX-238).
//
//===----------------------------------------------------------------------===//
#include "LinalgExtRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;
using namespace distaff::dispatch;

/// Returns a vector as a tensor, or in memory if the op writes to memory.
static Value inMemory(OpBuilder &b, MapStoreOp op, VectorType type) {
  Location loc = op.getLoc();
  SmallVector<Value> zeros(type.getRank(),
                           arith::ConstantIndexOp::create(b, loc, 0));
  SmallVector<bool> inBounds(type.getRank(), true);
  if (isa<RankedTensorType>(op.getOutput().getType())) {
    Value empty =
        tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
    return vector::TransferWriteOp::create(b, loc, op.getInput(), empty, zeros,
                                           ArrayRef(inBounds))
        .getResult();
  }
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Private);
  Value memory = memref::AllocOp::create(
      b, loc,
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), space));
  vector::TransferWriteOp::create(b, loc, op.getInput(), memory, zeros,
                                  ArrayRef(inBounds));
  return memory;
}

static Value elementOf(OpBuilder &b, Location loc, Value input,
                       ValueRange indices) {
  if (isa<RankedTensorType>(input.getType()))
    return tensor::ExtractOp::create(b, loc, input, indices);
  return memref::LoadOp::create(b, loc, input, indices);
}

static OpFoldResult extentOf(OpBuilder &b, Location loc, Value input,
                             int64_t dim) {
  if (isa<RankedTensorType>(input.getType()))
    return tensor::getMixedSize(b, loc, input, dim);
  return memref::getMixedSize(b, loc, input, dim);
}

/// Writes one element, and returns the written tensor, if it is one.
static scf::ValueVector writeElement(OpBuilder &b, MapStoreOp op, Value input,
                                     ValueRange indices, ValueRange carried) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  IRMapping map;
  map.map(body.getArguments(), indices);
  for (Operation &inner : body.without_terminator())
    b.clone(inner, map);
  auto yielded = llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return map.lookupOrDefault(value); });
  Value isWritten = yielded.pop_back_val();
  auto branch = scf::IfOp::create(b, loc, TypeRange(carried), isWritten,
                                  /*withElseRegion=*/!carried.empty());
  OpBuilder inner = branch.getThenBodyBuilder();
  Value element = elementOf(inner, loc, input, indices);
  if (carried.empty()) {
    memref::StoreOp::create(inner, loc, element, op.getOutput(), yielded);
    return {};
  }
  Value put =
      tensor::InsertOp::create(inner, loc, element, carried.front(), yielded);
  scf::YieldOp::create(inner, loc, put);
  inner = branch.getElseBodyBuilder();
  scf::YieldOp::create(inner, loc, carried);
  return {branch.getResult(0)};
}

LogicalResult distaff::lowerMapStore(MapStoreOp op) {
  auto input = dyn_cast<ShapedType>(op.getInput().getType());
  auto output = dyn_cast<ShapedType>(op.getOutput().getType());
  Block &body = op.getBody().front();
  auto isIndex = [](Type type) { return type.isIndex(); };
  TypeRange yielded = body.getTerminator()->getOperandTypes();
  bool isOnTensors = isa_and_nonnull<RankedTensorType>(output);
  if (!input || !input.hasRank() || !output || !output.hasRank() ||
      isOnTensors != bool(op.getResult()) ||
      (isa<RankedTensorType>(input) && !isOnTensors) ||
      (isa<MemRefType>(input) && isOnTensors) ||
      int64_t(body.getNumArguments()) != input.getRank() ||
      int64_t(yielded.size()) != output.getRank() + 1 ||
      !llvm::all_of(body.getArgumentTypes(), isIndex) ||
      !llvm::all_of(yielded.drop_back(), isIndex) ||
      !yielded.back().isInteger(1))
    return op.emitOpError("is read with a vector or an array, another of the "
                          "same kind to write to, and a region that makes an "
                          "index of the second, and whether to write, of an "
                          "index of the first");
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto vector = dyn_cast<VectorType>(op.getInput().getType());
  Value source = vector ? inMemory(b, op, vector) : op.getInput();
  SmallVector<Value> lower, upper, steps;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    lower.push_back(arith::ConstantIndexOp::create(b, loc, 0));
    upper.push_back(
        getValueOrCreateConstantIndexOp(b, loc, extentOf(b, loc, source, dim)));
    steps.push_back(arith::ConstantIndexOp::create(b, loc, 1));
  }
  SmallVector<Value> carried;
  if (isOnTensors)
    carried.push_back(op.getOutput());
  scf::LoopNest nest = scf::buildLoopNest(
      b, loc, lower, upper, steps, carried,
      [&](OpBuilder &inner, Location, ValueRange indices, ValueRange args) {
        return writeElement(inner, op, source, indices, args);
      });
  op->replaceAllUsesWith(nest.results);
  op->erase();
  return success();
}

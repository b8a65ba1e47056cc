//===- BufferAccess.cpp - Buffers of vectors ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BufferAccess.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::vectortiles;

MemRefType vectortiles::bufferTypeOf(VectorType vector) {
  Type element = vector.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(vector.getContext(), 8);
  return MemRefType::get(vector.getShape(), element);
}

int64_t vectortiles::bufferBytesOf(Type type) {
  auto vector = cast<VectorType>(type);
  Type element = vector.getElementType();
  return vector.getNumElements() * bytesInMemory(element);
}

Value vectortiles::allocateBuffer(MemRefType type, Block *user, Location loc) {
  Operation *around = user->getParentOp();
  while (!isa<FunctionOpInterface, scf::ForallOp>(around))
    around = around->getParentOp();
  OpBuilder b = OpBuilder::atBlockBegin(&around->getRegion(0).front());
  return memref::AllocOp::create(b, loc, type);
}

Value vectortiles::allocateBuffer(MemRefType type, Block *user, Location loc,
                                  const Machine &machine) {
  if (!machine.isHost)
    type = MemRefType::Builder(type).setMemorySpace(gpu::AddressSpaceAttr::get(
        type.getContext(), gpu::AddressSpace::Workgroup));
  return allocateBuffer(type, user, loc);
}

Value vectortiles::readBuffer(OpBuilder &b, Location loc, VectorType type,
                              Value buffer, ValueRange indices, Value mask) {
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(stored));
  AffineMap map = AffineMap::getMinorIdentityMap(indices.size(), type.getRank(),
                                                 b.getContext());
  Value read = vector::TransferReadOp::create(
      b, loc, Type(type.clone(stored)), buffer, indices,
      AffineMapAttr::get(map), padding, mask,
      b.getBoolArrayAttr(SmallVector<bool>(type.getRank(), true)));
  if (stored == type.getElementType())
    return read;
  return arith::TruncIOp::create(b, loc, type, read);
}

void vectortiles::writeBuffer(OpBuilder &b, Location loc, Value value,
                              Value buffer, ValueRange indices, Value mask) {
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = dyn_cast<VectorType>(value.getType());
  if (stored != getElementTypeOrSelf(value.getType()))
    value = arith::ExtUIOp::create(
        b, loc, type ? Type(type.clone(stored)) : stored, value);
  if (!type) {
    memref::StoreOp::create(b, loc, value, buffer, indices);
    return;
  }
  AffineMap map = AffineMap::getMinorIdentityMap(indices.size(), type.getRank(),
                                                 b.getContext());
  vector::TransferWriteOp::create(
      b, loc, value, buffer, indices, AffineMapAttr::get(map), mask,
      b.getBoolArrayAttr(SmallVector<bool>(type.getRank(), true)));
}

SmallVector<Value> vectortiles::originOf(OpBuilder &b, Location loc,
                                         Value buffer) {
  auto rank = cast<MemRefType>(buffer.getType()).getRank();
  return SmallVector<Value>(rank, arith::ConstantIndexOp::create(b, loc, 0));
}

//===- SwizzleRows.cpp - Rows that meet different banks -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SwizzleRows.h"
#include "distaff/Analysis/AccessWidth.h"
#include "distaff/Analysis/IndexFacts.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

static constexpr int64_t chunkBytes = 16, phaseBytes = 128;

namespace {
/// The indices of one access, and how many consecutive elements it touches.
struct RowAccess {
  MutableOperandRange indices;
  int64_t elements;
};
} // namespace

static std::optional<RowAccess> accessOf(OpOperand &use) {
  Operation *op = use.getOwner();
  Value memref = use.get();
  return llvm::TypeSwitch<Operation *, std::optional<RowAccess>>(op)
      .Case([](memref::LoadOp op) {
        return RowAccess{op.getIndicesMutable(), 1};
      })
      .Case([&](memref::StoreOp op) -> std::optional<RowAccess> {
        if (op.getMemRef() != memref)
          return std::nullopt;
        return RowAccess{op.getIndicesMutable(), 1};
      })
      .Case([](vector::LoadOp op) -> std::optional<RowAccess> {
        if (op.getVectorType().getRank() != 1)
          return std::nullopt;
        return RowAccess{op.getIndicesMutable(),
                         op.getVectorType().getNumElements()};
      })
      .Case([](vector::StoreOp op) -> std::optional<RowAccess> {
        if (op.getVectorType().getRank() != 1)
          return std::nullopt;
        return RowAccess{op.getIndicesMutable(),
                         op.getVectorType().getNumElements()};
      })
      .Case([](nvgpu::LdMatrixOp op) {
        int64_t perWord = cast<VectorType>(op.getRes().getType()).getDimSize(1);
        return RowAccess{op.getIndicesMutable(), 4 * perWord};
      })
      .Case([&](nvgpu::DeviceAsyncCopyOp op) -> std::optional<RowAccess> {
        if (op.getDst() != memref || op.getSrc() == memref)
          return std::nullopt;
        return RowAccess{op.getDstIndicesMutable(),
                         op.getDstElements().getSExtValue()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

void distaff::swizzleRows(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (type.getRank() < 2 || !type.hasStaticShape())
    return;
  int64_t bytes = bytesInMemory(type.getElementType());
  int64_t perChunk = chunkBytes / bytes;
  int64_t rowBytes = type.getShape().back() * bytes;
  if (bytes > chunkBytes || !llvm::isPowerOf2_64(rowBytes) ||
      rowBytes <= chunkBytes)
    return;
  IndexFacts facts;
  SmallVector<RowAccess> accesses;
  for (OpOperand &use : alloc->getUses()) {
    std::optional<RowAccess> access = accessOf(use);
    if (!access || access->elements > perChunk)
      return;
    // All in one chunk: a matrix load's rows are; others divide it.
    Value last = Value(access->indices[access->indices.size() - 1].get());
    bool divides = llvm::isPowerOf2_64(access->elements) &&
                   facts.divisor(last) % access->elements == 0;
    if (!divides && !isa<nvgpu::LdMatrixOp>(use.getOwner()))
      return;
    accesses.push_back(*access);
  }

  int64_t together = std::max<int64_t>(1, phaseBytes / rowBytes);
  int64_t slots = std::min(phaseBytes, rowBytes) / chunkBytes;
  for (RowAccess &access : accesses) {
    Operation *op = access.indices.getOwner();
    OpBuilder b(op);
    Location loc = op->getLoc();
    unsigned last = access.indices.size() - 1;
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(b, loc, number);
    };
    Value slot = access.indices[last - 1].get();
    if (together > 1)
      slot = arith::ShRUIOp::create(b, loc, slot,
                                    constant(llvm::Log2_64(together)));
    slot = arith::AndIOp::create(b, loc, slot, constant(slots - 1));
    slot =
        arith::ShLIOp::create(b, loc, slot, constant(llvm::Log2_64(perChunk)));
    Value moved =
        arith::XOrIOp::create(b, loc, access.indices[last].get(), slot);
    access.indices[last].set(moved);
  }
}

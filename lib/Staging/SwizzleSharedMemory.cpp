//===- SwizzleSharedMemory.cpp - XOR swizzles of banks --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SwizzleSharedMemory.h"
#include "ConstantsLast.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/IndexFacts.h"
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

namespace {
/// Moves chunks within the rows of one type.
class Swizzle {
public:
  Swizzle(int64_t rowBytes, int64_t elementBytes)
      : perChunk(chunkBytes / elementBytes),
        together(std::max<int64_t>(1, phaseBytes / rowBytes)),
        chunks(std::min(phaseBytes, rowBytes) / chunkBytes) {}

  void rewrite(const RowAccess &access, IndexFacts &facts) const;

private:
  /// The distance by which chunks of a row are moved, in elements, as a number
  /// that is combined with a column by XOR.
  int64_t distanceOf(int64_t row) const {
    return row / together % chunks * perChunk;
  }
  Value distanceOf(Value row, OpBuilder &b, Location loc) const;

  int64_t perChunk; // elements
  int64_t together; // rows in 128 bytes
  int64_t chunks;   // that change places
};
} // namespace

Value Swizzle::distanceOf(Value row, OpBuilder &b, Location loc) const {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  if (together > 1)
    row =
        arith::ShRUIOp::create(b, loc, row, constant(llvm::Log2_64(together)));
  Value chunk = arith::AndIOp::create(b, loc, row, constant(chunks - 1));
  return arith::ShLIOp::create(b, loc, chunk,
                               constant(llvm::Log2_64(perChunk)));
}

void Swizzle::rewrite(const RowAccess &access, IndexFacts &facts) const {
  Operation *op = access.indices.getOwner();
  OpBuilder b(op);
  Location loc = op->getLoc();
  unsigned last = access.indices.size() - 1;
  IndexSum row = IndexSum::of(access.indices[last - 1].get()),
           column = IndexSum::of(access.indices[last].get());
  // Rows a period apart, and columns a phase apart, have the same distance.
  uint64_t ofRow = row.constant % (together * chunks);
  uint64_t width = chunks * perChunk, ofColumn = column.constant % width;
  uint64_t number = 0; // by which the column changes in any lane
  Value moved;
  if (row.value && !facts.areDisjoint(row.value, ofRow))
    moved = distanceOf(access.indices[last - 1].get(), b, loc);
  else {
    number = distanceOf(ofRow);
    if (row.value && !facts.areDisjoint(row.value, together * chunks - 1))
      moved = distanceOf(row.value, b, loc);
  }
  auto xorWith = [&](Value value) {
    moved = moved && value ? arith::XOrIOp::create(b, loc, value, moved)
                           : (moved ? moved : value);
  };
  auto constant = [&](uint64_t value) {
    return arith::ConstantIndexOp::create(b, loc, int64_t(value));
  };
  if (column.value && !facts.areDisjoint(column.value, ofColumn))
    xorWith(arith::AddIOp::create(b, loc, column.value, constant(ofColumn)));
  else {
    xorWith(column.value);
    number ^= ofColumn;
  }
  if (number || !moved)
    xorWith(constant(number));
  if (uint64_t behind = column.constant - ofColumn)
    moved = arith::AddIOp::create(b, loc, moved, constant(behind));
  access.indices[last].set(moved);
}

void distaff::swizzleSharedMemory(memref::AllocOp alloc) {
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
    // The access must lie in one chunk: a matrix load's rows do; others divide
    // it.
    Value last = Value(access->indices[access->indices.size() - 1].get());
    bool divides = llvm::isPowerOf2_64(access->elements) &&
                   facts.divisor(last) % access->elements == 0;
    if (!divides && !isa<nvgpu::LdMatrixOp>(use.getOwner()))
      return;
    accesses.push_back(*access);
  }
  Swizzle swizzle(rowBytes, bytes);
  for (const RowAccess &access : accesses)
    swizzle.rewrite(access, facts);
}

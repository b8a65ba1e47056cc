//===- MemoryAccesses.cpp - Memory accesses of vector ops -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines which dims of a vector move in memory, by how much, and how many
// elements one access can cover, for every op that moves a vector to or from
// memory. The costs of layouts depend on these (spec 5.1, phase 2).
//
//===----------------------------------------------------------------------===//

#include "../Layout/LayoutGraph.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vector_ext;

/// Returns the bits that an element takes in memory.
static int64_t storedBits(Type element) {
  return element.isIntOrFloat() ? 8 * bytesInMemory(element) : 64;
}

/// Returns the access of a gather or scatter: dims of the vector in the order
/// in which they move in memory; those that index an index value are not
/// contiguous.
template <typename GatherOrScatter>
static VectorAccess indexedAccess(GatherOrScatter op) {
  VectorAccess access;
  VectorType type = op.getVectorType();
  access.shape.assign(type.getShape().begin(), type.getShape().end());
  access.elementBits = storedBits(type.getElementType());
  AffineMap base = op.getBaseMap();
  auto add = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && !llvm::is_contained(access.order, dim.getPosition()))
      access.order.push_back(dim.getPosition());
  };
  for (AffineExpr expr : llvm::reverse(base.getResults())) {
    add(expr);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      for (AffineExpr index :
           llvm::reverse(op.getIndexMap(symbol.getPosition()).getResults()))
        add(index);
  }
  access.contiguous =
      base.getNumResults() > 0 && isa<AffineDimExpr>(base.getResults().back());
  return access;
}

VectorAccess distaff::rowMajorAccess(VectorType type) {
  VectorAccess access;
  access.shape.assign(type.getShape().begin(), type.getShape().end());
  access.elementBits = storedBits(type.getElementType());
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim)
    access.order.push_back(dim);
  return access;
}

/// Returns the access to `base`, whose dims `map` maps to the vector's.
static VectorAccess mappedAccess(VectorType type, Value base, AffineMap map) {
  VectorAccess access;
  access.shape.assign(type.getShape().begin(), type.getShape().end());
  access.elementBits = isPackedMemory(base) ? bitsInMemory(base)
                                            : storedBits(type.getElementType());
  access.contiguous = false;
  for (int64_t dim = int64_t(map.getNumDims()) - 1; dim >= 0; --dim)
    if (auto own =
            map.getResultPosition(getAffineDimExpr(dim, map.getContext()))) {
      if (access.order.empty())
        access.contiguous = dim == map.getNumDims() - 1;
      access.order.push_back(*own);
    }
  auto memory = dyn_cast<MemRefType>(base.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memory || failed(memory.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return access;
  access.strides.assign(type.getRank(), 0);
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (auto own =
            map.getResultPosition(getAffineDimExpr(dim, map.getContext())))
      access.strides[*own] = stride;
  return access;
}

/// Returns the access of a load or store of rows along the last dims, in
/// bounds.
template <typename LoadOrStore>
static VectorAccess rowAccess(LoadOrStore op, VectorType type, bool isMasked,
                              const Target &target) {
  int64_t rank = op.getMemRefType().getRank();
  AffineMap map =
      AffineMap::getMinorIdentityMap(rank, type.getRank(), op->getContext());
  VectorAccess access = mappedAccess(type, op.getBase(), map);
  IndexFacts facts;
  // Every lane tests its own bits of a mask.
  access.widest = isMasked ? 1
                           : widestRowAccess(op.getBase(), op.getIndices(),
                                             type, map, facts, target);
  return access;
}

/// Returns an access in which every element has an address of its own.
static VectorAccess scatteredAccess(VectorType type) {
  VectorAccess access = rowMajorAccess(type);
  access.contiguous = false;
  access.widest = 1;
  return access;
}

/// Returns the access of a compressing or expanding op under a mask, whose
/// elements are consecutive and accessed one by one.
static VectorAccess packedAccess(VectorType type) {
  VectorAccess access = rowMajorAccess(type);
  access.widest = 1;
  return access;
}

/// Requires writes of whole bytes, where possible, if elements share bytes.
static void takeWholeBytes(Operation *op, Value base, VectorAccess &access) {
  if (op->getNumResults() != 0 || !isPackedMemory(base) || access.order.empty())
    return;
  int64_t perByte = 8 / access.elementBits;
  if (access.contiguous && access.widest >= perByte &&
      access.shape[access.order.front()] % perByte == 0)
    access.narrowest = perByte;
}

std::optional<VectorAccess> distaff::accessOf(Operation *op,
                                              const Target &target) {
  IndexFacts facts;
  return llvm::TypeSwitch<Operation *, std::optional<VectorAccess>>(op)
      .Case<TransferGatherOp, TransferScatterOp>(
          [](auto op) { return indexedAccess(op); })
      .Case([&](VectorTransferOpInterface op) {
        VectorAccess access = mappedAccess(op.getVectorType(), op.getBase(),
                                           op.getPermutationMap());
        access.widest = widestAccess(op, facts, target);
        takeWholeBytes(op, op.getBase(), access);
        return access;
      })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto op) {
        VectorAccess access =
            rowAccess(op, op.getVectorType(), /*isMasked=*/false, target);
        takeWholeBytes(op, op.getBase(), access);
        return access;
      })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>([&](auto op) {
        bool isMasked = !matchPattern(op.getMask(), m_Constant());
        return rowAccess(op, op.getVectorType(), isMasked, target);
      })
      .Case<vector::GatherOp, vector::ScatterOp>(
          [](auto op) { return scatteredAccess(op.getVectorType()); })
      .Case<vector::ExpandLoadOp, vector::CompressStoreOp>(
          [](auto op) { return packedAccess(op.getVectorType()); })
      .Default(std::nullopt);
}

bool distaff::accessesWorkgroupMemory(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto memory = dyn_cast<MemRefType>(type);
    return memory && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory);
  });
}

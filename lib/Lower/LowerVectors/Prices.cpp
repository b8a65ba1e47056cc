//===- Prices.cpp - Costs of native vector code on a core -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Prices.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::registers;
using vector::CombiningKind;

static int64_t bitsOf(Type element) {
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

static int64_t widthOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

int64_t Prices::registersOf(Type element, int64_t width) const {
  return llvm::divideCeil(width * bitsOf(element), simd.vectorBits);
}

int64_t Prices::combine(CombiningKind kind, Type element) const {
  switch (kind) {
  case CombiningKind::MINNUMF:
  case CombiningKind::MAXNUMF:
  case CombiningKind::MINIMUMF:
  case CombiningKind::MAXIMUMF:
    return 3 * costs.arithmetic; // with tests for NaN
  default:
    return costs.arithmetic;
  }
}

int64_t Prices::parts(Type element, int64_t width, int64_t access) const {
  int64_t perRegister = std::max<int64_t>(1, simd.vectorBits / bitsOf(element));
  int64_t rest = width % perRegister;
  int64_t cost = width / perRegister * access;
  if (rest)
    cost += partsOf(rest) * access + (partsOf(rest) - 1) * costs.shuffle;
  return cost;
}

int64_t Prices::loadInParts(Type element, int64_t width) const {
  return parts(element, width, costs.load);
}

int64_t Prices::storeInParts(Type element, int64_t width) const {
  return parts(element, width, costs.store);
}

std::optional<int64_t> Prices::maskedLoad(Type element, int64_t width) const {
  if (bitsOf(element) < simd.maskedBits)
    return std::nullopt;
  return registersOf(element, width) * costs.maskedLoad;
}

std::optional<int64_t> Prices::maskedStore(Type element, int64_t width) const {
  if (bitsOf(element) < simd.maskedBits)
    return std::nullopt;
  return registersOf(element, width) * costs.maskedStore;
}

int64_t Prices::transpose(ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> permutation, Type element,
                          int64_t width) const {
  int64_t inner = permutation.empty() ? -1 : permutation.back();
  if (inner == int64_t(shape.size()) - 1)
    return 0;
  int64_t others = 1;
  for (auto [dim, extent] : llvm::enumerate(shape.drop_back()))
    others *= int64_t(dim) == inner ? 1 : extent;
  auto blocks = [&](int64_t extent) {
    SmallVector<int64_t> list(extent / width, width);
    if (extent % width)
      list.push_back(extent % width);
    return list;
  };
  int64_t cost = 0;
  for (int64_t rows : blocks(shape[inner]))
    for (int64_t columns : blocks(shape.back())) {
      if (rows == 1 || columns == 1) {
        cost += std::max(rows, columns) * costs.element;
        continue;
      }
      // Absent rows are not shuffled, nor are columns at the end.
      int64_t side = llvm::PowerOf2Ceil(std::max(rows, columns));
      cost += llvm::divideCeil(llvm::Log2_64(side) * (rows + columns), 2) *
              registersOf(element, side) * costs.shuffle;
    }
  return cost * others;
}

//===----------------------------------------------------------------------===//
// Costs of code
//===----------------------------------------------------------------------===//

/// Returns the number of elements that an op uses, of a vector taken apart.
static int64_t readOf(vector::ToElementsOp op) {
  return llvm::count_if(op.getElements(),
                        [](Value element) { return !element.use_empty(); });
}

/// Returns whether a shuffle takes the lower part of a register, which is free.
static bool isLowerPart(vector::ShuffleOp op) {
  for (auto [i, position] : llvm::enumerate(op.getMask()))
    if (position != int64_t(i) && position != vector::ShuffleOp::kPoisonIndex)
      return false;
  return true;
}

/// Returns the cost of an elementwise op; other ops cost nothing.
int64_t Prices::elementwise(Operation *op) const {
  if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>() ||
      !OpTrait::hasElementwiseMappableTraits(op))
    return 0;
  Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
  if (element.isIndex()) // folded into addresses
    return 0;
  int64_t each = isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp,
                     math::SqrtOp, math::RsqrtOp>(op)
                     ? costs.division
                     : costs.arithmetic;
  if (op->getName().getDialectNamespace() == "math" &&
      !isa<math::FmaOp, math::AbsFOp, math::SqrtOp, math::RsqrtOp>(op))
    each = 16 * costs.arithmetic;
  return registersOf(element, widthOf(type)) * each;
}

int64_t Prices::operation(Operation *op) const {
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value); };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](vector::LoadOp op) {
        return loadInParts(elementOf(op), widthOf(op.getType()));
      })
      .Case([&](vector::StoreOp op) {
        Value stored = op.getValueToStore();
        return storeInParts(elementOf(stored), widthOf(stored.getType()));
      })
      .Case([&](vector::MaskedLoadOp op) {
        int64_t width = widthOf(op.getType());
        return maskedLoad(elementOf(op), width)
            .value_or(width * (costs.load + 2 * costs.element));
      })
      .Case([&](vector::MaskedStoreOp op) {
        Value stored = op.getValueToStore();
        int64_t width = widthOf(stored.getType());
        return maskedStore(elementOf(stored), width)
            .value_or(width * (costs.store + 2 * costs.element));
      })
      .Case<vector::ExpandLoadOp, vector::CompressStoreOp>([&](auto op) {
        // The access is split into elements, except with AVX-512.
        return op.getVectorType().getNumElements() *
               (costs.load + 2 * costs.element);
      })
      .Case<memref::LoadOp>([&](auto) { return costs.load; })
      .Case<memref::StoreOp>([&](auto) { return costs.store; })
      .Case([&](vector::ShuffleOp op) {
        return isLowerPart(op)
                   ? 0
                   : registersOf(elementOf(op), widthOf(op.getType())) *
                         costs.shuffle;
      })
      .Case([&](vector::BroadcastOp op) {
        bool isLoaded = op.getSource().getDefiningOp<memref::LoadOp>();
        return isLoaded ? 0 : costs.broadcast;
      })
      .Case([&](vector::FromElementsOp op) {
        return int64_t(op.getElements().size()) * costs.element;
      })
      .Case([&](vector::ToElementsOp op) { return readOf(op) * costs.element; })
      .Case<vector::ExtractOp, vector::InsertOp>(
          [&](auto) { return costs.element; })
      .Default([&](Operation *op) { return elementwise(op); });
}

int64_t Prices::function(FunctionOpInterface function) const {
  constexpr int64_t unknownTrips = 8;
  int64_t total = 0;
  function->walk([&](Operation *op) {
    int64_t cost = operation(op);
    if (cost == 0)
      return;
    Trips trips = tripsKnownAround(op);
    total = llvm::SaturatingMultiplyAdd<uint64_t>(
        cost, trips.known * (trips.areAll ? 1 : unknownTrips), total);
  });
  return total;
}

//===- Movement.cpp - Element origins of data-movement ops ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Movement.h"
#include "IndexSpace.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::simt;

using Origins = std::vector<Origin>;

static bool isStatic(ArrayRef<int64_t> shape) {
  return !ShapedType::isDynamicShape(shape);
}

static Origins identity(int32_t operand, int64_t count) {
  Origins origins(count);
  for (int64_t i = 0; i < count; ++i)
    origins[i] = {operand, int32_t(i)};
  return origins;
}

/// Returns origins in operand 0 at the offsets of an access over the result's
/// box.
static Movement strided(const LinearAccess &access, ArrayRef<int64_t> box) {
  Origins origins;
  for (int64_t offset : offsetsOf(access, box))
    origins.push_back({0, int32_t(offset)});
  return {std::move(origins)};
}

static Movement broadcast(vector::BroadcastOp op) {
  Shape source = shapeOf(op.getSource()), result = shapeOf(op.getResult());
  Shape sourceStrides = rowMajorStrides(source);
  LinearAccess access{0, Shape(result.size(), 0)};
  size_t added = result.size() - source.size();
  // A unit extent is broadcast: its stride is 0.
  for (size_t d = 0; d < source.size(); ++d)
    if (source[d] != 1)
      access.strides[added + d] = sourceStrides[d];
  return strided(access, result);
}

static Movement transpose(vector::TransposeOp op) {
  Shape strides = rowMajorStrides(shapeOf(op.getVector()));
  LinearAccess access;
  for (int64_t d : op.getPermutation())
    access.strides.push_back(strides[d]);
  return strided(access, shapeOf(op.getResult()));
}

static std::optional<Movement> extract(vector::ExtractOp op) {
  if (op.hasDynamicPosition())
    return std::nullopt;
  Shape result = shapeOf(op.getResult());
  Shape strides = rowMajorStrides(shapeOf(op.getSource()));
  ArrayRef<int64_t> position = op.getStaticPosition();
  if (llvm::is_contained(position, vector::ExtractOp::kPoisonIndex))
    return Movement{Origins(numElements(result), Origin{-1, 0})};
  LinearAccess access;
  access.base =
      linearIndex(position, ArrayRef(strides).take_front(position.size()));
  access.strides.assign(strides.begin() + position.size(), strides.end());
  // The result is a scalar, or the trailing dimensions.
  access.strides.resize(result.size(), 0);
  return strided(access, result);
}

/// Returns `into` (operand 1) with the elements at `offsets` from operand 0.
static Movement inserted(ArrayRef<int64_t> offsets, int64_t intoSize) {
  Origins origins = identity(1, intoSize);
  for (auto [i, offset] : llvm::enumerate(offsets))
    origins[offset] = {0, int32_t(i)};
  return {std::move(origins)};
}

static std::optional<Movement> insert(vector::InsertOp op) {
  if (op.hasDynamicPosition())
    return std::nullopt;
  Shape into = shapeOf(op.getDest()), part = shapeOf(op.getValueToStore());
  ArrayRef<int64_t> position = op.getStaticPosition();
  if (llvm::is_contained(position, vector::InsertOp::kPoisonIndex))
    return Movement{Origins(numElements(into), Origin{-1, 0})};
  Shape strides = rowMajorStrides(into);
  int64_t base =
      linearIndex(position, ArrayRef(strides).take_front(position.size()));
  int64_t count = numElements(part);
  return inserted(llvm::to_vector(llvm::seq(base, base + count)),
                  numElements(into));
}

static Movement insertStrided(vector::InsertStridedSliceOp op) {
  Shape into = shapeOf(op.getDest()), part = shapeOf(op.getValueToStore());
  Shape strides = rowMajorStrides(into);
  LinearAccess access;
  size_t leading = into.size() - part.size();
  for (auto [d, offset] : llvm::enumerate(op.getOffsets()))
    access.base += cast<IntegerAttr>(offset).getInt() * strides[d];
  access.strides.assign(strides.begin() + leading, strides.end());
  return inserted(offsetsOf(access, part), numElements(into));
}

static Movement extractStrided(vector::ExtractStridedSliceOp op) {
  Shape strides = rowMajorStrides(shapeOf(op.getSource()));
  LinearAccess access;
  for (auto [d, offset] : llvm::enumerate(op.getOffsets()))
    access.base += cast<IntegerAttr>(offset).getInt() * strides[d];
  access.strides = strides;
  return strided(access, shapeOf(op.getResult()));
}

static Movement shuffle(vector::ShuffleOp op) {
  Shape first = shapeOf(op.getV1());
  int64_t firstExtent = first.empty() ? 1 : first[0];
  int64_t slice = numElements(first) / firstExtent;
  Origins origins;
  for (int64_t from : op.getMask())
    for (int64_t i = 0; i < slice; ++i) {
      if (from == vector::ShuffleOp::kPoisonIndex)
        origins.push_back({-1, 0});
      else if (from < firstExtent)
        origins.push_back({0, int32_t(from * slice + i)});
      else
        origins.push_back({1, int32_t((from - firstExtent) * slice + i)});
    }
  return {std::move(origins)};
}

static Movement interleave(vector::InterleaveOp op) {
  Origins origins;
  for (int64_t i = 0, e = numElements(shapeOf(op.getLhs())); i < e; ++i) {
    origins.push_back({0, int32_t(i)});
    origins.push_back({1, int32_t(i)});
  }
  return {std::move(origins)};
}

static Movement deinterleave(vector::DeinterleaveOp op) {
  Movement movement(2);
  for (int64_t i = 0, e = numElements(shapeOf(op.getSource())); i < e; ++i)
    movement[i % 2].push_back({0, int32_t(i)});
  return movement;
}

/// Returns the first element of each operand.
static Movement gathered(::mlir::Operation *op) {
  Origins origins;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    origins.push_back({int32_t(i), 0});
  return {std::move(origins)};
}

static Movement scattered(vector::ToElementsOp op) {
  Movement movement;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    movement.push_back({{0, int32_t(i)}});
  return movement;
}

std::optional<Movement> simt::movementOf(::mlir::Operation *op) {
  for (Value value : op->getResults())
    if (!isStatic(shapeOf(value)))
      return std::nullopt;
  auto reshaped = [](::mlir::Operation *op) -> std::optional<Movement> {
    return Movement{identity(0, numElements(shapeOf(op->getResult(0))))};
  };
  return llvm::TypeSwitch<::mlir::Operation *, std::optional<Movement>>(op)
      .Case<vector::ShapeCastOp>(reshaped)
      .Case([](vector::BroadcastOp op) { return broadcast(op); })
      .Case([](vector::TransposeOp op) { return transpose(op); })
      .Case([](vector::ExtractOp op) { return extract(op); })
      .Case([](vector::InsertOp op) { return insert(op); })
      .Case([](vector::InsertStridedSliceOp op) { return insertStrided(op); })
      .Case([](vector::ExtractStridedSliceOp op) { return extractStrided(op); })
      .Case([](vector::ShuffleOp op) { return shuffle(op); })
      .Case([](vector::InterleaveOp op) { return interleave(op); })
      .Case([](vector::DeinterleaveOp op) { return deinterleave(op); })
      .Case<vector::FromElementsOp, tensor::FromElementsOp>(
          [](::mlir::Operation *op) { return gathered(op); })
      .Case([](vector::ToElementsOp op) { return scattered(op); })
      .Default([](::mlir::Operation *) { return std::nullopt; });
}

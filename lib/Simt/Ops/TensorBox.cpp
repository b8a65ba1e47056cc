//===- TensorBox.cpp - Boxes of tensors -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TensorBox.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::simt;

IndexValue::IndexValue(OpFoldResult value, Translator &t) {
  if (auto attribute = dyn_cast<Attribute>(value))
    constant = cast<IntegerAttr>(attribute).getInt();
  else
    reg = t.reg(cast<Value>(value));
}

SmallVector<IndexValue> simt::indexValues(ArrayRef<OpFoldResult> values,
                                          Translator &t) {
  return llvm::map_to_vector(
      values, [&](OpFoldResult value) { return IndexValue(value, t); });
}

Shape simt::valuesOf(ArrayRef<IndexValue> values, Agent &agent) {
  Shape shape;
  for (const IndexValue &value : values)
    shape.push_back(value.get(agent));
  return shape;
}

void simt::copyBox(ArrayRef<int64_t> box, const uint8_t *from,
                   const LinearAccess &source, uint8_t *to,
                   const LinearAccess &destination, int64_t cellBytes) {
  // Copies whole rows if they are dense on both sides.
  bool dense = !box.empty() && source.strides.back() == 1 &&
               destination.strides.back() == 1;
  Shape outer(box);
  int64_t row = dense ? box.back() : 1;
  if (dense)
    outer.back() = std::min<int64_t>(row, 1);
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    int64_t at = source.base + linearIndex(index, source.strides);
    int64_t into = destination.base + linearIndex(index, destination.strides);
    std::memcpy(to + into * cellBytes, from + at * cellBytes, row * cellBytes);
  });
}

Tensor simt::splatTensor(ArrayRef<int64_t> shape, const uint8_t *cell,
                         int64_t cellBytes) {
  Tensor tensor = Tensor::allocate(shape, cellBytes);
  uint8_t *cells = tensor.mutableCells();
  for (int64_t e = 0, n = tensor.numElements(); e < n; ++e)
    std::memcpy(cells + e * cellBytes, cell, cellBytes);
  return tensor;
}

Tensor simt::emptyTensor(const Domain &domain, Kind kind,
                         ArrayRef<int64_t> shape) {
  uint64_t bits = kind.isFloat ? ~uint64_t(0) : 0x5BADBADBADBADBAD;
  alignas(8) uint8_t cell[32];
  domain.constant(kind, bits & (~uint64_t(0) >> (64 - kind.width)), cell);
  return splatTensor(shape, cell, domain.cellBytes(kind));
}

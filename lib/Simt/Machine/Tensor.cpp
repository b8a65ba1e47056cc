//===- Tensor.cpp - Tensor values, copied on write ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tensor.h"
#include "distaff/CheckedSize.h"
#include <algorithm>

using namespace distaff;
using namespace distaff::simt;

Tensor Tensor::allocate(ArrayRef<int64_t> shape, unsigned cellBytes) {
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  assert(checkedBytes(shape, std::max(1u, cellBytes)) &&
         "an array has a size before it is allocated");
  int64_t bytes = tensor.numElements() * cellBytes;
  tensor.storage = std::make_shared<std::vector<uint64_t>>((bytes + 7) / 8);
  return tensor;
}

int64_t Tensor::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

uint8_t *Tensor::mutableCells() {
  assert(storage && "a tensor that is written has cells");
  if (storage.use_count() > 1)
    storage = std::make_shared<std::vector<uint64_t>>(*storage);
  return reinterpret_cast<uint8_t *>(storage->data());
}

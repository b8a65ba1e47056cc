//===- MemoryLayout.cpp - Layouts of values in shared memory --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/MemoryLayout.h"
#include "DigitSums.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

MemoryLayout MemoryLayout::ofDims(ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> dimsOutermostFirst,
                                  int64_t padding) {
  assert(padding >= 0 && "rows are padded by elements, or not");
  MemoryLayout memory;
  memory.shape.assign(shape.begin(), shape.end());
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(dimsOutermostFirst)) {
    if (shape[dim] == 1)
      continue;
    memory.digits.push_back({dim, shape[dim], 1, stride});
    memory.numElements += (shape[dim] - 1) * stride;
    stride *= shape[dim];
    if (memory.digits.size() == 1 && padding > 0) {
      memory.padding = padding;
      memory.paddedRow = shape[dim];
      stride += padding;
    }
  }
  assert(llvm::count_if(shape, [](int64_t extent) { return extent != 1; }) ==
             static_cast<int64_t>(memory.digits.size()) &&
         "each dim of several elements has one place in the order");
  return memory;
}

int64_t MemoryLayout::offsetOf(ArrayRef<int64_t> index) const {
  assert(index.size() == shape.size() && "an index has one part per dim");
  assert((swizzle.isNone() || swizzle.shift >= swizzle.bits) &&
         "a swizzle reads bits that it does not change");
  int64_t linear = 0;
  for (const MemoryDigit &digit : digits)
    linear += index[digit.dim] / digit.indexStride % digit.size * digit.stride;
  int64_t offset = swizzle(linear);
  assert(offset >= 0 && offset < numElements &&
         "each element lies within the buffer");
  return offset;
}

SmallVector<SmallVector<int64_t>> MemoryLayout::summands() const {
  SmallVector<SmallVector<int64_t>> byDim;
  for (int64_t extent : shape)
    byDim.emplace_back(extent, 0);
  for (const MemoryDigit &digit : digits)
    addDigit(byDim[digit.dim], digit.indexStride, digit.size, digit.stride);
  return byDim;
}

SmallVector<int64_t> MemoryLayout::offsets() const {
  SmallVector<int64_t> sums = {0};
  for (ArrayRef<int64_t> along : summands()) {
    SmallVector<int64_t> outer = std::move(sums);
    sums.clear();
    sums.reserve(outer.size() * along.size());
    for (int64_t before : outer)
      for (int64_t here : along)
        sums.push_back(before + here);
  }
  if (!swizzle.isNone())
    for (int64_t &offset : sums)
      offset = swizzle(offset);
  return sums;
}

std::string distaff::toString(const MemoryLayout &layout) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "innermost first";
  for (const MemoryDigit &digit : layout.digits) {
    os << " d" << digit.dim;
    if (digit.indexStride > 1)
      os << '/' << digit.indexStride;
    if (digit.size < layout.shape[digit.dim])
      os << '%' << digit.size;
  }
  if (layout.padding > 0)
    os << ", rows of " << layout.paddedRow << " + " << layout.padding;
  if (!layout.swizzle.isNone())
    os << ", xor swizzle of " << layout.swizzle.bits << " bits at "
       << layout.swizzle.base << " by the bits " << layout.swizzle.shift
       << " above";
  return text;
}

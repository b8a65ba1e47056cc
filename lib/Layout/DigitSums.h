//===- DigitSums.h - Sums over the digits of every id -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts and memory layouts are sums over digits `(id / stride) % size`. These
// helpers fill a table of such a sum for every id by counting, without a
// division.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_DIGITSUMS_H
#define DISTAFF_LIB_LAYOUT_DIGITSUMS_H

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>

namespace distaff {

/// Adds `(id / stride) % size * weight` to the entry of every id.
inline void addDigit(llvm::MutableArrayRef<int64_t> sums, int64_t stride,
                     int64_t size, int64_t weight) {
  int64_t ids = sums.size(), sum = 0, last = (size - 1) * weight;
  for (int64_t id = 0; id < ids; sum = sum == last ? 0 : sum + weight)
    for (int64_t end = std::min(ids, id + stride); id < end; ++id)
      sums[id] += sum;
}

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_DIGITSUMS_H

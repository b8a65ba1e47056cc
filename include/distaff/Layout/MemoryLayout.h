//===- MemoryLayout.h - Layouts of values in shared memory ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memory layout is the map index -> offset (in elements) of a value that is
// in shared memory while it changes its register layout:
//
//     linear = sum over digits of ((index[dim] / indexStride) % size) * stride
//     offset = linear ^ (((linear >> (base + shift)) & (2^bits - 1)) << base)
//
// The digits are the order of the elements, their strides hold the padding, and
// the XOR swizzle (bits = 0: none) spreads rows over the banks. It differs from
// Layout in direction, so it can have padding (offsets without element), and
// only here are bits combined by XOR.
//
// Example: 64x64 f16, rows of 128 bytes, vectors of 8 elements (16 bytes):
//
//     digits {dim 1, size 64, indexStride 1, stride 1},
//            {dim 0, size 64, indexStride 1, stride 64}
//     swizzle bits = 3, base = 3, shift = 3
//
// puts vector v of row i at vector v ^ (i % 8): eight lanes that read one
// column of vectors, one row each, access all 32 banks.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_MEMORYLAYOUT_H
#define DISTAFF_LAYOUT_MEMORYLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace distaff {

struct XorSwizzle {
  int64_t bits = 0;
  int64_t base = 0;
  int64_t shift = 0;

  bool isNone() const { return bits == 0; }
  int64_t operator()(int64_t offset) const {
    int64_t mask = static_cast<int64_t>((uint64_t(1) << bits) - 1);
    return offset ^ (((offset >> (base + shift)) & mask) << base);
  }
  bool operator==(const XorSwizzle &other) const = default;
};

/// A memory digit is a part of the offset, `((index[dim] / indexStride) % size)
/// * stride`.
struct MemoryDigit {
  int64_t dim;
  int64_t size;
  int64_t indexStride;
  int64_t stride;

  bool operator==(const MemoryDigit &other) const = default;
};

struct MemoryLayout {
  llvm::SmallVector<int64_t> shape;
  /// Digits of the offset, fastest varying first.
  llvm::SmallVector<MemoryDigit> digits;
  XorSwizzle swizzle;
  /// Elements between the end of a row and the next one's start, and how many
  /// elements a row has; 0 and 0 without padding. The strides include them;
  /// these fields are for reports.
  int64_t padding = 0, paddedRow = 0;
  /// Size of the buffer in elements, padding included.
  int64_t numElements = 1;

  /// Builds a layout of dims in memory order (outermost first), with `padding`
  /// unused elements after each row of the innermost dim.
  static MemoryLayout ofDims(llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<int64_t> dimsOutermostFirst,
                             int64_t padding = 0);

  int64_t offsetOf(llvm::ArrayRef<int64_t> index) const;
  /// Returns, by dim and index, what that index adds to an offset before the
  /// swizzle.
  llvm::SmallVector<llvm::SmallVector<int64_t>> summands() const;
  /// Returns offsetOf for every element, by row-major position.
  llvm::SmallVector<int64_t> offsets() const;

  bool operator==(const MemoryLayout &other) const = default;
};

/// Returns a text for reports: "innermost first d1 d0, rows of 64 + 8".
std::string toString(const MemoryLayout &layout);

} // namespace distaff

#endif // DISTAFF_LAYOUT_MEMORYLAYOUT_H

//===- CheckedSize.h - From extents to sizes that fit -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents come from text, files and flags, and their products wrap: a tensor
// of 4294967296x4294967296 has 0 elements modulo 2^64. Whoever turns extents
// into a size asks here, and refuses where there is none:
//
//   checkedBytes({1024, 768}, 4)             3145728
//   checkedBytes({1 << 20, 1 << 20}, 4)      none: 4 TiB, no machine holds it
//   checkedElements({1LL << 32, 1LL << 32})  none: the product wraps
//   checkedElements({0, 1LL << 62, 4})       none: its strides wrap
//
// A kernel is measured once, when it is read (Analysis/Legality/SizeLimits.h);
// what is behind that door computes with its extents as they are. Numbers that
// are no sizes of the kernel, such as costs, saturate instead.
//
// Neither LLVM nor MLIR: Runtime uses it too.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CHECKEDSIZE_H
#define DISTAFF_CHECKEDSIZE_H

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>

namespace distaff {

/// Bytes of an array, 1 TiB: more than the memory of any GPU.
inline constexpr int64_t largestArrayBytes = int64_t(1) << 40;

/// Elements of a vector, 2^24. Vectors live in the registers of a workgroup,
/// which hold some 2^20 words; masks over an iteration space are larger.
inline constexpr int64_t largestVectorElements = int64_t(1) << 24;

/// Points of the iteration space of one op: seconds of the fastest GPU. Costs
/// are small multiples of it.
inline constexpr int64_t largestIterationSpace = int64_t(1) << 52;

/// Lanes or subgroups that a layout or a workgroup may number. What a target
/// has, at most 1024 lanes, is checked against the target.
inline constexpr int64_t mostIds = int64_t(1) << 31;

/// lhs * rhs if neither is negative and the product is at most `limit`.
constexpr std::optional<int64_t>
checkedProduct(int64_t lhs, int64_t rhs,
               int64_t limit = std::numeric_limits<int64_t>::max()) {
  int64_t product = 0;
  if (lhs < 0 || rhs < 0 || __builtin_mul_overflow(lhs, rhs, &product) ||
      product > limit)
    return std::nullopt;
  return product;
}

/// The number of elements of a shape. An extent of 0 makes it 0, but the other
/// extents must be within the limit all the same: strides are products of them.
/// None for a negative extent, so for a dynamic one too.
template <typename Range>
constexpr std::optional<int64_t>
checkedElements(const Range &shape,
                int64_t limit = std::numeric_limits<int64_t>::max()) {
  std::optional<int64_t> strides = 1;
  bool isEmpty = false;
  for (int64_t extent : shape) {
    isEmpty |= extent == 0;
    strides = checkedProduct(*strides, extent == 0 ? 1 : extent, limit);
    if (!strides)
      return std::nullopt;
  }
  return isEmpty ? 0 : *strides;
}

constexpr std::optional<int64_t>
checkedElements(std::initializer_list<int64_t> shape,
                int64_t limit = std::numeric_limits<int64_t>::max()) {
  return checkedElements<std::initializer_list<int64_t>>(shape, limit);
}

/// The bytes of an array of a shape, of at most `limit`.
/// \pre elementBytes > 0
template <typename Range>
constexpr std::optional<int64_t>
checkedBytes(const Range &shape, int64_t elementBytes,
             int64_t limit = largestArrayBytes) {
  std::optional<int64_t> elements =
      checkedElements(shape, limit / elementBytes);
  return elements ? checkedProduct(*elements, elementBytes, limit)
                  : std::nullopt;
}

constexpr std::optional<int64_t>
checkedBytes(std::initializer_list<int64_t> shape, int64_t elementBytes,
             int64_t limit = largestArrayBytes) {
  return checkedBytes<std::initializer_list<int64_t>>(shape, elementBytes,
                                                      limit);
}

/// For costs: the largest number where the sum or the product of numbers that
/// are not negative is none.
constexpr int64_t saturatingSum(int64_t lhs, int64_t rhs) {
  int64_t sum = 0;
  return __builtin_add_overflow(lhs, rhs, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

constexpr int64_t saturatingProduct(int64_t lhs, int64_t rhs) {
  int64_t product = 0;
  return __builtin_mul_overflow(lhs, rhs, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

template <typename Range>
constexpr int64_t saturatingProduct(const Range &factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    product = saturatingProduct(product, factor);
  return product;
}

} // namespace distaff

#endif // DISTAFF_CHECKEDSIZE_H

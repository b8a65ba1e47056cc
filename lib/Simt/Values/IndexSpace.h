//===- IndexSpace.h - Index boxes and their linear accesses -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector, tensor and linalg operations visit a box of indices in row-major
// order and read or write, at each index, one element of each operand. An
// *access* defines which: the element's number is `base + sum of strides[d] *
// index[d]`.
//
//   box 4x8, operand of shape 8x4, map (i, j) -> (j, i):
//   strides of the operand (4, 1), access base 0, strides (1, 4)
//
// Maps with mod or floordiv have no access; `offsetsOf` evaluates any map.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_VALUES_INDEXSPACE_H
#define DISTAFF_LIB_SIMT_VALUES_INDEXSPACE_H

#include "distaff/LLVM.h"
#include "mlir/IR/AffineMap.h"
#include <optional>
#include <vector>

namespace distaff::simt {

using Shape = SmallVector<int64_t, 4>;

/// Returns the extents of a vector or tensor; none for a scalar.
Shape shapeOf(Value value);

int64_t numElements(ArrayRef<int64_t> shape);

/// Returns the strides of a dense row-major array.
Shape rowMajorStrides(ArrayRef<int64_t> shape);

struct LinearAccess {
  int64_t base = 0;
  Shape strides; // one per dimension of the box
};

/// Returns the access of a map whose results are sums of multiples of its
/// dimensions, into an operand with these strides; nothing for any other map.
std::optional<LinearAccess> linearAccessOf(AffineMap map,
                                           ArrayRef<int64_t> strides);

/// Returns the element number at every index of the box, in row-major order.
std::vector<int64_t> offsetsOf(AffineMap map, ArrayRef<int64_t> strides,
                               ArrayRef<int64_t> box);
std::vector<int64_t> offsetsOf(const LinearAccess &access,
                               ArrayRef<int64_t> box);

/// Advances an index of the box in row-major order; returns false after the
/// last one.
inline bool advance(MutableArrayRef<int64_t> index, ArrayRef<int64_t> box) {
  assert(index.size() == box.size() && "an index has a part per dim");
  for (size_t d = box.size(); d-- > 0;) {
    if (++index[d] < box[d])
      return true;
    index[d] = 0;
  }
  return false;
}

/// Calls visit(index) for every index of the box, in row-major order.
template <typename Visit>
void forEachIndex(ArrayRef<int64_t> box, Visit visit) {
  if (numElements(box) == 0)
    return;
  Shape index(box.size(), 0);
  do
    visit(ArrayRef<int64_t>(index));
  while (advance(index, box));
}

/// Returns the dot product of an index and strides.
inline int64_t linearIndex(ArrayRef<int64_t> index, ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (auto [i, stride] : llvm::zip_equal(index, strides))
    offset += i * stride;
  return offset;
}

/// Describes the iteration space of two operands and a result, with dimensions
/// grouped by the operands that they index. The dimensions of a group are
/// flattened into one: entry i of `accM` is the offset in the accumulator of
/// the i-th index of group M, relative to the other groups. A reduction visits
/// group K in row-major order.
struct ContractionSpace {
  std::vector<int64_t> lhsBatch, rhsBatch, accBatch; // in all three
  std::vector<int64_t> lhsM, accM;                   // not in rhs
  std::vector<int64_t> rhsN, accN;                   // in rhs, not in lhs
  std::vector<int64_t> lhsK, rhsK;                   // reduced
};

/// Returns the space of a contraction whose operands are dense row-major
/// arrays; `maps` are those of lhs, rhs and accumulator, projected permutations
/// (constants 0 allowed). Returns nothing if a map has another form.
std::optional<ContractionSpace>
contractionSpace(ArrayRef<AffineMap> maps, ArrayRef<int64_t> box,
                 ArrayRef<bool> isReduction, ArrayRef<int64_t> lhsShape,
                 ArrayRef<int64_t> rhsShape, ArrayRef<int64_t> accShape);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_VALUES_INDEXSPACE_H

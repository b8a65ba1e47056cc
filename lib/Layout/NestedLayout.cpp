//===- NestedLayout.cpp - Layouts in five levels per dimension ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/NestedLayout.h"
#include "LayoutBuilder.h"
#include "distaff/CheckedSize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"

#include <cassert>
#include <functional>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;

/// The fields that are tiles; the other two are strides.
static constexpr int64_t numTiles = 5;
static const ArrayRef<NestedLayout::Field> tileFields =
    ArrayRef(NestedLayout::fields).take_front(numTiles);

//===----------------------------------------------------------------------===//
// Normalising and verifying
//===----------------------------------------------------------------------===//

/// Moves a tile of stride 0, which is not distributed, into `held`. A tile that
/// is too large for that stays, and is refused.
static void holdWhole(int64_t &tile, int64_t stride, int64_t &held) {
  std::optional<int64_t> all =
      checkedProduct(tile, held, largestVectorElements);
  if (stride != 0 || tile <= 1 || !all)
    return;
  held = *all;
  tile = 1;
}

void NestedLayout::normalize() {
  for (NestedDim &dim : dims) {
    holdWhole(dim.subgroupTile, dim.subgroupStride, dim.batchTile);
    holdWhole(dim.threadTile, dim.threadStride, dim.outerTile);
    if (dim.subgroupTile == 1)
      dim.subgroupStride = 0;
    if (dim.threadTile == 1)
      dim.threadStride = 0;
  }
}

static std::string print(ArrayRef<int64_t> values) {
  std::string text = "[";
  for (auto [i, value] : llvm::enumerate(values))
    text += (i ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// Checks NV5 and NV6 of one level, `thread` or `subgroup`.
static std::optional<std::string> verifyLevel(llvm::StringRef level,
                                              ArrayRef<int64_t> tile,
                                              ArrayRef<int64_t> strides) {
  SmallVector<int64_t> order;
  for (auto [dim, size, stride] : llvm::enumerate(tile, strides)) {
    if (size == 1 || stride == 0)
      continue;
    order.push_back(dim);
  }
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(strides[a], a) < std::pair(strides[b], b);
  });
  int64_t end = 1;
  for (auto [position, dim] : llvm::enumerate(order)) {
    if (strides[dim] % end != 0) {
      int64_t before = order[position - 1];
      return (level + " strides overlap: strides " + print(strides) + " with " +
              level + " tile " + print(tile) + ", where " +
              Twine(strides[dim]) + " is no multiple of " +
              Twine(strides[before]) + " * " + Twine(tile[before]))
          .str();
    }
    std::optional<int64_t> reach =
        checkedProduct(strides[dim], tile[dim], mostIds);
    if (!reach)
      return (Twine("layout too large: ") + level + " stride " +
              Twine(strides[dim]) + " * tile " + Twine(tile[dim]) +
              " exceeds " + Twine(mostIds))
          .str();
    end = *reach;
  }
  return std::nullopt;
}

std::optional<NestedLayout>
NestedLayout::fromLists(ArrayRef<SmallVector<int64_t>> lists,
                        std::string &why) {
  assert(lists.size() == fields.size() && "one list per field is needed");
  NestedLayout layout = units(lists.front().size());
  for (auto [field, values] : llvm::zip_equal(fields, lists)) {
    if (values.size() != layout.dims.size()) {
      why = (Twine("fields must all have rank ") + Twine(layout.rank()) +
             ", that of " + fields.front().key + "; " + field.key + " " +
             print(values) + " has " + Twine(values.size()))
                .str();
      return std::nullopt;
    }
    for (auto [dim, value] : llvm::zip_equal(layout.dims, values))
      dim.*field.number = value;
  }
  return layout;
}

SmallVector<int64_t> NestedLayout::list(int64_t NestedDim::*number) const {
  return llvm::map_to_vector(dims,
                             [&](const NestedDim &dim) { return dim.*number; });
}

/// Checks NV2 and NV3: signs.
static std::optional<std::string> verifySigns(const NestedLayout &layout) {
  for (auto [at, field] : llvm::enumerate(NestedLayout::fields)) {
    bool isTile = at < numTiles;
    SmallVector<int64_t> values = layout.list(field.number);
    if (llvm::any_of(values, [&](int64_t value) { return value < isTile; }))
      return (Twine(isTile ? "tile sizes must be positive, "
                           : "strides must not be negative, ") +
              field.key + " is " + print(values))
          .str();
  }
  return std::nullopt;
}

std::optional<std::string> NestedLayout::verify() const {
  if (std::optional<std::string> fault = verifySigns(*this))
    return fault;
  if (std::optional<std::string> fault =
          verifyLevel("subgroup", list(&NestedDim::subgroupTile),
                      list(&NestedDim::subgroupStride)))
    return fault;
  if (std::optional<std::string> fault =
          verifyLevel("thread", list(&NestedDim::threadTile),
                      list(&NestedDim::threadStride)))
    return fault;
  std::optional<int64_t> elements = 1;
  for (auto [at, dim] : llvm::enumerate(dims))
    for (const Field &field : tileFields) {
      int64_t size = dim.*field.number;
      elements = checkedProduct(*elements, size, largestVectorElements);
      if (!elements)
        return (Twine("layout too large: with ") + field.key + "[" + Twine(at) +
                "] = " + Twine(size) + " it has more than " +
                Twine(largestVectorElements) + " elements")
            .str();
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> NestedLayout::shape() const {
  return llvm::map_to_vector(dims, std::mem_fn(&NestedDim::extent));
}

/// Returns the lists of `fields`, one after the other.
static SmallVector<int64_t> concatenated(const NestedLayout &layout,
                                         ArrayRef<NestedLayout::Field> fields) {
  SmallVector<int64_t> extents;
  for (const NestedLayout::Field &field : fields)
    llvm::append_range(extents, layout.list(field.number));
  return extents;
}

SmallVector<int64_t> NestedLayout::distributedShape() const {
  static constexpr Field held[] = {{"batch_tile", &NestedDim::batchTile},
                                   {"outer_tile", &NestedDim::outerTile},
                                   {"element_tile", &NestedDim::elementTile}};
  return concatenated(*this, held);
}

SmallVector<int64_t> NestedLayout::unpackedShape() const {
  return llvm::map_to_vector(dims, std::mem_fn(&NestedDim::held));
}

SmallVector<int64_t> NestedLayout::packedShape() const {
  return concatenated(*this, tileFields);
}

//===----------------------------------------------------------------------===//
// Algebra on dims
//===----------------------------------------------------------------------===//

NestedLayout NestedLayout::permute(ArrayRef<int64_t> permutation) const {
  assert(static_cast<int64_t>(permutation.size()) == rank() &&
         "the permutation has another rank");
  DimMap map(rank(), permutation);
  assert(map.isPermutation() && "a permutation has each dim once");
  return *apply(map);
}

NestedLayout NestedLayout::project(const llvm::SmallBitVector &dropped) const {
  assert(static_cast<int64_t>(dropped.size()) == rank() &&
         "one mark per dim is needed");
  return *apply(DimMap::dropping(dropped));
}

std::optional<NestedLayout> NestedLayout::apply(const DimMap &map) const {
  if (map.numDims != rank() || !map.isProjectedPermutation())
    return std::nullopt;
  NestedLayout operand = units(map.results.size());
  for (auto [at, dim] : llvm::enumerate(map.results))
    if (dim != DimMap::Zero)
      operand[at] = dims[dim];
  return operand;
}

/// Returns how the operands that read an iteration dim split it; null if none
/// reads it or two differ.
static const NestedDim *findShared(ArrayRef<NestedLayout> operands,
                                   ArrayRef<DimMap> maps, int64_t dim) {
  const NestedDim *shared = nullptr;
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    std::optional<int64_t> at = map.resultOf(dim);
    if (!at)
      continue;
    if (shared && *shared != operand[*at])
      return nullptr;
    shared = &operand[*at];
  }
  return shared;
}

static bool describeOperands(ArrayRef<NestedLayout> operands,
                             ArrayRef<DimMap> maps, int64_t numDims) {
  return operands.size() == maps.size() &&
         llvm::all_of(llvm::zip(operands, maps), [&](auto pair) {
           auto &[operand, map] = pair;
           return map.numDims == numDims && map.isProjectedPermutation() &&
                  static_cast<int64_t>(map.results.size()) == operand.rank();
         });
}

std::optional<NestedLayout>
NestedLayout::recombine(ArrayRef<NestedLayout> operands, ArrayRef<DimMap> maps,
                        const DimMap &result) {
  if (!result.isProjectedPermutation() ||
      !describeOperands(operands, maps, result.numDims))
    return std::nullopt;
  NestedLayout layout = units(result.results.size());
  for (auto [at, dim] : llvm::enumerate(result.results)) {
    if (dim == DimMap::Zero)
      continue;
    const NestedDim *shared = findShared(operands, maps, dim);
    if (!shared)
      return std::nullopt;
    layout[at] = *shared;
  }
  // Checks this because dims of different operands may be read from the same
  // lanes.
  if (layout.verify())
    return std::nullopt;
  return layout;
}

bool NestedLayout::agreeOn(ArrayRef<NestedLayout> operands,
                           ArrayRef<DimMap> maps,
                           const llvm::SmallBitVector &dims) {
  if (!describeOperands(operands, maps, dims.size()))
    return false;
  return llvm::all_of(dims.set_bits(), [&](unsigned dim) {
    return findShared(operands, maps, dim) != nullptr;
  });
}

std::optional<NestedLayout>
NestedLayout::reshape(ArrayRef<int64_t> newShape) const {
  if (ArrayRef(shape()) == newShape)
    return *this;
  std::optional<Layout> reshaped = toLayout().reshape(newShape);
  return reshaped ? fromOwnership(*reshaped) : std::nullopt;
}

llvm::hash_code distaff::hash_value(const NestedDim &dim) {
  return llvm::hash_combine(dim.subgroupTile, dim.batchTile, dim.outerTile,
                            dim.threadTile, dim.elementTile, dim.subgroupStride,
                            dim.threadStride);
}

llvm::hash_code distaff::hash_value(const NestedLayout &layout) {
  return llvm::hash_combine_range(layout.dims);
}

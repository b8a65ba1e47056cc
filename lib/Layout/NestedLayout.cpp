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
#include "llvm/ADT/Twine.h"

#include <array>
#include <cassert>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;

using Field = SmallVector<int64_t> NestedLayout::*;

static constexpr std::array<std::pair<Field, const char *>, 7> fields = {{
    {&NestedLayout::subgroupTile, "subgroup_tile"},
    {&NestedLayout::batchTile, "batch_tile"},
    {&NestedLayout::outerTile, "outer_tile"},
    {&NestedLayout::threadTile, "thread_tile"},
    {&NestedLayout::elementTile, "element_tile"},
    {&NestedLayout::subgroupStrides, "subgroup_strides"},
    {&NestedLayout::threadStrides, "thread_strides"},
}};
static constexpr ArrayRef<std::pair<Field, const char *>> tileFields = {
    fields.data(), 5};

NestedLayout NestedLayout::units(int64_t rank) {
  NestedLayout layout;
  for (auto [field, name] : tileFields)
    (layout.*field).assign(rank, 1);
  layout.subgroupStrides.assign(rank, 0);
  layout.threadStrides.assign(rank, 0);
  return layout;
}

//===----------------------------------------------------------------------===//
// Normalising and verifying
//===----------------------------------------------------------------------===//

static void normalizeLevel(ArrayRef<int64_t> tile,
                           SmallVector<int64_t> &strides) {
  if (tile.size() != strides.size())
    return;
  for (auto [size, stride] : llvm::zip(tile, strides))
    if (size == 1)
      stride = 0;
}

void NestedLayout::normalize() {
  normalizeLevel(subgroupTile, subgroupStrides);
  normalizeLevel(threadTile, threadStrides);
}

static std::string list(ArrayRef<int64_t> values) {
  std::string text = "[";
  for (auto [i, value] : llvm::enumerate(values))
    text += (i ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// NV4 .. NV6 of one level, `thread` or `subgroup`.
static std::optional<std::string> verifyLevel(llvm::StringRef level,
                                              ArrayRef<int64_t> tile,
                                              ArrayRef<int64_t> strides) {
  SmallVector<int64_t> order;
  for (auto [dim, size, stride] : llvm::enumerate(tile, strides)) {
    if (size == 1)
      continue;
    if (stride == 0)
      return (level + "_tile[" + Twine(dim) + "]: tile " + Twine(size) +
              " has stride 0: elements not covered")
          .str();
    order.push_back(dim);
  }
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(strides[a], a) < std::pair(strides[b], b);
  });
  int64_t end = 1;
  for (auto [position, dim] : llvm::enumerate(order)) {
    if (strides[dim] % end != 0) {
      int64_t before = order[position - 1];
      return (level + " strides overlap: strides " + list(strides) + " with " +
              level + " tile " + list(tile) + ", where " + Twine(strides[dim]) +
              " is no multiple of " + Twine(strides[before]) + " * " +
              Twine(tile[before]))
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

/// NV1 .. NV3: lengths and signs.
static std::optional<std::string> verifyFields(const NestedLayout &layout) {
  for (auto [field, name] : fields)
    if ((layout.*field).size() != layout.subgroupTile.size())
      return (Twine("fields must all have rank ") +
              Twine(layout.subgroupTile.size()) + ", that of subgroup_tile; " +
              name + " " + list(layout.*field) + " has " +
              Twine((layout.*field).size()))
          .str();
  for (auto [field, name] : tileFields)
    for (int64_t size : layout.*field)
      if (size < 1)
        return (Twine("tile sizes must be positive, ") + name + " is " +
                list(layout.*field))
            .str();
  for (auto [field, name] : ArrayRef(fields).drop_front(5))
    for (int64_t stride : layout.*field)
      if (stride < 0)
        return (Twine("strides must not be negative, ") + name + " is " +
                list(layout.*field))
            .str();
  return std::nullopt;
}

std::optional<std::string> NestedLayout::verify() const {
  if (std::optional<std::string> fault = verifyFields(*this))
    return fault;
  if (std::optional<std::string> fault =
          verifyLevel("subgroup", subgroupTile, subgroupStrides))
    return fault;
  if (std::optional<std::string> fault =
          verifyLevel("thread", threadTile, threadStrides))
    return fault;
  std::optional<int64_t> elements = 1;
  for (int64_t dim = 0; dim < rank(); ++dim)
    for (auto [field, name] : tileFields) {
      int64_t size = (this->*field)[dim];
      elements = checkedProduct(*elements, size, largestVectorElements);
      if (!elements)
        return (Twine("layout too large: with ") + name + "[" + Twine(dim) +
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
  SmallVector<int64_t> extents = unpackedShape();
  for (int64_t dim = 0; dim < rank(); ++dim)
    extents[dim] *= subgroupTile[dim] * threadTile[dim];
  return extents;
}

SmallVector<int64_t> NestedLayout::distributedShape() const {
  SmallVector<int64_t> extents(batchTile);
  llvm::append_range(extents, outerTile);
  llvm::append_range(extents, elementTile);
  return extents;
}

SmallVector<int64_t> NestedLayout::unpackedShape() const {
  SmallVector<int64_t> extents;
  for (int64_t dim = 0; dim < rank(); ++dim)
    extents.push_back(batchTile[dim] * outerTile[dim] * elementTile[dim]);
  return extents;
}

SmallVector<int64_t> NestedLayout::packedShape() const {
  SmallVector<int64_t> extents;
  for (auto [field, name] : tileFields)
    llvm::append_range(extents, this->*field);
  return extents;
}

//===----------------------------------------------------------------------===//
// Algebra on fields
//===----------------------------------------------------------------------===//

NestedLayout NestedLayout::permute(ArrayRef<int64_t> permutation) const {
  assert(static_cast<int64_t>(permutation.size()) == rank() &&
         "the permutation has another rank");
  return *apply(DimMap(rank(), permutation));
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
      for (auto [field, name] : fields)
        (operand.*field)[at] = (this->*field)[dim];
  return operand;
}

static bool holdAlike(const NestedLayout &a, int64_t dimOfA,
                      const NestedLayout &b, int64_t dimOfB) {
  return llvm::all_of(fields, [&](auto entry) {
    return (a.*entry.first)[dimOfA] == (b.*entry.first)[dimOfB];
  });
}

/// An operand and its dim that an iteration dim reads; nothing if no operand
/// has it or two differ in it.
static std::optional<std::pair<const NestedLayout *, int64_t>>
findShared(ArrayRef<NestedLayout> operands, ArrayRef<DimMap> maps,
           int64_t dim) {
  std::optional<std::pair<const NestedLayout *, int64_t>> shared;
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    std::optional<int64_t> at = map.resultOf(dim);
    if (!at)
      continue;
    if (shared && !holdAlike(*shared->first, shared->second, operand, *at))
      return std::nullopt;
    if (!shared)
      shared.emplace(&operand, *at);
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
    auto shared = findShared(operands, maps, dim);
    if (!shared)
      return std::nullopt;
    for (auto [field, name] : fields)
      (layout.*field)[at] = (shared->first->*field)[shared->second];
  }
  // Dims of different operands may be read from the same lanes.
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
    return findShared(operands, maps, dim).has_value();
  });
}

std::optional<NestedLayout>
NestedLayout::reshape(ArrayRef<int64_t> newShape) const {
  if (ArrayRef(shape()) == newShape)
    return *this;
  std::optional<Layout> reshaped = toLayout().reshape(newShape);
  return reshaped ? fromOwnership(*reshaped) : std::nullopt;
}

llvm::hash_code distaff::hash_value(const NestedLayout &layout) {
  llvm::hash_code code = llvm::hash_value(layout.rank());
  for (auto [field, name] : fields)
    code = llvm::hash_combine(code,
                              llvm::hash_combine_range((layout.*field).begin(),
                                                       (layout.*field).end()));
  return code;
}

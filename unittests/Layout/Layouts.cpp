//===- Layouts.cpp - Layouts to test with ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>

using namespace distaff;
using namespace distaff::test;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t test::positionIn(ArrayRef<int64_t> shape, const Index &index) {
  int64_t position = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    position = position * shape[dim] + index[dim];
  return position;
}

std::vector<Index> test::allIndices(ArrayRef<int64_t> shape) {
  std::vector<Index> all = {{}};
  for (int64_t extent : shape) {
    std::vector<Index> longer;
    for (const Index &index : all)
      for (int64_t at = 0; at < extent; ++at) {
        longer.push_back(index);
        longer.back().push_back(at);
      }
    all = std::move(longer);
  }
  return all;
}

std::set<Index> test::ownedIndices(const Layout &layout, int64_t subgroup,
                                   int64_t lane) {
  std::set<Index> owned;
  for (int64_t r = 0, e = layout.numRegisters(); r < e; ++r)
    owned.insert(indexAt(layout, {subgroup, lane, r}));
  return owned;
}

std::set<int64_t> test::ownedPositions(const Layout &layout, int64_t subgroup,
                                       int64_t lane) {
  std::set<int64_t> owned;
  SmallVector<int64_t> shape = layout.shape();
  for (const Index &index : ownedIndices(layout, subgroup, lane))
    owned.insert(positionIn(shape, index));
  return owned;
}

//===----------------------------------------------------------------------===//
// Nested layouts
//===----------------------------------------------------------------------===//

/// Calls `body` with every chain of strides for the tiles.
static void forEachStrides(ArrayRef<int64_t> tile, ArrayRef<int64_t> gaps,
                           llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  std::vector<int64_t> order;
  for (size_t dim = 0; dim < tile.size(); ++dim)
    if (tile[dim] > 1)
      order.push_back(dim);
  do {
    int64_t choices = 1;
    for (size_t i = 0; i < order.size(); ++i)
      choices *= gaps.size();
    for (int64_t choice = 0; choice < choices; ++choice) {
      std::vector<int64_t> strides(tile.size(), 0);
      int64_t end = 1, rest = choice;
      for (int64_t dim : order) {
        strides[dim] = end * gaps[rest % gaps.size()];
        end = strides[dim] * tile[dim];
        rest /= gaps.size();
      }
      body(strides);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

void test::setList(NestedLayout &layout, int64_t NestedDim::*number,
                   ArrayRef<int64_t> values) {
  for (auto [dim, value] : llvm::zip_equal(layout.dims, values))
    dim.*number = value;
}

static constexpr int64_t NestedDim::*tiles[] = {
    &NestedDim::subgroupTile, &NestedDim::batchTile, &NestedDim::outerTile,
    &NestedDim::threadTile, &NestedDim::elementTile};

void test::forEachNested(const NestedRange &range,
                         llvm::function_ref<void(const NestedLayout &)> body) {
  NestedLayout layout = NestedLayout::units(range.rank);
  std::function<void(int64_t, int64_t)> fill = [&](int64_t at, int64_t room) {
    if (at == 5 * range.rank) {
      forEachStrides(layout.list(&NestedDim::subgroupTile), range.gaps,
                     [&](ArrayRef<int64_t> subgroups) {
                       setList(layout, &NestedDim::subgroupStride, subgroups);
                       forEachStrides(
                           layout.list(&NestedDim::threadTile), range.gaps,
                           [&](ArrayRef<int64_t> threads) {
                             setList(layout, &NestedDim::threadStride, threads);
                             body(layout);
                           });
                     });
      return;
    }
    int64_t level = at / range.rank, dim = at % range.rank;
    for (int64_t size : range.sizes) {
      if (size > room || (level == 0 && !range.subgroups && size > 1))
        continue;
      layout[dim].*tiles[level] = size;
      fill(at + 1, room / size);
    }
  };
  fill(0, range.maxElements);
}

NestedLayout test::nested(std::vector<int64_t> subgroupTile,
                          std::vector<int64_t> batchTile,
                          std::vector<int64_t> outerTile,
                          std::vector<int64_t> threadTile,
                          std::vector<int64_t> elementTile,
                          std::vector<int64_t> subgroupStrides,
                          std::vector<int64_t> threadStrides) {
  NestedLayout layout = NestedLayout::units(subgroupTile.size());
  setList(layout, &NestedDim::subgroupTile, subgroupTile);
  setList(layout, &NestedDim::batchTile, batchTile);
  setList(layout, &NestedDim::outerTile, outerTile);
  setList(layout, &NestedDim::threadTile, threadTile);
  setList(layout, &NestedDim::elementTile, elementTile);
  setList(layout, &NestedDim::subgroupStride, subgroupStrides);
  setList(layout, &NestedDim::threadStride, threadStrides);
  return layout;
}

//===----------------------------------------------------------------------===//
// Layouts of prime digits
//===----------------------------------------------------------------------===//

static std::vector<int64_t> primeFactors(int64_t value) {
  std::vector<int64_t> factors;
  for (int64_t p = 2; p <= value; ++p)
    for (; value % p == 0; value /= p)
      factors.push_back(p);
  return factors;
}

/// Gives the digits of one axis strides in every order.
static void forEachNumbering(std::vector<SmallVector<Digit>> &dims, int axis,
                             llvm::function_ref<void()> body) {
  if (axis == 3)
    return body();
  std::vector<Digit *> digits;
  for (SmallVector<Digit> &along : dims)
    for (Digit &digit : along)
      if (digit.axis == static_cast<Axis>(axis))
        digits.push_back(&digit);
  std::vector<int> order(digits.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  do {
    int64_t stride = 1;
    for (int i : order) {
      digits[i]->stride = stride;
      stride *= digits[i]->size;
    }
    forEachNumbering(dims, axis + 1, body);
  } while (std::next_permutation(order.begin(), order.end()));
}

void test::forEachPrimeLayout(ArrayRef<int64_t> shape,
                              llvm::function_ref<void(const Layout &)> body) {
  std::vector<SmallVector<Digit>> dims(shape.size());
  auto number = [&] {
    forEachNumbering(dims, 0, [&] { body(*Layout::get(dims)); });
  };
  std::function<void(size_t)> fillDim = [&](size_t dim) {
    if (dim == shape.size())
      return number();
    std::vector<int64_t> factors = primeFactors(shape[dim]);
    do {
      int64_t axes = 1;
      for (size_t i = 0; i < factors.size(); ++i)
        axes *= 3;
      for (int64_t choice = 0; choice < axes; ++choice) {
        dims[dim].clear();
        int64_t rest = choice;
        for (int64_t factor : factors) {
          dims[dim].push_back({static_cast<Axis>(rest % 3), factor, 1});
          rest /= 3;
        }
        fillDim(dim + 1);
      }
    } while (std::next_permutation(factors.begin(), factors.end()));
    dims[dim].clear();
  };
  fillDim(0);
}

std::vector<Shape> test::shapesOf(int64_t elements, int64_t rank) {
  if (rank == 0)
    return elements == 1 ? std::vector<Shape>{{}} : std::vector<Shape>{};
  std::vector<Shape> shapes;
  for (int64_t extent = 1; extent <= elements; ++extent)
    if (elements % extent == 0)
      for (Shape inner : shapesOf(elements / extent, rank - 1)) {
        inner.insert(inner.begin(), extent);
        shapes.push_back(inner);
      }
  return shapes;
}

//===----------------------------------------------------------------------===//
// Random layouts
//===----------------------------------------------------------------------===//

int64_t test::pick(std::mt19937 &random, const std::vector<int64_t> &values) {
  return values[random() % values.size()];
}

Layout test::randomLayout(std::mt19937 &random, ArrayRef<int64_t> shape,
                          const RandomRange &range) {
  std::vector<SmallVector<Digit>> dims(shape.size());
  std::vector<Digit *> digits;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    std::vector<int64_t> factors = primeFactors(extent);
    std::shuffle(factors.begin(), factors.end(), random);
    for (int64_t factor : factors)
      dims[dim].push_back({Axis::Register, factor, 1});
    for (Digit &digit : dims[dim])
      digits.push_back(&digit);
  }
  std::shuffle(digits.begin(), digits.end(), random);
  int64_t end[3] = {1, 1, 1};
  const int64_t limit[3] = {range.maxSubgroups, range.maxLanes,
                            range.maxRegisters};
  for (Digit *digit : digits) {
    int axis = pick(random, {0, 1, 1, 1, 2, 2});
    for (int tries = 0; end[axis] * digit->size > limit[axis] && tries < 3;
         ++tries)
      axis = (axis + 1) % 3;
    int64_t gap = 1;
    if (range.gaps && axis != 2 && random() % 8 == 0 &&
        end[axis] * digit->size * 2 <= limit[axis])
      gap = 2;
    digit->axis = static_cast<Axis>(axis);
    digit->stride = end[axis] * gap;
    end[axis] = digit->stride * digit->size;
  }
  return *Layout::get(dims);
}

NestedLayout test::randomNested(std::mt19937 &random, int64_t rank,
                                const std::vector<int64_t> &sizes, bool gaps) {
  NestedLayout layout = NestedLayout::units(rank);
  for (int64_t NestedDim::*tile : tiles)
    for (NestedDim &dim : layout.dims)
      dim.*tile = pick(random, sizes);
  for (auto [tile, stride] :
       {std::pair(&NestedDim::subgroupTile, &NestedDim::subgroupStride),
        std::pair(&NestedDim::threadTile, &NestedDim::threadStride)}) {
    std::vector<int64_t> order(rank);
    for (int64_t dim = 0; dim < rank; ++dim)
      order[dim] = dim;
    std::shuffle(order.begin(), order.end(), random);
    int64_t end = 1;
    for (int64_t dim : order) {
      layout[dim].*stride = end * (gaps ? pick(random, {1, 1, 2, 3}) : 1);
      end = layout[dim].*stride * layout[dim].*tile;
    }
  }
  layout.normalize();
  return layout;
}

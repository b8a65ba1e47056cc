//===- MemoryLayouts.cpp - Layouts that suit memory accesses --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryLayouts.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

namespace {

/// Parameters of a candidate layout of one access.
struct Shape {
  int64_t element;              // contiguous elements per lane
  int64_t innerLanes;           // most lanes on the inner dim
  bool subgroupsInside = false; // subgroups along the inner dims first
  bool everySubgroup = false;   // all subgroups hold all elements
  NeighbouringRows rows = {};   // held by each lane
};

} // namespace

/// Returns the largest power of two up to `limit` that divides `value`.
static int64_t largestPowerOf2(int64_t value, int64_t limit) {
  int64_t result = 1;
  while (2 * result <= limit && value % (2 * result) == 0)
    result *= 2;
  return result;
}

/// Returns the most elements of one access of a lane.
static int64_t widestOf(const VectorAccess &access, const Target &target) {
  if (!access.contiguous)
    return 1;
  return std::min(access.widest,
                  target.globalMemory.maxAccessBits / access.elementBits);
}

static void takeAsBatches(NestedLayout &layout, ArrayRef<int64_t> extents) {
  for (auto [dim, extent] : llvm::zip_equal(layout.dims, extents))
    dim.batchTile = extent;
}

static NestedLayout build(const VectorAccess &access, const Shape &shape,
                          HardwareShape hardware) {
  NestedLayout layout = NestedLayout::units(access.shape.size());
  SmallVector<int64_t> rest = access.shape;
  if (access.order.empty()) {
    takeAsBatches(layout, rest);
    return layout;
  }
  unsigned inner = access.order.front();
  layout[inner].elementTile = shape.element;
  rest[inner] /= shape.element;
  if (shape.rows.count > 1) {
    layout[shape.rows.dim].elementTile = shape.rows.count;
    rest[shape.rows.dim] /= shape.rows.count;
  }

  int64_t lanes = hardware.lanes, stride = 1;
  for (unsigned dim : access.order) {
    int64_t limit = dim == inner ? std::min(lanes, shape.innerLanes) : lanes;
    int64_t tile = largestDivisor(rest[dim], limit);
    layout[dim].threadTile = tile;
    layout[dim].threadStride = stride;
    stride *= tile;
    lanes /= tile;
    rest[dim] /= tile;
  }

  int64_t subgroups = shape.everySubgroup ? 1 : hardware.subgroups;
  SmallVector<unsigned> order = access.order;
  if (!shape.subgroupsInside)
    std::reverse(order.begin(), order.end());
  for (unsigned dim : order) {
    layout[dim].subgroupTile = largestDivisor(rest[dim], subgroups);
    subgroups /= layout[dim].subgroupTile;
    rest[dim] /= layout[dim].subgroupTile;
  }
  // Strides are row-major over the tiles, in any order of assignment.
  stride = 1;
  for (unsigned dim : access.order) {
    layout[dim].subgroupStride = stride;
    stride *= layout[dim].subgroupTile;
  }
  takeAsBatches(layout, rest);
  layout.normalize();
  assert(layout.shape() == access.shape && "a layout holds the whole vector");
  return layout;
}

/// Returns whether the dims that move in memory are the vector's, each once.
[[maybe_unused]] static bool isOrdered(const VectorAccess &access) {
  llvm::SmallBitVector seen(access.shape.size());
  for (unsigned dim : access.order) {
    if (dim >= seen.size() || seen.test(dim))
      return false;
    seen.set(dim);
  }
  return access.strides.empty() || access.strides.size() == seen.size();
}

std::vector<NestedLayout> distaff::layoutsForAccess(const VectorAccess &access,
                                                    const Target &target,
                                                    HardwareShape hardware) {
  assert(isOrdered(access) && "an order has a dim of the vector once");
  constexpr size_t limit = 8;
  std::vector<NestedLayout> layouts;
  auto add = [&](const Shape &shape) {
    NestedLayout layout = build(access, shape, hardware);
    if (layouts.size() < limit && !llvm::is_contained(layouts, layout))
      layouts.push_back(std::move(layout));
  };
  int64_t innerExtent =
      access.order.empty() ? 1 : access.shape[access.order.front()];
  int64_t widest = largestPowerOf2(innerExtent, widestOf(access, target));
  // Use narrower accesses if wide ones would leave lanes idle.
  int64_t total = llvm::product_of(access.shape);
  int64_t busy = widest;
  while (busy > access.narrowest &&
         total / busy < hardware.subgroups * hardware.lanes)
    busy /= 2;
  int64_t all = hardware.lanes;
  // The number of lanes that read one line together.
  int64_t line = std::max<int64_t>(1, 8 * target.globalMemory.lineBytes /
                                          (widest * access.elementBits));
  add({widest, all});
  if (busy != widest)
    add({busy, all});
  // Small values, for which an exchange between subgroups does not pay.
  if (total <= 2 * widest * all)
    add({widest, all, /*subgroupsInside=*/false, /*everySubgroup=*/true});
  add({widest, all, /*subgroupsInside=*/true});
  if (busy != widest)
    add({busy, all, /*subgroupsInside=*/true});
  if (access.order.size() > 1) {
    add({widest, line});
    add({widest, 1});
    add({widest, std::max<int64_t>(1, all / 4)});
  }
  add({access.narrowest, all});
  return layouts;
}

std::vector<NestedLayout> distaff::layoutsOfRows(const VectorAccess &access,
                                                 NeighbouringRows rows,
                                                 const Target &target,
                                                 HardwareShape hardware) {
  std::vector<NestedLayout> layouts;
  if (access.order.empty() || access.shape[rows.dim] % rows.count != 0)
    return layouts;
  int64_t threads = hardware.subgroups * hardware.lanes;
  int64_t ofThread = llvm::product_of(access.shape) / threads / rows.count;
  int64_t widest = largestPowerOf2(access.shape[access.order.front()],
                                   widestOf(access, target));
  int64_t busy = widest;
  while (busy > access.narrowest && busy > ofThread)
    busy /= 2;
  for (int64_t element : {busy, widest}) {
    NestedLayout layout =
        build(access,
              {.element = element, .innerLanes = hardware.lanes, .rows = rows},
              hardware);
    if (!llvm::is_contained(layouts, layout))
      layouts.push_back(std::move(layout));
  }
  return layouts;
}

/// Returns how many different lines of `lineBytes` the lanes of one access
/// touch: lanes that differ along the contiguous dim share lines, lanes along
/// other dims do not.
static int64_t linesPerAccess(const VectorAccess &access,
                              const NestedLayout &layout, int64_t width,
                              int64_t lineBytes) {
  int64_t lines = 1;
  for (unsigned dim : access.order)
    if (!access.contiguous || dim != access.order.front())
      lines *= layout[dim].threadTile;
  if (access.order.empty() || !access.contiguous)
    return lines;
  // Several accesses per element tile spread the lanes.
  unsigned inner = access.order.front();
  int64_t bits =
      layout[inner].threadTile * layout[inner].elementTile * access.elementBits;
  int64_t lanes = layout[inner].threadTile;
  bool spread = layout[inner].elementTile > width;
  int64_t along = llvm::divideCeil(bits, 8 * lineBytes);
  return lines * (spread ? std::min(lanes, along) : along);
}

bool distaff::holdsNarrowest(const VectorAccess &access,
                             const NestedLayout &layout) {
  return access.narrowest == 1 ||
         layout[access.order.front()].elementTile % access.narrowest == 0;
}

int64_t distaff::costOfAccess(const VectorAccess &access,
                              const NestedLayout &layout,
                              const Target &target) {
  assert(layout.rank() == int64_t(access.shape.size()) &&
         "a layout has the dims of the vector");
  const GlobalMemoryModel &memory = target.globalMemory;
  // Broadcast dims are read once.
  int64_t registers = 1, width = 1;
  for (unsigned dim : access.order)
    registers *= layout[dim].held();
  if (!access.order.empty())
    width = largestPowerOf2(layout[access.order.front()].elementTile,
                            widestOf(access, target));
  int64_t lines = linesPerAccess(access, layout, width, memory.lineBytes);
  int64_t words = registers * access.elementBits / 32;
  int64_t accesses = registers / width;
  // Parts of a word are packed or unpacked.
  int64_t parts = std::max<int64_t>(0, accesses - words);
  return accesses * target.costOfAccess(lines) +
         parts * target.costs.bytePermute;
}

//===- LaneTiles.cpp - Layout of a lowering_config ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Layout/LaneTiles.h"
#include "distaff/CheckedSize.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace distaff;
using iree::LoweringConfigAttr;

namespace {
/// The number of units that share each loop, and the stride of their ids.
struct Shares {
  SmallVector<int64_t> counts, strides;
  int64_t all = 1;
};
} // namespace

/// Numbers the counts row by row, the last position fastest.
static std::optional<Shares>
sharesOf(std::optional<LoweringConfigAttr::SubgroupBasis> basis, StringRef key,
         size_t loops, std::string &why) {
  Shares shares;
  shares.counts.assign(loops, 1);
  shares.strides.assign(loops, 0);
  if (!basis)
    return shares;
  if (basis->positions.size() != loops) {
    why = ("`" + key + "` has " + Twine(basis->positions.size()) +
           " positions for " + Twine(loops) + " loops")
              .str();
    return std::nullopt;
  }
  SmallVector<int64_t> strides(basis->counts.size(), 1);
  for (size_t at = basis->counts.size(); at-- > 0;) {
    strides[at] = shares.all;
    shares.all = saturatingProduct(shares.all, basis->counts[at]);
  }
  llvm::SmallBitVector taken(basis->counts.size());
  for (auto [loop, position] : llvm::enumerate(basis->positions)) {
    int64_t count = basis->counts[position];
    if (count == 1)
      continue;
    if (taken.test(position)) {
      why =
          ("`" + key + "` gives position " + Twine(position) + " to two loops")
              .str();
      return std::nullopt;
    }
    taken.set(position);
    shares.counts[loop] = count;
    shares.strides[loop] = strides[position];
  }
  for (auto [position, count] : llvm::enumerate(basis->counts))
    if (count != 1 && !taken.test(position)) {
      why = ("`" + key + "` gives no loop the " + Twine(count) +
             " at position " + Twine(position))
                .str();
      return std::nullopt;
    }
  return shares;
}

std::optional<NestedLayout> distaff::layOutTile(LoweringConfigAttr config,
                                                ArrayRef<int64_t> extents,
                                                int64_t subgroupSize,
                                                std::string &why) {
  assert(config.laysOutLanes() && "the config says what lanes hold");
  size_t loops = extents.size();
  std::optional<Shares> lanes =
      sharesOf(config.getLaneBasis(), "lane_basis", loops, why);
  if (!lanes)
    return std::nullopt;
  std::optional<Shares> subgroups =
      sharesOf(config.getSubgroupBasis(), "subgroup_basis", loops, why);
  if (!subgroups)
    return std::nullopt;
  if (lanes->all > subgroupSize) {
    why = ("`lane_basis` has " + Twine(lanes->all) + " lanes, a subgroup has " +
           Twine(subgroupSize))
              .str();
    return std::nullopt;
  }
  SmallVector<int64_t> thread = config.getInts("thread");
  if (!thread.empty() && thread.size() != loops) {
    why = ("`thread` has " + Twine(thread.size()) + " sizes for " +
           Twine(loops) + " loops")
              .str();
    return std::nullopt;
  }
  NestedLayout layout = NestedLayout::units(loops);
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    NestedDim &dim = layout[loop];
    dim.elementTile = thread.empty() ? 1 : std::max<int64_t>(thread[loop], 1);
    dim.threadTile = lanes->counts[loop];
    dim.threadStride = lanes->strides[loop];
    dim.subgroupTile = subgroups->counts[loop];
    dim.subgroupStride = subgroups->strides[loop];
    int64_t together = dim.extent();
    if (extent % together != 0) {
      why = ("its tile has " + Twine(extent) + " elements along loop " +
             Twine(loop) + ", which " + Twine(dim.subgroupTile) +
             " subgroups of " + Twine(dim.threadTile) + " lanes with " +
             Twine(dim.elementTile) + " each do not share in equal parts")
                .str();
      return std::nullopt;
    }
    dim.batchTile = extent / together;
  }
  return layout;
}

//===- PhaseSeeds.cpp - Anchors of the layouts of a phase -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseSeeds.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include <numeric>

using namespace distaff;
using iree::LoweringConfigAttr;
using vector_ext::NestedLayoutAttr;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Returns how many subgroups share each iteration dim: one where members are
/// lanes, else the number of tiles of `subgroup`. Empty: not specified.
static SmallVector<int64_t> splitOf(LoweringConfigAttr config,
                                    ArrayRef<int64_t> extents,
                                    const PhaseMembers &members) {
  if (members.areLanes)
    return SmallVector<int64_t>(extents.size(), 1);
  SmallVector<int64_t> tiles = config.getInts("subgroup"), split;
  if (tiles.size() != extents.size())
    return {};
  for (auto [extent, tile] : llvm::zip_equal(extents, tiles))
    split.push_back(tile > 0 && extent % tile == 0 ? extent / tile : 1);
  return split;
}

/// Returns the config in the form that the enumeration of candidates reads.
static LoweringConfigAttr withSplit(LoweringConfigAttr config,
                                    ArrayRef<int64_t> split) {
  if (split.empty())
    return config;
  Builder builder(config.getContext());
  NamedAttrList attributes(config.getAttributes());
  SmallVector<int64_t> positions(split.size());
  std::iota(positions.begin(), positions.end(), 0);
  attributes.set("subgroup_basis",
                 builder.getArrayAttr({builder.getI64ArrayAttr(split),
                                       builder.getI64ArrayAttr(positions)}));
  return LoweringConfigAttr::get(config.getContext(),
                                 attributes.getDictionary(config.getContext()));
}

static std::optional<ContractionCandidate>
chooseCandidate(vector::ContractionOp op, const PhaseMembers &members) {
  ContractionProblem problem = ContractionProblem::get(op);
  iree::MmaLayoutAttr kind =
      problem.config ? problem.config.getMmaKind() : iree::MmaLayoutAttr();
  if (!kind)
    return std::nullopt;
  problem.config = withSplit(problem.config,
                             splitOf(problem.config, problem.extents, members));
  // An instruction's fragments are the same on every target that has it.
  for (const Target *target : allTargets()) {
    std::vector<ContractionCandidate> candidates =
        enumerateMma(problem, *target, members.areLanes ? 1 : members.count);
    if (!candidates.empty() && candidates.front().row->name == kind.getName())
      return candidates.front();
  }
  return std::nullopt;
}

void distaff::anchorContractions(Region &region, const PhaseMembers &members) {
  region.walk([&](vector::ContractionOp op) {
    if (mmaAnchorOf(op.getLhs()) || mmaAnchorOf(op.getRhs()) ||
        !isa<VectorType>(op.getResultType()))
      return;
    std::optional<ContractionCandidate> candidate =
        chooseCandidate(op, members);
    if (!candidate)
      return;
    OpBuilder builder(op);
    const NestedLayout *layouts[] = {&candidate->lhs, &candidate->rhs,
                                     &candidate->acc};
    for (auto [operand, layout] :
         llvm::zip_equal(op->getOpOperands(), layouts)) {
      auto laidOut =
          ToLayoutOp::create(builder, op.getLoc(), operand.get(),
                             NestedLayoutAttr::get(op.getContext(), *layout));
      laidOut.setMmaKindAttr(candidate->getKind(op.getContext()));
      operand.set(laidOut);
    }
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Returns the factor of a dim's extent that is split over so many workers, in
/// equal parts.
using Sharing = function_ref<int64_t(int64_t extent, int64_t workers)>;

/// Splits every dim over subgroups, from the first one on; `extents` become
/// those of each subgroup. Returns how many subgroups have elements.
static int64_t spreadOverSubgroups(NestedLayout &layout,
                                   MutableArrayRef<int64_t> extents,
                                   int64_t subgroups, Sharing sharedBy) {
  int64_t stride = 1;
  for (auto [dim, extent] : llvm::zip_equal(layout.dims, extents)) {
    dim.subgroupTile = sharedBy(extent, subgroups);
    dim.subgroupStride = stride;
    extent /= dim.subgroupTile;
    stride *= dim.subgroupTile;
    subgroups /= dim.subgroupTile;
  }
  return stride;
}

/// Splits the rest of every dim over lanes, from the last one on; returns how
/// many lanes have elements.
static int64_t spreadOverLanes(NestedLayout &layout, ArrayRef<int64_t> extents,
                               int64_t elementBits, int64_t lanes,
                               Sharing sharedBy) {
  constexpr int64_t bitsAtOnce = 128;
  int64_t stride = 1;
  for (int64_t at = layout.rank() - 1; at >= 0; --at) {
    NestedDim &dim = layout[at];
    if (at == layout.rank() - 1)
      dim.elementTile =
          std::gcd(extents[at], std::max<int64_t>(1, bitsAtOnce / elementBits));
    dim.threadTile = sharedBy(extents[at] / dim.elementTile, lanes);
    dim.threadStride = stride;
    dim.batchTile = extents[at] / dim.elementTile / dim.threadTile;
    stride *= dim.threadTile;
    lanes /= dim.threadTile;
  }
  return stride;
}

/// Returns the layout that splits dims by `sharedBy`, and how many lanes have
/// elements.
static std::pair<NestedLayout, int64_t>
spreadOut(VectorType type, const PhaseMembers &members, Sharing sharedBy) {
  NestedLayout layout = NestedLayout::units(type.getRank());
  SmallVector<int64_t> extents(type.getShape());
  int64_t subgroups = 1;
  if (!members.areLanes)
    subgroups = spreadOverSubgroups(layout, extents, members.count, sharedBy);
  Type element = type.getElementType();
  int64_t lanes = spreadOverLanes(
      layout, extents, element.isIndex() ? 64 : element.getIntOrFloatBitWidth(),
      members.areLanes ? members.count : members.lanesEach, sharedBy);
  return {layout, subgroups * lanes};
}

VectorLayoutInterface distaff::spreadOut(VectorType type,
                                         const PhaseMembers &members) {
  // Dims of 48 and 4 take all of 64 lanes by common divisors, one of 301 takes
  // 43 by its own.
  auto [layout, busy] =
      ::spreadOut(type, members, [](int64_t extent, int64_t workers) {
        return std::gcd(extent, workers);
      });
  auto [byDivisors, busyByDivisors] =
      ::spreadOut(type, members, largestDivisor);
  if (busyByDivisors > busy)
    layout = byDivisors;
  layout.normalize();
  return NestedLayoutAttr::get(type.getContext(), layout);
}

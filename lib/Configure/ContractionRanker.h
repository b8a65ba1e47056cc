//===- ContractionRanker.h - Tiles of a contraction, and prices -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate is a tile m x n x k and a number of subgroups; Analysis decides
// how they split the tile and on which instruction. Contraction.cpp enumerates
// candidates, ContractionPrices.cpp prices them, and ContractionBounds.cpp
// prunes those that are not worth a price.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_CONTRACTIONRANKER_H
#define DISTAFF_LIB_CONFIGURE_CONTRACTIONRANKER_H

#include "AttentionSteps.h"
#include "Candidates.h"
#include "CoreTiles.h"
#include "MatrixRegisterTiles.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

/// A contraction tile is one tile of the contraction, per loop of the root.
struct ContractionTile {
  SmallVector<int64_t> workgroup; // sequential loops at their full extent
  SmallVector<int64_t> step;      // as workgroup, sequential loops at one step
};

/// Describes the elements that one workgroup holds of one tile.
struct TileFootprint {
  int64_t accBytes;
  int64_t accElements;      // per lane
  int64_t busyLanes;        // lanes that hold elements of the result
  int64_t stepBytes[2];     // bytes of lhs and rhs, one step of K
  int64_t words[2];         // words per lane, in the layout of its operand
  int64_t sums;             // per lane
  AttentionWords attention; // per lane
  int64_t fragments[2]; // words of fragments, in two steps of the instruction
  int64_t staged[2];    // words per lane, while all lanes copy a step
  /// Registers per lane, of all ops of the group.
  RegisterDemand registers;
  int64_t productsBeside;    // other products of the group on these lanes
  int64_t singleWordsBeside; // words per lane that those read one by one
  int64_t unrolled;          // operations per lane of a step
  /// Whether no op needs more than all lanes hold, or has nested loops.
  bool fits;
};

/// The nominal extent of a dynamic dimension of a product that matrix
/// instructions compute: with 2048x2048 results, tiles of 128x128 fill most
/// devices, and smaller products take little time in any case.
inline constexpr int64_t nominalExtentOfProduct = 2048;

/// A price bound is the least cost of candidates, and their work if all units
/// share it evenly.
struct PriceBound {
  int64_t cost, work;
};

class ContractionRanker {
public:
  ContractionRanker(const FusedGroup &group, const Target &target,
                    const UserChoices &user, Ranking &ranking)
      : group(group), target(target), user(user), root(*group.root()),
        registers(group), op(cast<linalg::LinalgOp>(root.op)),
        body(*matchProduct(op)), extents(op.getStaticLoopRanges()),
        isAttention(!findAttention(root.op).empty()),
        features(target.isHost() ? featuresOfAttention(root.op) : std::nullopt),
        matrices(group, target, user.strictFp), ranking(ranking) {
    maps = op.getIndexingMapsArray();
    for (auto [loop, extent] : llvm::enumerate(extents))
      if (ShapedType::isDynamic(extent))
        extent = isTiled(loop) ? nominalExtent : 1;
    for (unsigned operand : {0u, 1u, 2u}) {
      for (unsigned loop = 0; loop < extents.size(); ++loop)
        isIndexed[operand].push_back(maps[operand].isFunctionOfDim(loop));
      Type type = getElementTypeOrSelf(op->getOperand(operand).getType());
      elementBytes[operand] = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
      readSingly[operand] = isReadSingly(group, root, operand);
    }
    if (matchContraction(op))
      offer = offerOf(extents);
    if (!offer.rows.empty())
      for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
        if (ShapedType::isDynamic(extent) && isTiled(loop))
          extents[loop] = nominalExtentOfProduct;
  }

  void rank();

private:
  /// Returns whether a loop is tiled: of several m, n or k loops the innermost.
  /// Of the outer ones, a workgroup takes one row (m, n) or iterates over them
  /// (k).
  bool isTiled(unsigned loop) const {
    return loop == body.m.back() || loop == body.n.back() ||
           loop == body.k.back();
  }
  bool isReduced(unsigned loop) const {
    return root.iterators[loop] == utils::IteratorType::reduction;
  }
  /// Returns whether one workgroup takes all of a loop, or all of it step by
  /// step.
  bool isWhole(unsigned loop) const {
    return isReduced(loop) || !group.axes()[root.axes[loop]].mayBeGridAxis();
  }
  /// Returns whether a core has the tiles in memory, and loops over them.
  bool isInMemory() const { return features.has_value(); }
  void rankInMemory();
  SmallVector<int64_t> sizesFor(unsigned loop, int64_t most, bool useMma) const;
  int64_t tileBytes(unsigned operand, ArrayRef<int64_t> tile) const;
  MmaOffer offerOf(ArrayRef<int64_t> extents) const;
  int64_t mmaGranule() const;
  void takeBlocks(SmallVectorImpl<int64_t> &tile) const;
  SmallVector<int64_t> batchesFor(const ContractionTile &tile,
                                  bool useMma) const;
  bool isMostlyPadding(const Candidate &candidate) const;
  PriceBound boundOf(const ContractionTile &tile, int64_t lanes,
                     double slotsPerStep, int64_t latencyPerStep) const;
  PriceBound boundOf(const ContractionTile &tile, bool useMma) const;
  PriceBound boundOf(const ContractionTile &tile,
                     const ContractionCandidate &choice, int64_t subgroups,
                     ArrayRef<int64_t> promoted) const;
  bool isOutdone(const PriceBound &bound);
  void rankTiles(ArrayRef<ContractionTile> tiles, bool useMma);
  void addCandidates(const ContractionTile &tile, bool useMma);
  void rank(bool useMma);
  int64_t meetingCost(const ContractionCandidate &choice,
                      int64_t accBytes) const;
  int64_t passes(const ContractionTile &tile) const;
  int64_t mostElements(const ContractionTile &tile, int64_t lanes) const;
  std::optional<CoreStep> coreStep(const ContractionTile &tile) const;
  std::pair<int64_t, double>
  workgroupsAndSteps(const ContractionTile &tile) const;
  int64_t operandWords(const TileFootprint &footprint,
                       ArrayRef<int64_t> promoted) const;
  bool isCounted(const ContractionTile &tile) const;
  void predictSpills(Candidate &candidate, const ContractionTile &tile,
                     const ContractionCandidate *choice,
                     const TileFootprint &footprint,
                     ArrayRef<int64_t> promoted) const;
  int64_t singleWords(const ContractionTile &tile,
                      const TileFootprint &footprint, int64_t subgroups,
                      ArrayRef<int64_t> promoted) const;
  void countOperands(TileFootprint &footprint, const ContractionTile &tile,
                     const ContractionCandidate *choice, const Sharing &sharing,
                     int64_t lanes) const;
  TileFootprint footprintOf(const ContractionTile &tile,
                            const ContractionCandidate *choice,
                            int64_t subgroups) const;
  int64_t wordsPerLane(const ContractionCandidate &choice,
                       unsigned operand) const;
  std::pair<int64_t, int64_t>
  directRead(unsigned operand, const ContractionCandidate *choice) const;
  int64_t operandCost(int64_t words, int64_t stepBytes, unsigned operand,
                      bool promoted, int64_t subgroups,
                      const ContractionCandidate *choice) const;
  Candidate tiledBy(const ContractionTile &tile) const;
  void describe(Candidate &candidate, const ContractionTile &tile,
                const ContractionCandidate *choice, ArrayRef<int64_t> promoted,
                int64_t subgroups) const;
  void price(const ContractionTile &tile, const ContractionCandidate *choice,
             const TileFootprint &footprint, int64_t subgroups,
             ArrayRef<int64_t> promoted);

  const FusedGroup &group;
  const Target &target;
  const UserChoices &user;
  const GroupOp &root;
  RegisterModel registers;
  linalg::LinalgOp op;
  ContractionBody body;
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> maps;
  // Per operand: whether each loop indexes it, and the other inputs of prices.
  std::array<SmallVector<bool>, 3> isIndexed;
  std::array<int64_t, 3> elementBytes;
  std::array<bool, 3> readSingly;
  bool isAttention;
  std::optional<int64_t> features; // of an attention in a core's memory
  MatrixRegisterTiles matrices;
  MmaOffer offer; // empty if the op is no contraction
  Ranking &ranking;
  // Numbers of tiles that were tried or pruned, and of the next candidate.
  int64_t numTiles = 0, candidateNumber = 0;
};

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_CONTRACTIONRANKER_H

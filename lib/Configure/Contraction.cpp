//===- Contraction.cpp - Tile and MMA candidates --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Larger tiles read each operand less often, smaller ones make enough
// workgroups to fill the device: the price counts both. Tiles come from the
// machine and from the extents: one that does not divide an extent is masked at
// its end, and computes more than needed.
//
// An m or n loop that workgroups cannot share, because another op reduces along
// it, may be sequential: the keys of an attention, 64 at a time. Each op that
// reads the product then has a loop of its own and computes its part of the
// product again.
//
//===----------------------------------------------------------------------===//
#include "ContractionRanker.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;

/// Returns tile sizes worth trying along a loop, of a workgroup or of a step;
/// for an instruction, multiples of the granule of all of the target's
/// instructions.
SmallVector<int64_t> ContractionRanker::sizesFor(unsigned loop, int64_t most,
                                                 bool useMma) const {
  const LoopAxis &axis = group.axes()[root.axes[loop]];
  if (std::optional<int64_t> tile = user.tile(
          isWhole(loop) ? "reduction" : "workgroup", loop, extents[loop]))
    return {*tile};
  int64_t granule = useMma ? mmaGranule() : 1;
  // A loop over features would compute all scores for each part of them.
  bool isFeature = isAttention && llvm::is_contained(body.n, loop);
  // Most instructions take 16 of a loop.
  int64_t usual = useMma ? std::lcm(granule, 16) : 1;
  if (!axis.mayBeWalked() || (isFeature && isWhole(loop))) {
    int64_t least = llvm::alignTo(extents[loop], granule),
            all = llvm::alignTo(extents[loop], usual);
    return least == all ? SmallVector<int64_t>{all}
                        : SmallVector<int64_t>{least, all};
  }
  SmallVector<int64_t> sizes = sizesBetween(extents[loop], most);
  // Sums take 12 of a core's 16 vectors.
  if (target.isHost() && !isReduced(loop))
    for (int64_t size : {3, 6, 12, 24})
      if (size < extents[loop] && !llvm::is_contained(sizes, size))
        sizes.push_back(size);
  // Steps along K that are no powers of two divide the operands unevenly.
  llvm::erase_if(sizes, [&](int64_t size) {
    return size % granule != 0 ||
           (!useMma && isReduced(loop) && size != extents[loop] &&
            !llvm::isPowerOf2_64(size));
  });
  // One tile covers an extent that is smaller than an instruction's.
  for (int64_t size : {granule, usual})
    if (size <= most && (sizes.empty() || size > sizes.back()))
      sizes.push_back(size);
  return sizes;
}

/// Returns the common granule of tiles of all instructions for these types and
/// loops.
int64_t ContractionRanker::mmaGranule() const {
  return target.mmaGranule([&](const MmaRow &row) {
    return typesFit(offer.problem, row) &&
           (row.blocks == 1 || !body.batch.empty());
  });
}

/// Sets the batches of a tile to the blocks that the user's instruction
/// multiplies at once; without one, a tile has one batch.
void ContractionRanker::takeBlocks(SmallVectorImpl<int64_t> &tile) const {
  iree::MmaLayoutAttr kind =
      user.config ? user.config.getMmaKind() : iree::MmaLayoutAttr();
  if (!kind || body.batch.empty())
    return;
  unsigned loop = body.batch.back();
  int64_t blocks = kind.getRow()->blocks;
  bool isFree = !user.tile("workgroup", loop, extents[loop]);
  if (isFree && extents[loop] % blocks == 0)
    tile[loop] = std::max(tile[loop], blocks);
}

/// Returns the numbers of batches that a tile may have (VX-231): for results
/// that a workgroup holds whole as many as it holds of other extents, else one.
SmallVector<int64_t> ContractionRanker::batchesFor(const ContractionTile &tile,
                                                   bool useMma) const {
  if (body.batch.empty())
    return {1};
  unsigned batch = body.batch.back();
  int64_t elements = 1;
  bool isWholeResult = true;
  for (unsigned loop : llvm::concat<const unsigned>(body.m, body.n)) {
    elements *= tile.workgroup[loop];
    isWholeResult &= tile.workgroup[loop] >= extents[loop];
  }
  int64_t mostElements = useMma ? 4096 : 1024;
  if (isAttention || isWhole(batch) || !isWholeResult ||
      2 * elements > mostElements)
    return {tile.workgroup[batch]};
  SmallVector<int64_t> sizes =
      sizesFor(batch, mostElements / elements, /*useMma=*/false);
  // At least the batches that the user's instruction multiplies at once.
  llvm::erase_if(sizes,
                 [&](int64_t size) { return size < tile.workgroup[batch]; });
  return sizes.empty() ? SmallVector<int64_t>{tile.workgroup[batch]} : sizes;
}

/// Returns whether a candidate's tiles compute at least twice the points of a
/// batch's products: instructions are made for larger ones.
bool ContractionRanker::isMostlyPadding(const Candidate &candidate) const {
  if (body.batch.empty() || isAttention)
    return false;
  double padding = 1;
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    int64_t tile = std::max(candidate.workgroupTiles[loop],
                            candidate.reductionTiles[loop]);
    if (tile > 0)
      padding *= double(llvm::alignTo(extent, tile)) / double(extent);
  }
  return padding >= 2;
}

int64_t ContractionRanker::tileBytes(unsigned operand,
                                     ArrayRef<int64_t> tile) const {
  int64_t bytes = elementBytes[operand];
  for (unsigned loop = 0; loop < tile.size(); ++loop)
    if (isIndexed[operand][loop])
      bytes = saturatingProduct(bytes, tile[loop]);
  return bytes;
}

MmaOffer ContractionRanker::offerOf(ArrayRef<int64_t> extents) const {
  ContractionProblem problem = problemOf(root, body, extents);
  problem.config = user.config;
  return MmaOffer::get(problem, target);
}

/// Returns a candidate with its tiles alone.
Candidate ContractionRanker::tiledBy(const ContractionTile &tile) const {
  Candidate candidate;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    bool isWalked = isReduced(loop) || tile.step[loop] != tile.workgroup[loop];
    candidate.workgroupTiles.push_back(isWalked ? 0 : tile.workgroup[loop]);
    candidate.reductionTiles.push_back(isWalked ? tile.step[loop] : 0);
  }
  return candidate;
}

/// Returns whether a body extracts elements of a tensor for a value of the
/// group: lanes that multiply gathered values read them themselves, even if
/// promoted.
static bool isGathered(const FusedGroup &group, Value value) {
  llvm::SetVector<Operation *> producers;
  auto add = [&](Value made) {
    if (Operation *producer = made.getDefiningOp();
        producer && group.find(producer))
      producers.insert(producer);
  };
  add(value);
  for (size_t i = 0; i < producers.size(); ++i)
    llvm::for_each(producers[i]->getOperands(), add);
  return llvm::any_of(producers, [](Operation *producer) {
    return producer
        ->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

/// Adds the candidate's other choices, and its description. Whether the
/// elements of a promoted operand pass through shared memory is chosen with the
/// layouts.
void ContractionRanker::describe(Candidate &candidate,
                                 const ContractionTile &tile,
                                 const ContractionCandidate *choice,
                                 ArrayRef<int64_t> promoted,
                                 int64_t subgroups) const {
  candidate.promoted = llvm::to_vector(promoted);
  llvm::raw_string_ostream os(candidate.description);
  os << "tile ";
  llvm::interleave(tile.step, os, "x");
  if (!choice) {
    const PackedDot *dot = matrices.dotOf(tile.workgroup, tile.step);
    os << ", " << (dot ? StringRef(dot->name) : "no MMA");
  } else {
    candidate.subgroups = choice->subgroups;
    candidate.mma = choice->getKind(op->getContext());
    os << ", " << choice->describe();
    constexpr StringRef names[] = {"lhs", "rhs"};
    for (int64_t operand : promoted)
      if (!isGathered(group, op->getOperand(operand)))
        os << ", " << names[operand] << " promoted";
  }
  os << ", " << subgroups << " subgroups, " << candidate.workgroups
     << " workgroups";
}

void ContractionRanker::addCandidates(const ContractionTile &tile,
                                      bool useMma) {
  if (useMma && isAttention && !user.config &&
      !suitsScores(group, heldPerAxis(group, tile.workgroup, tile.step),
                   target))
    return;
  SmallVector<SmallVector<int64_t>> promotions = {{0, 1}, {0}, {1}, {}};
  if (user.config && user.config.getAttributes().contains("promote_operands"))
    promotions = {user.config.getPromotedOperands()};
  // More are tried only for a tile that no instruction fits: it may be
  // indivisible.
  constexpr int64_t mostWithMma = 8;
  SmallVector<int64_t> counts;
  for (int64_t count = 1;
       count * target.subgroupSize <= target.maxWorkgroupSize &&
       (!useMma || count <= mostWithMma);
       count *= 2)
    counts.push_back(count);
  if (user.workgroupSize)
    counts = {user.workgroupSize / target.subgroupSize};
  for (int64_t subgroups : counts) {
    if (!useMma) {
      price(tile, nullptr, footprintOf(tile, nullptr, subgroups), subgroups,
            {});
      continue;
    }
    for (const ContractionCandidate &choice :
         offer.enumerate(tile.step, subgroups)) {
      // Subgroups that share features compute scores twice and synchronize at
      // every maximum.
      if (isAttention && llvm::any_of(body.n, [&](unsigned loop) {
            return choice.subgroups[loop] > 1;
          }))
        continue;
      std::optional<TileFootprint> footprint;
      for (ArrayRef<int64_t> promoted : promotions) {
        if (isOutdone(boundOf(tile, choice, subgroups, promoted)))
          continue;
        if (!footprint)
          footprint = footprintOf(tile, &choice, subgroups);
        price(tile, &choice, *footprint, subgroups, promoted);
      }
    }
  }
}

void ContractionRanker::rank(bool useMma) {
  ContractionTile tile{extents, {}};
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!isWhole(loop))
      tile.workgroup[loop] = sizesFor(loop, 1, /*useMma=*/false).front();
  if (useMma)
    takeBlocks(tile.workgroup);
  tile.step = tile.workgroup;
  for (unsigned loop : body.k)
    tile.step[loop] = sizesFor(loop, 1, /*useMma=*/false).front();
  unsigned m = body.m.back(), n = body.n.back(), k = body.k.back();
  auto set = [&](unsigned loop, int64_t size) {
    tile.step[loop] = size;
    tile.workgroup[loop] = isWhole(loop) ? extents[loop] : size;
  };
  bool isWalkedAlongResult = isWhole(m) || isWhole(n);
  SmallVector<ContractionTile, 0> tiles;
  for (int64_t sizeM : sizesFor(m, isWhole(m) ? extents[m] : 256, useMma))
    for (int64_t sizeN : sizesFor(n, isWhole(n) ? extents[n] : 256, useMma)) {
      set(m, sizeM);
      set(n, sizeN);
      // Without an instruction a step is one access along a row: lanes hold all
      // rows of it.
      int64_t longest =
          useMma ? 128 : std::max<int64_t>(1, 16 / elementBytes[0]);
      SmallVector<int64_t> steps = sizesFor(k, longest, useMma);
      // A product that is iterated over along its result has no loop along K.
      SmallVector<int64_t> granules{useMma ? mmaGranule() : 1};
      if (useMma && isAttention) // scores as rows have another size
        granules.push_back(mmaRows);
      for (int64_t granule : granules)
        if (int64_t whole = llvm::alignTo(extents[k], granule);
            isWalkedAlongResult && !user.tile("reduction", k, extents[k]) &&
            !llvm::is_contained(steps, whole))
          steps.push_back(whole);
      for (int64_t batches : batchesFor(tile, useMma)) {
        if (!body.batch.empty())
          set(body.batch.back(), batches);
        for (int64_t sizeK : steps) {
          set(k, sizeK);
          tiles.push_back(tile);
        }
      }
    }
  rankTiles(tiles, useMma);
}

void ContractionRanker::rankInMemory() {
  std::optional<AttentionTile> most = tileInMemory(*features, target);
  if (!most)
    return;
  ContractionTile tile{extents, {}};
  auto chosen = [&](StringRef kind, unsigned loop, int64_t size) {
    return user.tile(kind, loop, extents[loop]).value_or(size);
  };
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!isWhole(loop) && !llvm::is_contained(body.n, loop))
      tile.workgroup[loop] = chosen("workgroup", loop, 1);
  unsigned row = body.m.back(), key = body.k.back();
  if (!isWhole(row))
    tile.workgroup[row] =
        chosen("workgroup", row, evenTile(extents[row], most->rows, 6));
  tile.step = tile.workgroup;
  for (unsigned loop : body.k)
    tile.step[loop] = chosen("reduction", loop, 1);
  tile.step[key] =
      chosen("reduction", key, evenTile(extents[key], most->keys, 16));
  price(tile, nullptr, footprintOf(tile, nullptr, /*subgroups=*/1),
        /*subgroups=*/1, {});
}

/// An instruction wins where it neither spills nor unrolls to more than the
/// budget. Tiles without an instruction are tried only where it does, and where
/// it computes mostly padding, and never with an instruction that the user
/// named.
void ContractionRanker::rank() {
  if (!offer.rows.empty())
    rank(/*useMma=*/true);
  bool needsMma = user.config && user.config.getMmaKind();
  bool isEnough = !ranking.empty() && ranking.winner().fits &&
                  !ranking.winner().isOverBudget() &&
                  ranking.winner().spilled == 0 &&
                  !isMostlyPadding(ranking.winner());
  if (!isEnough && !needsMma)
    isInMemory() ? rankInMemory() : rank(/*useMma=*/false);
}

void distaff::rankContraction(const FusedGroup &group, const Target &target,
                              const UserChoices &user, Ranking &ranking) {
  ContractionRanker(group, target, user, ranking).rank();
}

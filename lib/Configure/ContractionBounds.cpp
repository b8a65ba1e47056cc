//===- ContractionBounds.cpp - Branch and bound over tiles ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch and bound: a few numbers give a lower bound on the price of each tile,
// and then of each candidate for it. Tiles are tried in the order of their
// bounds, and candidates that cannot be among those that are kept are not
// priced. The choice is the same as if all were priced (VX-258): candidates are
// numbered in the order in which they would be tried, which breaks ties.
//
//===----------------------------------------------------------------------===//
#include "ContractionRanker.h"
#include <cmath>

using namespace distaff;

/// Returns the least issue slots of a subgroup's multiply-adds on an
/// instruction.
static double leastSlotsPerMultiplyAdd(const MmaOffer &offer) {
  double least = std::numeric_limits<double>::max();
  for (const MmaRow *row : offer.rows)
    least = std::min(least, double(row->issueCost) / row->multiplyAdds());
  return least;
}

PriceBound ContractionRanker::boundOf(const ContractionTile &tile,
                                      int64_t lanes, double slotsPerStep,
                                      int64_t latencyPerStep) const {
  auto [workgroups, steps] = workgroupsAndSteps(tile);
  int64_t accBytes = tileBytes(2, tile.step);
  int64_t throughput = int64_t(steps * slotsPerStep) +
                       accBytes / target.globalMemory.sectorBytes *
                           target.globalMemory.sectorCost;
  int64_t registers = isInMemory() ? 0 : accBytes / (4 * lanes);
  PriceBound bound;
  bound.cost = priceLaunch(target, workgroups, lanes, registers, throughput,
                           int64_t(steps * double(latencyPerStep)));
  bound.work = saturatingProduct(workgroups, throughput) / target.computeUnits;
  return bound;
}

/// Returns a lower bound on the price of a tile: each instruction multiplies
/// all of it, and each operand comes to the workgroup at least once.
PriceBound ContractionRanker::boundOf(const ContractionTile &tile,
                                      bool useMma) const {
  const GlobalMemoryModel &memory = target.globalMemory;
  int64_t stepK = 1;
  for (unsigned loop : body.k)
    stepK = saturatingProduct(stepK, tile.step[loop]);
  std::optional<CoreStep> core = coreStep(tile);
  if (core)
    return boundOf(tile, target.subgroupSize,
                   double(saturatingProduct(core->slots, stepK)) /
                           double(target.issue.issuers) -
                       1,
                   memory.latency);
  double points = double(saturatingProduct(tile.step));
  double perPoint =
      useMma ? leastSlotsPerMultiplyAdd(offer)
             : double(target.issue.multiplyAdd) / double(target.subgroupSize);
  // Slots are whole numbers, and rounded down.
  double slots = std::max(0.0, points * perPoint / target.issue.issuers - 1);
  // Without an instruction, elements are extended before they are multiplied.
  if (!target.isHost())
    for (unsigned operand : {0u, 1u})
      if (useMma || elementBytes[operand] <= elementBytes[2])
        slots += double(tileBytes(operand, tile.step) / memory.sectorBytes *
                        memory.sectorCost);
  return boundOf(tile, target.subgroupSize, slots, memory.latency);
}

/// Returns a lower bound on the price of a tile whose product runs as `choice`.
PriceBound ContractionRanker::boundOf(const ContractionTile &tile,
                                      const ContractionCandidate &choice,
                                      int64_t subgroups,
                                      ArrayRef<int64_t> promoted) const {
  int64_t slots = choice.cost * subgroups / target.issue.issuers;
  for (unsigned operand : {0u, 1u})
    slots += operandCost(
        wordsPerLane(choice, operand), tileBytes(operand, tile.step), operand,
        llvm::is_contained(promoted, operand), subgroups, &choice);
  int64_t barriers = promoted.empty() ? 0 : 2 * target.costs.barrier;
  return boundOf(tile, subgroups * target.subgroupSize, double(slots),
                 target.globalMemory.latency + barriers + choice.cost);
}

bool ContractionRanker::isOutdone(const PriceBound &bound) {
  bool is = ranking.isOutdone(bound.cost);
  if (is) // else the price itself adds its work
    ranking.addWork(bound.work);
  return is;
}

void ContractionRanker::rankTiles(ArrayRef<ContractionTile> tiles,
                                  bool useMma) {
  SmallVector<std::pair<PriceBound, size_t>> order;
  for (auto [number, tile] : llvm::enumerate(tiles))
    order.push_back({boundOf(tile, useMma), number});
  llvm::stable_sort(order, [](const auto &a, const auto &b) {
    return a.first.cost < b.first.cost;
  });
  // An upper bound on the candidates of a tile.
  constexpr int64_t ofTile = 1 << 20;
  int64_t before = numTiles;
  for (const auto &[bound, number] : order) {
    if (isOutdone(bound))
      continue;
    candidateNumber = (before + int64_t(number)) * ofTile;
    addCandidates(tiles[number], useMma);
  }
  numTiles += int64_t(tiles.size());
}

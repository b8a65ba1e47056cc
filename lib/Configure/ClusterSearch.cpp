//===- ClusterSearch.cpp - Candidate tiles of clusters --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate is an instruction or none, a box per subgroup of whole
// instructions, a grid of subgroups, and a step of the reduction. Tiles need
// not divide the extents: partial tiles are padded, and the padding counts as
// computed, so small extents get small tiles. Prices are those of Search.h.
//
//===----------------------------------------------------------------------===//
#include "ClusterTiles.h"
#include "distaff/CheckedSize.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;

namespace {
class ClusterRanker {
public:
  ClusterRanker(const ClusterProblem &problem, const Target &target,
                const UserChoices &user, const ClusterSchedule &schedule,
                Ranking &ranking)
      : problem(problem), target(target), user(user), schedule(schedule),
        ranking(ranking), fixed(ClusterTiles::get(user.config)) {}

  void rank();

private:
  void rankKind(iree::MmaLayoutAttr mma);
  SmallVector<int64_t> boxes(iree::MmaLayoutAttr mma, unsigned loop) const;
  SmallVector<int64_t> counts(unsigned loop, int64_t box) const;
  SmallVector<int64_t> steps(iree::MmaLayoutAttr mma) const;
  ClusterTiles makeTiles(iree::MmaLayoutAttr mma, int64_t boxM, int64_t boxN,
                         int64_t countM, int64_t countN, int64_t step) const;
  int64_t operandRegisters(const ClusterTiles &tiles) const {
    return tiles.operandRegisters(problem, target.subgroupSize,
                                  schedule.clusters > 1);
  }
  bool fits(const ClusterTiles &tiles) const;
  bool copiesDivide(const ClusterTiles &tiles) const;
  Candidate describe(const ClusterTiles &tiles) const;
  void price(const ClusterTiles &tiles);

  const ClusterProblem &problem;
  const Target &target;
  const UserChoices &user;
  ClusterSchedule schedule;
  Ranking &ranking;
  ClusterTiles fixed;
};
} // namespace

/// Returns sizes of a subgroup's box along a loop of the result.
SmallVector<int64_t> ClusterRanker::boxes(iree::MmaLayoutAttr mma,
                                          unsigned loop) const {
  if (!fixed.subgroup.empty())
    return {fixed.subgroup[loop]};
  int64_t granule = problem.granule(mma, loop);
  if (!fixed.workgroup.empty()) {
    SmallVector<int64_t> sizes = divisors(fixed.workgroup[loop]);
    llvm::erase_if(sizes, [&](int64_t size) { return size % granule != 0; });
    return sizes;
  }
  // At most the extent, in whole instructions; without an instruction, a box
  // has at least a point per lane, along whichever loop.
  int64_t most =
      std::max<int64_t>(llvm::alignTo(problem.extents[loop], granule),
                        mma ? 0 : target.subgroupSize);
  SmallVector<int64_t> sizes;
  for (int64_t size = granule; size <= 128; size *= 2)
    if (size == granule || size < 2 * most)
      sizes.push_back(size);
  return sizes;
}

/// Returns numbers of subgroups along a loop of the result.
SmallVector<int64_t> ClusterRanker::counts(unsigned loop, int64_t box) const {
  if (!fixed.workgroup.empty()) {
    if (box <= 0 || fixed.workgroup[loop] % box != 0)
      return {};
    return {fixed.workgroup[loop] / box};
  }
  SmallVector<int64_t> result = {1};
  for (int64_t count = 2; count <= 8; count *= 2)
    if (count <= schedule.clusters || (count - 1) * box < problem.extents[loop])
      result.push_back(count);
  return result;
}

/// Returns steps along the innermost loop that is reduced.
SmallVector<int64_t> ClusterRanker::steps(iree::MmaLayoutAttr mma) const {
  unsigned loop = problem.body.k.back();
  if (!fixed.reduction.empty())
    return {fixed.reduction[loop]};
  int64_t granule = problem.granule(mma, loop);
  int64_t most = mma ? std::max<int64_t>(64, granule) : 16;
  SmallVector<int64_t> sizes;
  for (int64_t size = std::max<int64_t>(granule, mma ? 16 : 4); size <= most;
       size *= 2)
    if (sizes.empty() || size < 2 * problem.extents[loop])
      sizes.push_back(size);
  return sizes;
}

ClusterTiles ClusterRanker::makeTiles(iree::MmaLayoutAttr mma, int64_t boxM,
                                      int64_t boxN, int64_t countM,
                                      int64_t countN, int64_t step) const {
  ClusterTiles tiles;
  tiles.mma = mma;
  for (unsigned loop = 0; loop < problem.extents.size(); ++loop) {
    bool isReduced = problem.isReduced(loop);
    tiles.workgroup.push_back(!isReduced);
    tiles.subgroup.push_back(!isReduced);
    tiles.reduction.push_back(isReduced);
  }
  unsigned m = problem.body.m.back(), n = problem.body.n.back();
  tiles.subgroup[m] = boxM;
  tiles.subgroup[n] = boxN;
  tiles.workgroup[m] = boxM * countM;
  tiles.workgroup[n] = boxN * countN;
  tiles.reduction[problem.body.k.back()] = step;
  if (!fixed.workgroup.empty())
    tiles.workgroup = fixed.workgroup;
  if (!fixed.subgroup.empty())
    tiles.subgroup = fixed.subgroup;
  if (!fixed.reduction.empty())
    tiles.reduction = fixed.reduction;
  bool asksForPanels =
      user.config && user.config.getAttributes().contains("promote_operands");
  tiles.promoted = asksForPanels ? fixed.promoted : SmallVector<int64_t>{0, 1};
  return tiles;
}

bool ClusterRanker::fits(const ClusterTiles &tiles) const {
  for (unsigned loop = 0; loop < problem.extents.size(); ++loop) {
    int64_t size =
        problem.isReduced(loop) ? tiles.reduction[loop] : tiles.subgroup[loop];
    if (size % problem.granule(tiles.mma, loop) != 0)
      return false;
    int64_t part = tiles.subgroup[loop];
    if (part > 0 && tiles.workgroup[loop] % part != 0)
      return false;
  }
  int64_t subgroups = tiles.numSubgroups();
  int64_t lanes = saturatingProduct(subgroups, target.subgroupSize);
  if (!tiles.canBeShared(problem, schedule.clusters))
    return false;
  if (lanes > target.maxWorkgroupSize ||
      (user.workgroupSize && user.workgroupSize != lanes))
    return false;
  constexpr int64_t mostSubgroups = 8;
  if (!user.workgroupSize && fixed.workgroup.empty() &&
      subgroups > mostSubgroups)
    return false;
  // Only users may have panels larger than the default shared memory.
  int64_t shared = target.sharedMemoryBytes;
  if (!fixed.workgroup.empty())
    shared = target.dynamicSharedMemoryBytes;
  return saturatingSum(tiles.resultRegisters(problem, target.subgroupSize),
                       operandRegisters(tiles)) <=
             target.vectorRegistersFor(tiles.numLanes(target, schedule)) &&
         tiles.sharedBytes(problem, schedule.slots) <= shared;
}

/// Returns whether all lanes copy the same amount, in the widest accesses.
bool ClusterRanker::copiesDivide(const ClusterTiles &tiles) const {
  for (int64_t operand : tiles.promoted) {
    int64_t width = std::max<int64_t>(1, target.globalMemory.maxAccessBits /
                                             problem.elementBits(operand));
    int64_t lanes = tiles.numSubgroups() * target.subgroupSize;
    if (tiles.panelElements(problem, operand) % (width * lanes) != 0)
      return false;
  }
  return true;
}

/// Returns what a candidate fixes, and the registers it takes, without its
/// price.
Candidate ClusterRanker::describe(const ClusterTiles &tiles) const {
  Candidate candidate;
  candidate.workgroupSize = tiles.numSubgroups() * target.subgroupSize;
  candidate.workgroupTiles = tiles.workgroup;
  candidate.reductionTiles = tiles.reduction;
  for (auto [whole, part] : llvm::zip_equal(tiles.workgroup, tiles.subgroup))
    candidate.subgroups.push_back(part > 0 ? whole / part : 1);
  candidate.mma = tiles.mma;
  candidate.promoted = tiles.promoted;
  // Ops that follow the product read as many points as it has.
  int64_t result = tiles.resultRegisters(problem, target.subgroupSize);
  int64_t followers = result * problem.followerBits / problem.elementBits(2);
  candidate.registers = result + std::max(followers, operandRegisters(tiles));
  candidate.spilled = std::max<int64_t>(
      0, candidate.registers -
             target.vectorRegistersFor(tiles.numLanes(target, schedule)));
  candidate.starves = !copiesDivide(tiles);
  llvm::raw_string_ostream os(candidate.description);
  os << "tile ";
  llvm::interleave(
      llvm::zip_equal(tiles.workgroup, tiles.reduction), os,
      [&](auto sizes) {
        os << std::max(std::get<0>(sizes), std::get<1>(sizes));
      },
      "x");
  os << ", " << (tiles.mma ? tiles.mma.getName() : StringRef("no MMA"))
     << ", subgroups ";
  llvm::interleave(candidate.subgroups, os, "x");
  return candidate;
}

void ClusterRanker::price(const ClusterTiles &tiles) {
  Candidate candidate = describe(tiles);
  int64_t workgroups = 1, steps = 1, points = 1;
  for (unsigned loop = 0; loop < problem.extents.size(); ++loop) {
    bool isReduced = problem.isReduced(loop);
    int64_t tile = isReduced ? tiles.reduction[loop] : tiles.workgroup[loop];
    int64_t &count = isReduced ? steps : workgroups;
    count = saturatingProduct(
        count, int64_t(llvm::divideCeil(problem.extents[loop], tile)));
    points = saturatingProduct(points, isReduced ? 1 : tile);
  }
  int64_t subgroups = tiles.numSubgroups();
  int64_t compute = tiles.computeSlots(problem, target);
  int64_t step = compute * subgroups / target.issue.issuers +
                 tiles.operandSlots(problem, target, 0, subgroups) +
                 tiles.operandSlots(problem, target, 1, subgroups);
  int64_t barriers = tiles.promoted.empty() ? 0 : 2 * target.costs.barrier;
  int64_t written =
      points * (problem.elementBits(2) + problem.followerBits) / 8;
  int64_t throughput = saturatingSum(saturatingProduct(steps, step),
                                     written / target.globalMemory.sectorBytes *
                                         target.globalMemory.sectorCost);
  int64_t latency = saturatingProduct(steps, target.globalMemory.latency +
                                                 barriers + compute);
  candidate.workgroups = workgroups;
  candidate.cost = priceLaunch(target, workgroups, candidate.workgroupSize,
                               candidate.registers, throughput, latency);
  candidate.description += ", " + std::to_string(workgroups) + " workgroups";
  ranking.add(std::move(candidate));
}

void ClusterRanker::rankKind(iree::MmaLayoutAttr mma) {
  unsigned m = problem.body.m.back(), n = problem.body.n.back();
  for (int64_t boxM : boxes(mma, m))
    for (int64_t boxN : boxes(mma, n))
      for (int64_t countM : counts(m, boxM))
        for (int64_t countN : counts(n, boxN))
          for (int64_t step : steps(mma)) {
            ClusterTiles tiles =
                makeTiles(mma, boxM, boxN, countM, countN, step);
            // A lane without a part of the box would have nothing to add to.
            int64_t points = saturatingProduct(boxM, boxN);
            bool dividesLanes = mma || points % target.subgroupSize == 0;
            if (dividesLanes && fits(tiles))
              price(tiles);
          }
}

/// Ranks the tiles of the instruction that the user names, or of all
/// instructions that fit; tiles without an instruction only where none fits.
void ClusterRanker::rank() {
  linalg::LinalgOp op = problem.op;
  if (fixed.mma)
    return rankKind(fixed.mma);
  for (const MmaRow &row : target.mma)
    if (problem.typesFit(row))
      rankKind(iree::MmaLayoutAttr::get(op.getContext(), row.name));
  if (ranking.empty())
    rankKind({});
}

void distaff::rankClusters(const ClusterProblem &problem, const Target &target,
                           const UserChoices &user,
                           const ClusterSchedule &schedule, Ranking &ranking) {
  ClusterRanker(problem, target, user, schedule, ranking).rank();
}

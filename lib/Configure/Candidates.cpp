//===- Candidates.cpp - Common parts of all enumerations ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prices, sizes worth trying, and the log.
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/Analysis/Log/Decisions.h"

using namespace distaff;

void distaff::recordChoice(DecisionLog &log, func::FuncOp kernel,
                           StringRef subject, const Ranking &ranking) {
  if (ranking.winner().isUsers)
    return;
  ChoiceDecision decision{
      lineOf(kernel.getLoc()), kernel.getName().str(), subject.str(), {}, {}};
  for (const Candidate &candidate : ranking.all()) {
    Alternative alternative{candidate.description, candidate.cost, ""};
    // States the reason that outranks the price.
    if (candidate.cost < ranking.winner().cost || candidate.lacksMemory)
      alternative.reason = "cost " + std::to_string(candidate.cost) + ", " +
                           ranking.whyLost(candidate);
    if (&candidate == &ranking.winner())
      decision.chosen = alternative;
    else
      decision.losers.push_back(alternative);
  }
  log.choices.push_back(std::move(decision));
}

SmallVector<int64_t> distaff::heldPerAxis(const FusedGroup &group,
                                          ArrayRef<int64_t> workgroupTiles,
                                          ArrayRef<int64_t> serialTiles) {
  SmallVector<int64_t> held, steps(group.axes().size());
  for (unsigned axis = 0; axis < group.axes().size(); ++axis)
    held.push_back(sharedWhole(group, axis));
  for (auto [axis, size] : llvm::zip(group.root()->axes, workgroupTiles))
    if (size > 0)
      held[axis] = steps[axis] = tileAlong(group.axes()[axis], size);
  for (auto [axis, size] : llvm::zip(group.root()->axes, serialTiles))
    if (size > 0)
      held[axis] = std::min(steps[axis] > 0 ? steps[axis] : size,
                            tileAlong(group.axes()[axis], size));
  return held;
}

std::optional<Misfit> distaff::findMisfit(const FusedGroup &group,
                                          ArrayRef<int64_t> workgroupTiles,
                                          ArrayRef<int64_t> reductionTiles,
                                          int64_t limit) {
  SmallVector<int64_t> held =
      heldPerAxis(group, workgroupTiles, reductionTiles);
  const GroupOp &root = *group.root();
  for (const GroupOp &groupOp : group.ops()) {
    if (isa<linalg::FillOp>(groupOp.op) && groupOp.op != root.op)
      continue;
    for (AffineMap map : llvm::concat<const AffineMap>(groupOp.operandMaps,
                                                       groupOp.resultMaps)) {
      int64_t elements = 1;
      for (auto [loop, axis] : llvm::enumerate(groupOp.axes))
        if (map.isFunctionOfDim(loop))
          elements = saturatingProduct(elements, held[axis]);
      if (elements > limit)
        return Misfit{groupOp.op, elements};
    }
  }
  return std::nullopt;
}

int64_t distaff::priceLaunch(const Target &target, int64_t count, int64_t lanes,
                             int64_t registers, int64_t throughput,
                             int64_t latency) {
  assert(count >= 0 && lanes > 0 && registers >= 0 && throughput >= 0 &&
         latency >= 0 && "a price is of work that there is");
  int64_t perUnit = llvm::divideCeil(count, target.computeUnits);
  int64_t resident = std::max<int64_t>(
      1, target.registersPerUnit /
             (lanes * (registers + target.overheadRegisters)));
  int64_t rounds = llvm::divideCeil(perUnit, resident);
  int64_t price =
      saturatingProduct(perUnit, saturatingSum(throughput, target.issue.start));
  price = saturatingSum(price, saturatingProduct(count, target.issue.handOut));
  return saturatingSum(price, saturatingProduct(rounds, latency));
}

SmallVector<int64_t> distaff::sizesBetween(int64_t extent, int64_t most) {
  constexpr int64_t wellShared = 32;
  SmallVector<int64_t> sizes;
  int64_t all = llvm::PowerOf2Ceil(uint64_t(extent));
  for (int64_t power = 1; power <= std::min(all, most); power *= 2) {
    sizes.push_back(power);
    int64_t best = 0;
    for (int64_t size : divisors(extent))
      if (size > power && size < 2 * power && size <= most &&
          (size < wellShared || size % wellShared == 0 || size == extent) &&
          (best == 0 || llvm::countr_zero(uint64_t(size)) >
                            llvm::countr_zero(uint64_t(best))))
        best = size;
    if (best)
      sizes.push_back(best);
  }
  return sizes;
}

//===- Ranking.cpp - Pricing and ranking candidates -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all choices of configure share.
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Kernel/Kernel.h"

using namespace distaff;

UserChoices UserChoices::get(func::FuncOp kernel) {
  UserChoices user;
  LaunchSizes sizes = launchSizesOf(kernel);
  user.workgroupSize = sizes.numLanes();
  user.subgroupSize = sizes.subgroup.value_or(0);
  return user;
}

std::optional<int64_t> UserChoices::tile(StringRef key, unsigned loop,
                                         int64_t extent) const {
  if (!config)
    return std::nullopt;
  SmallVector<int64_t> sizes = config.getInts(key);
  if (sizes.empty())
    return std::nullopt;
  if (loop >= sizes.size() || sizes[loop] <= 0)
    return extent;
  LoopAxis axis;
  axis.extent = extent;
  return tileAlong(axis, sizes[loop]);
}

static auto orderOf(const Candidate &candidate) {
  return std::tuple(!candidate.fits, candidate.lacksMemory,
                    candidate.isOverBudget(), candidate.spilled,
                    candidate.starves, candidate.cost,
                    -candidate.workgroupSize);
}

void Ranking::add(Candidate candidate,
                  llvm::function_ref<void(Candidate &)> describe) {
  assert(kept > 0 && "a ranking keeps its winner");
  assert(candidate.workgroupTiles.size() == candidate.reductionTiles.size() &&
         "each loop of the root is tiled or not");
  // Among equals the first one stays first, so that the choice is stable.
  auto place = llvm::find_if(best, [&](const Candidate &other) {
    return std::pair(orderOf(candidate), candidate.number) <
           std::pair(orderOf(other), other.number);
  });
  if (place == best.end() && best.size() == kept)
    return;
  if (describe)
    describe(candidate);
  if (candidate.isOverBudget())
    candidate.description += ", unrolls to " +
                             std::to_string(candidate.unrolled) +
                             " operations per lane";
  // A search may come by the same one again where it grows its limits.
  if (llvm::any_of(best, [&](const Candidate &other) {
        return orderOf(candidate) == orderOf(other) &&
               candidate.description == other.description;
      }))
    return;
  best.insert(place, std::move(candidate));
  if (best.size() > kept)
    best.pop_back();
}

std::string Ranking::whyLost(const Candidate &candidate) const {
  const Candidate &better = winner();
  if (orderOf(better) == orderOf(candidate))
    return &better == &candidate ? "" : "comes after an equal one";
  if (better.fits != candidate.fits)
    return "holds more at once than its lanes can, or walks in a walk";
  if (better.lacksMemory != candidate.lacksMemory)
    return "exchanges data through workgroup memory, of which the kernel's own "
           "buffers leave none";
  if (better.isOverBudget() != candidate.isOverBudget())
    return "unrolls to more operations than compile in seconds";
  if (better.spilled != candidate.spilled)
    return "spills " + std::to_string(candidate.spilled - better.spilled) +
           " registers per lane more";
  if (better.starves != candidate.starves)
    return "leaves lanes of every subgroup without work";
  if (better.cost != candidate.cost)
    return "costs " + std::to_string(candidate.cost - better.cost) +
           " slots more";
  return "costs as much, on fewer lanes";
}

void distaff::recordChoice(DecisionLog &log, func::FuncOp kernel,
                           StringRef subject, const Ranking &ranking) {
  if (ranking.winner().isUsers)
    return;
  ChoiceDecision decision{
      lineOf(kernel.getLoc()), kernel.getName().str(), subject.str(), {}, {}};
  for (const Candidate &candidate : ranking.all()) {
    Alternative alternative{candidate.description, candidate.cost, ""};
    // What outranks its price.
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

SmallVector<int64_t> distaff::divisors(int64_t extent) {
  assert(extent > 0 && "an extent of none has no largest divisor");
  SmallVector<int64_t> small, large;
  for (int64_t divisor = 1; divisor * divisor <= extent; ++divisor) {
    if (extent % divisor != 0)
      continue;
    small.push_back(divisor);
    if (divisor * divisor != extent)
      large.push_back(extent / divisor);
  }
  llvm::append_range(small, llvm::reverse(large));
  return small;
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

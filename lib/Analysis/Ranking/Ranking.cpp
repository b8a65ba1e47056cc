//===- Ranking.cpp - Candidates of a kernel, ranked -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Ranking/Ranking.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
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

Target distaff::withReservedSubgroups(const Target &target, int64_t subgroups) {
  Target reduced = target;
  reduced.maxWorkgroupSize =
      std::max(target.subgroupSize,
               target.maxWorkgroupSize - subgroups * target.subgroupSize);
  return reduced;
}

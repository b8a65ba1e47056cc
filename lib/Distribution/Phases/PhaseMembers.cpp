//===- PhaseMembers.cpp - The members that run a phase --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseMembers.h"
#include "distaff/Analysis/Phases/ExchangeMemory.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Target/Target.h"

using namespace distaff;

void ScopeSync::wait(OpBuilder &b, Location loc) const {
  barriers.push_back(pcf::BarrierOp::create(b, loc, scope,
                                            /*clusters=*/ValueRange(),
                                            /*ranges=*/ValueRange(),
                                            /*refs=*/ValueRange()));
}

void ScopeSync::order(ValueRange memory) {
  for (pcf::BarrierOp barrier : barriers)
    barrier.getRefsMutable().assign(memory);
}

/// Returns why the members of a phase cannot wait for each other, or pass data
/// from lane to lane. Subgroups of a cluster can: their phase ends there
/// (PCF-140).
static std::string whyAlone(pcf::RunClusterOp op) {
  std::string scope;
  llvm::raw_string_ostream(scope) << op.getScope();
  if (!isa<iree::LaneScopeAttr, iree::SubgroupScopeAttr>(op.getScope()))
    return "workers of " + scope + " do not exchange data inside of a phase";
  if (isa<iree::LaneScopeAttr>(op.getScope()) &&
      isa<pcf::ClusterType>(op.getGroupType()))
    return "lanes of a cluster cannot wait for each other inside of a phase";
  return {};
}

FailureOr<PhaseMembers> PhaseMembers::of(pcf::RunClusterOp op,
                                         const pcf::WorkerGrid &grid,
                                         std::string &why) {
  std::optional<int64_t> count = grid.getNumMembers();
  if (!count) {
    why = "how many members run it is not known; give the launch sizes, and "
          "split at constants";
    return failure();
  }
  // The code of an empty cluster never runs; it is that of a full one.
  constexpr int64_t mostMembers = 1024;
  PhaseMembers members;
  members.areLanes = isa<iree::LaneScopeAttr>(grid.scope);
  members.count = *count > 0 ? *count : mostMembers;
  if (auto kernel = op->getParentOfType<FunctionOpInterface>())
    members.lanesEach = launchSizesOf(kernel).subgroup.value_or(1);
  members.whyAlone = ::whyAlone(op);
  members.exchange = grid.exchange;
  if (grid.exchange)
    members.exchangeBytes = grid.exchange->getLimit(op, members.areLanes);
  return members;
}

DistributionOptions PhaseMembers::getOptions() const {
  DistributionOptions options;
  options.numSubgroups = areLanes ? 1 : count;
  options.subgroupSize = areLanes ? count : 1;
  options.maySplitOverSubgroups = !areLanes;
  options.maySplitOverLanes = areLanes;
  options.keepsBlocks = !areLanes;
  options.avoidsTables = true;
  options.sharedMemoryBytes = exchangeBytes;
  if (const Target *target = exchange ? exchange->getTarget() : nullptr) {
    options.costs = target->costs;
    options.banks = target->banks;
    options.workgroupAlignment = target->workgroupAlignment();
    options.targetName = target->name.str();
  }
  return options;
}

//===- PhaseMembers.h - The members that run a phase ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members of lane scope are the lanes of layouts; those of any other scope are
// their subgroups. Their synchronization is that of the scope.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEMEMBERS_H
#define DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEMEMBERS_H

#include "distaff/Dialect/PCF/Distribution.h"
#include "distaff/Distribution/Distribution.h"

namespace distaff {

/// Waits at barriers of a scope, which order no memory until `order` adds it.
class ScopeSync final : public MemberSync {
public:
  explicit ScopeSync(Attribute scope) : scope(scope) {}

  void wait(OpBuilder &b, Location loc) const override;
  LogicalResult arrive(OpBuilder &, Location) const override {
    return failure();
  }
  LogicalResult fence(OpBuilder &, Location) const override {
    return failure();
  }
  // A barrier of the source orders the refs that it names, no more.
  bool isWait(Operation *) const override { return false; }

  bool wasUsed() const { return !barriers.empty(); }
  /// Orders the members' writes to `memory` at every barrier.
  void order(ValueRange memory);

private:
  Attribute scope;
  mutable SmallVector<pcf::BarrierOp> barriers;
};

/// The members of the group that runs a phase.
struct PhaseMembers {
  bool areLanes = false;
  /// The number of members; at least 1, also for code that no member runs.
  int64_t count = 1;
  /// Lanes of a member that is not a lane; 1 if that is not known.
  int64_t lanesEach = 1;
  /// The reason why members cannot exchange data; empty if they can.
  std::string whyAlone;
  /// The memory of their exchanges.
  ExchangeMemory *exchange = nullptr;
  /// The limit of that memory in bytes; 0 if any amount.
  int64_t exchangeBytes = 0;

  static FailureOr<PhaseMembers>
  of(pcf::RunClusterOp op, const pcf::WorkerGrid &grid, std::string &why);

  /// Returns the options of the distributor, except ids and sync.
  DistributionOptions getOptions() const;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEMEMBERS_H

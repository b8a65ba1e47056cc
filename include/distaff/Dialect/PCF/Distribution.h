//===- Distribution.h - Distribution of phases ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the driver of pcf-distribute and the distribution
// attributes (6.2 of the pcf specification).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_DISTRIBUTION_H
#define DISTAFF_DIALECT_PCF_DISTRIBUTION_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff {
// In distaff/Analysis.
class ExchangeMemory;
} // namespace distaff

namespace distaff::pcf {

// In distaff/Analysis; distribution attributes include it.
class PayloadClasses;

/// The members of the group that runs a phase.
struct WorkerGrid {
  Attribute scope;
  /// Members per dimension, fastest first; null if unknown.
  SmallVector<OpFoldResult> counts;
  /// The memory in which members exchange data; null: each phase has its own.
  ExchangeMemory *exchange = nullptr;

  /// Returns the number of members; nullopt if unknown.
  std::optional<int64_t> getNumMembers() const;
};

/// The distribution of a class: the type of one member's part, and which part
/// that is, in terms of the attribute that proposed it.
struct ClassDistribution {
  Type perWorker;
  Attribute mapping;

  bool operator==(const ClassDistribution &) const = default;
};

using FixedClasses = llvm::DenseMap<unsigned, ClassDistribution>;

/// The strength of a phase's proposal.
enum class ProposalKind {
  /// The phase cannot be distributed in another way.
  Demand,
  /// The phase would save a conversion.
  Wish,
  /// The phase has no reason to take another distribution.
  Default
};

struct ClassProposal {
  unsigned cls;
  ClassDistribution distribution;
  ProposalKind kind = ProposalKind::Demand;
};

/// Describes why a phase cannot be distributed, with notes for the user.
struct Refusal {
  std::string why;
  /// The op that prevents it, if it is one.
  std::optional<Location> where;
  SmallVector<std::pair<Location, std::string>> notes;
};

} // namespace distaff::pcf

#include "distaff/Dialect/PCF/PCFDistribution.h.inc"

#endif // DISTAFF_DIALECT_PCF_DISTRIBUTION_H

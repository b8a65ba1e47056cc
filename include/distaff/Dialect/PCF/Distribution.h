//===- Distribution.h - How phases become code of their members -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The agreement between the driver of pcf-distribute and the ways to distribute
// (6.2 of the pcf specification).
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

// In distaff/Analysis; ways to distribute include it.
class PayloadClasses;

/// The members of the group that runs a phase.
struct WorkerGrid {
  Attribute scope;
  /// Members per dimension, fastest first; null where that is not known.
  SmallVector<OpFoldResult> counts;
  /// Where members exchange data; null: each phase has memory for itself.
  ExchangeMemory *exchange = nullptr;

  /// Members in all; none where that is not known.
  std::optional<int64_t> getNumMembers() const;
};

/// What the members hold of a class: the type of one member's part, and which
/// part that is, in terms of the way that proposed it.
struct ClassDistribution {
  Type perWorker;
  Attribute mapping;

  bool operator==(const ClassDistribution &) const = default;
};

using FixedClasses = llvm::DenseMap<unsigned, ClassDistribution>;

/// How much a phase needs what it proposes.
enum class ProposalKind {
  /// It cannot be distributed any other way.
  Demand,
  /// It would save itself a conversion.
  Wish,
  /// It has no reason to take another.
  Default
};

struct ClassProposal {
  unsigned cls;
  ClassDistribution distribution;
  ProposalKind kind = ProposalKind::Demand;
};

/// Why a phase cannot be distributed, and what to look at.
struct Refusal {
  std::string why;
  /// The op that is in the way, if it is one.
  std::optional<Location> where;
  SmallVector<std::pair<Location, std::string>> notes;
};

} // namespace distaff::pcf

#include "distaff/Dialect/PCF/PCFDistribution.h.inc"

#endif // DISTAFF_DIALECT_PCF_DISTRIBUTION_H

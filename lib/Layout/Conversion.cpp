//===- Conversion.cpp - Choosing the tier of a layout conversion ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prices every tier that can do the conversion and takes the cheapest that the
// caller can emit (VX-36, 37, 43, 49), with the reason why others lost (VX-50).
// The shared-memory search, which takes the most time, runs only where its
// lower bound could win.
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/Conversion.h"
#include "PlaceTables.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <set>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// T1: register permutation
//===----------------------------------------------------------------------===//

static ConversionCounts countRenaming(ArrayRef<int64_t> source,
                                      int64_t elementBits) {
  ConversionCounts counts;
  for (auto [reg, from] : llvm::enumerate(source))
    counts.moves += from != static_cast<int64_t>(reg);
  counts.bytePermutes = countBytePermutes(source, elementBits);
  return counts;
}

//===----------------------------------------------------------------------===//
// T1s and T2: selects and shuffles
//===----------------------------------------------------------------------===//

static ConversionCounts countMoves(const LaneMoves &moves,
                                   int64_t elementBits) {
  int64_t words = wordsFor(moves.packing, elementBits);
  ConversionCounts counts;
  counts.selects = moves.numSelects() * words;
  counts.rounds = moves.numShuffles();
  counts.shuffleWords = counts.rounds * words;
  counts.packing = counts.rounds ? moves.packing : 1;
  counts.bytePermutes = moves.bytePermutes;
  counts.addressOps = moves.addressOps;
  return counts;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static int64_t costOf(const ConversionCounts &counts, const MoveCosts &costs,
                      HardwareShape hardware) {
  return counts.moves * costs.move + counts.bytePermutes * costs.bytePermute +
         counts.selects * costs.select + counts.shuffleWords * costs.shuffle +
         llvm::divideCeil(counts.wavefronts, hardware.subgroups) *
             costs.sharedWavefront +
         counts.barriers * costs.barrier + counts.addressOps * costs.addressOp;
}

/// Barriers of each slice: one between stores and loads, one before the bytes
/// are used again.
static constexpr int64_t sharedBarriers = 2;

static ConversionCounts countShared(const SharedMemoryPlan &plan) {
  ConversionCounts counts;
  counts.sharedBytes = plan.bytes;
  counts.wavefronts = plan.store.wavefronts + plan.load.wavefronts;
  counts.barriers = sharedBarriers * plan.pieces();
  counts.bytePermutes = countBytePermutes(plan);
  counts.addressOps = plan.addressOps();
  return counts;
}

/// Counts the accesses of a conversion by element: every lane stores and loads
/// all its elements, each in the round that has it; at worst it tests in every
/// round.
static ConversionCounts countByElement(const Layout &src, const Layout &dst,
                                       HardwareShape hardware,
                                       const SharedMemoryPlan &plan,
                                       int64_t bytes) {
  int64_t atOnce = std::max<int64_t>(1, bytes / plan.elementBytes);
  int64_t rounds = llvm::divideCeil(src.numElements(), atOnce);
  int64_t accesses = rounds * (src.numRegisters() + dst.numRegisters());
  ConversionCounts counts;
  counts.sharedBytes = atOnce * plan.elementBytes;
  counts.wavefronts = accesses * hardware.subgroups;
  counts.barriers = sharedBarriers * rounds;
  counts.addressOps = 3 * accesses;
  return counts;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static bool mayEmit(Tier tier, const ConversionOptions &options) {
  switch (tier) {
  case Tier::Identity:
  case Tier::RegisterPermutation:
    return !options.forceShared;
  case Tier::RegisterSelect:
    return options.emitSelect && !options.forceShared;
  case Tier::LaneShuffle:
    return options.emitShuffle && !options.forceShared;
  case Tier::SharedMemory:
    return true;
  }
  return false;
}

static std::string dearer(const ConversionPlan &plan, const TierReport &other) {
  return ((other.cost > plan.cost ? "costs more than "
                                  : "costs no less than ") +
          stringifyTier(plan.tier) + ": " + (other.isBound ? "at least " : "") +
          Twine(other.cost) + " against " + Twine(plan.cost))
      .str();
}

/// Sets the reasons why tiers other than the chosen one lost.
static void explainOthers(ConversionPlan &plan,
                          const ConversionOptions &options) {
  for (TierReport &report : plan.tiers) {
    if (report.tier == plan.tier || !report.possible || !report.reason.empty())
      continue;
    if (options.forceShared)
      report.reason = "shared memory is demanded";
    else if (report.tier != plan.classified &&
             report.tier != Tier::SharedMemory)
      report.reason = (stringifyTier(plan.classified) + " suffices").str();
    else if (!mayEmit(report.tier, options))
      report.reason =
          (describeTier(report.tier) + "s are not emitted here").str();
    else if (options.avoidShared && report.tier == Tier::SharedMemory)
      report.reason = "there is no way through shared memory here";
    else
      report.reason = dearer(plan, report);
  }
}

/// Lists every tier, with the reason why those below the classified one are
/// impossible.
static void classify(ConversionPlan &plan, const Layout &src, const Layout &dst,
                     HardwareShape hardware, bool explains) {
  SmallVector<std::string> why;
  plan.classified =
      classifyConversion(src, dst, hardware, explains ? &why : nullptr);
  for (int tier = 0; tier <= static_cast<int>(Tier::SharedMemory); ++tier) {
    TierReport &report = plan.tiers.emplace_back();
    report.tier = static_cast<Tier>(tier);
    report.possible = report.tier >= plan.classified;
    if (!report.possible && explains)
      report.reason = why[tier];
  }
}

namespace {
/// Compares the least tier that moves all elements with shared memory. A tier
/// whose lower bound already loses is not planned.
class Chooser {
public:
  Chooser(ConversionPlan &plan, const Layout &src, const Layout &dst,
          HardwareShape hardware, int64_t elementBits, const MoveCosts &costs,
          const BankModel &banks, const ConversionOptions &options)
      : plan(plan), src(src), dst(dst), hardware(hardware),
        elementBits(elementBits), costs(costs), banks(banks), options(options),
        least(plan.tiers[static_cast<int>(plan.classified)]),
        shared(plan.tiers.back()) {}

  void run();

private:
  bool isMoved() const {
    return plan.classified == Tier::RegisterSelect ||
           plan.classified == Tier::LaneShuffle;
  }
  bool isTooMuchToShuffle() const;
  void planLeast();
  void planShared();
  void take(const TierReport &chosen);

  ConversionPlan &plan;
  const Layout &src, &dst;
  HardwareShape hardware;
  int64_t elementBits;
  const MoveCosts &costs;
  const BankModel &banks;
  const ConversionOptions &options;
  TierReport &least, &shared;
};
} // namespace

void Chooser::planLeast() {
  if (isMoved()) {
    plan.moves = planLaneMoves(src, dst, hardware, elementBits, costs);
    least.counts = countMoves(*plan.moves, elementBits);
  } else {
    plan.registerSource =
        *registerSource(src, dst, DimMap::identity(src.rank()), hardware);
    least.counts = countRenaming(plan.registerSource, elementBits);
  }
  least.cost = costOf(least.counts, costs, hardware);
}

void Chooser::planShared() {
  plan.shared = planSharedMemory(src, dst, hardware, elementBits, banks,
                                 options.sharedBytes, costs, options.storeRow,
                                 options.loadOrder);
  plan.byElement =
      options.sharedBytes != 0 && plan.shared->bytes > options.sharedBytes;
  shared.counts = plan.byElement
                      ? countByElement(src, dst, hardware, *plan.shared,
                                       options.sharedBytes)
                      : countShared(*plan.shared);
  shared.cost = costOf(shared.counts, costs, hardware);
  shared.isBound = false;
}

void Chooser::take(const TierReport &chosen) {
  plan.tier = chosen.tier;
  plan.counts = chosen.counts;
  plan.cost = chosen.cost;
  if (chosen.tier == Tier::SharedMemory) {
    plan.registerSource.clear();
    plan.moves.reset();
  } else {
    plan.shared.reset();
    plan.byElement = false;
  }
}

/// Returns whether a lane gets more words than it has registers: then the code
/// spills in every tier, and planning its shuffles takes seconds.
bool Chooser::isTooMuchToShuffle() const {
  constexpr int64_t most = 256;
  int64_t words = llvm::divideCeil(dst.numRegisters() * elementBits, 32);
  return plan.classified == Tier::LaneShuffle && words >= most;
}

void Chooser::run() {
  if (plan.classified == Tier::SharedMemory ||
      !mayEmit(plan.classified, options)) {
    planShared();
    return take(shared);
  }
  shared.isBound = true;
  shared.cost = sharedBarriers * costs.barrier + 2 * costs.sharedWavefront;
  if (plan.classified == Tier::LaneShuffle && !options.avoidShared) {
    int64_t bound =
        leastShuffles(src, dst, hardware, elementBits) * costs.shuffle;
    bool isTooMuch = isTooMuchToShuffle();
    if (isTooMuch || bound > shared.cost)
      planShared();
    isTooMuch &= !plan.byElement;
    if (isTooMuch || bound > shared.cost) {
      least.cost = bound;
      least.isBound = true;
      if (isTooMuch && bound <= shared.cost)
        least.reason = "no lane has the registers that it would fill";
      return take(shared);
    }
  }
  planLeast();
  if (least.cost > shared.cost && !plan.shared && !options.avoidShared)
    planShared();
  take(options.avoidShared || least.cost <= shared.cost ? least : shared);
}

/// Returns whether the plan has exactly the parts of its tier.
[[maybe_unused]] static bool hasWhatItsTierNeeds(const ConversionPlan &plan,
                                                 const Layout &dst) {
  bool isShared = plan.tier == Tier::SharedMemory;
  bool isMoved =
      plan.tier == Tier::RegisterSelect || plan.tier == Tier::LaneShuffle;
  bool isRenamed = !isShared && !isMoved;
  return plan.tier >= plan.classified && plan.cost >= 0 &&
         plan.shared.has_value() == isShared && (!plan.byElement || isShared) &&
         plan.moves.has_value() == isMoved &&
         int64_t(plan.registerSource.size()) ==
             (isRenamed ? dst.numRegisters() : 0);
}

ConversionPlan distaff::planConversion(const Layout &src, const Layout &dst,
                                       HardwareShape hardware,
                                       int64_t elementBits,
                                       const MoveCosts &costs,
                                       const BankModel &banks,
                                       const ConversionOptions &options) {
  ConversionPlan plan;
  classify(plan, src, dst, hardware, options.explains);
  Chooser(plan, src, dst, hardware, elementBits, costs, banks, options).run();
  assert(hasWhatItsTierNeeds(plan, dst) &&
         "a plan has what its tier emits, and nothing of another");
  if (options.explains)
    explainOthers(plan, options);
  return plan;
}

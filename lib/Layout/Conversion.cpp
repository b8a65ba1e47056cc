//===- Conversion.cpp - Choosing how a value changes its layout -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Costs every tier that can do the conversion and takes the cheapest that may
// be emitted. The shared-memory search, which is the long part, runs only where
// its least imaginable cost could win.
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

/// 32-bit words that hold so many elements.
static int64_t wordsFor(int64_t elements, int64_t elementBits) {
  return llvm::divideCeil(elements * elementBits, 32);
}

//===----------------------------------------------------------------------===//
// T1: register permutation
//===----------------------------------------------------------------------===//

/// Elements of a 32-bit register; narrower than a byte they have one each.
static int64_t elementsPerRegister(int64_t elementBits) {
  return elementBits == 8 || elementBits == 16 ? 32 / elementBits : 1;
}

static ConversionCounts countRenaming(ArrayRef<int64_t> source,
                                      int64_t elementBits) {
  ConversionCounts counts;
  for (auto [reg, from] : llvm::enumerate(source))
    counts.moves += from != static_cast<int64_t>(reg);

  int64_t perWord = elementsPerRegister(elementBits);
  for (size_t word = 0; perWord > 1 && word < source.size(); word += perWord) {
    std::set<int64_t> sourceWords;
    bool inPlace = true;
    for (size_t reg = word, end = std::min(source.size(), word + perWord);
         reg < end; ++reg) {
      sourceWords.insert(source[reg] / perWord);
      inPlace &= source[reg] % perWord == static_cast<int64_t>(reg - word);
    }
    // One permute takes bytes of two registers.
    if (!inPlace || sourceWords.size() > 1)
      counts.bytePermutes += std::max<int64_t>(1, sourceWords.size() - 1);
  }
  return counts;
}

//===----------------------------------------------------------------------===//
// T1s and T2: where lanes take their elements from
//===----------------------------------------------------------------------===//

namespace {
/// The source of one wanted element: its own lane where that holds it, else the
/// first, canonical lane that does.
class Sources {
public:
  Sources(const Layout &src, const Layout &dst, HardwareShape hardware)
      : src(src, hardware), dst(dst, hardware), registers(src.numElements()),
        lanes(src.numElements()) {
    for (auto [r, position] : llvm::enumerate(this->src.reg))
      registers.enter(position, r);
    for (auto [l, position] : llvm::enumerate(this->src.lane))
      for (int64_t inRegister : this->src.reg)
        lanes.enter(position + inRegister, l);
  }

  int64_t numLanes() const { return dst.lane.size(); }
  int64_t numRegisters() const { return dst.reg.size(); }

  /// \pre  tier T2 or less: the subgroup holds what `place` wants
  Place operator()(Place place) const {
    int64_t position = dst.positionOf(place) - src.subgroup[place.subgroup];
    int64_t own = registers[position - src.lane[place.lane]];
    if (own >= 0)
      return {place.subgroup, place.lane, own};
    int64_t lane = lanes[position];
    return {place.subgroup, lane, registers[position - src.lane[lane]]};
  }

  /// One subgroup of each kind that moves its elements differently.
  SmallVector<int64_t> subgroupKinds() const {
    llvm::DenseSet<int64_t> seen;
    SmallVector<int64_t> kinds;
    for (int64_t s = 0, e = dst.subgroup.size(); s < e; ++s)
      if (seen.insert(dst.subgroup[s] - src.subgroup[s]).second)
        kinds.push_back(s);
    return kinds;
  }

private:
  PlaceTables src, dst;
  Holders registers, lanes;
};
} // namespace

/// How many source registers lanes take each destination register from.
static SmallVector<int64_t> countCandidates(const Sources &sources) {
  SmallVector<llvm::DenseSet<int64_t>> candidates(sources.numRegisters());
  for (int64_t s : sources.subgroupKinds())
    for (int64_t l = 0; l < sources.numLanes(); ++l)
      for (int64_t r = 0; r < sources.numRegisters(); ++r)
        candidates[r].insert(sources({s, l, r}).reg);
  SmallVector<int64_t> counts;
  for (const llvm::DenseSet<int64_t> &registers : candidates)
    counts.push_back(registers.size());
  return counts;
}

/// T1s: a tree of selects over the candidates of each register.
static ConversionCounts countSelects(const Sources &sources,
                                     int64_t elementBits) {
  ConversionCounts counts;
  for (int64_t candidates : countCandidates(sources))
    counts.selects += (candidates - 1) * wordsFor(1, elementBits);
  return counts;
}

/// Rounds of one subgroup: no lane can receive or publish more than one word in
/// each, and that many suffice (spec 4.3).
static int64_t countRounds(const Sources &sources, int64_t subgroup,
                           int64_t elementBits, bool &packs) {
  int64_t lanes = sources.numLanes();
  SmallVector<int64_t> elements(lanes * lanes, 0);
  llvm::DenseSet<std::pair<int64_t, int64_t>> demanded;
  SmallVector<int64_t> distinct(lanes, 0);
  for (int64_t l = 0; l < lanes; ++l)
    for (int64_t r = 0; r < sources.numRegisters(); ++r) {
      Place from = sources({subgroup, l, r});
      if (from.lane == l)
        continue;
      packs |= ++elements[from.lane * lanes + l] > 1;
      distinct[from.lane] += demanded.insert({from.lane, from.reg}).second;
    }

  int64_t rounds = 0;
  for (int64_t l = 0; l < lanes; ++l) {
    int64_t received = 0, published = wordsFor(distinct[l], elementBits);
    for (int64_t other = 0; other < lanes; ++other)
      received += wordsFor(elements[other * lanes + l], elementBits);
    rounds = std::max({rounds, received, published});
  }
  return rounds;
}

/// T2: a shuffle per round, and selects where the register that a lane
/// publishes or fills depends on the lane.
static ConversionCounts countShuffles(const Sources &sources,
                                      int64_t elementBits) {
  ConversionCounts counts;
  bool packs = false;
  for (int64_t s : sources.subgroupKinds())
    counts.rounds =
        std::max(counts.rounds, countRounds(sources, s, elementBits, packs));
  counts.shuffleWords = counts.rounds;
  counts.packing = packs && elementBits < 32 ? 32 / elementBits : 1;
  int64_t rotations = 0;
  for (int64_t candidates : countCandidates(sources))
    rotations += 2 * llvm::Log2_64_Ceil(candidates);
  counts.selects = wordsFor(rotations, elementBits);
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

/// Of each piece: one barrier between stores and loads, one before the bytes
/// are used again.
static constexpr int64_t sharedBarriers = 2;

static ConversionCounts countShared(const SharedMemoryPlan &plan) {
  ConversionCounts counts;
  counts.sharedBytes = plan.bytes;
  counts.wavefronts = plan.store.wavefronts + plan.load.wavefronts;
  counts.barriers = sharedBarriers * plan.pieces();
  counts.addressOps = countAddressOps(plan);
  return counts;
}

/// Every lane stores and loads all its elements, each in the round that has it;
/// at worst it asks in every round.
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

/// Says why tiers other than the chosen one lost.
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
      report.reason = ("costs " + Twine(report.cost) + ", but " +
                       describeTier(report.tier) + "s are not emitted yet")
                          .str();
    else
      report.reason = ("costs " + Twine(report.cost) + ", " +
                       stringifyTier(plan.tier) + " " + Twine(plan.cost))
                          .str();
  }
}

/// Every tier, and why those below the least that moves all cannot.
static void classify(ConversionPlan &plan, const Layout &src, const Layout &dst,
                     HardwareShape hardware) {
  SmallVector<std::string> why;
  plan.classified = classifyConversion(src, dst, hardware, &why);
  for (int tier = 0; tier <= static_cast<int>(Tier::SharedMemory); ++tier) {
    TierReport &report = plan.tiers.emplace_back();
    report.tier = static_cast<Tier>(tier);
    report.possible = report.tier >= plan.classified;
    if (!report.possible)
      report.reason = why[tier];
  }
}

/// What the classified tier takes; nothing of shared memory.
static ConversionCounts countLeast(ConversionPlan &plan, const Layout &src,
                                   const Layout &dst, HardwareShape hardware,
                                   int64_t elementBits) {
  switch (plan.classified) {
  case Tier::Identity:
  case Tier::RegisterPermutation:
    plan.registerSource =
        *registerSource(src, dst, DimMap::identity(src.rank()), hardware);
    return countRenaming(plan.registerSource, elementBits);
  case Tier::RegisterSelect:
    return countSelects(Sources(src, dst, hardware), elementBits);
  case Tier::LaneShuffle:
    return countShuffles(Sources(src, dst, hardware), elementBits);
  case Tier::SharedMemory:
    return {};
  }
  llvm_unreachable("unknown tier");
}

ConversionPlan distaff::planConversion(const Layout &src, const Layout &dst,
                                       HardwareShape hardware,
                                       int64_t elementBits,
                                       const MoveCosts &costs,
                                       const BankModel &banks,
                                       const ConversionOptions &options) {
  ConversionPlan plan;
  classify(plan, src, dst, hardware);
  TierReport &least = plan.tiers[static_cast<int>(plan.classified)];
  TierReport &shared = plan.tiers.back();
  least.counts = countLeast(plan, src, dst, hardware, elementBits);
  least.cost = costOf(least.counts, costs, hardware);

  bool mayTakeLeast = plan.classified != Tier::SharedMemory &&
                      mayEmit(plan.classified, options);
  int64_t bound = sharedBarriers * costs.barrier + 2 * costs.sharedWavefront;
  if (mayTakeLeast && least.cost <= bound) {
    shared.cost = bound;
    shared.reason = "costs at least " + std::to_string(bound);
  } else {
    plan.shared = planSharedMemory(src, dst, hardware, elementBits, banks,
                                   options.sharedBytes, costs);
    plan.byElement =
        options.sharedBytes != 0 && plan.shared->bytes > options.sharedBytes;
    shared.counts = plan.byElement
                        ? countByElement(src, dst, hardware, *plan.shared,
                                         options.sharedBytes)
                        : countShared(*plan.shared);
    shared.cost = costOf(shared.counts, costs, hardware);
  }

  bool takeLeast = mayTakeLeast && (!plan.shared || least.cost <= shared.cost);
  const TierReport &chosen = takeLeast ? least : shared;
  plan.tier = chosen.tier;
  plan.counts = chosen.counts;
  plan.cost = chosen.cost;
  if (takeLeast) {
    plan.shared.reset();
    plan.byElement = false;
  } else {
    plan.registerSource.clear();
  }
  explainOthers(plan, options);
  return plan;
}

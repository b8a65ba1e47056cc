//===- LaneMoves.cpp - Moving elements by lane shuffles -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/LaneMoves.h"
#include "LaneFormula.h"
#include "LaneRounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <map>
#include <set>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t distaff::wordsFor(int64_t elements, int64_t elementBits) {
  assert(elements >= 0 && elementBits > 0 && "elements have bits");
  return llvm::divideCeil(elements * elementBits, 32);
}

/// Returns the elements of a 32-bit register; those narrower than a byte have
/// one each.
static int64_t elementsPerRegister(int64_t elementBits) {
  return elementBits == 8 || elementBits == 16 ? 32 / elementBits : 1;
}

int64_t distaff::countBytePermutes(ArrayRef<int64_t> source,
                                   int64_t elementBits) {
  int64_t perWord = elementsPerRegister(elementBits), permutes = 0;
  for (size_t word = 0; perWord > 1 && word < source.size(); word += perWord) {
    std::set<int64_t> sourceWords;
    bool inPlace = true;
    for (size_t reg = word, end = std::min(source.size(), word + perWord);
         reg < end; ++reg) {
      if (source[reg] < 0)
        continue;
      sourceWords.insert(source[reg] / perWord);
      inPlace &= source[reg] % perWord == static_cast<int64_t>(reg - word);
    }
    // One permute takes bytes of two registers.
    if (!inPlace || sourceWords.size() > 1)
      permutes += std::max<int64_t>(1, sourceWords.size() - 1);
  }
  return permutes;
}

/// Returns the cost of these moves, in issue slots of a subgroup.
static int64_t costOf(const LaneMoves &moves, int64_t elementBits,
                      const MoveCosts &costs) {
  int64_t words = wordsFor(moves.packing, elementBits);
  return words * (moves.numSelects() * costs.select +
                  moves.numShuffles() * costs.shuffle) +
         moves.bytePermutes * costs.bytePermute +
         moves.addressOps * costs.addressOp;
}

namespace {
/// Plans the moves for one packing.
class Planner {
public:
  Planner(const Layout &src, const Layout &dst, HardwareShape hardware,
          int64_t elementBits, int64_t packing);

  LaneMoves plan(const LaneRounds &rounds);

  /// Returns a lower bound of the cost of plans with these rounds, without
  /// addresses.
  int64_t leastCost(const LaneRounds &rounds, const MoveCosts &costs) const;

  const LaneWords words;

private:
  ThreadTable tableOf(int64_t result, const LaneRounds &rounds) const;
  int64_t leastSelects(const LaneRounds &rounds) const;
  const LaneFormula &formulaOf(const ThreadTable &from);
  int64_t countPacking(int64_t rounds) const;

  int64_t elementBits;
  /// Digits that selects and formulas may use.
  SmallVector<SmallVector<Digit>> alternatives;
  /// Formulas by the lanes that are read: most rounds read the same lanes as an
  /// earlier one.
  std::map<ThreadTable, LaneFormula> formulas;
};
} // namespace

static SmallVector<Digit> digitsOf(const Layout &layout, Axis axis) {
  SmallVector<Digit> digits;
  for (const DigitTerm &term : layout.terms(axis))
    digits.push_back({axis, term.size, term.idStride});
  return digits;
}

/// Returns ids as one number each.
static SmallVector<Digit> wholeIds(HardwareShape threads) {
  SmallVector<Digit> digits;
  for (auto [axis, count] : {std::pair(Axis::Lane, threads.lanes),
                             std::pair(Axis::Subgroup, threads.subgroups)})
    if (count > 1)
      digits.push_back({axis, int64_t(llvm::PowerOf2Ceil(count)), 1});
  return digits;
}

Planner::Planner(const Layout &src, const Layout &dst, HardwareShape hardware,
                 int64_t elementBits, int64_t packing)
    : words(src, dst, hardware, packing), elementBits(elementBits) {
  // Powers of two are bits of the ids in any digits.
  auto isPowers = [](ArrayRef<Digit> digits) {
    return llvm::all_of(digits, [](const Digit &digit) {
      return llvm::isPowerOf2_64(digit.size) &&
             llvm::isPowerOf2_64(digit.stride);
    });
  };
  for (const Layout *layout : {&dst, &src}) {
    SmallVector<Digit> digits = digitsOf(*layout, Axis::Lane);
    if (words.threads.subgroups > 1)
      llvm::append_range(digits, digitsOf(*layout, Axis::Subgroup));
    if (isPowers(digits))
      continue;
    alternatives.push_back(digits);
    alternatives.emplace_back(digits.rbegin(), digits.rend());
  }
  SmallVector<Digit> ids = wholeIds(words.threads);
  if (ids.size() > 1)
    alternatives.emplace_back(ids.rbegin(), ids.rend());
  alternatives.push_back(ids);
}

/// Returns, by thread, the input of `collect` that is the word of the result.
ThreadTable Planner::tableOf(int64_t result, const LaneRounds &rounds) const {
  ThreadTable table;
  for (auto [source, round] :
       llvm::zip_equal(words.wanted[result], rounds.roundOf[result]))
    table.push_back(round == anyChoice
                        ? source.word
                        : int32_t(words.sourceWords.size()) + round);
  return table;
}

/// Counts the permutes that pack registers into words, and unpack them. Bits
/// have a register each and are moved one by one: into words at first, or where
/// they travel.
int64_t Planner::countPacking(int64_t rounds) const {
  int64_t perRegister = elementsPerRegister(elementBits);
  if (elementBits < 8)
    return words.packing > 1 ? words.packing * (words.sourceWords.size() +
                                                words.resultWords.size())
                             : 2 * rounds;
  SmallVector<int64_t> together, apart;
  for (ArrayRef<int64_t> word : words.sourceWords)
    for (int64_t at = 0; at < perRegister; ++at)
      together.push_back(at < words.packing ? word[at] : -1);
  apart.resize(words.resultWords.size() * words.packing);
  for (auto [number, word] : llvm::enumerate(words.resultWords))
    for (auto [at, reg] : llvm::enumerate(word))
      apart[reg] = number * perRegister + at;
  return countBytePermutes(together, elementBits) +
         countBytePermutes(apart, elementBits);
}

const LaneFormula &Planner::formulaOf(const ThreadTable &from) {
  auto [found, isNew] = formulas.try_emplace(from);
  if (isNew)
    found->second = findLaneFormula(from, words.threads, alternatives);
  return found->second;
}

LaneMoves Planner::plan(const LaneRounds &rounds) {
  LaneMoves moves;
  moves.lanes = words.threads.lanes;
  moves.packing = words.packing;
  moves.sourceWords = words.sourceWords;
  moves.resultWords = words.resultWords;
  moves.bytePermutes = countPacking(llvm::count(rounds.kept, false));
  int64_t inputs = words.sourceWords.size();
  moves.publish = *buildSelectNetwork(rounds.published, inputs, words.threads,
                                      alternatives);
  std::vector<ThreadTable> results;
  for (size_t result = 0; result < words.resultWords.size(); ++result)
    results.push_back(tableOf(result, rounds));
  moves.collect = *buildSelectNetwork(results, inputs + rounds.count,
                                      words.threads, alternatives);
  std::vector<LaneFormula> used;
  for (auto [at, from] : llvm::enumerate(rounds.from)) {
    LaneMoves::Round &round = moves.rounds.emplace_back();
    round.published = at;
    round.kept = rounds.kept[at];
    if (round.kept)
      continue;
    round.from = formulaOf(from);
    used.push_back(round.from);
  }
  moves.addressOps = countAddressOps(used) + moves.publish.countBitOps() +
                     moves.collect.countBitOps();
  assert(moves.publish.outputs.size() == moves.rounds.size() &&
         "a lane offers one word in each round");
  assert(moves.collect.outputs.size() == moves.resultWords.size() &&
         "each word of the result comes from somewhere");
  return moves;
}

/// Returns a lower bound of the selects of any network with these results:
/// tables without open entries that differ have nodes of their own.
int64_t Planner::leastSelects(const LaneRounds &rounds) const {
  std::set<ThreadTable> selected;
  for (size_t result = 0; result < words.resultWords.size(); ++result)
    if (ThreadTable table = tableOf(result, rounds); !llvm::all_equal(table))
      selected.insert(std::move(table));
  return selected.size();
}

int64_t Planner::leastCost(const LaneRounds &rounds,
                           const MoveCosts &costs) const {
  int64_t shuffles = llvm::count(rounds.kept, false);
  int64_t perWord =
      shuffles * costs.shuffle + leastSelects(rounds) * costs.select;
  return wordsFor(words.packing, elementBits) * perWord +
         countPacking(shuffles) * costs.bytePermute;
}

/// Returns how many elements may share a word: as many as fit, or one.
static SmallVector<int64_t> packings(int64_t elementBits) {
  if (elementBits >= 32)
    return {1};
  return {32 / elementBits, 1};
}

int64_t distaff::leastShuffles(const Layout &src, const Layout &dst,
                               HardwareShape hardware, int64_t elementBits) {
  LaneWords words(src, dst, hardware, std::max<int64_t>(1, 32 / elementBits));
  return leastRounds(words) * wordsFor(words.packing, elementBits);
}

LaneMoves distaff::planLaneMoves(const Layout &src, const Layout &dst,
                                 HardwareShape hardware, int64_t elementBits,
                                 const MoveCosts &costs) {
  // Functions of the ids are computed once, at the start of the kernel: they
  // only break ties.
  auto rank = [&](const LaneMoves &moves) {
    int64_t once = moves.addressOps * costs.addressOp;
    return std::pair(costOf(moves, elementBits, costs) - once, once);
  };
  std::optional<LaneMoves> best;
  int64_t tried = 0;
  for (int64_t packing : packings(elementBits)) {
    Planner planner(src, dst, hardware, elementBits, packing);
    if (planner.words.packing == tried)
      continue;
    tried = planner.words.packing;
    for (const LaneRounds &rounds : planRounds(planner.words)) {
      // Skips networks and formulas, which take most of the time of planning.
      if (best && planner.leastCost(rounds, costs) > rank(*best).first)
        continue;
      LaneMoves moves = planner.plan(rounds);
      if (!best || rank(moves) < rank(*best))
        best = std::move(moves);
    }
  }
  assert(best && "one word per element can always be moved");
  return *best;
}

//===- LaneRounds.cpp - Rounds of lane shuffles ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round is a key that every wanted word gets (VX-39, 40). There are three
// kinds of keys:
//
//   digits   the words that a lane needs are numbered by x, those that it
//            offers by y, in the digits that lanes and registers exchange:
//            x - y modulo the larger range, or x ^ y. A lane needs each x once,
//            and for it one y; it offers each y once to those of one x.
//   lanes    the exclusive or of the two lanes, and a number among their words
//   colours  of the edges of the graph offering lane -> reading lane: in the
//            unicast case as many as the largest degree (Koenig)
//
//===----------------------------------------------------------------------===//

#include "LaneRounds.h"
#include "ThreadTables.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// A demand is a word that a thread must receive.
struct Demand {
  int64_t thread, result; // where it is wanted
  WordSource source;
};
} // namespace

static std::vector<Demand> demandsOf(const LaneWords &words) {
  std::vector<Demand> demands;
  for (auto [result, sources] : llvm::enumerate(words.wanted))
    for (auto [thread, source] : llvm::enumerate(sources))
      if (!source.isOwn)
        demands.push_back({int64_t(thread), int64_t(result), source});
  return demands;
}

/// Returns the demands as if no lane had any word itself.
static std::vector<Demand> allDemands(const LaneWords &words) {
  std::vector<Demand> demands;
  for (auto [result, sources] : llvm::enumerate(words.canonical))
    for (auto [thread, source] : llvm::enumerate(sources))
      demands.push_back({int64_t(thread), int64_t(result), source});
  return demands;
}

/// Returns the thread that offers the word.
static int64_t offererOf(const LaneWords &words, const Demand &demand) {
  return words.subgroupOf(demand.thread) * words.threads.lanes +
         demand.source.lane;
}

int64_t distaff::leastRounds(const LaneWords &words) {
  SmallVector<int64_t> received(words.numThreads(), 0);
  SmallVector<int64_t> offered(words.numThreads(), 0);
  int64_t numWords = words.sourceWords.size();
  llvm::BitVector isOffered(words.numThreads() * numWords);
  for (const Demand &demand : demandsOf(words)) {
    ++received[demand.thread];
    int64_t offerer = offererOf(words, demand);
    int64_t offer = offerer * numWords + demand.source.word;
    offered[offerer] += !isOffered[offer];
    isOffered.set(offer);
  }
  return std::max(*llvm::max_element(received), *llvm::max_element(offered));
}

//===----------------------------------------------------------------------===//
// From keys to rounds
//===----------------------------------------------------------------------===//

namespace {
/// Builds the rounds from the keys of all demands. A key whose words all lanes
/// hold themselves is a round that is kept, or none.
class KeyedRounds {
public:
  KeyedRounds(const LaneWords &words, bool keeps)
      : words(words), keeps(keeps) {}

  /// Returns nothing where a lane would have to offer or to read two words in
  /// one round.
  std::optional<LaneRounds> get(ArrayRef<Demand> demands,
                                ArrayRef<int64_t> keys);

private:
  void number(ArrayRef<Demand> demands, ArrayRef<int64_t> keys);
  bool enter(const Demand &demand, int64_t round);

  const LaneWords &words;
  bool keeps;
  llvm::DenseMap<int64_t, int64_t> numbers;
  LaneRounds rounds;
};
} // namespace

void KeyedRounds::number(ArrayRef<Demand> demands, ArrayRef<int64_t> keys) {
  llvm::DenseSet<int64_t> travelling;
  for (auto [demand, key] : llvm::zip_equal(demands, keys))
    if (!demand.source.isOwn)
      travelling.insert(key);
  for (int64_t key : keys) {
    bool kept = !travelling.count(key);
    if ((keeps || !kept) && numbers.try_emplace(key, rounds.count).second) {
      ++rounds.count;
      rounds.kept.push_back(kept);
    }
  }
  ThreadTable none(words.numThreads(), anyChoice);
  rounds.roundOf.assign(words.wanted.size(), none);
  rounds.published.assign(rounds.count, none);
  rounds.from.assign(rounds.count, none);
}

bool KeyedRounds::enter(const Demand &demand, int64_t round) {
  int32_t word = demand.source.word;
  int64_t offerer = offererOf(words, demand);
  if (rounds.kept[round]) {
    word = words.wanted[demand.result][demand.thread].word;
    offerer = demand.thread;
  }
  int32_t &offered = rounds.published[round][offerer];
  int32_t &read = rounds.from[round][demand.thread];
  if (read != anyChoice || (offered != anyChoice && offered != word))
    return false;
  read = words.laneOf(offerer);
  offered = word;
  rounds.roundOf[demand.result][demand.thread] = round;
  return true;
}

std::optional<LaneRounds> KeyedRounds::get(ArrayRef<Demand> demands,
                                           ArrayRef<int64_t> keys) {
  number(demands, keys);
  for (auto [demand, key] : llvm::zip_equal(demands, keys))
    if (auto found = numbers.find(key); found != numbers.end())
      if (!enter(demand, found->second))
        return std::nullopt;
  return std::move(rounds);
}

static SmallVector<int64_t> keysByDigits(const LaneWords &words,
                                         ArrayRef<Demand> demands,
                                         bool exclusiveOr) {
  int64_t range = std::max(words.numExchanged, words.numSourceExchanged);
  SmallVector<int64_t> keys;
  for (const Demand &demand : demands) {
    int64_t x = words.exchanged[demand.result];
    int64_t y = words.sourceExchanged[demand.source.word];
    int64_t j = exclusiveOr ? x ^ y : (x - y + range) % range;
    keys.push_back(words.stays[demand.result] * range + j);
  }
  return keys;
}

static SmallVector<int64_t> keysByLanes(const LaneWords &words,
                                        ArrayRef<Demand> demands) {
  int64_t lanes = words.threads.lanes;
  std::vector<int64_t> betweenTwo(words.numThreads() * lanes, 0);
  SmallVector<int64_t> keys;
  for (const Demand &demand : demands) {
    int64_t number = betweenTwo[demand.thread * lanes + demand.source.lane]++;
    keys.push_back(number * 64 +
                   (words.laneOf(demand.thread) ^ demand.source.lane));
  }
  return keys;
}

//===----------------------------------------------------------------------===//
// Colours
//===----------------------------------------------------------------------===//

namespace {
/// Colours the edges of a bipartite graph so that edges at one vertex differ;
/// as many colours as the largest degree.
class EdgeColouring {
public:
  EdgeColouring(int64_t lanes, int64_t colours)
      : lanes(lanes), at(2 * lanes, SmallVector<int64_t>(colours, -1)) {}

  void add(int64_t offering, int64_t reading);
  int64_t colourOf(int64_t edge) const { return colour[edge]; }

private:
  int64_t firstFree(int64_t vertex) const {
    return llvm::find(at[vertex], -1) - at[vertex].begin();
  }
  int64_t other(int64_t edge, int64_t vertex) const {
    return ends[edge].first == vertex ? ends[edge].second : ends[edge].first;
  }

  int64_t lanes;
  std::vector<SmallVector<int64_t>> at; // edge by vertex and colour
  std::vector<std::pair<int64_t, int64_t>> ends;
  SmallVector<int64_t> colour;
};
} // namespace

void EdgeColouring::add(int64_t offering, int64_t reading) {
  int64_t u = offering, v = lanes + reading, edge = ends.size();
  ends.push_back({u, v});
  int64_t a = firstFree(u), b = firstFree(v);
  // The path of colours a, b, a, ... from v: swapping them frees a at v. The
  // path does not reach u, which is on the other side and has no a.
  SmallVector<int64_t> path;
  for (int64_t vertex = v, wanted = a; at[vertex][wanted] >= 0;
       wanted = wanted == a ? b : a) {
    path.push_back(at[vertex][wanted]);
    vertex = other(path.back(), vertex);
  }
  for (int64_t on : path)
    at[ends[on].first][colour[on]] = at[ends[on].second][colour[on]] = -1;
  for (int64_t on : path) {
    colour[on] = colour[on] == a ? b : a;
    at[ends[on].first][colour[on]] = at[ends[on].second][colour[on]] = on;
  }
  colour.push_back(a);
  at[u][a] = at[v][a] = edge;
}

/// Colours each demand as an edge of its own.
static SmallVector<int64_t> colourEdges(const LaneWords &words,
                                        ArrayRef<Demand> demands) {
  int64_t threads = words.numThreads();
  SmallVector<int64_t> degree(2 * threads, 0);
  for (const Demand &demand : demands) {
    ++degree[offererOf(words, demand)];
    ++degree[threads + demand.thread];
  }
  EdgeColouring colouring(threads, *llvm::max_element(degree));
  for (const Demand &demand : demands)
    colouring.add(offererOf(words, demand), demand.thread);
  return llvm::map_to_vector(
      llvm::seq<int64_t>(0, demands.size()),
      [&](int64_t edge) { return colouring.colourOf(edge); });
}

/// Colours offers: an offered word serves all lanes that need it in the round,
/// as far as they are free; words that many lanes need go first.
static SmallVector<int64_t> colourOffers(const LaneWords &words,
                                         ArrayRef<Demand> demands) {
  std::map<std::pair<int64_t, int64_t>, SmallVector<int64_t>> offers;
  for (auto [at, demand] : llvm::enumerate(demands))
    offers[{offererOf(words, demand), demand.source.word}].push_back(at);
  SmallVector<std::pair<int64_t, SmallVector<int64_t>>> order;
  for (auto &[offer, readers] : offers)
    order.push_back({offer.first, readers});
  // Demands are in order, so the first one identifies the offer.
  auto rank = [](const auto &offer) {
    return std::pair(-int64_t(offer.second.size()), offer.second.front());
  };
  llvm::sort(order,
             [&](const auto &a, const auto &b) { return rank(a) < rank(b); });

  SmallVector<int64_t> colours(demands.size(), -1);
  // The threads that offer and that read, by colour.
  std::vector<llvm::BitVector> offering, reading;
  for (auto &[offerer, readers] : order)
    while (!readers.empty()) {
      llvm::BitVector asking(words.numThreads());
      for (int64_t at : readers)
        asking.set(demands[at].thread);
      size_t best = offering.size(), most = 0, all = asking.count();
      for (size_t c = 0; c < offering.size() && most < all; ++c) {
        if (offering[c][offerer])
          continue;
        llvm::BitVector served = asking;
        served.reset(reading[c]);
        if (size_t count = served.count(); count > most) {
          best = c;
          most = count;
        }
      }
      if (best == offering.size()) {
        offering.emplace_back(words.numThreads());
        reading.emplace_back(words.numThreads());
      }
      offering[best].set(offerer);
      llvm::erase_if(readers, [&](int64_t at) {
        if (reading[best][demands[at].thread])
          return false;
        reading[best].set(demands[at].thread);
        colours[at] = best;
        return true;
      });
    }
  return colours;
}

/// Returns for each thread the first one that needs the same words of the same
/// lanes.
static SmallVector<int64_t> firstAlike(const LaneWords &words) {
  std::map<std::vector<int64_t>, int64_t> first;
  SmallVector<int64_t> result;
  for (int64_t thread = 0; thread < words.numThreads(); ++thread) {
    std::vector<int64_t> key{words.subgroupOf(thread)};
    for (const std::vector<WordSource> &sources : words.wanted) {
      const WordSource &source = sources[thread];
      key.push_back(source.isOwn ? -1 : source.lane);
      key.push_back(source.word);
    }
    result.push_back(first.try_emplace(std::move(key), thread).first->second);
  }
  return result;
}

using Colouring = SmallVector<int64_t>(const LaneWords &, ArrayRef<Demand>);

/// Colours the demands of distinct threads; replicas take the colours of the
/// first of them, so that ids matter only where layouts read them.
static SmallVector<int64_t> colourFirst(const LaneWords &words,
                                        ArrayRef<Demand> demands,
                                        Colouring colour) {
  SmallVector<int64_t> first = firstAlike(words);
  std::vector<Demand> own;
  for (const Demand &demand : demands)
    if (first[demand.thread] == demand.thread)
      own.push_back(demand);
  int64_t results = words.wanted.size();
  std::vector<int64_t> colours(words.numThreads() * results, -1);
  for (auto [demand, colour] : llvm::zip_equal(own, colour(words, own)))
    colours[demand.thread * results + demand.result] = colour;
  return llvm::map_to_vector(demands, [&](const Demand &demand) {
    return colours[first[demand.thread] * results + demand.result];
  });
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Merges rounds in which lanes offer and read the same, where neither is
/// anyChoice; returns nothing where there are none.
static std::optional<LaneRounds> merged(const LaneRounds &rounds) {
  LaneRounds result;
  SmallVector<int32_t> numbers;
  for (int64_t round = 0; round < rounds.count; ++round) {
    int64_t into = 0;
    while (into < result.count &&
           (result.kept[into] != rounds.kept[round] ||
            !agree(result.published[into], rounds.published[round]) ||
            !agree(result.from[into], rounds.from[round])))
      ++into;
    numbers.push_back(into);
    if (into == result.count) {
      ++result.count;
      result.kept.push_back(rounds.kept[round]);
      result.published.push_back(rounds.published[round]);
      result.from.push_back(rounds.from[round]);
    } else {
      unite(result.published[into], rounds.published[round]);
      unite(result.from[into], rounds.from[round]);
    }
  }
  if (result.count == rounds.count)
    return std::nullopt;
  result.roundOf = rounds.roundOf;
  for (ThreadTable &table : result.roundOf)
    for (int32_t &round : table)
      round = round == anyChoice ? anyChoice : numbers[round];
  return result;
}

std::vector<LaneRounds> distaff::planRounds(const LaneWords &words) {
  std::vector<Demand> demands = demandsOf(words);
  std::vector<LaneRounds> ways;
  auto tryKeys = [&](ArrayRef<Demand> demands, ArrayRef<int64_t> keys,
                     bool keeps = false) {
    std::optional<LaneRounds> rounds =
        KeyedRounds(words, keeps).get(demands, keys);
    if (!rounds)
      return;
    if (std::optional<LaneRounds> fewer = merged(*rounds))
      ways.push_back(std::move(*fewer));
    ways.push_back(std::move(*rounds));
  };
  if (demands.empty()) {
    tryKeys({}, {});
    return ways;
  }
  bool exclusiveOr = llvm::isPowerOf2_64(words.numExchanged) &&
                     llvm::isPowerOf2_64(words.numSourceExchanged);
  tryKeys(demands, keysByDigits(words, demands, exclusiveOr));
  // Where some lanes read a word and some have it, all may read it: the result
  // then is the word of the round, without a select.
  std::vector<Demand> all = allDemands(words);
  for (bool keeps : {false, true})
    tryKeys(all, keysByDigits(words, all, exclusiveOr), keeps);
  // Other keys make irregular tables; they are for where digits take more
  // rounds.
  int64_t least = leastRounds(words);
  if (llvm::any_of(ways, [&](const LaneRounds &way) {
        return llvm::count(way.kept, false) == least;
      }))
    return ways;
  tryKeys(demands, keysByLanes(words, demands));
  for (Colouring *colour : {colourEdges, colourOffers})
    tryKeys(demands, colourFirst(words, demands, *colour));
  return ways;
}

//===- SelectNetwork.cpp - Networks of two-way selects --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds binary decision diagrams with many roots, level by level from the
// roots: the tables of a level are merged where they agree, don't-cares filled
// in from each other, and then each is split at the level's bit. A table whose
// halves agree takes no select.
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/SelectNetwork.h"
#include "ThreadTables.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <map>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

SmallVector<IdBit> distaff::bitsOf(ArrayRef<Digit> digits) {
  SmallVector<IdBit> bits;
  for (const Digit &digit : digits)
    for (int64_t bit = 0, e = llvm::Log2_64_Ceil(digit.size); bit < e; ++bit)
      bits.push_back({digit.axis, digit.size, digit.stride, bit});
  return bits;
}

int64_t SelectNetwork::choiceOf(int64_t output, Place thread) const {
  assert(output >= 0 && output < int64_t(outputs.size()) &&
         "the network has that output");
  int64_t at = outputs[output];
  while (at >= numInputs) {
    assert(at - numInputs < int64_t(nodes.size()) &&
           "an operand is an input or a node");
    const Node &node = nodes[at - numInputs];
    assert(std::max(node.low, node.high) < at &&
           "a node has its operands before it");
    const IdBit &bit = bits[node.bit];
    at = bit.of(bit.axis == Axis::Lane ? thread.lane : thread.subgroup)
             ? node.high
             : node.low;
  }
  return at;
}

int64_t SelectNetwork::countBitOps() const {
  llvm::DenseSet<int64_t> used;
  std::map<std::pair<Axis, int64_t>, bool> divided;
  for (const Node &node : nodes) {
    used.insert(node.bit);
    const IdBit &bit = bits[node.bit];
    if (!llvm::isPowerOf2_64(bit.size) || !llvm::isPowerOf2_64(bit.stride))
      divided[{bit.axis, bit.stride}] = true;
  }
  // A bit takes an and, a compare; a division and a remainder if it is not a
  // shift.
  return 2 * (used.size() + divided.size());
}

namespace {
/// A sample is a byte of each of up to eight entries of a table, 0 where it is
/// open. Tables that agree have samples that do; most of the others differ in
/// theirs.
class Sample {
public:
  explicit Sample(ArrayRef<int32_t> table) {
    size_t step = std::max<size_t>(table.size() / 8, 1);
    for (size_t i = 0; i < 8 && i * step < table.size(); ++i) {
      int32_t entry = table[i * step];
      values = values << 8 | (entry == anyChoice ? 0 : uint8_t(entry));
      known = known << 8 | (entry == anyChoice ? 0 : 0xff);
    }
  }
  bool agreesWith(const Sample &other) const {
    return ((values ^ other.values) & known & other.known) == 0;
  }

private:
  uint64_t values = 0, known = 0;
};

/// A level of the diagram: tables over the bits below it.
class Level {
public:
  /// Requests a table; its number is known after `merge`.
  int64_t ask(ThreadTable table) {
    asked.push_back(std::move(table));
    return asked.size() - 1;
  }
  void merge();
  ArrayRef<ThreadTable> merged() const { return distinct; }
  int64_t mergedOf(int64_t request) const { return places[request]; }

private:
  int64_t place(ArrayRef<int32_t> table, bool isWhole);

  std::vector<ThreadTable> asked, distinct;
  std::vector<Sample> samples; // of the distinct ones
  /// The place of each requested table, which owns the key.
  llvm::DenseMap<ArrayRef<int32_t>, int64_t> exact;
  SmallVector<int64_t> places;
};

class Builder {
public:
  Builder(ArrayRef<ThreadTable> tables, int64_t numInputs,
          HardwareShape threads, ArrayRef<Digit> digits);

  std::optional<SelectNetwork> run();

private:
  bool assign();
  void split();
  void emit();

  ArrayRef<ThreadTable> tables;
  HardwareShape threads;
  SelectNetwork network;
  std::vector<ThreadTable> byAssignment;
  std::vector<Level> levels; // levels[n] is over n bits
  /// The requested halves of each table of a level.
  std::vector<SmallVector<std::pair<int64_t, int64_t>>> halves;
  SmallVector<int64_t> roots;
};
} // namespace

/// Returns the union of two tables that agree.
static ThreadTable united(ArrayRef<int32_t> a, ArrayRef<int32_t> b) {
  ThreadTable both = a.vec();
  unite(both, b);
  return both;
}

int64_t Level::place(ArrayRef<int32_t> table, bool isWhole) {
  auto [found, isNew] = exact.try_emplace(table, distinct.size());
  if (!isNew)
    return found->second;
  // Only the first 512 tables are candidates for a merge; whole tables, which
  // come first, merge only with equal ones.
  const size_t maxCompared = isWhole ? 0 : 512;
  Sample sample(table);
  for (size_t at = 0, e = std::min(distinct.size(), maxCompared); at < e; ++at)
    if (sample.agreesWith(samples[at]) && agree(distinct[at], table)) {
      unite(distinct[at], table);
      samples[at] = Sample(distinct[at]);
      return found->second = at;
    }
  distinct.push_back(table.vec());
  samples.push_back(sample);
  return found->second;
}

void Level::merge() {
  // Whole tables come first, so that partial ones are merged into them.
  SmallVector<std::pair<int64_t, int64_t>> order;
  for (auto [at, table] : llvm::enumerate(asked))
    order.push_back({llvm::count(table, anyChoice), at});
  llvm::sort(order);
  places.resize(asked.size());
  for (auto [open, at] : order)
    places[at] = place(asked[at], open == 0);
}

Builder::Builder(ArrayRef<ThreadTable> tables, int64_t numInputs,
                 HardwareShape threads, ArrayRef<Digit> digits)
    : tables(tables), threads(threads) {
  network.numInputs = numInputs;
  network.bits = bitsOf(digits);
}

/// Converts tables over threads to tables over the values of the bits, the last
/// one most significant. Returns false if threads of equal bits need different
/// inputs.
bool Builder::assign() {
  SmallVector<int64_t> assignments;
  for (int64_t s = 0; s < threads.subgroups; ++s)
    for (int64_t l = 0; l < threads.lanes; ++l) {
      int64_t value = 0;
      for (auto [at, bit] : llvm::enumerate(network.bits))
        value |= int64_t(bit.of(bit.axis == Axis::Lane ? l : s)) << at;
      assignments.push_back(value);
    }
  for (const ThreadTable &table : tables) {
    ThreadTable &own =
        byAssignment.emplace_back(size_t(1) << network.bits.size(), anyChoice);
    for (auto [at, wanted] : llvm::zip_equal(assignments, table)) {
      if (wanted == anyChoice)
        continue;
      if (own[at] != anyChoice && own[at] != wanted)
        return false;
      own[at] = wanted;
    }
  }
  return true;
}

/// Collects, from the roots down, the tables of each level and their halves.
void Builder::split() {
  int64_t numBits = network.bits.size();
  levels.resize(numBits + 1);
  halves.resize(numBits + 1);
  for (ThreadTable &table : byAssignment)
    roots.push_back(levels[numBits].ask(std::move(table)));
  for (int64_t level = numBits; level > 0; --level) {
    levels[level].merge();
    Level &below = levels[level - 1];
    for (const ThreadTable &table : levels[level].merged()) {
      ArrayRef<int32_t> low = ArrayRef(table).take_front(table.size() / 2);
      ArrayRef<int32_t> high = ArrayRef(table).drop_front(table.size() / 2);
      if (agree(low, high)) {
        int64_t both = below.ask(united(low, high));
        halves[level].push_back({both, both});
      } else {
        int64_t first = below.ask({low.begin(), low.end()});
        int64_t second = below.ask({high.begin(), high.end()});
        halves[level].push_back({first, second});
      }
    }
  }
  levels[0].merge();
}

/// Emits, from the leaves up, the operand of each table.
void Builder::emit() {
  SmallVector<int64_t> operands;
  for (const ThreadTable &leaf : levels[0].merged())
    operands.push_back(leaf.front());
  for (size_t level = 1; level < levels.size(); ++level) {
    SmallVector<int64_t> own;
    for (auto [first, second] : halves[level]) {
      int64_t low = operands[levels[level - 1].mergedOf(first)];
      int64_t high = operands[levels[level - 1].mergedOf(second)];
      if (low == high || high == anyChoice) {
        own.push_back(low);
      } else if (low == anyChoice) {
        own.push_back(high);
      } else {
        network.nodes.push_back({int64_t(level) - 1, low, high});
        own.push_back(network.numInputs + network.nodes.size() - 1);
      }
    }
    operands = std::move(own);
  }
  for (int64_t root : roots)
    network.outputs.push_back(operands[levels.back().mergedOf(root)]);
}

std::optional<SelectNetwork> Builder::run() {
  constexpr size_t maxBits = 11;
  if (network.bits.size() > maxBits || !assign())
    return std::nullopt;
  split();
  emit();
  return std::move(network);
}

std::optional<SelectNetwork>
distaff::buildSelectNetwork(ArrayRef<ThreadTable> tables, int64_t numInputs,
                            HardwareShape threads,
                            ArrayRef<SmallVector<Digit>> alternatives) {
  assert(llvm::all_of(tables,
                      [&](const ThreadTable &table) {
                        return int64_t(table.size()) ==
                               threads.subgroups * threads.lanes;
                      }) &&
         "a table has an entry per thread");
  std::optional<SelectNetwork> best;
  for (ArrayRef<Digit> digits : alternatives) {
    std::optional<SelectNetwork> network =
        Builder(tables, numInputs, threads, digits).run();
    auto rank = [](const SelectNetwork &network) {
      return network.nodes.size() + network.countBitOps();
    };
    if (network && (!best || rank(*network) < rank(*best)))
      best = std::move(network);
  }
  return best;
}

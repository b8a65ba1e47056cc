//===- MemoryWords.cpp - Opcode words of memory accesses ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MemoryWords.h"

#include <algorithm>

namespace distaff::ptx {

static bool takeSpace(Decoding &d, Space &space) {
  constexpr std::pair<const char *, Space> spaces[] = {
      {"global", Space::Global},      {"shared", Space::Shared},
      {"shared::cta", Space::Shared}, {"local", Space::Local},
      {"const", Space::Const},        {"param", Space::Param},
      {"param::entry", Space::Param}, {"param::func", Space::Param}};
  for (auto [word, one] : spaces)
    if (d.take(word)) {
      space = one;
      return true;
    }
  return false;
}

MemoryWords takeMemoryWords(Decoding &d) {
  MemoryWords words;
  while (true) {
    if (takeSpace(d, words.space))
      continue;
    if (std::optional<unsigned> order = d.takeOne(
            {"volatile", "relaxed", "acquire", "release", "acq_rel"})) {
      words.isStrong = true;
      words.acquires |= *order == 2 || *order == 4;
      words.releases |= *order == 3 || *order == 4;
      continue;
    }
    if (d.take("L2::cache_hint")) {
      words.hasHint = true;
      continue;
    }
    // Scopes, and hints for the place of data in the caches.
    if (d.takeOne({"cta",
                   "gpu",
                   "sys",
                   "cluster",
                   "weak",
                   "nc",
                   "ca",
                   "cg",
                   "cs",
                   "lu",
                   "cv",
                   "wb",
                   "wt",
                   "L1::evict_normal",
                   "L1::evict_unchanged",
                   "L1::evict_first",
                   "L1::evict_last",
                   "L1::no_allocate",
                   "L2::evict_normal",
                   "L2::evict_first",
                   "L2::evict_last",
                   "L2::64B",
                   "L2::128B",
                   "L2::256B"}))
      continue;
    return words;
  }
}

uint64_t meetingPoint(const MemoryWords &words, uint64_t address) {
  return words.space == Space::Shared ? address + sharedWindow : address;
}

void release(Turn &turn, uint64_t address) {
  Knowledge known;
  const Knowledge &mine = turn.subgroup.knows;
  auto others = std::make_shared<Knowledge::Others>(
      mine.others ? *mine.others : Knowledge::Others());
  std::array<Time, mostSubgroups> &times = (*others)[turn.workgroup.number];
  for (unsigned i = 0; i < mostSubgroups; ++i)
    times[i] = std::max(times[i], mine.subgroups[i]);
  times[turn.subgroup.number] = ++turn.machine.clock;
  known.others = std::move(others);
  turn.machine.released[address].join(known);
}

void acquire(Turn &turn, uint64_t address) {
  auto found = turn.machine.released.find(address);
  if (found == turn.machine.released.end())
    return;
  Knowledge told = found->second;
  auto own = told.others->find(turn.workgroup.number);
  if (own != told.others->end())
    told.subgroups = own->second;
  turn.subgroup.learn(told);
}

} // namespace distaff::ptx

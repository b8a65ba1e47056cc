//===- Traffic.cpp - Bank conflicts and sectors of requests ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request to shared memory runs in phases of 128 bytes; a phase takes as many
// passes as the bank (32, of 4 bytes) with the most distinct words in it. A
// request to global memory moves distinct sectors of 32 bytes.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include <algorithm>

namespace distaff::ptx {

void countShared(const LaneAddresses &lanes, uint64_t size, bool isLoad,
                 Counters &counters) {
  if (lanes.empty())
    return;
  ++counters.sharedRequests;
  (isLoad ? counters.sharedBytesRead : counters.sharedBytesWritten) +=
      lanes.size() * size;
  constexpr uint64_t word = 4, banks = 32;
  unsigned perPhase = banks * word / std::max(size, word);
  std::array<std::vector<uint64_t>, banks> words;
  for (size_t i = 0; i < lanes.size();) {
    for (std::vector<uint64_t> &bank : words)
      bank.clear();
    unsigned phase = lanes[i].first / perPhase;
    for (; i < lanes.size() && lanes[i].first / perPhase == phase; ++i) {
      uint64_t first = lanes[i].second / word,
               last = (lanes[i].second + size - 1) / word;
      for (uint64_t at = first; at <= last; ++at) {
        std::vector<uint64_t> &bank = words[at % banks];
        if (std::find(bank.begin(), bank.end(), at) == bank.end())
          bank.push_back(at);
      }
    }
    size_t most = 1;
    for (const std::vector<uint64_t> &bank : words)
      most = std::max(most, bank.size());
    counters.bankConflicts += most - 1;
  }
}

void countGlobal(const LaneAddresses &offsets, uint64_t size, bool isLoad,
                 Counters &counters) {
  if (offsets.empty())
    return;
  ++counters.globalRequests;
  (isLoad ? counters.globalBytesRead : counters.globalBytesWritten) +=
      offsets.size() * size;
  constexpr uint64_t sector = 32;
  std::vector<uint64_t> sectors;
  for (auto [lane, offset] : offsets)
    for (uint64_t at = offset / sector; at <= (offset + size - 1) / sector;
         ++at)
      sectors.push_back(at);
  std::sort(sectors.begin(), sectors.end());
  counters.sectors +=
      std::unique(sectors.begin(), sectors.end()) - sectors.begin();
}

} // namespace distaff::ptx

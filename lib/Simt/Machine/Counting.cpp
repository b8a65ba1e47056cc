//===- Counting.cpp - Memory requests, sectors and bank conflicts ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is the access of one instruction to memory for all its lanes. In
// global memory it moves whole sectors. The sizes of sectors, and the banks of
// workgroup memory, are options; a request runs in phases of one word per bank
// (with 32 banks of 4 bytes: 32 lanes for up to 4 bytes each, 16 for 8, 8 for
// 16), and a phase takes as many wavefronts as the bank with the most distinct
// words has words (bank conflicts).
//
//===----------------------------------------------------------------------===//
#include "Memory.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// A set of numbers, whose neighbors are often equal.
struct Distinct {
  SmallVector<int64_t, 256> numbers;
  bool sorted = true;

  void add(int64_t number) {
    if (!numbers.empty()) {
      if (numbers.back() == number)
        return;
      sorted &= numbers.back() < number;
    }
    numbers.push_back(number);
  }
  ArrayRef<int64_t> get() {
    if (!sorted) {
      llvm::sort(numbers);
      numbers.erase(llvm::unique(numbers), numbers.end());
    }
    return numbers;
  }
  void clear() {
    numbers.clear();
    sorted = true;
  }
};
} // namespace

static int64_t wavefronts(ArrayRef<int64_t> words, int64_t banks) {
  SmallVector<int64_t, 64> perBank(banks, 0);
  int64_t most = 0;
  for (int64_t word : words)
    most = std::max(most, ++perBank[word % banks]);
  return most;
}

void distaff::simt::countAccess(Counters &counters, const Options &options,
                                const Access &access, Buffer::Space space,
                                int64_t lanes, const int64_t *positions,
                                bool isStore) {
  if (space == Buffer::Space::Private)
    return;
  bool isGlobal = space == Buffer::Space::Global;
  int64_t size = access.kind.bytes(), moved = 0;
  int64_t step = std::max<int64_t>(1, access.perRequest);
  int64_t lanesPerPhase =
      std::max<int64_t>(1, options.banks * options.bankBytes /
                               std::max(options.bankBytes, step * size));
  Distinct pieces;
  auto visit = [&](int64_t from, int64_t firstLane, int64_t lastLane,
                   int64_t pieceBytes) {
    int64_t to = std::min(from + step * access.requestStride, access.elements);
    for (int64_t lane = firstLane; lane < lastLane; ++lane)
      for (int64_t e = from; e < to; e += access.requestStride) {
        int64_t position = positions[e * lanes + lane];
        if (position < 0)
          continue;
        ++moved;
        int64_t first = position * size / pieceBytes;
        int64_t last = ((position + 1) * size - 1) / pieceBytes;
        for (int64_t piece = first; piece <= last; ++piece)
          pieces.add(piece);
      }
  };
  for (int64_t from = 0; from < access.elements; ++from) {
    if (from / access.requestStride % step != 0)
      continue; // Part of the request of an earlier element.
    int64_t before = moved;
    if (isGlobal) {
      visit(from, 0, lanes, options.sectorBytes);
      counters.sectors += pieces.get().size();
      pieces.clear();
      counters.globalRequests += moved != before;
      continue;
    }
    for (int64_t lane = 0; lane < lanes; lane += lanesPerPhase) {
      visit(from, lane, std::min(lane + lanesPerPhase, lanes),
            options.bankBytes);
      if (!pieces.numbers.empty())
        counters.bankConflicts += wavefronts(pieces.get(), options.banks) - 1;
      pieces.clear();
    }
    counters.sharedRequests += moved != before;
  }
  int64_t &bytes =
      isGlobal
          ? (isStore ? counters.globalBytesWritten : counters.globalBytesRead)
          : (isStore ? counters.sharedBytesWritten : counters.sharedBytesRead);
  bytes += moved * size;
}

//===- LaneWords.h - Words that lanes need of each other --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A LaneWords states a T1s or T2 conversion as a table: the word of another
// lane that each thread needs for each word of its result (VX-41). A word is as
// many elements as 32 bits hold, where they travel together (VX-42).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_LANEWORDS_H
#define DISTAFF_LIB_LAYOUT_LANEWORDS_H

#include "PlaceTables.h"
#include "distaff/Layout/SelectNetwork.h"

namespace distaff {

/// A staying digit is a part of a register digit in src and in dst alike: no
/// exchange among lanes moves it.
struct StayingDigit {
  int64_t size, srcStride, dstStride;
};

/// Describes the place of a word: on the thread's own lane, or else on the
/// canonical one.
struct WordSource {
  int32_t lane, word;
  bool isOwn;
};

struct LaneWords {
  /// Forms words of up to `packing` elements.
  LaneWords(const Layout &src, const Layout &dst, HardwareShape hardware,
            int64_t packing);

  /// Subgroups, and lanes of one; subgroups that move alike count as one.
  HardwareShape threads;
  int64_t packing = 1;
  /// Registers of each word, of src and of dst.
  std::vector<llvm::SmallVector<int64_t>> sourceWords, resultWords;
  /// The sources of words, by result word, then thread.
  std::vector<std::vector<WordSource>> wanted;
  /// The same sources with canonical lanes only.
  std::vector<std::vector<WordSource>> canonical;
  /// Numbers of words, for rounds by digits: of the part that stays in
  /// registers, and of the part that lanes and registers exchange.
  llvm::SmallVector<int64_t> stays, exchanged; // of result words
  llvm::SmallVector<int64_t> sourceExchanged;  // of source words
  int64_t numExchanged = 1, numSourceExchanged = 1;

  int64_t numThreads() const { return threads.subgroups * threads.lanes; }
  int64_t laneOf(int64_t thread) const { return thread % threads.lanes; }
  int64_t subgroupOf(int64_t thread) const { return thread / threads.lanes; }

private:
  void formWords(int64_t limit);
  void findSources(HardwareShape hardware);
  void numberWords();

  const Layout &src, &dst;
  PlaceTables srcPlaces, dstPlaces;
  llvm::SmallVector<StayingDigit> packed, unpacked;
};

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_LANEWORDS_H

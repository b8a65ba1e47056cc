//===- LaneRounds.h - Rounds of lane shuffles -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_LANEROUNDS_H
#define DISTAFF_LIB_LAYOUT_LANEROUNDS_H

#include "LaneWords.h"

namespace distaff {

/// Describes rounds of lane shuffles. In each round a lane offers one word and
/// reads one. In a round that is *kept* every lane takes the word that it
/// offers: nothing is exchanged, but a rotation of registers is made once
/// instead of by each result.
struct LaneRounds {
  int64_t count = 0;
  llvm::SmallVector<bool> kept;
  /// The round that brings each word, by result word, then thread; anyChoice
  /// where the lane has the word.
  std::vector<ThreadTable> roundOf;
  /// The offered words and the lanes that are read, by round, then thread.
  std::vector<ThreadTable> published, from;
};

/// Returns a lower bound of the number of rounds: the most words that a lane
/// receives, or offers.
int64_t leastRounds(const LaneWords &words);

/// Returns plans of rounds that may be the cheapest; at least one.
std::vector<LaneRounds> planRounds(const LaneWords &words);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_LANEROUNDS_H

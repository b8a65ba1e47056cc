//===- LaneRounds.h - Who reads whom in which round -------------*- C++ -*-===//
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

/// In each round a lane offers one word and reads one. In a round that is
/// *kept* every lane takes what it offers itself: nothing is exchanged, but a
/// rotation of registers is made once instead of by each result.
struct LaneRounds {
  int64_t count = 0;
  llvm::SmallVector<bool> kept;
  /// By result word, then thread: the round that brings it; anyChoice where the
  /// lane has it.
  std::vector<ThreadTable> roundOf;
  /// By round, then thread.
  std::vector<ThreadTable> published, from;
};

/// As many rounds as any way takes: words that a lane receives, or offers.
int64_t leastRounds(const LaneWords &words);

/// All ways that are worth a look; at least one.
std::vector<LaneRounds> planRounds(const LaneWords &words);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_LANEROUNDS_H

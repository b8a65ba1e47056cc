//===- LaneMoves.h - Moving elements within a subgroup ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan of a T1s or T2 conversion (spec 4.2, 4.3), as data:
//
//   words     elements that travel together, as many as 32 bits hold
//   publish   in each round every lane offers one of its words
//   rounds    each lane reads what one lane offers: a shuffle
//   collect   a word of the result is a word that the lane had or received
//
// T1s has no rounds (VX-38). Which word is offered, and which is kept, depends
// on the thread: two networks of selects.
//
// Example: 4 lanes hold a row each of a 4x4 and want a column. Round j = 1, 2,
// 3: lane a offers element a ^ j of its row and reads lane a ^ j, which offers
// element a of row a ^ j; element a of its own row stays. Three shuffles.
//
// Sources are the lane itself where it holds the word, else the canonical lane
// that does, so lanes of an incomplete last group are served like the others.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_LANEMOVES_H
#define DISTAFF_LAYOUT_LANEMOVES_H

#include "distaff/Layout/MoveCosts.h"
#include "distaff/Layout/SelectNetwork.h"

#include "llvm/ADT/STLExtras.h"

namespace distaff {

/// Which lane a thread reads, as it is computed. All forms give a lane of the
/// subgroup in every thread.
struct LaneFormula {
  enum class Form : uint8_t {
    Xor,    // lane ^ constant: the shuffle's own mode
    Bits,   // exclusive or of shifted bits of the ids, and of the constant
    Digits, // sum of multiples of digits, and of the constant
    Selects // one of several constants
  };
  /// `(id & mask) << by`; to the right where `by` is negative.
  struct Shifted {
    Axis axis;
    int64_t mask, by;
    bool operator==(const Shifted &other) const = default;
  };
  /// `digit * factor`, and `change` more where the digit is `from` or above.
  struct Scaled {
    Digit digit;
    int64_t factor, from = 0, change = 0;
    bool wraps() const { return change != 0; }
  };

  Form form = Form::Xor;
  int64_t constant = 0;
  llvm::SmallVector<Shifted> shifted;
  llvm::SmallVector<Scaled> scaled;
  /// The inputs are the lanes of these numbers.
  llvm::SmallVector<int64_t> lanes;
  SelectNetwork selects;

  int64_t of(Place thread) const;
  /// Tells formulas apart, but for the constant.
  std::vector<int64_t> key() const;
};

struct LaneMoves {
  struct Round {
    /// An output of `publish`.
    int64_t published = 0;
    /// Without a shuffle: every lane takes what it offers itself.
    bool kept = false;
    LaneFormula from;
  };

  int64_t lanes = 32;
  /// Registers that each word has, lowest bits first: before and after.
  int64_t packing = 1;
  std::vector<llvm::SmallVector<int64_t>> sourceWords, resultWords;
  /// Inputs: the source words. One output per round.
  SelectNetwork publish;
  /// Inputs: the source words, then what each round brings. One output per word
  /// of the result.
  SelectNetwork collect;
  std::vector<Round> rounds;
  /// Operations of one lane for ids and lanes to read.
  int64_t addressOps = 0;
  /// Permutes that put words together and take them apart.
  int64_t bytePermutes = 0;

  int64_t numShuffles() const {
    return llvm::count_if(rounds,
                          [](const Round &round) { return !round.kept; });
  }
  int64_t numSelects() const {
    return publish.nodes.size() + collect.nodes.size();
  }
};

/// 32-bit words that hold so many elements.
int64_t wordsFor(int64_t elements, int64_t elementBits);

/// The cheapest way found among: structured rounds, which pair what a lane
/// offers with what it wants by digits (spec 4.3); rounds by the exclusive or
/// of the two lanes; and rounds by edge colouring, as few as a lane has words
/// to offer or receive. Elements are packed where that is cheaper.
/// \pre  tier T1s or T2: each subgroup holds what it wants
/// \post run on element identities, every place of dst gets what it wants
LaneMoves planLaneMoves(const Layout &src, const Layout &dst,
                        HardwareShape hardware, int64_t elementBits,
                        const MoveCosts &costs);

/// No plan takes fewer rounds of shuffled words.
int64_t leastShuffles(const Layout &src, const Layout &dst,
                      HardwareShape hardware, int64_t elementBits);

/// Byte permutes of a renaming of registers: result register r is register
/// source[r], -1 for any.
int64_t countBytePermutes(llvm::ArrayRef<int64_t> source, int64_t elementBits);

} // namespace distaff

#endif // DISTAFF_LAYOUT_LANEMOVES_H

//===- LaneMoves.h - Moving elements by lane shuffles -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A LaneMoves is the plan of a T1s or T2 conversion (spec 4.2, 4.3), as data:
//
//   words     elements that travel together, as many as 32 bits hold
//   publish   in each round every lane offers one of its words
//   rounds    each lane reads what one lane offers: a shuffle
//   collect   a word of the result is a word that the lane had or received
//
// T1s has no rounds (VX-38). The word that a lane offers and the word that it
// keeps depend on the thread: two networks of selects.
//
// Example: each of 4 lanes holds a row of a 4x4 and needs a column. Round j =
// 1, 2, 3: lane a offers element a ^ j of its row and reads lane a ^ j, which
// offers element a of row a ^ j; element a of its own row stays. Three
// shuffles.
//
// Sources are the lane itself where it holds the word, else the canonical lane
// that holds it, so lanes of an incomplete last group need no special case.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_LANEMOVES_H
#define DISTAFF_LAYOUT_LANEMOVES_H

#include "distaff/Layout/MoveCosts.h"
#include "distaff/Layout/SelectNetwork.h"

#include "llvm/ADT/STLExtras.h"

namespace distaff {

/// A lane formula computes the lane that a thread reads. All forms give a lane
/// of the subgroup in every thread.
struct LaneFormula {
  enum class Form : uint8_t {
    Xor,    // lane ^ constant: the shuffle's own mode
    Bits,   // exclusive or of shifted bits of the ids, and of the constant
    Digits, // sum of multiples of digits, and of the constant
    Selects // one of several constants
  };
  /// Describes `(id & mask) << by`; to the right where `by` is negative.
  struct Shifted {
    Axis axis;
    int64_t mask, by;
    bool operator==(const Shifted &other) const = default;
  };
  /// Describes `digit * factor`, and `change` more where the digit is `from` or
  /// above.
  struct Scaled {
    Digit digit;
    int64_t factor, from = 0, change = 0;
    bool wraps() const { return change != 0; }
  };

  Form form = Form::Xor;
  int64_t constant = 0;
  llvm::SmallVector<Shifted> shifted;
  llvm::SmallVector<Scaled> scaled;
  /// The lanes that the inputs stand for.
  llvm::SmallVector<int64_t> lanes;
  SelectNetwork selects;

  int64_t of(Place thread) const;
  /// Returns a key that distinguishes formulas, except by their constant.
  std::vector<int64_t> key() const;
};

struct LaneMoves {
  struct Round {
    /// An output of `publish`.
    int64_t published = 0;
    /// No shuffle: every lane takes the word that it offers.
    bool kept = false;
    LaneFormula from;
  };

  int64_t lanes = 32;
  /// Registers of each word, lowest bits first: before and after.
  int64_t packing = 1;
  std::vector<llvm::SmallVector<int64_t>> sourceWords, resultWords;
  /// Inputs: the source words. One output per round.
  SelectNetwork publish;
  /// Inputs: the source words, then the words that the rounds bring. One output
  /// per word of the result.
  SelectNetwork collect;
  std::vector<Round> rounds;
  /// Operations of one lane that compute ids and the lanes to read.
  int64_t addressOps = 0;
  /// Byte permutes that pack elements into words and unpack them.
  int64_t bytePermutes = 0;

  int64_t numShuffles() const {
    return llvm::count_if(rounds,
                          [](const Round &round) { return !round.kept; });
  }
  int64_t numSelects() const {
    return publish.nodes.size() + collect.nodes.size();
  }
};

/// Returns the number of 32-bit words that hold so many elements.
int64_t wordsFor(int64_t elements, int64_t elementBits);

/// Plans the cheapest moves found among: structured rounds, which pair the
/// words that a lane offers with those that it needs by digits (spec 4.3);
/// rounds by the exclusive or of the two lanes; and rounds by edge colouring,
/// as few as a lane has words to offer or receive. Elements are packed where
/// that is cheaper.
/// \pre  tier T1s or T2: each subgroup holds the elements that it needs
/// \post run on element identities, every place of dst gets its element
LaneMoves planLaneMoves(const Layout &src, const Layout &dst,
                        HardwareShape hardware, int64_t elementBits,
                        const MoveCosts &costs);

/// Returns a lower bound of the rounds of shuffled words in any plan.
int64_t leastShuffles(const Layout &src, const Layout &dst,
                      HardwareShape hardware, int64_t elementBits);

/// Counts the byte permutes of a renaming of registers: result register r is
/// register source[r], -1 for any.
int64_t countBytePermutes(llvm::ArrayRef<int64_t> source, int64_t elementBits);

} // namespace distaff

#endif // DISTAFF_LAYOUT_LANEMOVES_H

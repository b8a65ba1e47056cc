//===- LaneWords.cpp - Words that lanes need of each other ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneWords.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <cassert>
#include <map>
#include <tuple>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns the common part of two register digits of one dim.
static std::optional<StayingDigit> inCommon(const DigitTerm &a,
                                            const DigitTerm &b) {
  if (a.dim != b.dim)
    return std::nullopt;
  int64_t begin = std::max(a.indexStride, b.indexStride);
  int64_t aEnd = a.indexStride * a.size, bEnd = b.indexStride * b.size;
  int64_t end = std::min(aEnd, bEnd);
  if (begin >= end || begin % a.indexStride || begin % b.indexStride ||
      end % begin || aEnd % end || bEnd % end)
    return std::nullopt;
  return StayingDigit{end / begin, a.idStride * (begin / a.indexStride),
                      b.idStride * (begin / b.indexStride)};
}

static SmallVector<StayingDigit> stayingDigits(const Layout &src,
                                               const Layout &dst) {
  SmallVector<StayingDigit> digits;
  for (const DigitTerm &a : src.terms(Axis::Register))
    for (const DigitTerm &b : dst.terms(Axis::Register))
      if (std::optional<StayingDigit> common = inCommon(a, b))
        digits.push_back(*common);
  // Neighbours in registers come first: they are in one register already.
  auto rank = [](const StayingDigit &digit) {
    return std::tuple(std::max(digit.srcStride, digit.dstStride),
                      digit.srcStride, digit.size);
  };
  llvm::sort(digits, [&](const StayingDigit &x, const StayingDigit &y) {
    return rank(x) < rank(y);
  });
  return digits;
}

/// Returns the registers that digits of these strides step to, from 0.
static SmallVector<int64_t> steps(ArrayRef<StayingDigit> digits,
                                  int64_t StayingDigit::*stride) {
  SmallVector<int64_t> registers{0};
  for (const StayingDigit &digit : digits) {
    SmallVector<int64_t> more;
    for (int64_t at = 0; at < digit.size; ++at)
      for (int64_t reg : registers)
        more.push_back(reg + at * (digit.*stride));
    registers = std::move(more);
  }
  return registers;
}

/// Returns the register without its part in the digits.
static int64_t without(ArrayRef<StayingDigit> digits,
                       int64_t StayingDigit::*stride, int64_t reg) {
  int64_t rest = reg;
  for (const StayingDigit &digit : digits)
    rest -= reg / (digit.*stride) % digit.size * (digit.*stride);
  return rest;
}

LaneWords::LaneWords(const Layout &src, const Layout &dst,
                     HardwareShape hardware, int64_t limit)
    : src(src), dst(dst), srcPlaces(src, hardware), dstPlaces(dst, hardware) {
  formWords(limit);
  findSources(hardware);
  numberWords();
}

void LaneWords::formWords(int64_t limit) {
  for (StayingDigit digit : stayingDigits(src, dst)) {
    int64_t share = std::min(limit / packing, digit.size);
    while (digit.size % share != 0)
      --share;
    if (share > 1)
      packed.push_back({share, digit.srcStride, digit.dstStride});
    if (share < digit.size)
      unpacked.push_back({digit.size / share, digit.srcStride * share,
                          digit.dstStride * share});
    packing *= share;
  }
  auto group = [&](int64_t registers, int64_t StayingDigit::*stride,
                   std::vector<SmallVector<int64_t>> &words) {
    for (int64_t reg = 0; reg < registers; ++reg) {
      if (without(packed, stride, reg) != reg)
        continue;
      SmallVector<int64_t> &word = words.emplace_back();
      for (int64_t step : steps(packed, stride))
        word.push_back(reg + step);
    }
  };
  group(src.numRegisters(), &StayingDigit::srcStride, sourceWords);
  group(dst.numRegisters(), &StayingDigit::dstStride, resultWords);
}

void LaneWords::findSources(HardwareShape hardware) {
  // Subgroups with the same difference of source and destination move alike.
  llvm::DenseSet<int64_t> kinds;
  for (auto [from, to] :
       llvm::zip_equal(srcPlaces.subgroup, dstPlaces.subgroup))
    kinds.insert(to - from);
  threads = {kinds.size() == 1 ? 1 : hardware.subgroups, hardware.lanes};

  // A word is found by its first register: by positions of one lane, and of
  // all.
  Holders words(src.numElements()), lanes(src.numElements());
  for (auto [at, word] : llvm::enumerate(sourceWords))
    words.enter(srcPlaces.reg[word.front()], at);
  for (auto [lane, position] : llvm::enumerate(srcPlaces.lane))
    for (ArrayRef<int64_t> word : sourceWords)
      lanes.enter(position + srcPlaces.reg[word.front()], lane);
  for (ArrayRef<int64_t> word : resultWords) {
    std::vector<WordSource> &nearest = wanted.emplace_back();
    std::vector<WordSource> &first = canonical.emplace_back();
    for (int64_t s = 0; s < threads.subgroups; ++s)
      for (int64_t l = 0; l < threads.lanes; ++l) {
        int64_t position =
            dstPlaces.positionOf({s, l, word.front()}) - srcPlaces.subgroup[s];
        int64_t own = words[position - srcPlaces.lane[l]];
        int64_t lane = lanes[position];
        assert(lane >= 0 && "each subgroup holds what it wants");
        first.push_back({int32_t(lane),
                         int32_t(words[position - srcPlaces.lane[lane]]),
                         own >= 0});
        nearest.push_back(own >= 0 ? WordSource{int32_t(l), int32_t(own), true}
                                   : first.back());
      }
  }
}

/// Returns the ranks of the numbers, equal ones alike, and the number of ranks.
static SmallVector<int64_t> ranksOf(ArrayRef<int64_t> numbers, int64_t &count) {
  std::map<int64_t, int64_t> ranks;
  for (int64_t number : numbers)
    ranks[number];
  count = 0;
  for (auto &[number, rank] : ranks)
    rank = count++;
  return llvm::map_to_vector(numbers,
                             [&](int64_t number) { return ranks[number]; });
}

/// Numbers exchanged words by the lanes on the other side, so that equal
/// numbers are, as far as possible, on one lane.
void LaneWords::numberWords() {
  auto numbersOf = [&](const Layout &here, const Layout &there,
                       ArrayRef<SmallVector<int64_t>> words,
                       int64_t StayingDigit::*stride, int64_t &count) {
    SmallVector<int64_t> numbers;
    for (ArrayRef<int64_t> word : words) {
      int64_t rest = without(unpacked, stride, word.front());
      Place other = there.canonicalPlace(here.indexOf({0, 0, rest}));
      // The lane comes first, then the part that does not depend on the lane.
      numbers.push_back(other.lane * here.numRegisters() + rest);
    }
    return ranksOf(numbers, count);
  };
  exchanged =
      numbersOf(dst, src, resultWords, &StayingDigit::dstStride, numExchanged);
  sourceExchanged = numbersOf(src, dst, sourceWords, &StayingDigit::srcStride,
                              numSourceExchanged);
  for (ArrayRef<int64_t> word : resultWords)
    stays.push_back(word.front() -
                    without(unpacked, &StayingDigit::dstStride, word.front()));
}

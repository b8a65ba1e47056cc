//===- LaneFormula.cpp - Formulas for source lanes of shuffles ------------===//
//------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneFormula.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <map>
#include <set>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

static int64_t threadIdOn(Axis axis, Place thread) {
  return axis == Axis::Lane ? thread.lane : thread.subgroup;
}

static int64_t shiftedBits(const LaneFormula::Shifted &part, Place thread) {
  int64_t bits = threadIdOn(part.axis, thread) & part.mask;
  return part.by < 0 ? bits >> -part.by : bits << part.by;
}

int64_t LaneFormula::of(Place thread) const {
  int64_t lane = constant;
  switch (form) {
  case Form::Xor:
    return thread.lane ^ constant;
  case Form::Bits:
    for (const Shifted &part : shifted)
      lane ^= shiftedBits(part, thread);
    return lane;
  case Form::Digits:
    for (const Scaled &part : scaled) {
      int64_t digit = threadIdOn(part.digit.axis, thread) / part.digit.stride %
                      part.digit.size;
      lane += digit * part.factor +
              (part.wraps() && digit >= part.from ? part.change : 0);
    }
    return lane;
  case Form::Selects:
    return lanes[selects.choiceOf(0, thread)];
  }
  return 0;
}

namespace {
class Finder {
public:
  Finder(const ThreadTable &from, HardwareShape threads)
      : from(from), threads(threads) {}

  std::optional<LaneFormula> findXor() const;
  std::optional<LaneFormula> findBits() const;
  std::optional<LaneFormula> findDigits(ArrayRef<Digit> digits) const;
  LaneFormula findSelects(ArrayRef<SmallVector<Digit>> alternatives) const;
  /// Returns whether the formula agrees with the table, and gives a lane of the
  /// subgroup in every thread.
  bool isRight(const LaneFormula &formula) const;
  /// Returns a lower bound of the operations of any choice between constants.
  int64_t leastSelects() const;

private:
  Place threadAt(int64_t at) const {
    return {at / threads.lanes, at % threads.lanes, 0};
  }

  const ThreadTable &from;
  HardwareShape threads;
};
} // namespace

bool Finder::isRight(const LaneFormula &formula) const {
  for (auto [at, wanted] : llvm::enumerate(from)) {
    int64_t lane = formula.of(threadAt(at));
    if (lane < 0 || lane >= threads.lanes ||
        (wanted != anyChoice && lane != wanted))
      return false;
  }
  return true;
}

std::optional<LaneFormula> Finder::findXor() const {
  LaneFormula formula;
  for (auto [at, wanted] : llvm::enumerate(from))
    if (wanted != anyChoice) {
      formula.constant = wanted ^ threadAt(at).lane;
      break;
    }
  return isRight(formula) ? std::optional(formula) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

namespace {
/// An equation over F2: the exclusive or of the columns in `bits` is `value`.
struct Equation {
  uint64_t bits, value;
};
} // namespace

/// Eliminates each equation's lowest bit from all others (Gauss-Jordan).
/// Returns false where there is no solution.
static bool eliminate(std::vector<Equation> &equations) {
  std::vector<Equation> solved;
  for (Equation equation : equations) {
    for (const Equation &known : solved)
      if (equation.bits & (known.bits & -known.bits)) {
        equation.bits ^= known.bits;
        equation.value ^= known.value;
      }
    if (equation.bits == 0) {
      if (equation.value != 0)
        return false;
      continue;
    }
    uint64_t pivot = equation.bits & -equation.bits;
    for (Equation &known : solved)
      if (known.bits & pivot) {
        known.bits ^= equation.bits;
        known.value ^= equation.value;
      }
    solved.push_back(equation);
  }
  equations = std::move(solved);
  return true;
}

std::optional<LaneFormula> Finder::findBits() const {
  // Columns: the bits of the lane, those of the subgroup, and a constant 1.
  int64_t laneBits = llvm::Log2_64_Ceil(threads.lanes);
  int64_t subgroupBits = llvm::Log2_64_Ceil(threads.subgroups);
  uint64_t one = uint64_t(1) << (laneBits + subgroupBits);
  std::vector<Equation> equations;
  for (auto [at, wanted] : llvm::enumerate(from))
    if (wanted != anyChoice) {
      Place thread = threadAt(at);
      equations.push_back(
          {uint64_t(thread.lane) | uint64_t(thread.subgroup) << laneBits | one,
           uint64_t(wanted)});
    }
  if (!eliminate(equations))
    return std::nullopt;

  // Free variables are 0, so each pivot's column is its value.
  LaneFormula formula;
  formula.form = LaneFormula::Form::Bits;
  std::map<std::pair<Axis, int64_t>, int64_t> masks;
  for (const Equation &equation : equations) {
    uint64_t pivot = equation.bits & -equation.bits;
    if (pivot == one) {
      formula.constant = equation.value;
      continue;
    }
    int64_t bit = llvm::countr_zero(pivot);
    bool ofLane = bit < laneBits;
    int64_t idBit = ofLane ? bit : bit - laneBits;
    for (uint64_t left = equation.value; left != 0; left &= left - 1)
      masks[{ofLane ? Axis::Lane : Axis::Subgroup,
             int64_t(llvm::countr_zero(left)) - idBit}] |= int64_t(1) << idBit;
  }
  for (auto [key, mask] : masks)
    formula.shifted.push_back({key.first, mask, key.second});
  return isRight(formula) ? std::optional(formula) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

/// Returns the values of one digit's part as a multiple with at most one step;
/// absent values are not known. Parts are 0 at digit 0.
static std::optional<LaneFormula::Scaled>
readScaled(const Digit &digit, ArrayRef<std::optional<int64_t>> parts) {
  std::optional<int64_t> tried;
  for (int64_t low = 0; low + 1 < digit.size; ++low) {
    if (!parts[low] || !parts[low + 1])
      continue;
    LaneFormula::Scaled scaled{digit, *parts[low + 1] - *parts[low]};
    if (tried == scaled.factor)
      continue;
    tried = scaled.factor;
    // The remainder must be 0 below the step, and constant from there on.
    bool fits = true;
    for (auto [value, part] : llvm::enumerate(parts)) {
      int64_t over = part ? *part - int64_t(value) * scaled.factor : 0;
      if (over != 0 && !scaled.wraps()) {
        scaled.from = value;
        scaled.change = over;
      }
      fits &= !part || over == scaled.change;
    }
    if (fits)
      return scaled;
  }
  return std::nullopt;
}

std::optional<LaneFormula> Finder::findDigits(ArrayRef<Digit> digits) const {
  std::vector<SmallVector<std::optional<int64_t>>> parts;
  for (const Digit &digit : digits) {
    parts.emplace_back(digit.size);
    parts.back()[0] = 0;
  }
  // A thread with one unknown part determines it.
  std::optional<int64_t> constant;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [at, wanted] : llvm::enumerate(from)) {
      if (wanted == anyChoice)
        continue;
      Place thread = threadAt(at);
      int64_t known = constant.value_or(0), unknown = !constant;
      std::optional<int64_t> *open = &constant;
      for (auto [digit, part] : llvm::zip_equal(digits, parts)) {
        std::optional<int64_t> &value =
            part[threadIdOn(digit.axis, thread) / digit.stride % digit.size];
        known += value.value_or(0);
        if (!value) {
          ++unknown;
          open = &value;
        }
      }
      if (unknown != 1)
        continue;
      *open = wanted - known;
      changed = true;
    }
  }
  if (!constant)
    return std::nullopt;

  LaneFormula formula;
  formula.form = LaneFormula::Form::Digits;
  formula.constant = *constant;
  for (auto [digit, part] : llvm::zip_equal(digits, parts)) {
    std::optional<LaneFormula::Scaled> scaled = readScaled(digit, part);
    if (!scaled)
      return std::nullopt;
    if (scaled->factor != 0 || scaled->wraps())
      formula.scaled.push_back(*scaled);
  }
  return isRight(formula) ? std::optional(formula) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Selects, and the choice
//===----------------------------------------------------------------------===//

LaneFormula
Finder::findSelects(ArrayRef<SmallVector<Digit>> alternatives) const {
  LaneFormula formula;
  formula.form = LaneFormula::Form::Selects;
  std::map<int32_t, int32_t> inputs;
  ThreadTable table = from;
  for (int32_t &lane : table) {
    if (lane == anyChoice)
      continue;
    auto [input, isNew] = inputs.try_emplace(lane, formula.lanes.size());
    if (isNew)
      formula.lanes.push_back(lane);
    lane = input->second;
  }
  formula.selects =
      *buildSelectNetwork({table}, formula.lanes.size(), threads, alternatives);
  assert(isRight(formula) && "selects say each thread the lane that it reads");
  return formula;
}

int64_t Finder::leastSelects() const {
  std::set<int32_t> lanes(from.begin(), from.end());
  lanes.erase(anyChoice);
  // Each node merges two into one; a bit takes a mask and a comparison.
  int64_t count = lanes.size();
  return count > 1 ? count - 1 + 2 * llvm::Log2_64_Ceil(count) : 0;
}

LaneFormula
distaff::findLaneFormula(const ThreadTable &from, HardwareShape threads,
                         ArrayRef<SmallVector<Digit>> alternatives) {
  Finder finder(from, threads);
  if (std::optional<LaneFormula> formula = finder.findXor())
    return *formula;
  std::optional<LaneFormula> best;
  int64_t least = 0;
  auto consider = [&](std::optional<LaneFormula> formula) {
    if (!formula)
      return;
    if (int64_t ops = countAddressOps(*formula); !best || ops < least) {
      best = std::move(formula);
      least = ops;
    }
  };
  consider(finder.findBits());
  for (ArrayRef<Digit> digits : alternatives)
    consider(finder.findDigits(digits));
  if (best && least < finder.leastSelects())
    return *best;
  // Of two with equally many operations, selects are the shorter chain.
  LaneFormula selects = finder.findSelects(alternatives);
  bool isBetter = best && least < countAddressOps(selects);
  return isBetter ? *best : selects;
}

std::vector<int64_t> LaneFormula::key() const {
  std::vector<int64_t> key{int64_t(form)};
  for (const Shifted &part : shifted)
    key.insert(key.end(), {int64_t(part.axis), part.mask, part.by});
  for (const Scaled &part : scaled)
    key.insert(key.end(),
               {int64_t(part.digit.axis), part.digit.size, part.digit.stride,
                part.factor, part.from, part.change});
  key.insert(key.end(), {int64_t(lanes.size()), int64_t(selects.nodes.size())});
  llvm::append_range(key, lanes);
  for (const SelectNetwork::Node &node : selects.nodes) {
    const IdBit &bit = selects.bits[node.bit];
    key.insert(key.end(), {int64_t(bit.axis), bit.size, bit.stride, bit.bit,
                           node.low, node.high});
  }
  llvm::append_range(key, selects.outputs);
  return key;
}

int64_t distaff::countAddressOps(ArrayRef<LaneFormula> formulas) {
  int64_t ops = 0;
  enum Kind { Bits, Number, Multiple, Step, Sum, Whole };
  std::set<std::vector<int64_t>> shared;
  auto once = [&](Kind kind, std::vector<int64_t> key, int64_t cost) {
    key.push_back(kind);
    if (!shared.insert(std::move(key)).second)
      return false;
    ops += cost;
    return true;
  };
  for (const LaneFormula &formula : formulas) {
    std::vector<int64_t> sum = formula.key(), whole = sum;
    whole.push_back(formula.constant);
    size_t parts = formula.shifted.size() + formula.scaled.size();
    // A sum with the constant is an addition; a shuffle has an immediate
    // operand.
    bool adds = formula.constant != 0 && parts > 0;
    if (!once(Whole, whole, adds))
      continue;
    for (const LaneFormula::Shifted &part : formula.shifted)
      once(Bits, {int64_t(part.axis), part.mask, part.by},
           part.by == 0 ? 1 : 2);
    for (const LaneFormula::Scaled &part : formula.scaled) {
      const Digit &digit = part.digit;
      std::vector<int64_t> key{int64_t(digit.axis), digit.stride, digit.size};
      // A digit takes a division and a remainder; then it is multiplied.
      once(Number, key, 2);
      key.push_back(part.factor);
      once(Multiple, key, part.factor != 1);
      // A step takes a comparison, a select, and its sum.
      key.insert(key.end(), {part.from, part.change});
      once(Step, key, part.wraps() ? 2 : 0);
      ops += part.wraps();
    }
    once(Sum, sum, parts > 1 ? parts - 1 : 0);
    if (formula.form == LaneFormula::Form::Selects)
      ops += formula.selects.nodes.size() + formula.selects.countBitOps();
  }
  return ops;
}

//===- BoundedChoices.cpp - Comparisons of bounded numbers ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Such numbers decide comparisons, selects, integers.
//
//===----------------------------------------------------------------------===//
#include "Bounded.h"
#include "Ieee.h"
#include <algorithm>
#include <cmath>

using namespace distaff::simt;

bounded::Comparison bounded::compare(Bounded a, Bounded b) {
  // Zeros of either sign are equal.
  for (Bounded *each : {&a, &b})
    if (each->bound == signOfZeroOnly)
      each->bound = 0;
  if (isSurelyNaN(a) || isSurelyNaN(b))
    return {false, false, false, true};
  if (mayBeAnything(a) || mayBeAnything(b))
    return {true, true, true, true};
  if (a.value == b.value && std::isinf(a.value))
    return {false, true, false, false};
  double reach = a.bound + b.bound;
  double distance = a.value - b.value;
  bool within = std::abs(distance) <= reach;
  return {distance < reach && (distance < 0 || reach > 0), within,
          -distance < reach && (distance > 0 || reach > 0), std::isinf(reach)};
}

BoundedInteger bounded::decide(Comparison possible, Comparison accepted,
                               Bounded a, Bounded b) {
  bool mayHold = (possible.less && accepted.less) ||
                 (possible.equal && accepted.equal) ||
                 (possible.greater && accepted.greater) ||
                 (possible.unordered && accepted.unordered);
  bool mayFail = (possible.less && !accepted.less) ||
                 (possible.equal && !accepted.equal) ||
                 (possible.greater && !accepted.greater) ||
                 (possible.unordered && !accepted.unordered);
  bool undecided = a.undecided || b.undecided || (mayHold && mayFail);
  Bounded exactA = {a.value, 0, false}, exactB = {b.value, 0, false};
  bool holds = mayHold;
  if (mayHold && mayFail)
    holds = decide(compare(exactA, exactB), accepted, exactA, exactB).value;
  return {holds ? -1 : 0, undecided};
}

Bounded bounded::select(BoundedInteger condition, Bounded a, Bounded b) {
  Bounded chosen = condition.value & 1 ? a : b;
  if (!condition.undecided)
    return chosen;
  double apart = std::abs(a.value - b.value);
  if (a.value == b.value)
    apart = 0;
  double larger = std::max(a.bound, b.bound);
  // Closer than the bound: both outcomes lie within a wider bound.
  bool close = apart <= 4 * (a.bound + b.bound);
  chosen.bound = apart + larger;
  if (chosen.bound == 0 && std::signbit(a.value) != std::signbit(b.value))
    chosen.bound = signOfZeroOnly;
  chosen.isRounded = false;
  chosen.undecided = a.undecided || b.undecided || !close;
  return chosen;
}

BoundedInteger bounded::select(BoundedInteger condition, BoundedInteger a,
                               BoundedInteger b) {
  BoundedInteger chosen = condition.value & 1 ? a : b;
  if (condition.undecided)
    chosen.undecided |= a.undecided || b.undecided || a.value != b.value;
  return chosen;
}

BoundedInteger bounded::toSigned(Bounded a, unsigned width) {
  int64_t low = ieee::toSigned(a.value - a.bound, width);
  int64_t high = ieee::toSigned(a.value + a.bound, width);
  return {ieee::toSigned(a.value, width),
          a.undecided || mayBeAnything(a) || low != high};
}

BoundedInteger bounded::toUnsigned(Bounded a, unsigned width) {
  int64_t low = ieee::toUnsigned(a.value - a.bound, width);
  int64_t high = ieee::toUnsigned(a.value + a.bound, width);
  return {ieee::toUnsigned(a.value, width),
          a.undecided || mayBeAnything(a) || low != high};
}

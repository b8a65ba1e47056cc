//===- BoundedExponentials.cpp - Exponentials with an error bound ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds also grant the errors of GPU code without strict-fp
// (docs/ScalarOps.md).
//
//===----------------------------------------------------------------------===//
#include "Bounded.h"

#include <algorithm>
#include <cmath>

using namespace distaff::simt;

/// Returns an exponential that GPUs may flush to zero below 2^-126 in f32,
/// which also computes those of bf16.
static Bounded flushed(FloatFormat format, Bounded result) {
  constexpr double leastNormal = 0x1p-126;
  bool isWideRange = format == FloatFormat::F32 || format == FloatFormat::BF16;
  double least = result.value - result.bound;
  if (!isWideRange || !(least < leastNormal) || least > result.value)
    return result;
  double most = std::min(result.value + result.bound, leastNormal);
  if (most > result.bound) {
    result.bound = most;
    result.isRounded = false;
  }
  return result;
}

Bounded bounded::exponentialOfTwo(FloatFormat format, Bounded a) {
  Function function = {[](double x) { return std::exp2(x); }, nullptr, 4, 0};
  return flushed(format, apply(format, function, a));
}

Bounded bounded::exponential(FloatFormat format, Bounded a) {
  // Instructions of all vendors have exp2(0) = 1, in either computation.
  if (a.value == 0 && a.bound == 0 && !a.undecided)
    return {1, 0, false};
  double magnitude = std::isfinite(a.value) ? std::abs(a.value) : 0;
  // Two roundings of the exponent: the product's and that of log2 e.
  Function function = {[](double x) { return std::exp(x); }, nullptr,
                       4 + 2 * magnitude, 0};
  return flushed(format, apply(format, function, a));
}

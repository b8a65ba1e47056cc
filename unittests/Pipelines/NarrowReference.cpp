//===- NarrowReference.cpp - Floats of 8 bits, by enumeration -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NarrowReference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace distaff::narrow {
namespace {

/// One row of the specifications' tables of value encodings.
struct Table {
  const char *name;
  int fractions;    ///< patterns per exponent field
  double smallest;  ///< of pattern 1
  int lastPositive; ///< pattern of the largest finite number
  double largest;
  int infinity; ///< pattern, -1: none
  bool isFnuz;
};

constexpr Table tableOf(Format format) {
  switch (format) {
  case Format::E4M3FN:
    return {"f8E4M3FN", 8, 0x1p-9, 0x7E, 448, -1, false};
  case Format::E5M2:
    return {"f8E5M2", 4, 0x1p-16, 0x7B, 57344, 0x7C, false};
  case Format::E4M3FNUZ:
    return {"f8E4M3FNUZ", 8, 0x1p-10, 0x7F, 240, -1, true};
  case Format::E5M2FNUZ:
    return {"f8E5M2FNUZ", 4, 0x1p-17, 0x7F, 57344, -1, true};
  }
  return {};
}

/// The finite numbers from 0 on, by pattern: steps of the smallest number,
/// which double in every exponent field from the third on.
std::vector<double> enumerate(Format format) {
  Table table = tableOf(format);
  std::vector<double> numbers = {0};
  double step = table.smallest;
  while (int(numbers.size()) <= table.lastPositive) {
    int pattern = numbers.size();
    numbers.push_back(numbers.back() + step);
    if (pattern % table.fractions == 0 && pattern > table.fractions)
      step *= 2;
  }
  return numbers;
}

const std::vector<double> &positives(Format format) {
  static const std::array<std::vector<double>, 4> all = [] {
    std::array<std::vector<double>, 4> lists;
    for (Format each : formats)
      lists[int(each)] = enumerate(each);
    return lists;
  }();
  return all[int(format)];
}

} // namespace

std::string nameOf(Format format) { return tableOf(format).name; }

double valueOf(Format format, uint8_t pattern) {
  Table table = tableOf(format);
  const std::vector<double> &numbers = positives(format);
  int magnitude = pattern & 0x7F;
  if (table.isFnuz && pattern == 0x80)
    return NAN;
  double value = magnitude < int(numbers.size()) ? numbers[magnitude]
                 : magnitude == table.infinity   ? HUGE_VAL
                                                 : NAN;
  return pattern & 0x80 ? -value : value;
}

double overflowTie(Format format) {
  const std::vector<double> &numbers = positives(format);
  double last = numbers.back(), before = numbers[numbers.size() - 2];
  return last + (last - before) / 2;
}

uint8_t nearest(Format format, double value, TooLarge tooLarge) {
  Table table = tableOf(format);
  const std::vector<double> &numbers = positives(format);
  uint8_t nan = table.isFnuz ? 0x80 : 0x7F;
  if (std::isnan(value))
    return nan;
  double magnitude = std::fabs(value);
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  double end = overflowTie(format);
  bool lastIsEven = table.lastPositive % 2 == 0;
  if (magnitude > end || (magnitude == end && !lastIsEven)) {
    if (tooLarge == TooLarge::Largest)
      return sign | table.lastPositive;
    return table.infinity >= 0 ? sign | table.infinity
           : table.isFnuz      ? nan
                               : sign | nan;
  }
  size_t above = std::lower_bound(numbers.begin(), numbers.end(), magnitude) -
                 numbers.begin();
  size_t chosen = std::min(above, numbers.size() - 1);
  if (above > 0 && above < numbers.size()) {
    double up = numbers[above] - magnitude,
           down = magnitude - numbers[above - 1];
    if (down < up || (down == up && above % 2 == 1))
      chosen = above - 1;
  }
  if (table.isFnuz && chosen == 0)
    return 0;
  return sign | uint8_t(chosen);
}

} // namespace distaff::narrow

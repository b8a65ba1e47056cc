//===- Definitions.cpp - What scalar ops compute, by definition -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Definitions.h"
#include "llvm/Support/Regex.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace distaff::scalars;
using llvm::APFloat;

std::string ScalarOp::title() const {
  std::string title = name;
  for (size_t i = 0; i < operands.size(); ++i)
    if (i == 0 || operands[i] != operands[0])
      title += std::string(" ") + operands[i]->name;
  if (result != operands.front())
    title += std::string(" to ") + result->name;
  return title;
}

bool ScalarOp::isChosen() const {
  static const char *pattern = std::getenv("SCALAR_OPS");
  static llvm::Regex regex(pattern ? pattern : ".");
  EXPECT_TRUE(regex.isValid()) << pattern;
  return regex.match(title());
}

/// The distance of a format's neighbours at a number.
static double unitAt(const Format &format, double number) {
  const llvm::fltSemantics &semantics = *format.semantics;
  int exponent = number == 0 ? APFloat::semanticsMinExponent(semantics)
                             : std::ilogb(number);
  exponent = std::max(exponent, int(APFloat::semanticsMinExponent(semantics)));
  exponent = std::min(exponent, int(APFloat::semanticsMaxExponent(semantics)));
  return std::ldexp(1.0,
                    exponent + 1 - int(APFloat::semanticsPrecision(semantics)));
}

static double distance(const Expected &expected, const Format &format,
                       const APFloat &got) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  // Rounding twice, from the sum to double and from that, is no fault here: the
  // result is a neighbour of the exact value.
  uint64_t rounded = format.round(expected.high);
  if (bitsOf(got) == rounded)
    return 0;
  // Of a format without infinity, what is beyond it is NaN, with any sign.
  if (got.isNaN() && format.number(rounded).isNaN())
    return 0;
  if (got.isNaN() || std::isinf(expected.high))
    return wrong;
  double number = toDouble(got);
  if (expected.high == 0 || std::signbit(number) != std::signbit(expected.high))
    return wrong;
  // Infinity stands for the power of two behind the largest number.
  if (std::isinf(number))
    number = std::copysign(
        std::ldexp(1.0, APFloat::semanticsMaxExponent(*format.semantics) + 1),
        number);
  double exact = expected.high, rest = expected.low;
  double unit = unitAt(format, exact);
  return std::fabs((number - exact) / unit - rest / unit);
}

double distaff::scalars::errorOf(const Expected &expected, const Format &format,
                                 uint64_t got) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  switch (expected.kind) {
  case Expected::Kind::Undefined:
    return 0;
  case Expected::Kind::Bits:
    return got == expected.bits ? 0 : wrong;
  case Expected::Kind::Either:
    return got == expected.bits || got == expected.other ? 0 : wrong;
  case Expected::Kind::Nan:
    return format.number(got).isNaN() ? 0 : wrong;
  case Expected::Kind::Near:
    return distance(expected, format, format.number(got));
  }
  llvm_unreachable("a kind is one of those above");
}

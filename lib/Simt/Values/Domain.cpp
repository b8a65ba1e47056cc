//===- Domain.cpp - Combining kinds by a domain's functions ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Domain.h"

using namespace distaff;
using namespace distaff::simt;
using Combining = vector::CombiningKind;

Binary Domain::combiner(Combining combining, Kind kind) const {
  auto either = [&](IntegerBinary ofIntegers, FloatBinary ofFloats) {
    return kind.isFloat ? binary(ofFloats, kind.format)
                        : binary(ofIntegers, kind.width);
  };
  auto integers = [&](IntegerBinary op) {
    return kind.isFloat ? Binary() : binary(op, kind.width);
  };
  auto floats = [&](FloatBinary op) {
    return kind.isFloat ? binary(op, kind.format) : Binary();
  };
  switch (combining) {
  case Combining::ADD:
    return either(IntegerBinary::Add, FloatBinary::Add);
  case Combining::MUL:
    return either(IntegerBinary::Mul, FloatBinary::Mul);
  case Combining::MINUI:
    return integers(IntegerBinary::MinU);
  case Combining::MINSI:
    return integers(IntegerBinary::MinS);
  case Combining::MAXUI:
    return integers(IntegerBinary::MaxU);
  case Combining::MAXSI:
    return integers(IntegerBinary::MaxS);
  case Combining::AND:
    return integers(IntegerBinary::And);
  case Combining::OR:
    return integers(IntegerBinary::Or);
  case Combining::XOR:
    return integers(IntegerBinary::Xor);
  case Combining::MINNUMF:
    return floats(FloatBinary::MinNum);
  case Combining::MAXNUMF:
    return floats(FloatBinary::MaxNum);
  case Combining::MINIMUMF:
    return floats(FloatBinary::Minimum);
  case Combining::MAXIMUMF:
    return floats(FloatBinary::Maximum);
  }
  return {};
}

Scan Domain::scan(Combining combining, Kind kind) const {
  Binary combine = combiner(combining, kind);
  if (!combine)
    return {};
  return [combine, bytes = cellBytes(kind)](int64_t lanes,
                                            ArrayRef<const void *> terms,
                                            ArrayRef<void *> totals) {
    std::memcpy(totals.front(), terms.front(), lanes * bytes);
    for (size_t i = 1; i < terms.size(); ++i)
      combine(lanes, totals[i - 1], terms[i], totals[i]);
  };
}

void Domain::identity(Combining combining, Kind kind, void *cell) const {
  auto number = [&](double value) { return encode(kind.format, value); };
  // The largest number of a format without infinities is finite.
  double largest = traitsOf(kind.format).hasInfinity
                       ? std::numeric_limits<double>::infinity()
                       : largestFinite(kind.format);
  uint64_t ones = ~uint64_t(0) >> (64 - kind.width);
  uint64_t sign = uint64_t(1) << (kind.width - 1);
  uint64_t bits = 0;
  switch (combining) {
  case Combining::ADD: // -0 + x = x for both zeros
    bits = kind.isFloat ? number(-0.0) : 0;
    break;
  case Combining::MUL:
    bits = kind.isFloat ? number(1.0) : 1;
    break;
  case Combining::MINUI:
  case Combining::AND:
    bits = ones;
    break;
  case Combining::MINSI:
    bits = ones ^ sign;
    break;
  case Combining::MAXSI:
    bits = sign;
    break;
  case Combining::MAXUI:
  case Combining::OR:
  case Combining::XOR:
    bits = 0;
    break;
  case Combining::MINNUMF:
  case Combining::MAXNUMF:
    bits = number(std::numeric_limits<double>::quiet_NaN());
    break;
  case Combining::MINIMUMF:
    bits = number(largest);
    break;
  case Combining::MAXIMUMF:
    bits = number(-largest);
    break;
  }
  constant(kind, bits, cell);
}

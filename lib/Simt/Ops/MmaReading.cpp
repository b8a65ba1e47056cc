//===- MmaReading.cpp - Conversion of the operands of an MMA --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MmaReading.h"

using namespace distaff;
using namespace distaff::simt;

/// Returns a function that clears the 13 bits of an f32 that TF32 lacks; null
/// in a domain without bits.
static Unary clearLowBits(Kind kind, const Domain &domain) {
  Kind word = Kind::integer(32);
  Regroup toBits = domain.bitcast(kind, word),
          back = domain.bitcast(word, kind);
  if (!toBits || !back)
    return nullptr;
  unsigned bytes = domain.cellBytes(word);
  return [=](int64_t n, const void *a, void *r) {
    std::vector<uint8_t> words(n * bytes);
    toBits(n, 1, a, 1, words.data());
    for (int64_t i = 0; i < n; ++i) {
      int64_t bits;
      std::memcpy(&bits, &words[i * bytes], sizeof(bits));
      bits &= ~int64_t(0x1FFF);
      std::memcpy(&words[i * bytes], &bits, sizeof(bits));
    }
    back(n, 1, words.data(), 1, r);
  };
}

std::optional<Reading> simt::readingOf(const MmaElement &element, Kind kind,
                                       const Domain &domain, LowBits lowBits) {
  Reading reading{kind, {}};
  if (element.isRounded() && lowBits == LowBits::Ignored)
    reading.convert = clearLowBits(kind, domain);
  if (reading.convert)
    return reading;
  if (element.isRounded()) {
    reading.kind = Kind::ofFloat(element.format);
    reading.convert =
        domain.convert(Conversion::FloatToFloat, kind, reading.kind);
  } else if (!element.isFloat && !element.isSigned) {
    reading.kind = Kind::integer(2 * element.width);
    reading.convert =
        domain.convert(Conversion::ZeroExtend, kind, reading.kind);
  } else {
    return reading;
  }
  if (!reading.convert)
    return std::nullopt;
  return reading;
}

Copies simt::copiesOf(const MmaInstruction &mma, MmaOperand operand) {
  Copies copies;
  if (mma.copies == 1)
    return copies;
  std::vector<int32_t> slots = fragmentSlots(mma, operand);
  MatrixElement extent = mma.shape(operand);
  for (int64_t reg = 0; reg < mma.numRegisters(operand); ++reg)
    for (int64_t lane = 0; lane < mma.subgroupSize; ++lane) {
      MatrixElement at = mma.map(operand)(lane, reg);
      int64_t cell = reg * mma.subgroupSize + lane;
      int64_t first =
          slots[(at.block * extent.row + at.row) * extent.column + at.column];
      if (first != cell)
        copies.push_back({cell, first});
    }
  return copies;
}

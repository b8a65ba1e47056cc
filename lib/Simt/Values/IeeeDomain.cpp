//===- IeeeDomain.cpp - Cells and memory of the IEEE domain ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cells, memory and bit movement; arithmetic is in the other Ieee files.
//
//===----------------------------------------------------------------------===//
#include "IeeeDomain.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

/// Loads whole cells of Cell's size; memory holds the same cells as registers.
template <typename Cell>
void loadIeeeCells(int64_t n, const uint8_t *memory, const int64_t *positions,
                   void *cells) {
  for (int64_t i = 0; i < n; ++i)
    if (positions[i] >= 0)
      std::memcpy(static_cast<Cell *>(cells) + i,
                  memory + positions[i] * int64_t(sizeof(Cell)), sizeof(Cell));
}

template <typename Cell>
void storeIeeeCells(int64_t n, uint8_t *memory, const int64_t *positions,
                    const void *cells) {
  for (int64_t i = 0; i < n; ++i)
    if (positions[i] >= 0)
      std::memcpy(memory + positions[i] * int64_t(sizeof(Cell)),
                  static_cast<const Cell *>(cells) + i, sizeof(Cell));
}

/// A stream of bits: the bits of consecutive numbers, lowest first.
class BitStream {
public:
  explicit BitStream(int64_t bits) : words((bits + 63) / 64 + 1) {}

  void put(int64_t at, unsigned width, uint64_t bits) {
    words[at / 64] |= bits << (at % 64);
    if (at % 64 + width > 64)
      words[at / 64 + 1] |= bits >> (64 - at % 64);
  }
  uint64_t get(int64_t at, unsigned width) const {
    uint64_t bits = words[at / 64] >> (at % 64);
    if (at % 64 + width > 64)
      bits |= words[at / 64 + 1] << (64 - at % 64);
    return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
  }

private:
  std::vector<uint64_t> words;
};

class IeeeDomain final : public Domain {
public:
  StringRef name() const override { return "ieee"; }

  unsigned cellBytes(Kind kind) const override { return ieee::cellBytes(kind); }
  unsigned memoryCellBytes(Kind kind) const override { return kind.bytes(); }
  void constant(Kind kind, uint64_t bits, void *cell) const override {
    ieee::setPattern(kind, bits, cell);
  }
  std::optional<uint64_t> pattern(Kind kind, const void *cell) const override {
    return ieee::patternOf(kind, cell);
  }
  Estimate estimate(Kind kind, const void *cell) const override {
    return {ieee::numberOf(kind, cell), 0, false};
  }

  Load load(Kind kind) const override;
  Store store(Kind kind) const override;
  bool mayReinterpretMemory() const override { return true; }

  Unary unary(FloatUnary op, FloatFormat format) const override {
    return ieee::floatUnary(op, format);
  }
  Binary binary(FloatBinary op, FloatFormat format) const override {
    return ieee::floatBinary(op, format);
  }
  Ternary ternary(FloatTernary op, FloatFormat format) const override {
    return ieee::floatTernary(op, format);
  }
  Binary compare(arith::CmpFPredicate predicate,
                 FloatFormat format) const override {
    return ieee::floatCompare(predicate, format);
  }
  Unary test(FloatTest test, FloatFormat format) const override {
    return ieee::floatTest(test, format);
  }

  Unary unary(IntegerUnary op, unsigned width) const override {
    return ieee::integerUnary(op, width);
  }
  Binary binary(IntegerBinary op, unsigned width) const override {
    return ieee::integerBinary(op, width);
  }
  Binary compare(arith::CmpIPredicate predicate,
                 unsigned width) const override {
    return ieee::integerCompare(predicate, width);
  }

  Unary convert(Conversion conversion, Kind from, Kind to) const override {
    return ieee::convert(conversion, from, to);
  }
  Regroup bitcast(Kind from, Kind to) const override;
  Ternary select(Kind kind) const override;
  Contract contract(vector::CombiningKind combining, Kind lhs, Kind rhs,
                    Kind acc, bool exact) const override {
    return ieee::contract(combining, lhs, rhs, acc, exact);
  }
};

Load IeeeDomain::load(Kind kind) const {
  if (kind.isFloat && ieee::cellBytes(kind) == kind.bytes()) {
    switch (kind.bytes()) {
    case 1:
      return loadIeeeCells<uint8_t>;
    case 2:
      return loadIeeeCells<uint16_t>;
    case 4:
      return loadIeeeCells<uint32_t>;
    default:
      return loadIeeeCells<uint64_t>;
    }
  }
  return [kind](int64_t n, const uint8_t *memory, const int64_t *positions,
                void *cells) {
    int64_t bytes = kind.bytes(), cellBytes = ieee::cellBytes(kind);
    for (int64_t i = 0; i < n; ++i) {
      if (positions[i] < 0)
        continue;
      uint64_t bits = 0;
      std::memcpy(&bits, memory + positions[i] * bytes, bytes);
      ieee::setPattern(kind, bits,
                       static_cast<uint8_t *>(cells) + i * cellBytes);
    }
  };
}

Store IeeeDomain::store(Kind kind) const {
  if (kind.isFloat && ieee::cellBytes(kind) == kind.bytes()) {
    switch (kind.bytes()) {
    case 1:
      return storeIeeeCells<uint8_t>;
    case 2:
      return storeIeeeCells<uint16_t>;
    case 4:
      return storeIeeeCells<uint32_t>;
    default:
      return storeIeeeCells<uint64_t>;
    }
  }
  return [kind](int64_t n, uint8_t *memory, const int64_t *positions,
                const void *cells) {
    int64_t bytes = kind.bytes(), cellBytes = ieee::cellBytes(kind);
    for (int64_t i = 0; i < n; ++i) {
      if (positions[i] < 0)
        continue;
      uint64_t bits = ieee::patternOf(
          kind, static_cast<const uint8_t *>(cells) + i * cellBytes);
      std::memcpy(memory + positions[i] * bytes, &bits, bytes);
    }
  };
}

Regroup IeeeDomain::bitcast(Kind from, Kind to) const {
  return [from, to](int64_t lanes, int64_t numFrom, const void *a,
                    int64_t numTo, void *r) {
    int64_t fromBytes = ieee::cellBytes(from), toBytes = ieee::cellBytes(to);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      BitStream stream(numFrom * from.width);
      for (int64_t i = 0; i < numFrom; ++i)
        stream.put(i * from.width, from.width,
                   ieee::patternOf(from, static_cast<const uint8_t *>(a) +
                                             (i * lanes + lane) * fromBytes));
      for (int64_t i = 0; i < numTo; ++i)
        ieee::setPattern(to, stream.get(i * to.width, to.width),
                         static_cast<uint8_t *>(r) +
                             (i * lanes + lane) * toBytes);
    }
  };
}

template <typename Cell>
void selectIeeeCells(int64_t n, const void *condition, const void *a,
                     const void *b, void *r) {
  auto *chosen = static_cast<const int64_t *>(condition);
  auto *left = static_cast<const Cell *>(a),
       *right = static_cast<const Cell *>(b);
  auto *out = static_cast<Cell *>(r);
  for (int64_t i = 0; i < n; ++i)
    out[i] = chosen[i] & 1 ? left[i] : right[i];
}

Ternary IeeeDomain::select(Kind kind) const {
  switch (ieee::cellBytes(kind)) {
  case 1:
    return selectIeeeCells<uint8_t>;
  case 2:
    return selectIeeeCells<uint16_t>;
  case 4:
    return selectIeeeCells<uint32_t>;
  default:
    return selectIeeeCells<uint64_t>;
  }
}

} // namespace

const Domain &distaff::simt::ieeeDomain() {
  static const IeeeDomain domain;
  return domain;
}

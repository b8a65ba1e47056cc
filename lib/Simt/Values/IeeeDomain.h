//===- IeeeDomain.h - Functions of the IEEE domain --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the IEEE domain the cell of a float is its pattern in the smallest
// unsigned integer that holds it, and the cell of an integer is its value as a
// sign-extended int64_t. A codec converts a float's cell to a number to compute
// with, and rounds a result back into a cell.
//
// A sign-extended value, reinterpreted as unsigned, compares like the unsigned
// value of its own width, so unsigned comparisons need no other form.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_VALUES_IEEEDOMAIN_H
#define DISTAFF_LIB_SIMT_VALUES_IEEEDOMAIN_H

#include "Domain.h"
#include "Ieee.h"

namespace distaff::simt::ieee {

struct F16Codec {
  using Cell = uint16_t;
  using Number = float;
  static constexpr FloatFormat format = FloatFormat::F16;
  Number load(Cell cell) const { return decodeF16(cell); }
  Cell store(Number number) const { return encodeF16(number); }
};

struct BF16Codec {
  using Cell = uint16_t;
  using Number = float;
  static constexpr FloatFormat format = FloatFormat::BF16;
  Number load(Cell cell) const { return decodeBF16(cell); }
  Cell store(Number number) const { return encodeBF16(number); }
};

struct F32Codec {
  using Cell = float;
  using Number = float;
  static constexpr FloatFormat format = FloatFormat::F32;
  Number load(Cell cell) const { return cell; }
  Cell store(Number number) const { return number; }
};

struct F64Codec {
  using Cell = double;
  using Number = double;
  static constexpr FloatFormat format = FloatFormat::F64;
  Number load(Cell cell) const { return cell; }
  Cell store(Number number) const { return number; }
};

/// Codec of formats that use the general conversions.
template <typename CellType> struct TableCodec {
  using Cell = CellType;
  using Number = float;
  FloatFormat format;
  Number load(Cell cell) const { return float(decode(format, cell)); }
  Cell store(Number number) const { return Cell(encode(format, number)); }
};

/// Calls f with the codec of a format.
template <typename F> auto withCodec(FloatFormat format, F f) {
  switch (format) {
  case FloatFormat::F16:
    return f(F16Codec{});
  case FloatFormat::BF16:
    return f(BF16Codec{});
  case FloatFormat::F32:
    return f(F32Codec{});
  case FloatFormat::F64:
    return f(F64Codec{});
  case FloatFormat::TF32:
    return f(TableCodec<uint32_t>{format});
  default:
    return f(TableCodec<uint8_t>{format});
  }
}

inline unsigned cellBytes(Kind kind) {
  if (!kind.isFloat)
    return sizeof(int64_t);
  return kind.width <= 8 ? 1 : kind.width <= 16 ? 2 : kind.width <= 32 ? 4 : 8;
}

/// Returns the bits of a cell, or sets them.
uint64_t patternOf(Kind kind, const void *cell);
void setPattern(Kind kind, uint64_t bits, void *cell);

/// Returns a number of a cell as a double (of an integer, its signed value).
double numberOf(Kind kind, const void *cell);

Unary floatUnary(FloatUnary op, FloatFormat format);
Binary floatBinary(FloatBinary op, FloatFormat format);
Ternary floatTernary(FloatTernary op, FloatFormat format);
Binary floatCompare(arith::CmpFPredicate predicate, FloatFormat format);
Unary floatTest(FloatTest test, FloatFormat format);

Unary integerUnary(IntegerUnary op, unsigned width);
Binary integerBinary(IntegerBinary op, unsigned width);
Binary integerCompare(arith::CmpIPredicate predicate, unsigned width);

/// Computes these on single values, for domains that also carry integers.
int64_t compute(IntegerUnary op, unsigned width, int64_t a);
int64_t compute(IntegerBinary op, unsigned width, int64_t a, int64_t b);
bool compute(arith::CmpIPredicate predicate, int64_t a, int64_t b);
/// Returns a function in double (Add, Negate, Exp, ...).
double (*functionOf(FloatUnary op))(double);
double compute(FloatUnary op, double a);
bool compute(arith::CmpFPredicate predicate, double a, double b);

Unary convert(Conversion conversion, Kind from, Kind to);
Contract contract(vector::CombiningKind combining, Kind lhs, Kind rhs, Kind acc,
                  bool exact);

} // namespace distaff::simt::ieee

#endif // DISTAFF_LIB_SIMT_VALUES_IEEEDOMAIN_H

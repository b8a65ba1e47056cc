//===- DomainTest.cpp - Cells, identities and bounds ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Values/Domain.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using Combining = vector::CombiningKind;

namespace {

const Combining allKinds[] = {
    Combining::ADD,      Combining::MUL,     Combining::MINUI,
    Combining::MINSI,    Combining::MAXUI,   Combining::MAXSI,
    Combining::AND,      Combining::OR,      Combining::XOR,
    Combining::MINNUMF,  Combining::MAXNUMF, Combining::MINIMUMF,
    Combining::MAXIMUMF,
};

/// identity + x = x = x + identity, bit for bit.
void expectIdentity(Combining combining, Kind kind, uint64_t bits) {
  const Domain &domain = ieeeDomain();
  Binary combine = domain.combiner(combining, kind);
  if (!combine)
    return;
  alignas(32) uint8_t identity[32] = {}, x[32] = {}, left[32] = {},
                      right[32] = {};
  domain.identity(combining, kind, identity);
  domain.constant(kind, bits, x);
  combine(1, identity, x, left);
  combine(1, x, identity, right);
  EXPECT_EQ(*domain.pattern(kind, left), bits)
      << "kind " << int(combining) << ", " << kind.width << " bits";
  EXPECT_EQ(*domain.pattern(kind, right), bits)
      << "kind " << int(combining) << ", " << kind.width << " bits";
}

TEST(Domain, IdentitiesOfIntegers) {
  for (Combining combining : allKinds)
    for (unsigned width : {1, 4, 8, 16, 32, 64}) {
      uint64_t ones = ~uint64_t(0) >> (64 - width);
      uint64_t sign = uint64_t(1) << (width - 1);
      for (uint64_t bits : {uint64_t(0), uint64_t(1), ones, sign, ones ^ sign})
        expectIdentity(combining, Kind::integer(width), bits);
    }
}

TEST(Domain, IdentitiesOfFloats) {
  double infinity = std::numeric_limits<double>::infinity();
  for (Combining combining : allKinds)
    for (FloatFormat format : {FloatFormat::F16, FloatFormat::BF16,
                               FloatFormat::F32, FloatFormat::F64})
      for (double x : {0.0, -0.0, 1.0, -2.5, infinity, -infinity})
        expectIdentity(combining, Kind::ofFloat(format), encode(format, x));
}

TEST(Domain, BooleansAreMinusOneInCells) {
  int64_t cell = 0;
  ieeeDomain().constant(Kind::integer(1), 1, &cell);
  EXPECT_EQ(cell, -1);
  EXPECT_EQ(ieeeDomain().cellBytes(Kind::index()), sizeof(int64_t));
}

TEST(Domain, IntegerCellsBeginWithTheirValue) {
  for (const Domain *domain : {&ieeeDomain(), &boundedDomain()}) {
    alignas(32) uint8_t cell[32] = {};
    domain->constant(Kind::integer(8), 0xFD, cell);
    int64_t value;
    std::memcpy(&value, cell, sizeof(value));
    EXPECT_EQ(value, -3) << domain->name().str();
  }
}

// Lanes that take no part compute too: no operand may trap, and what leaves its
// width wraps.
TEST(Domain, TheLeastIntegerByMinusOneIsItself) {
  for (unsigned width : {8u, 32u, 64u}) {
    int64_t least = INT64_MIN >> (64 - width), minusOne = -1;
    for (IntegerBinary op : {IntegerBinary::DivS, IntegerBinary::FloorDivS,
                             IntegerBinary::CeilDivS}) {
      int64_t quotient = 0;
      ieeeDomain().binary(op, width)(1, &least, &minusOne, &quotient);
      EXPECT_EQ(quotient, least) << width << " bits";
    }
    int64_t remainder = 1;
    ieeeDomain().binary(IntegerBinary::RemS, width)(1, &least, &minusOne,
                                                    &remainder);
    EXPECT_EQ(remainder, 0) << width << " bits";
  }
}

/// The bound of a function of f32 at a number that is exact.
double boundOf(FloatUnary op, double x) {
  const Domain &domain = boundedDomain();
  Kind f32 = Kind::ofFloat(FloatFormat::F32);
  alignas(32) uint8_t operand[32] = {}, result[32] = {};
  domain.constant(f32, encode(FloatFormat::F32, x), operand);
  domain.unary(op, FloatFormat::F32)(1, operand, result);
  return domain.estimate(f32, result).bound;
}

// Their instructions have an error that does not shrink with the result (PTX:
// sin.approx and cos.approx 2^-20.5, lg2.approx 2^-22 near 1), so it is granted
// beside the units in the last place.
TEST(Domain, SmallResultsOfApproximateFunctionsAreGrantedAnAbsoluteError) {
  // pi - 3.140625 and pi / 2 - 1.5703125 are below 2^-9.
  EXPECT_GE(boundOf(FloatUnary::Sin, 3.140625), 0x1p-20);
  EXPECT_GE(boundOf(FloatUnary::Cos, 1.5703125), 0x1p-20);
  for (FloatUnary op : {FloatUnary::Log, FloatUnary::Log2, FloatUnary::Log10})
    EXPECT_GE(boundOf(op, 1 - 0x1p-12), 0x1p-21);
  // The units in the last place are 16 roundings of 2^-24 each, of a result
  // below 2^-9.
  EXPECT_LE(boundOf(FloatUnary::Sin, 3.140625), 0x1p-20 + 0x1p-28);
  EXPECT_LE(boundOf(FloatUnary::Cos, 1.5703125), 0x1p-20 + 0x1p-28);
}

} // namespace

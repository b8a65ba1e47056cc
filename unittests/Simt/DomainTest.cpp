//===- DomainTest.cpp - Identities of combining kinds ---------------------===//
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

} // namespace

//===- AssertionsTest.cpp - Promises of the runtime, broken on purpose ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "distaff/Runtime/Npy.h"
#include "distaff/Runtime/Package.h"

using namespace distaff::runtime;

namespace {

DEATH_TEST(ScalarType, IntegersAreStoredAsIntegers) {
  double element = 0;
  EXPECT_DEATH(storeInteger(ScalarType::F64, 1, &element),
               "an integer is stored as one");
  EXPECT_DEATH(loadInteger(ScalarType::BF16, &element),
               "an integer is loaded as one");
  EXPECT_DEATH(byteSize(ScalarType(99)), "a type has a row");
}

DEATH_TEST(Formula, OperationsHaveTwoOperands) {
  Formula sum;
  sum.kind = Formula::Kind::Add;
  EXPECT_DEATH(sum.evaluate({}), "an operation has two operands");
  EXPECT_DEATH(Formula::binary(Formula::Kind::Extent, Formula::constant(1),
                               Formula::constant(2)),
               "an operation has two operands");
}

DEATH_TEST(Formula, EachExtentBecomesAFormula) {
  EXPECT_DEATH(Formula::extent(1).substitute({Formula::constant(4)}),
               "each extent becomes a formula");
}

DEATH_TEST(HostArray, HasASize) {
  EXPECT_DEATH(HostArray::zeros(ScalarType::F32, {4, -1}),
               "an array has a size");
}

} // namespace

//===- GridFormulaTest.cpp - Formulas count what the functions do ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid function with every operation that formulas have, for extents around
// the multiples of its divisors, against the same numbers in C++.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Driver/GridFormula.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

struct FormulaOperation {
  std::string text; // of %r, from %m and %n
  int64_t (*compute)(int64_t m, int64_t n);
};

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

const FormulaOperation operations[] = {
    {"arith.addi %m, %n : index", [](int64_t m, int64_t n) { return m + n; }},
    {"arith.subi %m, %n : index", [](int64_t m, int64_t n) { return m - n; }},
    {"arith.muli %m, %n : index", [](int64_t m, int64_t n) { return m * n; }},
    {"arith.ceildivsi %m, %n : index", ceilDivide},
    {"arith.ceildivui %m, %n : index", ceilDivide},
    {"arith.floordivsi %m, %n : index",
     [](int64_t m, int64_t n) { return m / n; }},
    {"arith.divsi %m, %n : index", [](int64_t m, int64_t n) { return m / n; }},
    {"arith.divui %m, %n : index", [](int64_t m, int64_t n) { return m / n; }},
    {"arith.remsi %m, %n : index", [](int64_t m, int64_t n) { return m % n; }},
    {"arith.remui %m, %n : index", [](int64_t m, int64_t n) { return m % n; }},
    {"arith.minsi %m, %n : index",
     [](int64_t m, int64_t n) { return std::min(m, n); }},
    {"arith.maxui %m, %n : index",
     [](int64_t m, int64_t n) { return std::max(m, n); }},
    {"affine.apply affine_map<(m)[n] -> (m ceildiv 7 + n)>(%m)[%n]",
     [](int64_t m, int64_t n) { return ceilDivide(m, 7) + n; }},
    {"affine.apply affine_map<(m)[n] -> (m floordiv 7 + n * 3)>(%m)[%n]",
     [](int64_t m, int64_t n) { return m / 7 + n * 3; }},
    {"affine.apply affine_map<(m, n) -> (m - (n mod 5))>(%m, %n)",
     [](int64_t m, int64_t n) { return m - n % 5; }},
    {"affine.min affine_map<(m)[n] -> (m, n + 4, 50)>(%m)[%n]",
     [](int64_t m, int64_t n) { return std::min({m, n + 4, int64_t(50)}); }},
    {"affine.max affine_map<(m)[n] -> (m, n + 4, 50)>(%m)[%n]",
     [](int64_t m, int64_t n) { return std::max({m, n + 4, int64_t(50)}); }},
};

TEST(GridFormula, CountsWhatTheFunctionDoes) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                      func::FuncDialect>();
  for (const FormulaOperation &operation : operations) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @k(%a: memref<?x?xi8>) { return }\n"
        "func.func @k__grid(%m: index, %n: index) -> (index, index, index) "
        "attributes {host} {\n"
        "%c9 = arith.constant 9 : index\n%r = " +
            operation.text + "\nreturn %n, %r, %c9 : index, index, index\n}",
        &context);
    ASSERT_TRUE(module) << operation.text;
    FailureOr<std::array<runtime::Formula, 3>> formulas =
        gridFormulas(module->lookupSymbol<func::FuncOp>("k"));
    ASSERT_TRUE(succeeded(formulas)) << operation.text;
    for (int64_t m : {0, 1, 6, 7, 8, 13, 14, 15, 49, 64, 1009})
      for (int64_t n : {1, 2, 7, 8, 63, 64, 65}) {
        EXPECT_EQ((*formulas)[0].evaluate({m, n}), n);
        EXPECT_EQ((*formulas)[1].evaluate({m, n}), operation.compute(m, n))
            << operation.text << " of " << m << ", " << n;
        EXPECT_EQ((*formulas)[2].evaluate({m, n}), 9);
      }
  }
}

} // namespace

//===- AssertionsTest.cpp - Promises of phases, broken on purpose ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/PCF/Distribute/TileMap.h"
#include "../../lib/PCF/Fusion/MixedSlice.h"
#include "../../lib/PCF/Order/IndexTerms.h"
#include "../../lib/PCF/Schedule/PredicatedDrain.h"
#include "../../lib/PCF/Schedule/SplitCuts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {

DEATH_TEST(TileMap, DimensionsHaveCountsAndAreKeptOnce) {
  EXPECT_DEATH(TileMap::rowMajor({8, 4}, {2}), "a count per dimension");
  EXPECT_DEATH(TileMap::rowMajor({8, 4}, {2, 2}, {1}), "a count per dimension");
  TileMap map = *TileMap::rowMajor({8, 4}, {2, 2});
  EXPECT_DEATH(map.restrictPacking({1, 1}), "a dimension is kept once");
  EXPECT_DEATH(map.restrictPacking({2}), "a dimension is kept once");
}

DEATH_TEST(MixedSlice, DimensionsAreDroppedOrThere) {
  MLIRContext context;
  OpBuilder b(&context);
  SmallVector<OpFoldResult> sizes(2, b.getIndexAttr(4));
  MixedSlice both = MixedSlice::leading(b, sizes);
  MixedSlice one = MixedSlice::leading(b, sizes.front());
  EXPECT_DEATH(both.compose(b, b.getUnknownLoc(), one),
               "a slice of a slice has its dimensions");
  EXPECT_DEATH(one.withUnitDims(b, llvm::SmallBitVector(3)),
               "a dimension is dropped, or the slice has it");
}

DEATH_TEST(IndexTerms, VariablesHaveCopiesWhereAskedFor) {
  MLIRContext context;
  IndexTerms terms(&context);
  AffineExpr variable = terms.addVariable(/*isNonNegative=*/true);
  AffineExpr copy = terms.withCopies(variable, [](unsigned) { return true; });
  IndexConstraint negative{-copy - 1};
  EXPECT_TRUE(terms.haveNoSolution(negative, /*withCopies=*/true));
  EXPECT_DEATH(terms.haveNoSolution(negative), "variables have copies where");
}

DEATH_TEST(PredicatedDrain, WhatIsGuardedStandsInOneBlock) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect>();
  IRRewriter rewriter(&context);
  Block first, second;
  GuardedOps ops;
  for (Block *block : {&first, &second}) {
    rewriter.setInsertionPointToEnd(block);
    ops.writers.push_back(arith::ConstantIndexOp::create(
        rewriter, rewriter.getUnknownLoc(), /*value=*/0));
  }
  EXPECT_DEATH(guard(ops, {}, rewriter), "stands in one block");
}

DEATH_TEST(SplitCuts, OnlyWhatIsCutHasParts) {
  EXPECT_DEATH(getPartSize(64, whole, 0), "only what is cut has parts");
  EXPECT_DEATH(getPartSize(64, {0, 32}, -1), "only what is cut has parts");
}

} // namespace

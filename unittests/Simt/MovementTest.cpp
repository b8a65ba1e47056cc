//===- MovementTest.cpp - Origins of the elements of vector operations ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Values/Movement.h"
#include "../../lib/Simt/Values/IndexSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

class MovementOf : public testing::Test {
protected:
  MovementOf() {
    context.loadDialect<func::FuncDialect, vector::VectorDialect>();
  }

  /// The movement of the last vector operation of a function's body, printed
  /// as operand:element.
  std::string of(StringRef arguments, StringRef body) {
    std::string source =
        ("func.func @f(" + arguments + ") { " + body + " return }").str();
    module = parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return "does not parse";
    Operation *last = nullptr;
    module->walk([&](Operation *op) {
      if (isa<vector::VectorDialect>(op->getDialect()))
        last = op;
    });
    std::optional<Movement> movement = movementOf(last);
    if (!movement)
      return "none";
    std::string text;
    for (const std::vector<Origin> &origins : *movement) {
      for (Origin origin : origins)
        text += std::to_string(origin.operand) + ":" +
                std::to_string(origin.element) + " ";
      text += "; ";
    }
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(MovementOf, Transpose) {
  EXPECT_EQ(of("%v: vector<2x3xf32>", "%r = vector.transpose %v, [1, 0] : "
                                      "vector<2x3xf32> to vector<3x2xf32>"),
            "0:0 0:3 0:1 0:4 0:2 0:5 ; ");
}

TEST_F(MovementOf, BroadcastAddsAndStretchesDimensions) {
  EXPECT_EQ(of("%v: vector<2x1xf32>", "%r = vector.broadcast %v : "
                                      "vector<2x1xf32> to vector<2x2x2xf32>"),
            "0:0 0:0 0:1 0:1 0:0 0:0 0:1 0:1 ; ");
  EXPECT_EQ(of("%v: f32", "%r = vector.broadcast %v : f32 to vector<3xf32>"),
            "0:0 0:0 0:0 ; ");
}

TEST_F(MovementOf, ExtractAndInsert) {
  EXPECT_EQ(
      of("%v: vector<2x3xf32>",
         "%r = vector.extract %v[1] : vector<3xf32> from vector<2x3xf32>"),
      "0:3 0:4 0:5 ; ");
  EXPECT_EQ(of("%v: vector<2x3xf32>",
               "%r = vector.extract %v[1, 2] : f32 from vector<2x3xf32>"),
            "0:5 ; ");
  EXPECT_EQ(of("%s: f32, %v: vector<2x2xf32>",
               "%r = vector.insert %s, %v [1, 0] : f32 into vector<2x2xf32>"),
            "1:0 1:1 0:0 1:3 ; ");
  EXPECT_EQ(of("%v: vector<2xf32>, %i: index",
               "%r = vector.extract %v[%i] : f32 from vector<2xf32>"),
            "none");
}

TEST_F(MovementOf, StridedSlices) {
  EXPECT_EQ(
      of("%v: vector<3x3xf32>",
         "%r = vector.extract_strided_slice %v {offsets = [1, 1], sizes = "
         "[2, 2], strides = [1, 1]} : vector<3x3xf32> to vector<2x2xf32>"),
      "0:4 0:5 0:7 0:8 ; ");
  EXPECT_EQ(of("%s: vector<2xf32>, %v: vector<2x3xf32>",
               "%r = vector.insert_strided_slice %s, %v {offsets = [1, 1], "
               "strides = [1]} : vector<2xf32> into vector<2x3xf32>"),
            "1:0 1:1 1:2 1:3 0:0 0:1 ; ");
}

TEST_F(MovementOf, ShuffleTakesSlicesAndPoison) {
  EXPECT_EQ(of("%a: vector<2x2xf32>, %b: vector<1x2xf32>",
               "%r = vector.shuffle %a, %b [2, -1, 0] : vector<2x2xf32>, "
               "vector<1x2xf32>"),
            "1:0 1:1 -1:0 -1:0 0:0 0:1 ; ");
}

TEST_F(MovementOf, InterleaveAndDeinterleave) {
  EXPECT_EQ(
      of("%a: vector<2xf32>, %b: vector<2xf32>",
         "%r = vector.interleave %a, %b : vector<2xf32> -> vector<4xf32>"),
      "0:0 1:0 0:1 1:1 ; ");
  EXPECT_EQ(of("%a: vector<4xf32>", "%r:2 = vector.deinterleave %a : "
                                    "vector<4xf32> -> vector<2xf32>"),
            "0:0 0:2 ; 0:1 0:3 ; ");
}

TEST_F(MovementOf, ElementsToAndFrom) {
  EXPECT_EQ(of("%a: f32, %b: f32",
               "%r = vector.from_elements %b, %a : vector<2xf32>"),
            "0:0 1:0 ; ");
  EXPECT_EQ(
      of("%a: vector<2xf32>", "%r:2 = vector.to_elements %a : vector<2xf32>"),
      "0:0 ; 0:1 ; ");
}

TEST(IndexSpace, AccessesOfLinearMaps) {
  MLIRContext context;
  AffineExpr i = getAffineDimExpr(0, &context),
             j = getAffineDimExpr(1, &context);
  AffineMap transposed = AffineMap::get(2, 0, {j, i}, &context);
  EXPECT_EQ(offsetsOf(transposed, {4, 1}, {2, 3}),
            (std::vector<int64_t>{0, 4, 8, 1, 5, 9}));
  AffineMap window = AffineMap::get(2, 0, {i * 2 + j}, &context);
  EXPECT_EQ(offsetsOf(window, {1}, {2, 3}),
            (std::vector<int64_t>{0, 1, 2, 2, 3, 4}));
  AffineMap wrapped = AffineMap::get(2, 0, {(i + j) % 2}, &context);
  EXPECT_FALSE(linearAccessOf(wrapped, {1}));
  EXPECT_EQ(offsetsOf(wrapped, {1}, {2, 2}),
            (std::vector<int64_t>{0, 1, 1, 0}));
}

TEST(IndexSpace, ContractionsAreSortedIntoGroups) {
  MLIRContext context;
  AffineExpr b = getAffineDimExpr(0, &context),
             m = getAffineDimExpr(1, &context);
  AffineExpr n = getAffineDimExpr(2, &context),
             k = getAffineDimExpr(3, &context);
  AffineMap maps[] = {AffineMap::get(4, 0, {b, m, k}, &context),
                      AffineMap::get(4, 0, {n, b, k}, &context),
                      AffineMap::get(4, 0, {m, b, n}, &context)};
  bool reduction[] = {false, false, false, true};
  std::optional<ContractionSpace> space = contractionSpace(
      maps, {2, 3, 4, 5}, reduction, {2, 3, 5}, {4, 2, 5}, {3, 2, 4});
  ASSERT_TRUE(space);
  EXPECT_EQ(space->lhsBatch, (std::vector<int64_t>{0, 15}));
  EXPECT_EQ(space->rhsBatch, (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(space->accBatch, (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(space->accM, (std::vector<int64_t>{0, 8, 16}));
  EXPECT_EQ(space->rhsN, (std::vector<int64_t>{0, 10, 20, 30}));
  EXPECT_EQ(space->lhsK, (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

} // namespace

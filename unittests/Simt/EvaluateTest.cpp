//===- EvaluateTest.cpp - The reference evaluation bounds every run -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels run in their own types and are evaluated with bounds: each value must
// lie within its bound, and bounds must be small enough to say something.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// Expects every value within its bound, and no bound above a fraction of the
/// largest magnitude.
void expectBounded(const Values &values, const EstimateArray &estimates,
                   double fraction) {
  ASSERT_EQ(values.size(), estimates.elements.size());
  double largest = 0, widest = 0;
  for (auto [value, estimate] : llvm::zip_equal(values, estimates.elements)) {
    EXPECT_FALSE(estimate.undecided);
    EXPECT_LE(std::abs(value - estimate.value), estimate.bound);
    largest = std::max(largest, std::abs(estimate.value));
    widest = std::max(widest, estimate.bound);
  }
  EXPECT_LE(widest, fraction * largest);
}

void expectResultsBounded(distaff::StringRef source,
                          distaff::ArrayRef<Argument> arguments,
                          double fraction) {
  Ending outcome = execute(source, arguments);
  ASSERT_EQ(outcome.error, "");
  Evaluation evaluation = evaluateKernel(source, arguments);
  ASSERT_EQ(evaluation.error, "");
  ASSERT_EQ(outcome.results.size(), evaluation.results.size());
  for (auto [values, estimates] :
       llvm::zip_equal(outcome.results, evaluation.results))
    expectBounded(values, estimates, fraction);
}

TEST(Evaluate, MatmulFromHalfPrecision) {
  expectResultsBounded(
      R"(
    func.func @f(%a: tensor<32x64xf16>, %b: tensor<64x24xf16>) -> tensor<32x24xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<32x24xf32>
      %c = linalg.fill ins(%zero : f32) outs(%e : tensor<32x24xf32>) -> tensor<32x24xf32>
      %d = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x24xf16>) outs(%c : tensor<32x24xf32>) -> tensor<32x24xf32>
      return %d : tensor<32x24xf32>
    })",
      {randomArray("f16", {32, 64}, 1), randomArray("f16", {64, 24}, 2)}, 1e-4);
}

TEST(Evaluate, SumsOfSquaresAndSoftmax) {
  expectResultsBounded(R"(
    func.func @f(%x: tensor<8x300xf32>) -> (tensor<8xf32>, tensor<8x300xf32>) {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
          iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x300xf32>) outs(%i : tensor<8xf32>) {
        ^bb0(%v: f32, %acc: f32):
          %sq = arith.mulf %v, %v : f32
          %s = arith.addf %acc, %sq : f32
          linalg.yield %s : f32
      } -> tensor<8xf32>
      %o = tensor.empty() : tensor<8x300xf32>
      %y = linalg.softmax dimension(1) ins(%x : tensor<8x300xf32>) outs(%o : tensor<8x300xf32>) -> tensor<8x300xf32>
      return %r, %y : tensor<8xf32>, tensor<8x300xf32>
    })",
                       {randomArray("f32", {8, 300}, 3)}, 1e-3);
}

TEST(Evaluate, SumsInAnotherOrderAreWithinTheBound) {
  // Partial sums of the given order are small, of another one large.
  Values x(256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = (i % 2 ? -1 : 1) * (1 + double(i % 16) / 4096);
  std::string sum = R"(
    func.func @f(%v: vector<256xf16>) -> f16 {
      %z = arith.constant 0.0 : f16
      %r = vector.multi_reduction <add>, %v, %z [0] : vector<256xf16> to f16
      return %r : f16
    })";
  Evaluation evaluation = evaluateKernel(sum, {array("f16", {256}, x)});
  ASSERT_EQ(evaluation.error, "");
  Values sorted = x;
  std::sort(sorted.begin(), sorted.end());
  Values other = valuesOf(sum, {array("f16", {256}, sorted)});
  const Estimate &estimate = evaluation.results[0].elements[0];
  EXPECT_LE(std::abs(other[0] - estimate.value), estimate.bound);
}

TEST(Evaluate, IntegersAreExactAndMemrefsAreReported) {
  Evaluation evaluation = evaluateKernel(
      R"(
    func.func @f(%in: memref<4xi32>, %out: memref<4xi32>) {
      %c0 = arith.constant 0 : index
      %z = arith.constant 0 : i32
      %v = vector.transfer_read %in[%c0], %z {in_bounds = [true]} : memref<4xi32>, vector<4xi32>
      %m = arith.muli %v, %v : vector<4xi32>
      vector.transfer_write %m, %out[%c0] {in_bounds = [true]} : vector<4xi32>, memref<4xi32>
      return
    })",
      {array("i32", {4}, {1, -2, 3, 65536}), array("i32", {4}, {0, 0, 0, 0})});
  ASSERT_EQ(evaluation.error, "");
  Values values;
  for (const Estimate &estimate : evaluation.arguments[1].elements) {
    EXPECT_EQ(estimate.bound, 0);
    EXPECT_EQ(estimate.value, double(estimate.integer));
    values.push_back(estimate.value);
  }
  EXPECT_EQ(values, (Values{1, 4, 9, 0}));
}

TEST(Evaluate, IntegersBeyondDoublesKeepTheirBits) {
  Evaluation evaluation = evaluateKernel(R"(
    func.func @f(%x: i64) -> i64 {
      %one = arith.constant 1 : i64
      %c53 = arith.constant 53 : i64
      %large = arith.shli %one, %c53 : i64
      %sum = arith.addi %large, %x : i64
      return %sum : i64
    })",
                                         {array("i64", {}, {1})});
  ASSERT_EQ(evaluation.error, "");
  EXPECT_EQ(evaluation.results[0].elements[0].integer, (1LL << 53) + 1);
}

TEST(Evaluate, ArgmaxOfATieWithinTheBoundIsUndecided) {
  Evaluation evaluation =
      evaluateKernel(R"(
    func.func @f(%x: vector<2x3xf32>, %y: vector<2x3xf32>) -> (vector<2xf32>, vector<2xi32>) {
      %s = arith.addf %x, %y : vector<2x3xf32>
      %v0 = arith.constant dense<0xFF800000> : vector<2xf32>
      %i0 = arith.constant dense<-1> : vector<2xi32>
      %r:2 = iree_vector_ext.arg_compare dimension(1) ins(%s : vector<2x3xf32>) inits(%v0, %i0 : vector<2xf32>, vector<2xi32>) {
      ^bb0(%cand: f32, %best: f32):
        %c = arith.cmpf ogt, %cand, %best : f32
        iree_vector_ext.yield %c : i1
      } -> vector<2xf32>, vector<2xi32>
      return %r#0, %r#1 : vector<2xf32>, vector<2xi32>
    })",
                     {array("f32", {2, 3}, {1, 1, 0, 1, 2, 3}),
                      array("f32", {2, 3}, {0.1, 0.1, 0, 0.1, 0.1, 0.1})});
  ASSERT_EQ(evaluation.error, "");
  EXPECT_TRUE(evaluation.results[1].elements[0].undecided);
  EXPECT_FALSE(evaluation.results[1].elements[1].undecided);
  EXPECT_EQ(evaluation.results[1].elements[1].value, 2);
  // The maximum itself is the same number either way.
  EXPECT_FALSE(evaluation.results[0].elements[0].undecided);
}

} // namespace

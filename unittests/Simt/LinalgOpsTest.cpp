//===- LinalgOpsTest.cpp - Values of linalg, tensor and bufferization ops -===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"
#include <cmath>
#include <ctime>

using namespace distaff::simt;
using distaff::simt::kernel_test::array;
using distaff::simt::kernel_test::faultOf;
using distaff::simt::kernel_test::lastArgumentOf;
using distaff::simt::kernel_test::randomArray;
using distaff::simt::kernel_test::Values;
using distaff::simt::kernel_test::valuesOf;

namespace {

const Values twelve = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST(TensorOps, SlicesAreTakenAndPutBack) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%t: tensor<3x4xf32>, %o: index) -> (tensor<2x2xf32>, tensor<3x4xf32>) {
      %s = tensor.extract_slice %t[0, %o] [2, 2] [2, 1] : tensor<3x4xf32> to tensor<2x2xf32>
      %r = tensor.insert_slice %s into %t[1, 0] [2, 2] [1, 2] : tensor<2x2xf32> into tensor<3x4xf32>
      return %s, %r : tensor<2x2xf32>, tensor<3x4xf32>
    })",
                     {array("f32", {3, 4}, twelve), array("index", {}, {1})}),
            (Values{1, 2, 9, 10, 0, 1, 2, 3, 1, 5, 2, 7, 9, 9, 10, 11}));
}

TEST(TensorOps, RankReducedSlices) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%t: tensor<3x4xf32>) -> tensor<3xf32> {
      %s = tensor.extract_slice %t[0, 2] [3, 1] [1, 1] : tensor<3x4xf32> to tensor<3xf32>
      return %s : tensor<3xf32>
    })",
                     {array("f32", {3, 4}, twelve)}),
            (Values{2, 6, 10}));
}

TEST(TensorOps, ReshapesCastsAndDims) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%t: tensor<?x4xf32>) -> (tensor<4x3xf32>, index) {
      %c0 = arith.constant 0 : index
      %d = tensor.dim %t, %c0 : tensor<?x4xf32>
      %c = tensor.cast %t : tensor<?x4xf32> to tensor<3x4xf32>
      %f = tensor.collapse_shape %c [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
      %e = tensor.expand_shape %f [[0, 1]] output_shape [4, 3] : tensor<12xf32> into tensor<4x3xf32>
      return %e, %d : tensor<4x3xf32>, index
    })",
                     {array("f32", {3, 4}, twelve)}),
            (Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 3}));
}

TEST(TensorOps, PadGenerateAndElements) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%t: tensor<2xf32>, %p: f32) -> (tensor<4xf32>, tensor<2x2xindex>, tensor<3xf32>) {
      %c1 = arith.constant 1 : index
      %a = tensor.pad %t low[1] high[1] { ^bb0(%i: index): tensor.yield %p : f32 } : tensor<2xf32> to tensor<4xf32>
      %g = tensor.generate { ^bb0(%i: index, %j: index): %s = arith.addi %i, %i : index %u = arith.addi %s, %j : index tensor.yield %u : index } : tensor<2x2xindex>
      %x = tensor.extract %t[%c1] : tensor<2xf32>
      %e = tensor.from_elements %x, %p, %p : tensor<3xf32>
      %n = tensor.insert %x into %e[%c1] : tensor<3xf32>
      return %a, %g, %n : tensor<4xf32>, tensor<2x2xindex>, tensor<3xf32>
    })",
                     {array("f32", {2}, {5, 6}), array("f32", {}, {9})}),
            (Values{9, 5, 6, 9, 0, 1, 2, 3, 6, 6, 9}));
}

TEST(TensorOps, ForallSharesItsOutput) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {
      %r = scf.forall (%i) in (2) shared_outs(%o = %t) -> (tensor<4xf32>) {
        %at = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
        %s = tensor.extract_slice %t[%at] [2] [1] : tensor<4xf32> to tensor<2xf32>
        %d = arith.addf %s, %s : tensor<2xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %d into %o[%at] [2] [1] : tensor<2xf32> into tensor<4xf32>
        }
      } {mapping = [#gpu.block<x>]}
      return %r : tensor<4xf32>
    })",
                     {array("f32", {4}, {1, 2, 3, 4})}),
            (Values{2, 4, 6, 8}));
}

TEST(TensorOps, TransfersReadAndWriteTensors) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%t: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %z = arith.constant 0.5 : f32
      %v = vector.transfer_read %t[%c2, %c2], %z {permutation_map = affine_map<(i, j) -> (j, i)>} : tensor<3x4xf32>, vector<2x2xf32>
      %r = vector.transfer_write %v, %t[%c0, %c0] : vector<2x2xf32>, tensor<3x4xf32>
      return %r : tensor<3x4xf32>
    })",
                     {array("f32", {3, 4}, twelve)}),
            (Values{10, 0.5, 2, 3, 11, 0.5, 6, 7, 8, 9, 10, 11}));
}

TEST(TensorOps, SliceOutsideTheTensorFaults) {
  EXPECT_EQ(faultOf(R"(
    func.func @f(%t: tensor<3x4xf32>, %o: index) -> tensor<2x2xf32> {
      %s = tensor.extract_slice %t[0, %o] [2, 2] [1, 1] : tensor<3x4xf32> to tensor<2x2xf32>
      return %s : tensor<2x2xf32>
    })",
                    {array("f32", {3, 4}, twelve), array("index", {}, {3})}),
            "out of bounds");
}

TEST(Bufferization, BetweenTensorsAndMemrefs) {
  EXPECT_EQ(lastArgumentOf(R"(
    func.func @f(%in: memref<4xf32>, %out: memref<4xf32>) {
      %t = bufferization.to_tensor %in restrict : memref<4xf32> to tensor<4xf32>
      %d = arith.addf %t, %t : tensor<4xf32>
      bufferization.materialize_in_destination %d in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    })",
                           {array("f32", {4}, {1, 2, 3, 4}),
                            array("f32", {4}, {0, 0, 0, 0})}),
            (Values{2, 4, 6, 8}));
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%t: tensor<2xf32>) -> f32 {
      %c1 = arith.constant 1 : index
      %m = bufferization.to_buffer %t : tensor<2xf32> to memref<2xf32>
      %x = memref.load %m[%c1] : memref<2xf32>
      return %x : f32
    })",
                     {array("f32", {2}, {1, 2})}),
            (Values{2}));
}

TEST(Linalg, MatmulFillAndElementwise) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%a: tensor<2x2xf16>, %b: tensor<2x3xf16>) -> tensor<2x3xf32> {
      %z = arith.constant 0.5 : f32
      %e = tensor.empty() : tensor<2x3xf32>
      %c = linalg.fill ins(%z : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
      %d = linalg.matmul ins(%a, %b : tensor<2x2xf16>, tensor<2x3xf16>) outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
      %x = linalg.add ins(%d, %d : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
      return %x : tensor<2x3xf32>
    })",
                     {array("f16", {2, 2}, {1, 2, 3, 4}),
                      array("f16", {2, 3}, {1, 2, 3, 4, 5, 6})}),
            (Values{19, 25, 31, 39, 53, 67}));
}

TEST(Linalg, GenericReductionsAndIndices) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%x: tensor<2x3xf32>, %i: tensor<2xf32>, %k: f32) -> tensor<2xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
          iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x3xf32>) outs(%i : tensor<2xf32>) {
        ^bb0(%v: f32, %acc: f32):
          %d = linalg.index 1 : index
          %di = arith.index_cast %d : index to i32
          %df = arith.sitofp %di : i32 to f32
          %p = arith.mulf %v, %df : f32
          %q = arith.mulf %p, %k : f32
          %s = arith.addf %acc, %q : f32
          linalg.yield %s : f32
      } -> tensor<2xf32>
      return %r : tensor<2xf32>
    })",
                     {array("f32", {2, 3}, {1, 2, 3, 4, 5, 6}),
                      array("f32", {2}, {100, 200}), array("f32", {}, {10})}),
            (Values{180, 370}));
}

TEST(Linalg, BodiesThatBranchAndCarryTwoAccumulators) {
  // Maximum and its position; the body diverges between points.
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%x: tensor<2x3xf32>, %m: tensor<2xf32>, %p: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
      %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
          iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x3xf32>) outs(%m, %p : tensor<2xf32>, tensor<2xi32>) {
        ^bb0(%v: f32, %best: f32, %at: i32):
          %d = linalg.index 1 : index
          %di = arith.index_cast %d : index to i32
          %c = arith.cmpf ogt, %v, %best : f32
          %s:2 = scf.if %c -> (f32, i32) { scf.yield %v, %di : f32, i32 } else { scf.yield %best, %at : f32, i32 }
          linalg.yield %s#0, %s#1 : f32, i32
      } -> (tensor<2xf32>, tensor<2xi32>)
      return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>
    })",
                     {array("f32", {2, 3}, {1, 9, 3, 4, 5, 6}),
                      array("f32", {2}, {0, 10}), array("i32", {2}, {-1, -1})}),
            (Values{9, 10, 1, -1}));
}

TEST(Linalg, CapturedTensorsAndModuloMaps) {
  EXPECT_EQ(
      valuesOf(R"(
    func.func @f(%table: tensor<3xf32>, %x: tensor<3xi32>) -> tensor<6xf32> {
      %e = tensor.empty() : tensor<6xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 mod 3)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]} ins(%x : tensor<3xi32>) outs(%e : tensor<6xf32>) {
        ^bb0(%i: i32, %o: f32):
          %k = arith.index_cast %i : i32 to index
          %v = tensor.extract %table[%k] : tensor<3xf32>
          linalg.yield %v : f32
      } -> tensor<6xf32>
      return %r : tensor<6xf32>
    })",
               {array("f32", {3}, {10, 20, 30}), array("i32", {3}, {2, 0, 1})}),
      (Values{30, 10, 20, 30, 10, 20}));
}

TEST(Linalg, NamedOperations) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%x: tensor<2x3xf32>, %o: tensor<3x2xf32>, %s: tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2x3xf32>) {
      %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%o : tensor<3x2xf32>) permutation = [1, 0]
      %r = linalg.reduce { arith.maximumf } ins(%x : tensor<2x3xf32>) outs(%s : tensor<2xf32>) dimensions = [1]
      %e = tensor.empty() : tensor<2x3xf32>
      %b = linalg.broadcast ins(%r : tensor<2xf32>) outs(%e : tensor<2x3xf32>) dimensions = [1]
      return %t, %r, %b : tensor<3x2xf32>, tensor<2xf32>, tensor<2x3xf32>
    })",
                     {array("f32", {2, 3}, {1, 2, 3, 4, 5, 6}),
                      array("f32", {3, 2}, {0, 0, 0, 0, 0, 0}),
                      array("f32", {2}, {0, 7})}),
            (Values{1, 4, 2, 5, 3, 6, 3, 7, 3, 3, 3, 7, 7, 7}));
}

TEST(Linalg, OnMemrefs) {
  EXPECT_EQ(lastArgumentOf(R"(
    func.func @f(%x: memref<2x2xf32>, %o: memref<2x4xf32>) {
      %s = memref.subview %o[0, 1] [2, 2] [1, 2] : memref<2x4xf32> to memref<2x2xf32, strided<[4, 2], offset: 1>>
      linalg.copy ins(%x : memref<2x2xf32>) outs(%s : memref<2x2xf32, strided<[4, 2], offset: 1>>)
      return
    })",
                           {array("f32", {2, 2}, {1, 2, 3, 4}),
                            array("f32", {2, 4}, {0, 0, 0, 0, 0, 0, 0, 0})}),
            (Values{0, 1, 0, 2, 0, 3, 0, 4}));
}

TEST(Linalg, Softmax) {
  Values y = valuesOf(R"(
    func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %e = tensor.empty() : tensor<2x3xf32>
      %y = linalg.softmax dimension(1) ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    })",
                      {array("f32", {2, 3}, {1, 2, 3, 100, 100, -HUGE_VAL})});
  double total = std::exp(-2.0) + std::exp(-1.0) + 1;
  ASSERT_EQ(y.size(), 6u);
  EXPECT_NEAR(y[0], std::exp(-2.0) / total, 1e-7);
  EXPECT_NEAR(y[2], 1 / total, 1e-7);
  EXPECT_EQ(y[3], 0.5);
  EXPECT_EQ(y[5], 0);
}

/// Seconds of CPU time that a matrix product of 512x384x256 takes; elements are
/// checked against sums in double.
double timeOfMatmul(distaff::StringRef source) {
  auto a = randomArray("f16", {512, 256}, 1),
       b = randomArray("f16", {256, 384}, 2);
  std::clock_t start = std::clock();
  Values c = valuesOf(source, {a, b});
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(c.size(), 512u * 384u);
  for (int m = 0; m < 512; m += 37)
    for (int n = 0; n < 384; n += 41) {
      double sum = 0;
      for (int k = 0; k < 256; ++k)
        sum += a.values[m * 256 + k] * b.values[k * 384 + n];
      EXPECT_NEAR(c[m * 384 + n], sum, 1e-4);
    }
  return seconds;
}

TEST(Linalg, LargeProductsAreFastEnoughToTestWith) {
  double tensor = timeOfMatmul(R"(
    func.func @f(%a: tensor<512x256xf16>, %b: tensor<256x384xf16>) -> tensor<512x384xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<512x384xf32>
      %c = linalg.fill ins(%zero : f32) outs(%e : tensor<512x384xf32>) -> tensor<512x384xf32>
      %d = linalg.matmul ins(%a, %b : tensor<512x256xf16>, tensor<256x384xf16>) outs(%c : tensor<512x384xf32>) -> tensor<512x384xf32>
      return %d : tensor<512x384xf32>
    })");
  double vector = timeOfMatmul(R"(
    func.func @f(%a: vector<512x256xf16>, %b: vector<256x384xf16>) -> vector<512x384xf32> {
      %zero = arith.constant dense<0.0> : vector<512x384xf32>
      %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %zero : vector<512x256xf16>, vector<256x384xf16> into vector<512x384xf32>
      return %d : vector<512x384xf32>
    })");
  // 50 million multiply-adds at less than 100 ns each, however loaded the
  // machine is; the tests of matmuls run hundreds of times as many.
  EXPECT_LT(tensor, 5.0);
  EXPECT_LT(vector, 5.0);
}

} // namespace

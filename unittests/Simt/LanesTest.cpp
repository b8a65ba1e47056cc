//===- LanesTest.cpp - Vector operations in code of one lane --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same operations on the small vectors of a distributed kernel: every lane
// has its own values, positions and masks, and lanes may be inactive.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

Options eightLanes() {
  Options options;
  options.subgroupSize = 8;
  options.workgroupSize = {8, 1, 1};
  return options;
}

Values iota(int64_t count) {
  Values values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = double(i);
  return values;
}

/// Runs `body`, in which %l is the lane and %in a 8x4 matrix of 0, 1, 2, ...;
/// it leaves a number per lane in %r.
Values perLane(std::string body, std::string type = "f32") {
  return lastArgumentOf(
      "gpu.module @m { gpu.func @f(%in: memref<8x4xf32>, %out: memref<8x" +
          type + ">) {\n" +
          R"(
      %l = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %z = arith.constant 0.0 : f32
      %v = vector.transfer_read %in[%l, %c0], %z {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
      )" + body +
          "\n memref.store %r, %out[%l] : memref<8x" + type +
          ">\n gpu.return } }",
      {array("f32", {8, 4}, iota(32)), array(type, {8}, Values(8, -1))},
      eightLanes());
}

TEST(Lanes, ReductionsAndContractionsAreEachLanesOwn) {
  EXPECT_EQ(perLane("%r = vector.multi_reduction <add>, %v, %z [0] : "
                    "vector<4xf32> to f32"),
            (Values{6, 22, 38, 54, 70, 86, 102, 118}));
  EXPECT_EQ(
      perLane(R"(
      %m = vector.shape_cast %v : vector<4xf32> to vector<2x2xf32>
      %k = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k, m)>, affine_map<(m, k) -> ()>],
        iterator_types = ["reduction", "reduction"], kind = #vector.kind<add>} %m, %m, %z : vector<2x2xf32>, vector<2x2xf32> into f32
      %r = arith.addf %k, %z : f32)"),
      // a a + b c + c b + d d of a 2x2 matrix
      (Values{13, 16 + 2 * 30 + 49, 64 + 2 * 90 + 121, 144 + 2 * 182 + 225,
              256 + 2 * 306 + 361, 400 + 2 * 462 + 529, 576 + 2 * 650 + 729,
              784 + 2 * 870 + 961}));
}

TEST(Lanes, PositionsDifferByLane) {
  EXPECT_EQ(perLane(R"(
      %p = arith.remui %l, %c4 : index
      %r = vector.extract %v[%p] : f32 from vector<4xf32>)"),
            (Values{0, 5, 10, 15, 16, 21, 26, 31}));
  EXPECT_EQ(perLane(R"(
      %p = arith.remui %l, %c4 : index
      %w = vector.insert %z, %v [%p] : f32 into vector<4xf32>
      %r = vector.reduction <maxnumf>, %w : vector<4xf32> into f32)"),
            (Values{3, 7, 11, 14, 19, 23, 27, 30}));
}

TEST(Lanes, MasksDifferByLane) {
  EXPECT_EQ(
      perLane(R"(
      %n = arith.remui %l, %c4 : index
      %m = vector.create_mask %n : vector<4xi1>
      %r = vector.mask %m { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32)"),
      (Values{-0.0, 4, 8 + 9, 12 + 13 + 14, -0.0, 20, 24 + 25, 28 + 29 + 30}));
  EXPECT_EQ(perLane(R"(
      %n = arith.remui %l, %c4 : index
      %m = vector.create_mask %n : vector<4xi1>
      %q = arith.constant 100.0 : f32
      %w = vector.transfer_read %in[%c0, %c0], %q, %m {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
      %r = vector.reduction <add>, %w : vector<4xf32> into f32)"),
            (Values{400, 300, 201, 103, 400, 300, 201, 103}));
}

TEST(Lanes, InactiveLanesTouchNoMemory) {
  // Odd lanes would write beyond the end, and read it back.
  EXPECT_EQ(perLane(R"(
      %bit = arith.remui %l, %c2 : index
      %even = arith.cmpi eq, %bit, %c0 : index
      %far = arith.muli %bit, %c4 : index
      %r = scf.if %even -> f32 {
        %w = vector.load %in[%l, %far] : memref<8x4xf32>, vector<4xf32>
        %s = vector.reduction <add>, %w : vector<4xf32> into f32
        scf.yield %s : f32
      } else {
        scf.yield %z : f32
      })"),
            (Values{6, 0, 38, 0, 70, 0, 102, 0}));
}

TEST(Lanes, ArgCompareAndGatherPerLane) {
  EXPECT_EQ(perLane(R"(
      %u = vector.broadcast %l : index to vector<1xindex>
      %g = iree_vector_ext.transfer_gather %in[%c0, %c1] [%u : vector<1xindex>], %z {
        indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<8x4xf32>, vector<1x3xf32>
      %n = arith.negf %g : vector<1x3xf32>
      %v0 = arith.constant dense<-20.0> : vector<1xf32>
      %i0 = arith.constant dense<-1> : vector<1xi32>
      %b:2 = iree_vector_ext.arg_compare dimension(1) ins(%n : vector<1x3xf32>) inits(%v0, %i0 : vector<1xf32>, vector<1xi32>) {
      ^bb0(%cand: f32, %best: f32):
        %c = arith.cmpf ogt, %cand, %best : f32
        iree_vector_ext.yield %c : i1
      } -> vector<1xf32>, vector<1xi32>
      %r = vector.extract %b#1[0] : i32 from vector<1xi32>)",
                    "i32"),
            (Values{0, 0, 0, 0, 0, -1, -1, -1}));
}

} // namespace

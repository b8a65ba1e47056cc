//===- VectorMemoryTest.cpp - Vectors and memory --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes with maps, masks and bounds, by whole functions on memrefs;
// the values compared are those of the last argument after the run.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff::simt;
using distaff::simt::kernel_test::array;
using distaff::simt::kernel_test::faultOf;
using distaff::simt::kernel_test::lastArgumentOf;
using distaff::simt::kernel_test::Values;
using distaff::simt::kernel_test::valuesOf;

namespace {

const Values twelveCells = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST(VectorMemory, TransposedAndBroadcastReads) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%m: memref<3x4xf32>) -> vector<2x2x2xf32> {
      %c1 = arith.constant 1 : index
      %z = arith.constant 0.0 : f32
      %r = vector.transfer_read %m[%c1, %c1], %z {in_bounds = [true, true, true], permutation_map = affine_map<(i, j) -> (j, 0, i)>}
        : memref<3x4xf32>, vector<2x2x2xf32>
      return %r : vector<2x2x2xf32>
    })",
                     {array("f32", {3, 4}, twelveCells)}),
            (Values{5, 9, 5, 9, 6, 10, 6, 10}));
}

TEST(VectorMemory, ReadsOutOfBoundsGivePadding) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%m: memref<3x4xf32>) -> vector<2x3xf32> {
      %c2 = arith.constant 2 : index
      %z = arith.constant 9.5 : f32
      %r = vector.transfer_read %m[%c2, %c2], %z : memref<3x4xf32>, vector<2x3xf32>
      return %r : vector<2x3xf32>
    })",
                     {array("f32", {3, 4}, twelveCells)}),
            (Values{10, 11, 9.5, 9.5, 9.5, 9.5}));
}

TEST(VectorMemory, MasksFollowThePermutation) {
  // The mask has the shape of the accessed memory, before permutation.
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%m: memref<3x4xf32>, %mask: vector<2x3xi1>) -> vector<3x2xf32> {
      %c0 = arith.constant 0 : index
      %z = arith.constant -1.0 : f32
      %r = vector.transfer_read %m[%c0, %c0], %z, %mask {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>}
        : memref<3x4xf32>, vector<3x2xf32>
      return %r : vector<3x2xf32>
    })",
                     {array("f32", {3, 4}, twelveCells),
                      array("i1", {2, 3}, {1, 0, 1, 1, 1, 0})}),
            (Values{0, 4, -1, 5, 2, -1}));
}

TEST(VectorMemory, MaskedAndPartialWrites) {
  EXPECT_EQ(lastArgumentOf(R"(
    func.func @f(%v: vector<2x3xf32>, %mask: vector<2x3xi1>, %m: memref<3x4xf32>) {
      %c2 = arith.constant 2 : index
      vector.transfer_write %v, %m[%c2, %c2], %mask : vector<2x3xf32>, memref<3x4xf32>
      return
    })",
                           {array("f32", {2, 3}, {20, 21, 22, 23, 24, 25}),
                            array("i1", {2, 3}, {0, 1, 1, 1, 1, 1}),
                            array("f32", {3, 4}, twelveCells)}),
            (Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 21}));
}

TEST(VectorMemory, MasksByRegion) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%m: memref<4xf32>, %mask: vector<4xi1>) -> vector<4xf32> {
      %c0 = arith.constant 0 : index
      %z = arith.constant 7.0 : f32
      %r = vector.mask %mask { vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<4xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
      return %r : vector<4xf32>
    })",
                     {array("f32", {4}, {1, 2, 3, 4}),
                      array("i1", {4}, {1, 0, 1, 0})}),
            (Values{1, 7, 3, 7}));
}

TEST(VectorMemory, ZeroDimensionalTransfers) {
  EXPECT_EQ(lastArgumentOf(R"(
    func.func @f(%m: memref<2xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %z = arith.constant 0.0 : f32
      %r = vector.transfer_read %m[%c1], %z : memref<2xf32>, vector<f32>
      vector.transfer_write %r, %m[%c0] : vector<f32>, memref<2xf32>
      return
    })",
                           {array("f32", {2}, {1, 2})}),
            (Values{2, 2}));
}

TEST(VectorMemory, LoadsAndStores) {
  EXPECT_EQ(
      lastArgumentOf(R"(
    func.func @f(%mask: vector<2xi1>, %old: vector<2xf32>, %m: memref<3x4xf32>) {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c0 = arith.constant 0 : index
      %a = vector.load %m[%c1, %c2] : memref<3x4xf32>, vector<2xf32>
      vector.store %a, %m[%c0, %c0] : memref<3x4xf32>, vector<2xf32>
      %b = vector.maskedload %m[%c2, %c0], %mask, %old : memref<3x4xf32>, vector<2xi1>, vector<2xf32> into vector<2xf32>
      vector.maskedstore %m[%c0, %c2], %mask, %a : memref<3x4xf32>, vector<2xi1>, vector<2xf32>
      vector.store %b, %m[%c1, %c0] : memref<3x4xf32>, vector<2xf32>
      return
    })",
                     {array("i1", {2}, {0, 1}), array("f32", {2}, {50, 51}),
                      array("f32", {3, 4}, twelveCells)}),
      (Values{6, 7, 2, 7, 50, 9, 6, 7, 8, 9, 10, 11}));
}

TEST(VectorMemory, GatherAndScatter) {
  EXPECT_EQ(
      lastArgumentOf(R"(
    func.func @f(%i: vector<3xi32>, %mask: vector<3xi1>, %pass: vector<3xf32>, %m: memref<3x4xf32>) {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %g = vector.gather %m[%c1, %c0] [%i], %mask, %pass : memref<3x4xf32>, vector<3xi32>, vector<3xi1>, vector<3xf32> into vector<3xf32>
      vector.scatter %m[%c0, %c0] [%i], %mask, %g : memref<3x4xf32>, vector<3xi32>, vector<3xi1>, vector<3xf32>
      vector.store %g, %m[%c1, %c0] : memref<3x4xf32>, vector<3xf32>
      return
    })",
                     {array("i32", {3}, {3, 0, 2}), array("i1", {3}, {1, 1, 0}),
                      array("f32", {3}, {-1, -2, -3}),
                      array("f32", {3, 4}, twelveCells)}),
      (Values{4, 1, 2, 7, 7, 4, -3, 7, 8, 9, 10, 11}));
}

TEST(VectorMemory, TransferGatherReadsWhereTheIndicesPoint) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%m: memref<3x4xf32>, %rows: vector<2xindex>) -> vector<2x3xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %z = arith.constant 0.0 : f32
      %r = iree_vector_ext.transfer_gather %m[%c0, %c1] [%rows : vector<2xindex>], %z {
        indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<3x4xf32>, vector<2x3xf32>
      return %r : vector<2x3xf32>
    })",
                     {array("f32", {3, 4}, twelveCells),
                      array("index", {2}, {2, 0})}),
            (Values{9, 10, 11, 1, 2, 3}));
}

TEST(VectorMemory, TransferGatherPadsOutOfBoundsAndMasked) {
  EXPECT_EQ(
      valuesOf(R"(
    func.func @f(%m: memref<3x4xf32>, %rows: vector<3xindex>, %mask: vector<3xi1>) -> vector<3x2xf32> {
      %c0 = arith.constant 0 : index
      %z = arith.constant 9.5 : f32
      %r = iree_vector_ext.transfer_gather %m[%c0, %c0] [%rows : vector<3xindex>], %z, %mask {in_bounds = [false, true],
        indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>, affine_map<(d0, d1)[s0] -> (d0)>]}
        : memref<3x4xf32>, vector<3x2xf32>, vector<3xi1>
      return %r : vector<3x2xf32>
    })",
               {array("f32", {3, 4}, twelveCells),
                array("index", {3}, {99, 1, 77}), array("i1", {3}, {1, 1, 0})}),
      (Values{9.5, 9.5, 4, 5, 9.5, 9.5}));
}

TEST(VectorMemory, TransferScatterWritesWhereTheIndicesPoint) {
  EXPECT_EQ(lastArgumentOf(R"(
    func.func @f(%v: vector<2x2xf32>, %rows: vector<2xindex>, %m: memref<3x4xf32>) {
      %c0 = arith.constant 0 : index
      iree_vector_ext.transfer_scatter %v into %m[%c0, %c0] [%rows : vector<2xindex>] {
        indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : vector<2x2xf32>, memref<3x4xf32>
      return
    })",
                           {array("f32", {2, 2}, {20, 21, 22, 23}),
                            array("index", {2}, {2, 0}),
                            array("f32", {3, 4}, twelveCells)}),
            (Values{22, 23, 2, 3, 4, 5, 6, 7, 20, 21, 10, 11}));
}

TEST(VectorMemory, AccessOutsideTheMemoryFaults) {
  EXPECT_EQ(faultOf(R"(
    func.func @f(%m: memref<3x4xf32>) -> vector<4xf32> {
      %c2 = arith.constant 2 : index
      %r = vector.load %m[%c2, %c2] : memref<3x4xf32>, vector<4xf32>
      return %r : vector<4xf32>
    })",
                    {array("f32", {3, 4}, twelveCells)}),
            "out of bounds");
  EXPECT_EQ(faultOf(R"(
    func.func @f(%m: memref<3x4xf32>) -> vector<4xf32> {
      %c2 = arith.constant 2 : index
      %z = arith.constant 0.0 : f32
      %r = vector.transfer_read %m[%c2, %c2], %z {in_bounds = [true]} : memref<3x4xf32>, vector<4xf32>
      return %r : vector<4xf32>
    })",
                    {array("f32", {3, 4}, twelveCells)}),
            "out of bounds");
}

TEST(VectorMemory, ReadingWhatNobodyWroteFaults) {
  EXPECT_EQ(faultOf(R"(
    func.func @f() -> vector<4xf32> {
      %c0 = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      %m = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
      %r = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      return %r : vector<4xf32>
    })",
                    {}),
            "unwritten");
}

} // namespace

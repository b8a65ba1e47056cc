//===- MemRefTest.cpp - Views, allocations and copies ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// Numbers 0, 1, ..., count - 1.
Values iota(int64_t count) {
  Values values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = i;
  return values;
}

Options lanes(int64_t subgroup, int64_t workgroup) {
  Options options;
  options.subgroupSize = subgroup;
  options.workgroupSize = {workgroup, 1, 1};
  return options;
}

/// Loads %view[i, j] for constants i, j, of a 4x6 matrix of 10 * row + column.
double element(StringRef type, StringRef body, StringRef indices) {
  Values values;
  for (int64_t i = 0; i < 24; ++i)
    values.push_back(i / 6 * 10 + i % 6);
  std::string source =
      ("func.func @f(%in: memref<4x6xf32>) -> f32 {\n"
       "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
       "%c2 = arith.constant 2 : index\n%c3 = arith.constant 3 : index\n" +
       body + "\n%x = memref.load %view[" + indices + "] : " + type +
       "\nreturn %x : f32\n}")
          .str();
  Values got = valuesOf(source, {array("f32", {4, 6}, values)});
  return got.empty() ? -1 : got[0];
}

TEST(MemRef, SubViews) {
  std::string body =
      "%view = memref.subview %in[1, %c2] [2, 2] [2, 3] : memref<4x6xf32> to "
      "memref<2x2xf32, strided<[12, 3], offset: ?>>";
  EXPECT_EQ(
      element("memref<2x2xf32, strided<[12, 3], offset: ?>>", body, "%c1, %c1"),
      35);
  EXPECT_EQ(
      element("memref<2x2xf32, strided<[12, 3], offset: ?>>", body, "%c0, %c0"),
      12);
}

TEST(MemRef, RankReducingSubView) {
  EXPECT_EQ(
      element(
          "memref<6xf32, strided<[1], offset: 12>>",
          "%view = memref.subview %in[2, 0] [1, 6] [1, 1] : memref<4x6xf32> to "
          "memref<6xf32, strided<[1], offset: 12>>",
          "%c3"),
      23);
}

TEST(MemRef, ReinterpretTransposeExpandCollapse) {
  EXPECT_EQ(
      element(
          "memref<3x2xf32, strided<[4, 1], offset: 5>>",
          "%view = memref.reinterpret_cast %in to offset: [5], sizes: [3, 2], "
          "strides: [4, 1] "
          ": memref<4x6xf32> to memref<3x2xf32, strided<[4, 1], offset: 5>>",
          "%c2, %c1"),
      22);
  EXPECT_EQ(element("memref<6x4xf32, strided<[1, 6]>>",
                    "%view = memref.transpose %in (i, j) -> (j, i) : "
                    "memref<4x6xf32> to memref<6x4xf32, strided<[1, 6]>>",
                    "%c3, %c2"),
            23);
  EXPECT_EQ(
      element("memref<4x3x2xf32>",
              "%view = memref.expand_shape %in [[0], [1, 2]] output_shape [4, "
              "3, 2] : memref<4x6xf32> into memref<4x3x2xf32>",
              "%c3, %c2, %c1"),
      35);
  EXPECT_EQ(element("memref<24xf32>",
                    "%view = memref.collapse_shape %in [[0, 1]] : "
                    "memref<4x6xf32> into memref<24xf32>",
                    "%c3"),
            3);
}

TEST(MemRef, SubViewBeyondTheEndFaults) {
  EXPECT_EQ(faultOf(R"(func.func @f(%in: memref<8xf32>, %n: index) {
      %view = memref.subview %in[%n] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
      return
    })",
                    {array("f32", {8}, Values(8, 0)), array("index", {}, {5})}),
            "out of bounds");
}

TEST(MemRef, DynamicExtentsAndDim) {
  EXPECT_EQ(
      valuesOf(R"(func.func @f(%in: memref<?x?xf32>) -> (index, index, f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = memref.dim %in, %c0 : memref<?x?xf32>
      %n = memref.dim %in, %c1 : memref<?x?xf32>
      %x = memref.load %in[%c1, %c0] : memref<?x?xf32>
      return %m, %n, %x : index, index, f32
    })",
               {array("f32", {2, 3}, iota(6))}),
      (Values{2, 3, 3}));
}

TEST(MemRef, PrivateMemoryBelongsToALane) {
  std::string source = R"(gpu.module @m { gpu.func @f(%out: memref<8xi32>) {
      %id = gpu.thread_id x
      %v = arith.index_cast %id : index to i32
      %c1 = arith.constant 1 : index
      %a = memref.alloca() : memref<2xi32>
      memref.store %v, %a[%c1] : memref<2xi32>
      %r = memref.load %a[%c1] : memref<2xi32>
      memref.store %r, %out[%id] : memref<8xi32>
      gpu.return
    } })";
  EXPECT_EQ(
      lastArgumentOf(source, {array("i32", {8}, Values(8, 0))}, lanes(4, 8)),
      iota(8));
}

TEST(MemRef, WorkgroupMemoryIsShared) {
  std::string source = R"(gpu.module @m { gpu.func @f(%out: memref<8xi32>) {
      %m = memref.alloc() : memref<8xi32, #gpu.address_space<workgroup>>
      %id = gpu.thread_id x
      %v = arith.index_cast %id : index to i32
      %c7 = arith.constant 7 : index
      %mirror = arith.subi %c7, %id : index
      memref.store %v, %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %r = memref.load %m[%mirror] : memref<8xi32, #gpu.address_space<workgroup>>
      memref.store %r, %out[%id] : memref<8xi32>
      gpu.return
    } })";
  Ending outcome =
      execute(source, {array("i32", {8}, Values(8, 0))}, lanes(4, 8));
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.arguments.back(), (Values{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(outcome.counters.barriers, 1);
  EXPECT_EQ(outcome.counters.sharedRequests, 4);
  EXPECT_EQ(outcome.counters.bankConflicts, 0);
}

TEST(MemRef, BankConflictsAreCounted) {
  // 32 lanes write a column of a 32x32 array of words: one bank, 32 wavefronts.
  std::string source = R"(gpu.module @m { gpu.func @f() {
      %m = memref.alloc() : memref<32xCOLxf32, #gpu.address_space<workgroup>>
      %id = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %v = arith.constant 0.0 : f32
      memref.store %v, %m[%id, %c0] : memref<32xCOLxf32, #gpu.address_space<workgroup>>
      gpu.return
    } })";
  auto conflicts = [&](std::string columns) {
    std::string text = source;
    for (size_t at; (at = text.find("COL")) != std::string::npos;)
      text.replace(at, 3, columns);
    return execute(text, {}, lanes(32, 32)).counters.bankConflicts;
  };
  EXPECT_EQ(conflicts("32"), 31);
  EXPECT_EQ(conflicts("33"), 0);
  EXPECT_EQ(conflicts("34"), 1);
}

TEST(MemRef, WideAccessesGoInPhases) {
  // 32 lanes store 16 bytes each, side by side or two rows apart: 8 lanes at a
  // time fill the banks once, or half of them twice.
  auto conflicts = [](std::string step) {
    std::string source = R"(gpu.module @m { gpu.func @f() {
      %m = memref.alloc() : memref<1024xf32, #gpu.address_space<workgroup>>
      %id = gpu.thread_id x
      %step = arith.constant )" +
                         step + R"( : index
      %at = arith.muli %id, %step : index
      %v = arith.constant dense<0.0> : vector<4xf32>
      vector.store %v, %m[%at] : memref<1024xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      gpu.return
    } })";
    Ending outcome = execute(source, {}, lanes(32, 32));
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.counters.sharedRequests, 1);
    return outcome.counters.bankConflicts;
  };
  EXPECT_EQ(conflicts("4"), 0);
  EXPECT_EQ(conflicts("8"), 4);
  EXPECT_EQ(conflicts("32"), 28);
}

TEST(MemRef, ArgumentsInWorkgroupMemory) {
  std::string source =
      R"(gpu.module @m { gpu.func @f(%m: memref<4xf16, #gpu.address_space<workgroup>>) {
      %id = gpu.thread_id x
      %x = memref.load %m[%id] : memref<4xf16, #gpu.address_space<workgroup>>
      %y = arith.addf %x, %x : f16
      memref.store %y, %m[%id] : memref<4xf16, #gpu.address_space<workgroup>>
      gpu.return
    } })";
  EXPECT_EQ(
      lastArgumentOf(source, {array("f16", {4}, {1, 2, 3, 4})}, lanes(4, 4)),
      (Values{2, 4, 6, 8}));
}

TEST(MemRef, CopyBetweenViews) {
  EXPECT_EQ(
      lastArgumentOf(
          R"(func.func @f(%in: memref<2x3xi8>, %out: memref<4x3xi8>) {
      %view = memref.subview %out[1, 0] [2, 3] [2, 1] : memref<4x3xi8> to memref<2x3xi8, strided<[6, 1], offset: 3>>
      memref.copy %in, %view : memref<2x3xi8> to memref<2x3xi8, strided<[6, 1], offset: 3>>
      return
    })",
          {array("i8", {2, 3}, iota(6)), array("i8", {4, 3}, Values(12, -1))}),
      (Values{-1, -1, -1, 0, 1, 2, -1, -1, -1, 3, 4, 5}));
}

TEST(MemRef, GlobalConstants) {
  EXPECT_EQ(valuesOf(R"(
    memref.global "private" constant @table : memref<4xi16> = dense<[5, -6, 7, 8]>
    func.func @f(%i: index) -> i16 {
      %t = memref.get_global @table : memref<4xi16>
      %x = memref.load %t[%i] : memref<4xi16>
      return %x : i16
    })",
                     {array("index", {}, {1})}),
            (Values{-6}));
}

TEST(MemRef, BytesViewedAsAnotherType) {
  EXPECT_EQ(valuesOf(R"(func.func @f() -> f32 {
      %a = memref.alloc() : memref<16xi8>
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %v = memref.view %a[%c4][] : memref<16xi8> to memref<2xf32>
      %x = arith.constant 1.5 : f32
      memref.store %x, %v[%c1] : memref<2xf32>
      %y = memref.load %v[%c1] : memref<2xf32>
      memref.dealloc %a : memref<16xi8>
      return %y : f32
    })",
                     {}),
            (Values{1.5}));
}

TEST(MemRef, UseAfterFreeFaults) {
  EXPECT_EQ(faultOf(R"(func.func @f() -> f32 {
      %a = memref.alloc() : memref<1xf32>
      %c0 = arith.constant 0 : index
      memref.dealloc %a : memref<1xf32>
      %y = memref.load %a[%c0] : memref<1xf32>
      return %y : f32
    })",
                    {}),
            "out of bounds");
}

TEST(MemRef, SelectBetweenBuffersPerLane) {
  std::string source =
      R"(gpu.module @m { gpu.func @f(%a: memref<4xi32>, %b: memref<4xi32>, %out: memref<4xi32>) {
      %id = gpu.thread_id x
      %c2 = arith.constant 2 : index
      %low = arith.cmpi ult, %id, %c2 : index
      %m = arith.select %low, %a, %b : memref<4xi32>
      %x = memref.load %m[%id] : memref<4xi32>
      memref.store %x, %out[%id] : memref<4xi32>
      gpu.return
    } })";
  EXPECT_EQ(lastArgumentOf(source,
                           {array("i32", {4}, {1, 2, 3, 4}),
                            array("i32", {4}, {10, 20, 30, 40}),
                            array("i32", {4}, Values(4, 0))},
                           lanes(4, 4)),
            (Values{1, 2, 30, 40}));
}

// Along the last dimension of memory, behind it dimensions of one element.
TEST(MemRef, TransfersOfRowsAreRequestsOfWholeRows) {
  auto requests = [](StringRef shape, StringRef map) {
    std::string source =
        "gpu.module @m { gpu.func @f(%x: memref<8x8xf16>) kernel {\n"
        "%c0 = arith.constant 0 : index\n%pad = arith.constant 0.0 : f16\n"
        "%v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, "
        "true], permutation_map = affine_map<(r, c) -> " +
        map.str() + ">} : memref<8x8xf16>, vector<" + shape.str() +
        "xf16>\ngpu.return\n} }";
    Options options;
    options.subgroupSize = 32;
    options.workgroupSize = {32, 1, 1};
    Ending ending =
        execute(source, {array("f16", {8, 8}, Values(64, 1))}, options);
    EXPECT_EQ(ending.error, "");
    return ending.counters.globalRequests;
  };
  EXPECT_EQ(requests("1x8", "(r, c)"), 1);
  EXPECT_EQ(requests("8x1", "(c, r)"), 1);
  EXPECT_EQ(requests("8x1", "(r, c)"), 8);
  EXPECT_EQ(requests("1x8", "(c, r)"), 8);
  // Several rows, whichever dimension of the vector goes along them.
  EXPECT_EQ(requests("4x8", "(r, c)"), 4);
  EXPECT_EQ(requests("8x4", "(c, r)"), 4);
  EXPECT_EQ(requests("2x3", "(c, r)"), 3);
}

} // namespace

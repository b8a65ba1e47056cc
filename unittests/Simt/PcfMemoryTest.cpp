//===- PcfMemoryTest.cpp - Slices, views and refs of one worker -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of the one worker of #pcf.sequential: what slices and views touch,
// what the kinds of refs begin and end with, and which way a body leaves.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

const std::string constants = R"(
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %far = arith.constant 900 : index
)";

/// A body over a readonly ref %x of an argument of shape 4x6 and a tied ref %y
/// of one of shape 3x4; the result is %y's.
std::string overRefs(std::string body) {
  return R"(
    #seq = #pcf.sequential
    !X = !pcf.sref<4x6xf32, #seq>
    !Y = !pcf.sref<3x4xf32, sync(#seq)>
    func.func @f(%in: tensor<4x6xf32>, %init: tensor<3x4xf32>, %n: index) -> tensor<3x4xf32> {
)" + constants +
         R"(
      %r = pcf.generic scope(#seq) execute(%x <- %in : tensor<4x6xf32>, %y = %init)[%id: index, %count: index]
        : (!X, !Y) -> (tensor<3x4xf32>) {
)" + body +
         R"(
        pcf.return
      }
      return %r : tensor<3x4xf32>
    })";
}

struct Refs {
  Argument in = randomArray("f32", {4, 6}, 7),
           init = randomArray("f32", {3, 4}, 8);

  double x(int64_t i, int64_t j) const { return in.values[i * 6 + j]; }
  std::vector<Argument> with(int64_t n) const {
    return {in, init, array("index", {}, {double(n)})};
  }
};

/// The result's values for a size or an offset %n.
Values run(std::string body, int64_t n = 0) {
  return valuesOf(overRefs(body), Refs().with(n));
}
std::string faultOfBody(std::string body, int64_t n = 0) {
  return faultOf(overRefs(body), Refs().with(n));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

TEST(PcfSlices, StridesOfReadAndWriteAreOnesOwn) {
  // y[i, 2j] = x[1 + 2i, 5 - ... ] with offsets and strides on both sides.
  Values result = run(R"(
    %v = pcf.read_slice %x[%c1, 0] [2, 2] [2, %c3] : !X to tensor<2x2xf32>
    pcf.write_slice %v into %y[1, 0] [2, 2] [1, 2] : tensor<2x2xf32> into !Y
  )");
  Refs refs;
  Values expected = refs.init.values;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 2; ++j)
      expected[(1 + i) * 4 + 2 * j] = refs.x(1 + 2 * i, 3 * j);
  EXPECT_EQ(result, expected);
}

// PCF-26.
TEST(PcfSlices, AVectorBeyondTheSizeIsZeroWhereReadAndIgnoredWhereWritten) {
  Refs refs;
  for (int64_t n : {0, 1, 3, 4}) {
    Values expected = refs.init.values, read = expected;
    for (int64_t j = 0; j < 4; ++j)
      read[4 + j] = j < n ? refs.x(2, 1 + j) : 0;
    EXPECT_EQ(run(R"(
      %v = pcf.read_slice %x[2, 1] [1, %n] [1, 1] : !X to vector<1x4xf32>
      pcf.write_slice %v into %y[1, 0] [1, 4] [1, 1] : vector<1x4xf32> into !Y
    )",
                  n),
              read);
    for (int64_t j = 0; j < n; ++j)
      expected[4 + j] = refs.x(2, j);
    EXPECT_EQ(run(R"(
      %v = pcf.read_slice %x[2, 0] [1, 4] [1, 1] : !X to vector<1x4xf32>
      pcf.write_slice %v into %y[1, 0] [1, %n] [1, 1] : vector<1x4xf32> into !Y
    )",
                  n),
              expected);
  }
}

// PCF-27.
TEST(PcfSlices, ASliceWithoutElementsMayBeginAnywhere) {
  Refs refs;
  for (std::string type : {"tensor<1x?xf32>", "vector<1x2xf32>"})
    EXPECT_EQ(
        run("%v = pcf.read_slice %x[%far, %c5] [1, %n] [1, 1] : !X to " + type +
            "\npcf.write_slice %v into %y[%c5, %far] [1, %n] [1, 1] : " + type +
            " into !Y"),
        refs.init.values)
        << type;
}

TEST(PcfSlices, OutsideTheRefIsAFault) {
  std::string read = "%v = pcf.read_slice %x[%n, 0] [2, 2] [1, 1] : !X to ";
  for (std::string type : {"tensor<2x2xf32>", "vector<2x2xf32>"}) {
    EXPECT_EQ(faultOfBody(read + type, 2), "");
    EXPECT_EQ(faultOfBody(read + type, 3), "out of bounds");
    EXPECT_EQ(faultOfBody(read + type, -1), "out of bounds");
  }
  std::string write = R"(
    %v = arith.constant dense<1.0> : vector<1x4xf32>
    pcf.write_slice %v into %y[0, 0] [1, %n] [1, 1] : vector<1x4xf32> into !Y)";
  EXPECT_EQ(faultOfBody(write, 4), "");
  EXPECT_EQ(faultOfBody(write, 5), "out of bounds");
  EXPECT_EQ(faultOfBody(write, -1), "out of bounds");
}

TEST(PcfSlices, AMemrefIsWrittenLikeATensor) {
  Refs refs;
  Values expected = refs.init.values;
  for (int64_t i = 0; i < 3; ++i)
    expected[i * 4 + 3] = refs.x(i, 2);
  EXPECT_EQ(run(R"(
    %column = pcf.get_memref %x[0, 2] [3, 1] [1, 1] : !X
      to memref<3x1xf32, strided<[?, ?], offset: ?>>
    pcf.write_slice %column into %y[0, 3] [3, 1] [1, 1]
      : memref<3x1xf32, strided<[?, ?], offset: ?>> into !Y
  )"),
            expected);
}

//===----------------------------------------------------------------------===//
// Views (PCF-28)
//===----------------------------------------------------------------------===//

TEST(PcfViews, AViewOfAViewIsWrittenThrough) {
  Refs refs;
  Values expected = refs.init.values;
  // Row 2 of y, every other element of its last three.
  expected[2 * 4 + 1] = refs.x(3, 4);
  expected[2 * 4 + 3] = refs.x(3, 5);
  EXPECT_EQ(run(R"(
    %row = pcf.subview %y[%c2, 0] [1, 4] [1, 1] : !Y to !pcf.sref<4xf32, sync(#seq)>
    %odd = pcf.subview %row[1] [2] [2] : !pcf.sref<4xf32, sync(#seq)> to !pcf.sref<2xf32, sync(#seq)>
    %from = pcf.subview %x[3, 4] [1, 2] [1, 1] : !X to !pcf.sref<2xf32, #seq>
    %v = pcf.read_slice %from[0] [2] [1] : !pcf.sref<2xf32, #seq> to vector<2xf32>
    pcf.write_slice %v into %odd[0] [2] [1] : vector<2xf32> into !pcf.sref<2xf32, sync(#seq)>
  )"),
            expected);
}

TEST(PcfViews, ExpandedDimensionsAreRowMajor) {
  Refs refs;
  Values expected = refs.init.values;
  for (int64_t i = 0; i < 3; ++i) // x[i, 2 * 2 + 1]
    expected[i * 4] = refs.x(i, 5);
  EXPECT_EQ(run(R"(
    %pairs = pcf.expand_shape %x [[0], [1, 2]] : !X into !pcf.sref<4x3x2xf32, #seq>
    %last = pcf.subview %pairs[0, 2, 1] [4, 1, 1] [1, 1, 1]
      : !pcf.sref<4x3x2xf32, #seq> to !pcf.sref<4xf32, #seq>
    %v = pcf.read_slice %last[0] [3] [1] : !pcf.sref<4xf32, #seq> to vector<3xf32>
    %column = pcf.subview %y[0, 0] [3, 1] [1, 1] : !Y to !pcf.sref<3xf32, sync(#seq)>
    pcf.write_slice %v into %column[0] [3] [1] : vector<3xf32> into !pcf.sref<3xf32, sync(#seq)>
  )"),
            expected);
}

TEST(PcfViews, AViewOutsideTheRefIsAFault) {
  std::string view = "%v = pcf.subview %x[%n, 0] [2, 6] [1, 1] : !X to "
                     "!pcf.sref<2x6xf32, #seq>";
  EXPECT_EQ(faultOfBody(view, 2), "");
  EXPECT_EQ(faultOfBody(view, 3), "out of bounds");
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

// PCF-20: readonly, tied and untied in any order; an init twice.
TEST(PcfRefs, KindsOfRefsMix) {
  Argument in = randomArray("f32", {4}, 1), init = randomArray("f32", {4}, 2);
  Ending ending = execute(R"(
    #seq = #pcf.sequential
    !S = !pcf.sref<4xf32, #seq>
    !D = !pcf.sref<?xf32, #seq>
    func.func @f(%in: tensor<4xf32>, %init: tensor<4xf32>, %n: index)
        -> (tensor<?xf32>, tensor<4xf32>, tensor<4xf32>) {
      %r:3 = pcf.generic scope(#seq)
        initialize { %b = pcf.alloc(%n) : !D  pcf.yield %b, %n : !D, index } -> (%buffer: !D, %m: index)
        execute(%u, %a = %init, %x <- %in : tensor<4xf32>, %b = %init)[]
        : (!D, !S, !S, !S) -> (tensor<?xf32>{%n}, tensor<4xf32>, tensor<4xf32>) {
        %v = pcf.read_slice %x[0] [4] [1] : !S to vector<4xf32>
        %old = pcf.read_slice %a[0] [4] [1] : !S to vector<4xf32>
        %sum = arith.addf %v, %old : vector<4xf32>
        pcf.write_slice %sum into %a[0] [2] [1] : vector<4xf32> into !S
        pcf.write_slice %v into %buffer[0] [%m] [1] : vector<4xf32> into !D
        %w = pcf.read_slice %buffer[0] [%m] [1] : !D to tensor<?xf32>
        pcf.write_slice %w into %u[0] [%m] [1] : tensor<?xf32> into !D
        pcf.return
      }
      return %r#0, %r#1, %r#2 : tensor<?xf32>, tensor<4xf32>, tensor<4xf32>
    })",
                          {in, init, array("index", {}, {3})});
  ASSERT_EQ(ending.error, "");
  EXPECT_EQ(ending.results[0],
            Values(in.values.begin(), in.values.begin() + 3));
  Values sums = init.values;
  for (int64_t i = 0; i < 2; ++i)
    sums[i] = float(in.values[i] + init.values[i]);
  EXPECT_EQ(ending.results[1], sums);
  EXPECT_EQ(ending.results[2], init.values);
}

TEST(PcfRefs, AMemrefIsWrittenInPlaceAndIsTheResult) {
  Argument in = randomArray("f32", {4}, 3);
  Ending ending = execute(R"(
    #seq = #pcf.sequential
    !S = !pcf.sref<4xf32, #seq>
    func.func @f(%in: memref<4xf32>, %out: memref<4xf32>) {
      %c0 = arith.constant 0 : index
      %r:2 = pcf.generic scope(#seq) execute(%x <- %in : memref<4xf32>, %y = %out, %z)[]
        : (!S, !S, !S) -> (memref<4xf32>, memref<4xf32>) {
        %v = pcf.read_slice %x[0] [4] [1] : !S to vector<4xf32>
        pcf.write_slice %v into %y[0] [3] [1] : vector<4xf32> into !S
        pcf.write_slice %v into %z[0] [4] [1] : vector<4xf32> into !S
        pcf.return
      }
      %c3 = arith.constant 3 : index
      %first = memref.load %r#0[%c0] : memref<4xf32>
      %last = memref.load %r#1[%c3] : memref<4xf32>
      %sum = arith.addf %first, %last : f32
      memref.store %sum, %r#0[%c3] : memref<4xf32>
      return
    })",
                          {in, {"f32", {4}, Values(4, 0), /*written=*/false}});
  ASSERT_EQ(ending.error, "");
  Values expected = in.values;
  expected[3] = float(in.values[0] + in.values[3]);
  EXPECT_EQ(ending.arguments[1], expected);
}

TEST(PcfRefs, MemoryThatNobodyWroteIsNotRead) {
  std::string source = R"(
    #seq = #pcf.sequential
    !S = !pcf.sref<4xf32, #seq>
    func.func @f(%n: index) -> vector<4xf32> {
      %a = pcf.alloc() : !S
      %v = arith.constant dense<1.0> : vector<4xf32>
      pcf.write_slice %v into %a[0] [%n] [1] : vector<4xf32> into !S
      %r = pcf.read_slice %a[0] [4] [1] : !S to vector<4xf32>
      return %r : vector<4xf32>
    })";
  EXPECT_EQ(faultOf(source, {array("index", {}, {4})}), "");
  EXPECT_EQ(faultOf(source, {array("index", {}, {3})}), "unwritten");
}

// Of each execution of an op its own: the second finds nothing written.
TEST(PcfRefs, MemoryEndsWithItsOwner) {
  std::string source = R"(
    #seq = #pcf.sequential
    !S = !pcf.sref<4xf32, #seq>
    func.func @f(%init: tensor<4xf32>, %n: index) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant dense<1.0> : vector<4xf32>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %init) -> (tensor<4xf32>) {
        %isFirst = arith.cmpi eq, %i, %c0 : index
        %q = pcf.generic scope(#seq)
          initialize { %b = pcf.alloc() : !S  pcf.yield %b : !S } -> (%buffer: !S)
          execute(%u = %it)[] : (!S) -> (tensor<4xf32>) {
          scf.if %isFirst {
            pcf.write_slice %one into %buffer[0] [4] [1] : vector<4xf32> into !S
          }
          %v = pcf.read_slice %buffer[0] [4] [1] : !S to vector<4xf32>
          pcf.write_slice %v into %u[0] [4] [1] : vector<4xf32> into !S
          pcf.return
        }
        scf.yield %q : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    })";
  Argument init = randomArray("f32", {4}, 4);
  EXPECT_EQ(valuesOf(source, {init, array("index", {}, {1})}), Values(4, 1));
  EXPECT_EQ(faultOf(source, {init, array("index", {}, {2})}), "unwritten");
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

// PCF-22: true returns.
TEST(PcfBodies, AWorkerMayLeaveEarly) {
  std::string source = R"(
    #seq = #pcf.sequential
    !S = !pcf.sref<2xi32, #seq>
    func.func @f(%init: tensor<2xi32>, %n: index) -> tensor<2xi32> {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %r = pcf.generic scope(#seq) execute(%y = %init)[%id: index, %count: index]
        : (!S) -> (tensor<2xi32>) {
        %one = arith.constant dense<1> : vector<1xi32>
        %two = arith.constant dense<2> : vector<1xi32>
        %leaves = arith.cmpi eq, %n, %c3 : index
        pcf.write_slice %one into %y[%id] [1] [1] : vector<1xi32> into !S
        pcf.br.cond_return %leaves ^next(%two : vector<1xi32>)
      ^next(%v: vector<1xi32>):
        %more = arith.cmpi ugt, %n, %c3 : index
        cf.cond_br %more, ^write(%count : index), ^end
      ^write(%at: index):
        pcf.write_slice %v into %y[%at] [1] [1] : vector<1xi32> into !S
        cf.br ^end
      ^end:
        pcf.return
      }
      return %r : tensor<2xi32>
    })";
  auto run = [&](double n) {
    return valuesOf(source,
                    {array("i32", {2}, {8, 9}), array("index", {}, {n})});
  };
  EXPECT_EQ(run(3), (Values{1, 9}));
  EXPECT_EQ(run(2), (Values{1, 9}));
  EXPECT_EQ(run(4), (Values{1, 2}));
}

TEST(PcfBodies, EveryIterationOfALoopRunsOnce) {
  std::string source = R"(
    #seq = #pcf.sequential
    !S = !pcf.sref<3x4xi32, sync(#seq)>
    func.func @f(%init: tensor<3x4xi32>, %n: index, %m: index) -> tensor<3x4xi32> {
      %r = pcf.loop scope(#seq) count(%n, %m) execute(%y = %init)[%i: index, %j: index]
        : (!S) -> (tensor<3x4xi32>) {
        %old = pcf.read_slice %y[%j, %i] [1, 1] [1, 1] : !S to vector<1x1xi32>
        %k = arith.index_cast %i : index to i32
        %v = vector.broadcast %k : i32 to vector<1x1xi32>
        %one = arith.constant dense<1> : vector<1x1xi32>
        %w = arith.addi %v, %one : vector<1x1xi32>
        %new = arith.addi %old, %w : vector<1x1xi32>
        pcf.write_slice %new into %y[%j, %i] [1, 1] [1, 1] : vector<1x1xi32> into !S
        pcf.return
      }
      return %r : tensor<3x4xi32>
    })";
  for (int64_t n : {0, 1, 4})
    for (int64_t m : {0, 2, 3}) {
      Argument init = randomArray("i32", {3, 4}, 5, -9, 9);
      Values expected = init.values;
      for (int64_t j = 0; j < m; ++j)
        for (int64_t i = 0; i < n; ++i)
          expected[j * 4 + i] += double(i + 1);
      EXPECT_EQ(valuesOf(source, {init, array("index", {}, {double(n)}),
                                  array("index", {}, {double(m)})}),
                expected);
    }
}

// PCF-9, PCF-10: ids beyond the native ones are 0, counts 1.
TEST(PcfBodies, FurtherIdsOfTheOneWorkerAreZero) {
  EXPECT_EQ(valuesOf(R"(
    #seq = #pcf.sequential
    !S = !pcf.sref<6xi32, #seq>
    func.func @f(%init: tensor<6xi32>) -> tensor<6xi32> {
      %r = pcf.generic scope(#seq) execute(%y = %init)
        [%i: index, %j: index, %k: index, %ni: index, %nj: index, %nk: index]
        : (!S) -> (tensor<6xi32>) {
        %all = vector.from_elements %i, %j, %k, %ni, %nj, %nk : vector<6xindex>
        %v = arith.index_cast %all : vector<6xindex> to vector<6xi32>
        pcf.write_slice %v into %y[0] [6] [1] : vector<6xi32> into !S
        pcf.return
      }
      return %r : tensor<6xi32>
    })",
                     {array("i32", {6}, Values(6, 9))}),
            (Values{0, 0, 0, 1, 1, 1}));
}

// The program of one lane, whose one worker is the lane.
TEST(PcfBodies, EveryLaneIsAWorkerOfItsOwn) {
  Options options;
  options.subgroupSize = 4;
  options.workgroupSize = {8, 1, 1};
  Ending ending = execute(R"(
    #seq = #pcf.sequential
    !S = !pcf.sref<2xi32, #seq>
    !O = !pcf.sref<8x2xi32, #seq>
    gpu.module @m { gpu.func @f(%out: memref<8x2xi32>) kernel {
      %id = gpu.thread_id x
      %c2 = arith.constant 2 : index
      %v = arith.index_cast %id : index to i32
      %even = arith.remui %id, %c2 : index
      %r = pcf.generic scope(#seq)
        initialize { %b = pcf.alloc() : !S  pcf.yield %b : !S } -> (%buffer: !S)
        execute(%y = %out)[] : (!O) -> (memref<8x2xi32>) {
        %both = vector.broadcast %v : i32 to vector<2xi32>
        pcf.write_slice %both into %buffer[0] [2] [1] : vector<2xi32> into !S
        %own = pcf.read_slice %buffer[0] [%even] [1] : !S to vector<2xi32>
        %row = vector.shape_cast %own : vector<2xi32> to vector<1x2xi32>
        pcf.write_slice %row into %y[%id, 0] [1, 2] [1, 1] : vector<1x2xi32> into !O
        pcf.return
      }
      gpu.return
    } })",
                          {array("i32", {8, 2}, Values(16, 9))}, options);
  ASSERT_EQ(ending.error, "");
  EXPECT_EQ(ending.arguments[0],
            (Values{0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 7, 0}));
}

} // namespace

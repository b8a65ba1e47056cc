//===- BoundaryTest.cpp - What crosses into and out of parts --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors and scalars in and out, regions in loops, regions of loops, regions
// with nothing in them. The members are subgroups 1 and 2 of a workgroup of
// three, of which the first does nothing.
//
//===----------------------------------------------------------------------===//
#include "Parts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::part_test;

/// 8 x 64 numbers over two subgroups: by rows, and by columns.
static std::string layouts() {
  return layout2("rows", {2, 1}, {1, 2}, {4, 8}, {1, 4}) +
         layout2("columns", {1, 2}, {1, 1}, {8, 4}, {1, 8});
}

/// `body` is run by subgroups 1 and 2 of three.
static std::string kernelText(StringRef arguments, StringRef body) {
  return layouts() + "func.func @f(" + arguments.str() + R"() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<8xf32>
  %sg = gpu.subgroup_id : index
  %lane = gpu.lane_id
  %isMember = arith.cmpi uge, %sg, %c1 : index
  scf.if %isMember {
)" + body.str() +
         R"(
  }
  return
}
)";
}

static constexpr int64_t workgroup = 3;

/// Sums of sums of them are exact.
static Argument input() { return wholeNumbers({8, 64}, 5, 3); }
static Argument output() { return unwritten({8, 64}); }

static const char *const readRows = R"(
    %r = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]}
      : memref<8x64xf32>, vector<8x64xf32>
    %a = iree_vector_ext.to_layout %r to layout(#rows) : vector<8x64xf32>
)";

static std::string writeTo(StringRef out, StringRef value) {
  return ("vector.transfer_write " + value + ", " + out +
          "[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf32>, "
          "memref<8x64xf32>\n")
      .str();
}

// A vector leaves the first part, goes around a loop whose body is the second,
// through memory each time, and enters the third; a scalar goes with it.
TEST(Boundary, VectorsAndScalarsGoFromPartToPart) {
  std::string body = std::string(R"(
    %v, %total = scf.execute_region -> (vector<8x64xf32>, f32) {)") +
                     readRows + R"(
      %s = vector.multi_reduction <add>, %a, %none [1] : vector<8x64xf32> to vector<8xf32>
      %t = vector.reduction <add>, %s : vector<8xf32> into f32
      scf.yield %a, %t : vector<8x64xf32>, f32
    } {part = "load", outputs = [#rows, unit]}
    %w = scf.for %i = %c0 to %c3 step %c1 iter_args(%it = %v) -> (vector<8x64xf32>) {
      %b = iree_vector_ext.to_layout %it to layout(#columns) {shared_memory_conversion}
        : vector<8x64xf32>
      %scan, %last = vector.scan <add>, %b, %none {inclusive = true, reduction_dim = 1}
        : vector<8x64xf32>, vector<8xf32>
      %all = vector.broadcast %total : f32 to vector<8x64xf32>
      %c = arith.subf %scan, %all : vector<8x64xf32>
      %d = iree_vector_ext.to_layout %c to layout(#rows) {shared_memory_conversion}
        : vector<8x64xf32>
      scf.yield %d : vector<8x64xf32>
    } {part = "loop", inputs = [#rows], outputs = [#rows]}
    scf.execute_region {
      %y = arith.addf %w, %v : vector<8x64xf32>
      )" + writeTo("%out", "%y") +
                     R"(
      scf.yield
    } {part = "store", inputs = [#rows, #rows]}
)";
  PartKernel kernel(
      kernelText("%x: memref<8x64xf32>, %out: memref<8x64xf32>", body));
  NamedBarrier sync(4, 64);
  DistributionOptions members = kernel.members(1, 2, sync);
  for (StringRef part : {"load", "loop", "store"})
    ASSERT_TRUE(succeeded(kernel.distribute(part, members))) << kernel.messages;

  SmallVector<Argument> arguments{input(), output()};
  const Values &x = arguments[0].values;
  float total = 0;
  for (double value : x)
    total += float(value);
  Values expected = x;
  for (int turn = 0; turn < 3; ++turn)
    for (int64_t row = 0; row < 8; ++row) {
      double sum = 0;
      for (int64_t at = 0; at < 64; ++at) {
        double &value = expected[row * 64 + at];
        sum += value;
        value = sum - total;
      }
    }
  for (auto [value, first] : llvm::zip_equal(expected, x))
    value += first;
  EXPECT_EQ(kernel.run(arguments, workgroup, 1), expected);
}

// In each turn the members write what they read in the turn before, in the
// buffers of the exchanges and in the array itself.
TEST(Boundary, ARegionInALoopWaitsForItsEarlierTurns) {
  std::string body = std::string(R"(
    scf.for %i = %c0 to %c3 step %c1 {
      scf.execute_region {)") +
                     readRows + R"(
        %b = iree_vector_ext.to_layout %a to layout(#columns) {shared_memory_conversion}
          : vector<8x64xf32>
        %scan, %last = vector.scan <add>, %b, %none {inclusive = true, reduction_dim = 1}
          : vector<8x64xf32>, vector<8xf32>
        %k = arith.index_cast %i : index to i32
        %f = arith.sitofp %k : i32 to f32
        %all = vector.broadcast %f : f32 to vector<8x64xf32>
        %o = arith.subf %all, %scan : vector<8x64xf32>
        )" + writeTo("%x", "%o") +
                     R"(
        scf.yield
      } {part = "turn"}
    }
)";
  PartKernel kernel(kernelText("%x: memref<8x64xf32>", body));
  NamedBarrier sync(4, 64);
  ASSERT_TRUE(succeeded(kernel.distribute("turn", kernel.members(1, 2, sync))))
      << kernel.messages;
  SmallVector<Argument> arguments{input()};
  Values expected = arguments[0].values;
  for (int turn = 0; turn < 3; ++turn)
    for (int64_t row = 0; row < 8; ++row) {
      double sum = 0;
      for (int64_t at = 0; at < 64; ++at) {
        double &value = expected[row * 64 + at];
        sum += value;
        value = turn - sum;
      }
    }
  EXPECT_EQ(kernel.run(arguments, workgroup, 0), expected);
}

// The part is a branch in a loop, and has a loop and a branch inside.
TEST(Boundary, ARegionAmongOthers) {
  std::string body = std::string(R"(
    scf.for %i = %c0 to %c5 step %c1 {
      %half = arith.remui %i, %c2 : index
      %isEven = arith.cmpi eq, %half, %c0 : index
      scf.if %isEven {)") +
                     readRows + R"(
        %w = scf.for %j = %c0 to %c2 step %c1 iter_args(%it = %a) -> (vector<8x64xf32>) {
          %isFirst = arith.cmpi eq, %j, %c0 : index
          %n = scf.if %isFirst -> (vector<8x64xf32>) {
            %b = iree_vector_ext.to_layout %it to layout(#columns) {shared_memory_conversion}
              : vector<8x64xf32>
            %scan, %last = vector.scan <add>, %b, %none {inclusive = true, reduction_dim = 1}
              : vector<8x64xf32>, vector<8xf32>
            %c = iree_vector_ext.to_layout %scan to layout(#rows) {shared_memory_conversion}
              : vector<8x64xf32>
            scf.yield %c : vector<8x64xf32>
          } else {
            %neg = arith.negf %it : vector<8x64xf32>
            scf.yield %neg : vector<8x64xf32>
          }
          scf.yield %n : vector<8x64xf32>
        }
        )" + writeTo("%x", "%w") +
                     R"(
      } {part = "even"}
    }
)";
  PartKernel kernel(kernelText("%x: memref<8x64xf32>", body));
  NamedBarrier sync(4, 64);
  ASSERT_TRUE(succeeded(kernel.distribute("even", kernel.members(1, 2, sync))))
      << kernel.messages;
  SmallVector<Argument> arguments{input()};
  Values expected = arguments[0].values;
  for (int turn = 0; turn < 5; turn += 2)
    for (int64_t row = 0; row < 8; ++row) {
      double sum = 0;
      for (int64_t at = 0; at < 64; ++at) {
        double &value = expected[row * 64 + at];
        sum += value;
        value = -sum;
      }
    }
  EXPECT_EQ(kernel.run(arguments, workgroup, 0), expected);
}

// A branch with nothing in it, one that is not there, and a body that hands on
// what it takes.
TEST(Boundary, EmptyRegions) {
  std::string body = std::string(R"(
    %v = scf.execute_region -> vector<8x64xf32> {)") +
                     readRows + R"(
      scf.yield %a : vector<8x64xf32>
    } {part = "load", outputs = [#rows]}
    scf.if %isMember {
    } {part = "nothing"}
    %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%it = %v) -> (vector<8x64xf32>) {
      scf.yield %it : vector<8x64xf32>
    } {part = "pass", inputs = [#rows], outputs = [#rows]}
    scf.execute_region {
      )" + writeTo("%out", "%w") +
                     R"(
      scf.yield
    } {part = "store", inputs = [#rows]}
)";
  PartKernel kernel(
      kernelText("%x: memref<8x64xf32>, %out: memref<8x64xf32>", body));
  NamedBarrier sync(4, 64);
  DistributionOptions members = kernel.members(1, 2, sync);
  ASSERT_TRUE(succeeded(kernel.distribute("nothing", members, 1)));
  for (StringRef part : {"load", "nothing", "pass", "store"})
    ASSERT_TRUE(succeeded(kernel.distribute(part, members))) << kernel.messages;
  EXPECT_EQ(kernel.count("nvvm.barrier"), 0);
  SmallVector<Argument> arguments{input(), output()};
  EXPECT_EQ(kernel.run(arguments, workgroup, 1), arguments[0].values);
}

// The ids may be defined where the members are alone, and one before the other.
TEST(Boundary, IdsOfTheBranch) {
  std::string body = std::string(R"(
    %mine = arith.subi %sg, %c1 : index
    scf.execute_region {)") +
                     readRows + R"(
      %b = iree_vector_ext.to_layout %a to layout(#columns) {shared_memory_conversion}
        : vector<8x64xf32>
      )" + writeTo("%out", "%b") +
                     R"(
      scf.yield
    } {part = "copy"}
)";
  PartKernel kernel(
      kernelText("%x: memref<8x64xf32>, %out: memref<8x64xf32>", body));
  NamedBarrier sync(4, 64);
  DistributionOptions members = kernel.members(0, 2, sync);
  members.subgroupId = kernel.only<arith::SubIOp>();
  ASSERT_TRUE(succeeded(kernel.distribute("copy", members))) << kernel.messages;
  SmallVector<Argument> arguments{input(), output()};
  EXPECT_EQ(kernel.run(arguments, workgroup, 1), arguments[0].values);
}

// Constants from outside have no layout: each part builds what it needs of
// them, with its own ids.
TEST(Boundary, ConstantsFromOutsideAreBuiltInside) {
  std::string body = std::string(R"(
    %steps = vector.step : vector<64xindex>
    %v = scf.execute_region -> vector<8x64xf32> {
      scf.yield %table : vector<8x64xf32>
    } {part = "constant", outputs = [#columns]}
    scf.execute_region {)") +
                     readRows + R"(
      %b = iree_vector_ext.to_layout %a to layout(#columns) : vector<8x64xf32>
      %i = vector.broadcast %steps : vector<64xindex> to vector<8x64xindex>
      %k = arith.index_cast %i : vector<8x64xindex> to vector<8x64xi32>
      %f = arith.sitofp %k : vector<8x64xi32> to vector<8x64xf32>
      %s = arith.addf %b, %f : vector<8x64xf32>
      %t = arith.addf %s, %v : vector<8x64xf32>
      )" + writeTo("%out", "%t") +
                     R"(
      scf.yield
    } {part = "all", inputs = [#columns]}
)";
  std::string text =
      kernelText("%x: memref<8x64xf32>, %out: memref<8x64xf32>", body);
  // Numbers without a formula, defined before the ids are.
  Values table;
  std::string constant = "  %table = arith.constant dense<[";
  for (int64_t row = 0; row < 8; ++row) {
    constant += row == 0 ? "[" : ", [";
    for (int64_t at = 0; at < 64; ++at) {
      table.push_back((row * 64 + at) * 37 % 101);
      constant +=
          (at == 0 ? "" : ", ") + std::to_string(int(table.back())) + ".0";
    }
    constant += "]";
  }
  constant += "]> : vector<8x64xf32>\n";
  text.insert(text.find("  %sg ="), constant);
  PartKernel kernel(text);
  NamedBarrier sync(4, 64);
  DistributionOptions members = kernel.members(1, 2, sync);
  for (StringRef part : {"constant", "all"})
    ASSERT_TRUE(succeeded(kernel.distribute(part, members))) << kernel.messages;
  SmallVector<Argument> arguments{input(), output()};
  Values expected = arguments[0].values;
  for (size_t at = 0; at < expected.size(); ++at)
    expected[at] += double(at % 64) + table[at];
  EXPECT_EQ(kernel.run(arguments, workgroup, 1), expected);
}

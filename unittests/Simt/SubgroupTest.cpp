//===- SubgroupTest.cpp - Exchange between lanes --------------------------===//
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

Options lanesOfSubgroups(int64_t subgroup, int64_t workgroup) {
  Options options;
  options.subgroupSize = subgroup;
  options.workgroupSize = {workgroup, 1, 1};
  return options;
}

/// Every thread loads %v from %in, and stores %r to %out.
std::string kernelOfSubgroups(int64_t threads, StringRef type, StringRef body) {
  std::string memref =
      "memref<" + std::to_string(threads) + "x" + type.str() + ">";
  return "gpu.module @m { gpu.func @f(%in: " + memref + ", %out: " + memref +
         ") {\n" +
         "%id = gpu.thread_id x\n"
         "%v = memref.load %in[%id] : " +
         memref + "\n" + body.str() +
         "\nmemref.store %r, %out[%id] : " + memref + "\ngpu.return\n} }";
}

Values run(int64_t subgroup, StringRef type, StringRef body, const Values &in) {
  int64_t threads = in.size();
  Argument out = array(type.str(), {threads}, Values(threads, 0));
  return lastArgumentOf(kernelOfSubgroups(threads, type, body),
                        {array(type.str(), {threads}, in), out},
                        lanesOfSubgroups(subgroup, threads));
}

TEST(Subgroup, ShuffleModes) {
  Values in = {0, 10, 20, 30};
  std::string constants =
      "%o = arith.constant 1 : i32\n%w = arith.constant 4 : i32\n";
  auto mode = [&](std::string name) {
    return run(4, "i32",
               constants + "%s, %ok = gpu.shuffle " + name +
                   R"( %v, %o, %w : i32
      %m = arith.constant -1 : i32
      %r = arith.select %ok, %s, %m : i32)",
               in);
  };
  EXPECT_EQ(mode("xor"), (Values{10, 0, 30, 20}));
  EXPECT_EQ(mode("up"), (Values{-1, 0, 10, 20}));
  EXPECT_EQ(mode("down"), (Values{10, 20, 30, -1}));
  EXPECT_EQ(mode("idx"), (Values{10, 10, 10, 10}));
}

// Also not where the lane that they ask is below it.
TEST(Subgroup, LanesBeyondTheWidthTakeNoPart) {
  EXPECT_EQ(run(4, "i32", R"(%o = arith.constant 1 : i32
    %w = arith.constant 2 : i32
    %s, %ok = gpu.shuffle idx %v, %o, %w : i32
    %m = arith.constant -1 : i32
    %r = arith.select %ok, %s, %m : i32)",
                {0, 10, 20, 30}),
            (Values{10, 10, -1, -1}));
}

TEST(Subgroup, ShuffleStaysInItsSubgroup) {
  EXPECT_EQ(run(2, "i32", R"(%o = arith.constant 0 : i32
    %w = arith.constant 2 : i32
    %r, %ok = gpu.shuffle idx %v, %o, %w : i32)",
                {1, 2, 3, 4}),
            (Values{1, 1, 3, 3}));
}

TEST(Subgroup, ShuffleFromLaneDependentLane) {
  // Lane l reads lane 3 - l.
  EXPECT_EQ(run(4, "i32", R"(%w = arith.constant 4 : i32
    %c3 = arith.constant 3 : i32
    %l = arith.index_cast %id : index to i32
    %o = arith.subi %c3, %l : i32
    %r, %ok = gpu.shuffle idx %v, %o, %w : i32)",
                {1, 2, 3, 4}),
            (Values{4, 3, 2, 1}));
}

TEST(Subgroup, ShuffleReadsPoisonFromAnAbsentLane) {
  // Only lanes 0 and 1 are there; lane 0 asks lane 2.
  Values got = run(4, "f32", R"(%o = arith.constant 2 : i32
    %w = arith.constant 4 : i32
    %c2 = arith.constant 2 : index
    %few = arith.cmpi ult, %id, %c2 : index
    %r = scf.if %few -> f32 {
      %s, %ok = gpu.shuffle xor %v, %o, %w : f32
      scf.yield %s : f32
    } else {
      scf.yield %v : f32
    })",
                   {1, 2, 3, 4});
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]));
  EXPECT_EQ(got[2], 3);
}

TEST(Subgroup, ReduceWholeSubgroup) {
  EXPECT_EQ(run(4, "f32", "%r = gpu.subgroup_reduce add %v : (f32) -> f32",
                {1, 2, 3, 4, 10, 20, 30, 40}),
            (Values{10, 10, 10, 10, 100, 100, 100, 100}));
}

TEST(Subgroup, ReduceClusters) {
  EXPECT_EQ(
      run(8, "i32",
          "%r = gpu.subgroup_reduce maxsi %v cluster(size = 2) : (i32) -> i32",
          {1, 2, -3, -4, 5, 0, 7, 9}),
      (Values{2, 2, -3, -3, 5, 5, 9, 9}));
  EXPECT_EQ(run(8, "i32",
                "%r = gpu.subgroup_reduce add %v cluster(size = 2, stride = 4) "
                ": (i32) -> i32",
                {1, 2, 3, 4, 10, 20, 30, 40}),
            (Values{11, 22, 33, 44, 11, 22, 33, 44}));
  EXPECT_EQ(run(8, "i32",
                "%r = gpu.subgroup_reduce add %v cluster(size = 2, stride = 2) "
                ": (i32) -> i32",
                {1, 2, 3, 4, 10, 20, 30, 40}),
            (Values{4, 6, 4, 6, 40, 60, 40, 60}));
}

TEST(Subgroup, ReduceSubgroupsOfAnySize) {
  EXPECT_EQ(run(6, "i32", "%r = gpu.subgroup_reduce add %v : (i32) -> i32",
                {1, 2, 3, 4, 5, 6}),
            (Values(6, 21)));
  // The second subgroup has only two lanes.
  EXPECT_EQ(run(4, "i32", "%r = gpu.subgroup_reduce add %v : (i32) -> i32",
                {1, 2, 3, 4, 5, 6}),
            (Values{10, 10, 10, 10, 11, 11}));
}

TEST(Subgroup, ReduceKinds) {
  auto reduce = [&](std::string kind, std::string type, Values in) {
    return run(4, type,
               "%r = gpu.subgroup_reduce " + kind + " %v : (" + type + ") -> " +
                   type,
               in)[0];
  };
  double nan = std::nan("");
  EXPECT_EQ(reduce("mul", "i32", {1, 2, 3, 4}), 24);
  EXPECT_EQ(reduce("minsi", "i8", {-1, 2, 3, 4}), -1);
  EXPECT_EQ(reduce("minui", "i8", {-1, 2, 3, 4}), 2);
  EXPECT_EQ(reduce("maxui", "i8", {-1, 2, 3, 4}), -1);
  EXPECT_EQ(reduce("and", "i32", {7, 6, 14, 6}), 6);
  EXPECT_EQ(reduce("or", "i32", {1, 2, 8, 0}), 11);
  EXPECT_EQ(reduce("xor", "i32", {1, 3, 8, 8}), 2);
  EXPECT_EQ(reduce("minnumf", "f32", {nan, 2, 3, 4}), 2);
  EXPECT_TRUE(std::isnan(reduce("minimumf", "f32", {nan, 2, 3, 4})));
  EXPECT_EQ(reduce("maxnumf", "f16", {nan, 2, 3, 4}), 4);
  EXPECT_EQ(reduce("maximumf", "bf16", {1, 2, 3, 4}), 4);
}

TEST(Subgroup, ReductionsCountTheirRounds) {
  Values in(32, 1);
  Argument out = array("f32", {32}, in);
  Ending outcome =
      execute(kernelOfSubgroups(
                  32, "f32", "%r = gpu.subgroup_reduce add %v : (f32) -> f32"),
              {out, out}, lanesOfSubgroups(32, 32));
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.counters.shuffles, 5);
  EXPECT_EQ(outcome.counters.globalRequests, 2);
  EXPECT_EQ(outcome.counters.sectors, 8);
  EXPECT_EQ(outcome.counters.globalBytesRead, 128);
}

TEST(Subgroup, Ids) {
  std::string source = R"(
    gpu.module @m { gpu.func @f(%out: memref<3x12xi32>) {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %bx = gpu.block_dim x
      %l = gpu.lane_id
      %s = gpu.subgroup_id : index
      %w = gpu.subgroup_size : index
      %row = arith.muli %y, %bx : index
      %t = arith.addi %row, %x : index
      %base = arith.muli %s, %w : index
      %t2 = arith.addi %base, %l : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %a = arith.index_cast %t2 : index to i32
      %b = arith.index_cast %s : index to i32
      %c = arith.index_cast %y : index to i32
      memref.store %a, %out[%c0, %t] : memref<3x12xi32>
      memref.store %b, %out[%c1, %t] : memref<3x12xi32>
      memref.store %c, %out[%c2, %t] : memref<3x12xi32>
      gpu.return
    } })";
  Options options = lanesOfSubgroups(4, 6);
  options.workgroupSize = {6, 2, 1};
  EXPECT_EQ(
      lastArgumentOf(source, {array("i32", {3, 12}, Values(36, 0))}, options),
      (Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 1, 1,
              1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0,  0,  1, 1, 1, 1, 1, 1}));
}

} // namespace

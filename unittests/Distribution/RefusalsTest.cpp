//===- RefusalsTest.cpp - Parts that cannot be distributed ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Parts.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::part_test;

static std::string kernelText(StringRef body) {
  return layout1("a", 2, 1, 32, 1) + layout1("b", 2, 1, 16, 2) + R"(
func.func @f(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %sg = gpu.subgroup_id : index
  %lane = gpu.lane_id
  %held = arith.constant dense<0.0> : vector<1x1x1xf32>
  %wide = arith.constant dense<0.0> : vector<4xf32>
  %v = iree_vector_ext.to_simd %held : vector<1x1x1xf32> -> vector<64xf32>
)" + body.str() +
         R"(
  return
}
)";
}

/// The diagnostics for the part named `part`, of members with a barrier of
/// their own.
static std::string refusalOf(StringRef body, bool hasOwnMemory = false) {
  PartKernel kernel(kernelText(body));
  NamedBarrier sync(1, 64);
  DistributionOptions options = kernel.members(0, 2, sync);
  if (hasOwnMemory)
    options.allocate = [](OpBuilder &, Location, int64_t) -> Value {
      ADD_FAILURE() << "nothing is exchanged";
      return {};
    };
  EXPECT_TRUE(failed(kernel.distribute("part", options)));
  return kernel.messages;
}

static void expectRefusal(const std::string &messages, StringRef expected) {
  EXPECT_TRUE(StringRef(messages).contains(expected)) << messages;
}

TEST(Refusals, AVectorFromOutsideWithoutALayout) {
  expectRefusal(refusalOf(R"(
  scf.execute_region {
    vector.transfer_write %v, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    scf.yield
  } {part = "part"})"),
                "'vector.transfer_write' op operand #0 is a vector from "
                "outside of the region, for which no layout is given");
}

TEST(Refusals, AnArgumentWithoutALayout) {
  expectRefusal(refusalOf(R"(
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%it = %v) -> (vector<64xf32>) {
    scf.yield %it : vector<64xf32>
  } {part = "part", outputs = [#a]})"),
                "argument #1 of the region is a vector, for which no layout "
                "is given");
}

TEST(Refusals, AVectorThatLeavesWithoutALayout) {
  expectRefusal(refusalOf(R"(
  %r = scf.execute_region -> vector<64xf32> {
    %e = arith.negf %v : vector<64xf32>
    scf.yield %e : vector<64xf32>
  } {part = "part", inputs = [#a]})"),
                "'scf.yield' op operand #0 is a vector that leaves the region, "
                "for which no layout is given");
}

TEST(Refusals, AnInputThatIsNotWhatTheCodeAsksFor) {
  std::string messages = refusalOf(R"(
  scf.execute_region {
    %r = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %l = iree_vector_ext.to_layout %r to layout(#b) : vector<64xf32>
    %e = arith.addf %l, %v : vector<64xf32>
    vector.transfer_write %e, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    scf.yield
  } {part = "part", inputs = [#a]})");
  expectRefusal(messages, "'arith.addf' op");
  expectRefusal(messages, "(DG1)");
  expectRefusal(messages, "is given for this value");
  expectRefusal(messages, "comes from this 'iree_vector_ext.to_layout'");
}

TEST(Refusals, AnOutputThatIsNotWhatLeaves) {
  std::string messages = refusalOf(R"(
  %r = scf.execute_region -> vector<64xf32> {
    %e = arith.negf %v : vector<64xf32>
    scf.yield %e : vector<64xf32>
  } {part = "part", inputs = [#a], outputs = [#b]})");
  expectRefusal(messages, "'scf.yield' op hands on a value laid out as ");
  expectRefusal(messages, "which must leave laid out as ");
  expectRefusal(messages, "is given for this value");
}

// What is asked for at the end spreads backwards like an anchor.
TEST(Refusals, AnOutputThatContradictsWhatItIsMadeOf) {
  std::string messages = refusalOf(R"(
  %r:2 = scf.execute_region -> (vector<64xf32>, vector<64xf32>) {
    %p = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %e = arith.negf %p : vector<64xf32>
    scf.yield %e, %p : vector<64xf32>, vector<64xf32>
  } {part = "part", outputs = [#a, #b]})");
  expectRefusal(messages, "is asked for by those who take what leaves here");
}

TEST(Refusals, AViewOfSomethingElse) {
  expectRefusal(refusalOf(R"(
  %w = iree_vector_ext.to_simd %wide : vector<4xf32> -> vector<64xf32>
  scf.execute_region {
    vector.transfer_write %w, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    scf.yield
  } {part = "part", inputs = [#a]})"),
                "is a view of 'vector<4xf32>', but by its layout a lane holds "
                "'vector<1x1x1xf32>'");
}

TEST(Refusals, AVectorThatNobodyHasDistributed) {
  expectRefusal(refusalOf(R"(
  %r = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  scf.execute_region {
    vector.transfer_write %r, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    scf.yield
  } {part = "part", inputs = [#a]})"),
                "vector from outside is no view (iree_vector_ext.to_simd) of "
                "what a lane holds, 'vector<1x1x1xf32>'");
}

TEST(Refusals, ALayoutOfAnotherShape) {
  expectRefusal(refusalOf(R"(
  %w = iree_vector_ext.to_simd %wide : vector<4xf32> -> vector<128xf32>
  scf.execute_region {
    %e = arith.negf %w : vector<128xf32>
    scf.yield
  } {part = "part", inputs = [#a]})"),
                "has extent 128, its layout covers 64");
}

TEST(Refusals, ABarrierOfTheWholeWorkgroup) {
  expectRefusal(refusalOf(R"(
  scf.execute_region {
    gpu.barrier
    scf.yield
  } {part = "part"})"),
                "'gpu.barrier' op synchronizes the whole workgroup, but only a "
                "subset executes this region; hoist it out of the region");
}

TEST(Refusals, AnAllocationOfAllWhoRunTheCode) {
  expectRefusal(refusalOf(R"(
  scf.execute_region {
    %m = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %z, %m[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    scf.yield
  } {part = "part"})",
                          /*hasOwnMemory=*/true),
                "'memref.alloc' op is one buffer for all who run this code at "
                "the same time, each on a tile of its own; allocate it "
                "outside, and take a part of it");
}

TEST(Refusals, AnExchangeInLessMemoryThanItTakes) {
  PartKernel kernel(kernelText(R"(
  scf.execute_region {
    %l = iree_vector_ext.to_layout %v to layout(#b) {shared_memory_conversion}
      : vector<64xf32>
    vector.transfer_write %l, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    scf.yield
  } {part = "part", inputs = [#a]})"));
  NamedBarrier sync(1, 64);
  DistributionOptions options = kernel.members(0, 2, sync);
  options.allocate = [](OpBuilder &, Location, int64_t) -> Value {
    ADD_FAILURE() << "it has been refused";
    return {};
  };
  options.sharedMemoryBytes = 12;
  EXPECT_TRUE(failed(kernel.distribute("part", options)));
  expectRefusal(kernel.messages,
                "'iree_vector_ext.to_layout' op needs 16 bytes of workgroup "
                "memory at least to exchange data, and those who run it are "
                "given 12 (DG7); make the kernel's own buffers smaller, or lay "
                "the data out over one subgroup");
}

TEST(Refusals, SeveralBlocks) {
  expectRefusal(refusalOf(R"(
  scf.execute_region {
    cf.br ^next
  ^next:
    scf.yield
  } {part = "part"})"),
                "'scf.execute_region' op has several blocks; a part of a "
                "kernel is distributed in structured control flow only");
}

TEST(Refusals, ALayoutOfAScalar) {
  expectRefusal(refusalOf(R"(
  %r = scf.execute_region -> f32 {
    %e = arith.negf %z : f32
    scf.yield %e : f32
  } {part = "part", outputs = [#a]})"),
                "layout given for a value of type 'f32', which is no vector");
}

TEST(Refusals, MoreLayoutsThanValuesThatLeave) {
  expectRefusal(refusalOf(R"(
  %r = scf.execute_region -> vector<64xf32> {
    %e = arith.negf %v : vector<64xf32>
    scf.yield %e : vector<64xf32>
  } {part = "part", inputs = [#a], outputs = [#a, #a]})"),
                "'scf.yield' op hands on 1 values, layouts are given for 2");
}

// The members are 64 lanes: a layout over 121 is for others.
TEST(Refusals, LayoutsOfMoreThanTheMembers) {
  std::string wide =
      "#wide = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile "
      "= [1], outer_tile = [1], thread_tile = [16], element_tile = [4], "
      "subgroup_strides = [0], thread_strides = [8]>\n";
  auto refusal = [&](StringRef body) {
    PartKernel kernel(wide + kernelText(body));
    NamedBarrier sync(1, 64);
    EXPECT_TRUE(failed(kernel.distribute("part", kernel.members(0, 2, sync))));
    return kernel.messages;
  };
  StringRef why = "layout needs";
  std::string taken = refusal(R"(
  scf.execute_region {
    vector.transfer_write %v, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    scf.yield
  } {part = "part", inputs = [#wide]})");
  expectRefusal(taken, "cannot be taken as distributed: ");
  expectRefusal(taken, why);
  std::string given = refusal(R"(
  %r = scf.execute_region -> vector<64xf32> {
    %p = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    scf.yield %p : vector<64xf32>
  } {part = "part", outputs = [#wide]})");
  expectRefusal(given, "'scf.yield' op operand #0 cannot be handed on: ");
  expectRefusal(given, why);
}

// The members' own barrier may stand in the code.
TEST(Refusals, TheMembersBarrierIsNone) {
  PartKernel kernel(kernelText(R"(
  %one = arith.constant 1 : i32
  scf.execute_region {
    nvvm.barrier id = %one
    scf.yield
  } {part = "part"})"));
  NamedBarrier sync(1, 64);
  EXPECT_TRUE(succeeded(kernel.distribute("part", kernel.members(0, 2, sync))))
      << kernel.messages;
}

TEST(MemberSync, TheBarrierOfAWorkgroupHasNoHalves) {
  PartKernel kernel(kernelText(""));
  OpBuilder b = kernel.behindIds();
  Location loc = b.getUnknownLoc();
  WorkgroupSync sync;
  EXPECT_TRUE(failed(sync.arrive(b, loc)));
  EXPECT_TRUE(failed(sync.fence(b, loc)));
  EXPECT_EQ(kernel.count("gpu.barrier"), 0);
  sync.wait(b, loc);
  ASSERT_EQ(kernel.count("gpu.barrier"), 1);
  EXPECT_TRUE(sync.isWait(kernel.only<gpu::BarrierOp>()));
}

TEST(MemberSync, ANamedBarrierHasBothHalvesAndAFence) {
  PartKernel kernel(kernelText(""));
  OpBuilder b = kernel.behindIds();
  Location loc = b.getUnknownLoc();
  NamedBarrier sync(3, 64);
  EXPECT_TRUE(succeeded(sync.arrive(b, loc)));
  EXPECT_TRUE(succeeded(sync.fence(b, loc)));
  EXPECT_EQ(kernel.count("nvvm.barrier.arrive"), 1);
  EXPECT_EQ(kernel.count("nvvm.memory.barrier"), 1);
  EXPECT_EQ(kernel.count("nvvm.barrier"), 0);
}

//===- ControlFlowTest.cpp - Divergence and reconvergence -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of one 8-lane subgroup whose lanes go different ways. The shuffle
// that follows tells whether they met again: it reads poison from an absent
// lane.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

Options lanesOfBranches(int64_t subgroup, int64_t workgroup,
                        uint64_t schedule = 0) {
  Options options;
  options.subgroupSize = subgroup;
  options.workgroupSize = {workgroup, 1, 1};
  options.schedule = schedule;
  return options;
}

/// A kernel whose body computes %r : i32 from %lane : i32 and its id %id.
std::string kernelOfBranches(StringRef body) {
  return (R"(
    gpu.module @m { gpu.func @f(%out: memref<8xi32>) {
      %id = gpu.thread_id x
      %lane = arith.index_cast %id : index to i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c8 = arith.constant 8 : i32
      %i0 = arith.constant 0 : index
      %i1 = arith.constant 1 : index
)" + body +
          R"(
      memref.store %r, %out[%id] : memref<8xi32>
      gpu.return
    } })")
      .str();
}

void expectLanes(StringRef body, const Values &expected) {
  Argument out = array("i32", {8}, Values(8, 0));
  for (uint64_t schedule = 0; schedule < 4; ++schedule)
    EXPECT_EQ(lastArgumentOf(kernelOfBranches(body), {out},
                             lanesOfBranches(8, 8, schedule)),
              expected)
        << "schedule " << schedule;
}

TEST(ControlFlow, IfElseMergesResults) {
  expectLanes(R"(
    %bit = arith.andi %lane, %c1 : i32
    %odd = arith.cmpi eq, %bit, %c1 : i32
    %r = scf.if %odd -> i32 {
      %a = arith.muli %lane, %c2 : i32
      scf.yield %a : i32
    } else {
      %b = arith.subi %c0, %lane : i32
      scf.yield %b : i32
    })",
              {0, 2, -2, 6, -4, 10, -6, 14});
}

TEST(ControlFlow, NestedIfsReconverge) {
  expectLanes(R"(
    %low = arith.cmpi slt, %lane, %c3 : i32
    %v = scf.if %low -> i32 {
      %zero = arith.cmpi eq, %lane, %c0 : i32
      %in = scf.if %zero -> i32 {
        %x = arith.constant 100 : i32
        scf.yield %x : i32
      } else {
        %y = arith.constant 200 : i32
        scf.yield %y : i32
      }
      %w = arith.addi %in, %lane : i32
      scf.yield %w : i32
    } else {
      scf.yield %lane : i32
    }
    %r, %ok = gpu.shuffle xor %v, %c1, %c8 : i32)",
              {201, 100, 3, 202, 5, 4, 7, 6});
}

TEST(ControlFlow, LoopsEndWhenEachLaneIsDone) {
  // Lane l sums 0 + 1 + ... + (l - 1).
  expectLanes(R"(
    %r = scf.for %i = %i0 to %id step %i1 iter_args(%sum = %c0) -> (i32) {
      %n = arith.index_cast %i : index to i32
      %s = arith.addi %sum, %n : i32
      scf.yield %s : i32
    })",
              {0, 0, 1, 3, 6, 10, 15, 21});
}

TEST(ControlFlow, NestedLoopsWithDifferentTripCounts) {
  // Lane l counts pairs j <= i < l.
  expectLanes(R"(
    %v = scf.for %i = %i0 to %id step %i1 iter_args(%a = %c0) -> (i32) {
      %end = arith.addi %i, %i1 : index
      %b = scf.for %j = %i0 to %end step %i1 iter_args(%c = %a) -> (i32) {
        %d = arith.addi %c, %c1 : i32
        scf.yield %d : i32
      }
      scf.yield %b : i32
    }
    %r, %ok = gpu.shuffle idx %v, %c3, %c8 : i32)",
              Values(8, 6));
}

TEST(ControlFlow, LoopCarriedValuesSwap) {
  expectLanes(R"(
    %f:2 = scf.for %i = %i0 to %id step %i1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) {
      scf.yield %b, %a : i32, i32
    }
    %r = arith.addi %f#0, %c0 : i32)",
              {0, 1, 0, 1, 0, 1, 0, 1});
}

TEST(ControlFlow, LoopCarriedValuesShift) {
  // (a, b) -> (b, a + b): Fibonacci numbers, lane l after l steps.
  expectLanes(R"(
    %f:2 = scf.for %i = %i0 to %id step %i1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) {
      %s = arith.addi %a, %b : i32
      scf.yield %b, %s : i32, i32
    }
    %r = arith.addi %f#0, %c0 : i32)",
              {0, 1, 1, 2, 3, 5, 8, 13});
}

TEST(ControlFlow, WhileLoops) {
  // Steps of the Collatz iteration from lane + 1 to 1.
  expectLanes(R"(
    %n0 = arith.addi %lane, %c1 : i32
    %w:2 = scf.while (%n = %n0, %k = %c0) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %n, %c1 : i32
      scf.condition(%more) %n, %k : i32, i32
    } do {
    ^bb0(%n: i32, %k: i32):
      %half = arith.shrsi %n, %c1 : i32
      %three = arith.muli %n, %c3 : i32
      %up = arith.addi %three, %c1 : i32
      %bit = arith.andi %n, %c1 : i32
      %odd = arith.cmpi eq, %bit, %c1 : i32
      %next = arith.select %odd, %up, %half : i32
      %more = arith.addi %k, %c1 : i32
      scf.yield %next, %more : i32, i32
    }
    %r = arith.addi %w#1, %c0 : i32)",
              {0, 1, 7, 2, 5, 8, 16, 3});
}

TEST(ControlFlow, SwitchSendsLanesToManySides) {
  expectLanes(R"(
    %bits = arith.andi %lane, %c3 : i32
    %sel = arith.index_cast %bits : i32 to index
    %v = scf.index_switch %sel -> i32
    case 0 {
      %x = arith.constant 10 : i32
      scf.yield %x : i32
    }
    case 2 {
      %y = arith.addi %lane, %c8 : i32
      scf.yield %y : i32
    }
    default {
      scf.yield %c1 : i32
    }
    %r, %ok = gpu.shuffle xor %v, %c2, %c8 : i32)",
              {10, 1, 10, 1, 14, 1, 10, 1});
}

TEST(ControlFlow, UnstructuredLoopWithTwoExits) {
  // Lanes leave at different places and times, and meet in ^end.
  std::string source = R"(
    gpu.module @m { gpu.func @f(%out: memref<8xi32>) {
      %id = gpu.thread_id x
      %lane = arith.index_cast %id : index to i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      %c8 = arith.constant 8 : i32
      cf.br ^head(%c0 : i32)
    ^head(%i: i32):
      %done = arith.cmpi eq, %i, %lane : i32
      cf.cond_br %done, ^end(%i : i32), ^body
    ^body:
      %n = arith.addi %i, %c1 : i32
      %late = arith.cmpi sgt, %n, %c4 : i32
      cf.cond_br %late, ^far, ^head(%n : i32)
    ^far:
      %h = arith.constant 100 : i32
      %sum = arith.addi %n, %h : i32
      cf.br ^end(%sum : i32)
    ^end(%v: i32):
      %r, %ok = gpu.shuffle xor %v, %c1, %c8 : i32
      memref.store %r, %out[%id] : memref<8xi32>
      gpu.return
    } })";
  Argument out = array("i32", {8}, Values(8, 0));
  for (uint64_t schedule = 0; schedule < 4; ++schedule)
    EXPECT_EQ(lastArgumentOf(source, {out}, lanesOfBranches(8, 8, schedule)),
              (Values{1, 0, 3, 2, 105, 4, 105, 105}));
}

TEST(ControlFlow, EarlyReturnOfSomeLanes) {
  std::string source = R"(
    gpu.module @m { gpu.func @f(%out: memref<8xi32>) {
      %id = gpu.thread_id x
      %lane = arith.index_cast %id : index to i32
      %c3 = arith.constant 3 : i32
      %few = arith.cmpi slt, %lane, %c3 : i32
      cf.cond_br %few, ^work, ^leave
    ^work:
      memref.store %lane, %out[%id] : memref<8xi32>
      gpu.return
    ^leave:
      gpu.return
    } })";
  Argument out = array("i32", {8}, Values(8, -1));
  EXPECT_EQ(lastArgumentOf(source, {out}, lanesOfBranches(8, 8)),
            (Values{0, 1, 2, -1, -1, -1, -1, -1}));
}

TEST(ControlFlow, ConditionalSwitchOfCf) {
  std::string source = R"(
    gpu.module @m { gpu.func @f(%out: memref<8xi32>) {
      %id = gpu.thread_id x
      %lane = arith.index_cast %id : index to i32
      %c0 = arith.constant 0 : i32
      cf.switch %lane : i32, [
        default: ^end(%c0 : i32),
        2: ^two,
        5: ^end(%lane : i32)
      ]
    ^two:
      %c22 = arith.constant 22 : i32
      cf.br ^end(%c22 : i32)
    ^end(%v: i32):
      memref.store %v, %out[%id] : memref<8xi32>
      gpu.return
    } })";
  Argument out = array("i32", {8}, Values(8, 0));
  EXPECT_EQ(lastArgumentOf(source, {out}, lanesOfBranches(8, 8)),
            (Values{0, 0, 22, 0, 0, 5, 0, 0}));
}

TEST(ControlFlow, ForallRunsOnItsBlocks) {
  // Iterations 1, 3, 5 are workgroups 0, 1, 2.
  std::string source = R"(
    func.func @f(%out: memref<6xi32>) {
      %v = arith.constant 7 : i32
      scf.forall (%i) = (1) to (6) step (2) {
        memref.store %v, %out[%i] : memref<6xi32>
      } {mapping = [#gpu.block<x>]}
      return
    })";
  EXPECT_EQ(lastArgumentOf(source, {array("i32", {6}, Values(6, 0))}),
            (Values{0, 7, 0, 7, 0, 7}));
}

TEST(ControlFlow, ParallelLoopsReduce) {
  std::string source = R"(
    func.func @f() -> i32 {
      %i0 = arith.constant 0 : index
      %i1 = arith.constant 1 : index
      %i3 = arith.constant 3 : index
      %i4 = arith.constant 4 : index
      %init = arith.constant 100 : i32
      %r = scf.parallel (%i, %j) = (%i0, %i0) to (%i3, %i4) step (%i1, %i1) init (%init) -> i32 {
        %p = arith.muli %i, %j : index
        %v = arith.index_cast %p : index to i32
        scf.reduce(%v : i32) {
        ^bb0(%a: i32, %b: i32):
          %s = arith.addi %a, %b : i32
          scf.reduce.return %s : i32
        }
      }
      return %r : i32
    })";
  EXPECT_EQ(valuesOf(source, {}), (Values{118}));
}

TEST(ControlFlow, ExecuteRegionHasBlocks) {
  std::string source = R"(
    func.func @f(%x: i32) -> i32 {
      %c0 = arith.constant 0 : i32
      %r = scf.execute_region -> i32 {
        %neg = arith.cmpi slt, %x, %c0 : i32
        cf.cond_br %neg, ^minus, ^plus
      ^minus:
        %m = arith.subi %c0, %x : i32
        scf.yield %m : i32
      ^plus:
        scf.yield %x : i32
      }
      return %r : i32
    })";
  EXPECT_EQ(valuesOf(source, {array("i32", {}, {-5})}), (Values{5}));
  EXPECT_EQ(valuesOf(source, {array("i32", {}, {6})}), (Values{6}));
}

} // namespace

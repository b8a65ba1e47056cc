//===- PcfWorkersTest.cpp - Workers of a scope, each for itself -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four subgroups of 8 lanes. Workers have their own ids, run at the same time,
// and know of each other what barriers and fences tell them.
//
//===----------------------------------------------------------------------===//
#include "PcfKernel.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// A function over a tensor of so many integers, whose result %r is.
std::string over(int64_t count, std::string body) {
  std::string type = "tensor<" + std::to_string(count) + "xi32>";
  return pcfAliases + "func.func @f(%init: " + type + ", %n: index) -> " +
         type + " {\n" + R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
)" + body +
         "\nreturn %r : " + type + "\n}\n";
}

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

TEST(PcfWorkers, SubgroupsWriteTheirParts) {
  Argument init = integers(6);
  Values expected = init.values;
  for (int64_t w = 0; w < 4; ++w)
    expected[w] = double(10 * w + 4);
  EXPECT_EQ(valuesOfFour(over(6, R"(
    %r = pcf.generic scope(#sg) execute(%o = %init)[%w: index, %z: index, %nw: index, %one: index]
      : (!pcf.sref<6xi32, sync(#sg)>) -> (tensor<6xi32>) {
      %c10 = arith.constant 10 : index
      %t = arith.muli %w, %c10 : index
      %s = arith.addi %t, %nw : index
      %s2 = arith.muli %s, %one : index
      %v = arith.index_cast %s2 : index to i32
      %e = vector.broadcast %v : i32 to !I
      %at = arith.addi %w, %z : index
      pcf.write_slice %e into %o[%at] [1] [1] : !I into !pcf.sref<6xi32, sync(#sg)>
      pcf.return
    })"),
                         init),
            expected);
}

/// Lanes inside subgroups, with tensors or without.
std::string lanes(std::string type) {
  return over(32, R"(
    %r = pcf.generic scope(#sg) execute(%o = %init)[%w: index, %nw: index]
      : (!pcf.sref<32xi32, sync(#sg)>) -> (tensor<32xi32>) {
      pcf.generic scope(#ln) execute[%l: index, %nl: index] {
        %first = arith.muli %w, %nl : index
        %at = arith.addi %first, %l : index
        %old = pcf.read_slice %o[%at] [1] [1] : !pcf.sref<32xi32, sync(#sg)> to )" +
                      type + R"(
        %new = arith.addi %old, %old : )" +
                      type + R"(
        pcf.write_slice %new into %o[%at] [1] [1] : )" +
                      type + R"( into !pcf.sref<32xi32, sync(#sg)>
        pcf.return
      }
      pcf.return
    })");
}

TEST(PcfWorkers, LanesOfEverySubgroupRunTheirCode) {
  Argument init = integers(32);
  Values expected = init.values;
  for (double &value : expected)
    value *= 2;
  EXPECT_EQ(valuesOfFour(lanes("vector<1xi32>"), init), expected);
  EXPECT_EQ(valuesOfFour(lanes("tensor<1xi32>"), init), expected);
}

TEST(PcfWorkers, LanesWithoutTensorsMayExchangeValues) {
  Argument init = integers(8);
  Values expected;
  for (int64_t l = 0; l < 8; ++l)
    expected.push_back(init.values[l ^ 1]);
  Options one = launch(8, 32);
  one.workgroupSize = {8, 1, 1};
  EXPECT_EQ(valuesOf(over(8, R"(
    %r = pcf.generic scope(#ln) execute(%o = %init)[%l: index, %nl: index]
      : (!pcf.sref<8xi32, sync(#ln)>) -> (tensor<8xi32>) {
      %one = arith.constant 1 : i32
      %width = arith.constant 8 : i32
      %own = pcf.read_slice %o[%l] [1] [1] : !pcf.sref<8xi32, sync(#ln)> to !I
      %x = vector.extract %own[0] : i32 from !I
      %y, %valid = gpu.shuffle xor %x, %one, %width : i32
      %e = vector.broadcast %y : i32 to !I
      pcf.write_slice %e into %o[%l] [1] [1] : !I into !pcf.sref<8xi32, sync(#ln)>
      pcf.return
    })"),
                     {init, index(0)}, one),
            expected);
}

TEST(PcfWorkers, LanesMayLeaveOneByOne) {
  Argument init = integers(8);
  Values expected = init.values;
  for (int64_t l = 3; l < 8; ++l)
    expected[l] = 5;
  Options one = launch(8, 32);
  one.workgroupSize = {8, 1, 1};
  EXPECT_EQ(valuesOf(over(8, R"(
    %r = pcf.generic scope(#ln) execute(%o = %init)[%l: index, %nl: index]
      : (!pcf.sref<8xi32, sync(#ln)>) -> (tensor<8xi32>) {
      %five = arith.constant dense<5> : !I
      %leaves = arith.cmpi ult, %l, %c3 : index
      pcf.br.cond_return %leaves ^go
    ^go:
      pcf.write_slice %five into %o[%l] [1] [1] : !I into !pcf.sref<8xi32, sync(#ln)>
      pcf.return
    })"),
                     {init, index(0)}, one),
            expected);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Doubles the first n elements, an iteration each.
std::string doubling(std::string scope) {
  return over(40, R"(
    %r = pcf.loop scope(SCOPE) count(%n, %c2) execute(%o = %init)[%i: index, %j: index]
      : (!pcf.sref<40xi32, sync(SCOPE)>) -> (tensor<40xi32>) {
      %row = arith.muli %j, %n : index
      %at = arith.addi %row, %i : index
      %old = pcf.read_slice %o[%at] [1] [1] : !pcf.sref<40xi32, sync(SCOPE)> to !I
      %new = arith.addi %old, %old : !I
      pcf.write_slice %new into %o[%at] [1] [1] : !I into !pcf.sref<40xi32, sync(SCOPE)>
      pcf.return
    })");
}

std::string withScope(std::string text, std::string scope) {
  for (size_t at; (at = text.find("SCOPE")) != std::string::npos;)
    text.replace(at, 5, scope);
  return text;
}

TEST(PcfWorkers, EveryIterationRunsOnceOnSomeWorker) {
  for (std::string scope : {"#seq", "#sg", "#wg", "#wgl"})
    for (int64_t n : {0, 1, 2, 7, 20}) {
      Argument init = integers(40);
      Values expected = init.values;
      for (int64_t i = 0; i < 2 * n; ++i)
        expected[i] *= 2;
      EXPECT_EQ(valuesOfFour(withScope(doubling(scope), scope), init, n),
                expected)
          << scope << " " << n;
    }
}

// Whether they are run by one worker or by two.
TEST(PcfWorkers, IterationsAreNotOrdered) {
  std::string text = over(40, R"(
    %r = pcf.loop scope(SCOPE) count(%n) execute(%o = %init)[%i: index]
      : (!pcf.sref<40xi32, sync(SCOPE)>) -> (tensor<40xi32>) {
      %b = arith.remui %i, %c8 : index
      %old = pcf.read_slice %o[%b] [1] [1] : !pcf.sref<40xi32, sync(SCOPE)> to !I
      %new = arith.addi %old, %old : !I
      pcf.write_slice %new into %o[%b] [1] [1] : !I into !pcf.sref<40xi32, sync(SCOPE)>
      pcf.return
    })");
  for (std::string scope : {"#sg", "#wgl"}) {
    EXPECT_EQ(faultOfFour(withScope(text, scope), integers(40), 8), "")
        << scope;
    EXPECT_EQ(faultOfFour(withScope(text, scope), integers(40), 9), "race")
        << scope;
  }
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

// PCF-9, PCF-11: ids and counts of a grid of 2x3x1.
TEST(PcfWorkers, WorkgroupsHaveTheIdsOfTheGrid) {
  auto source = [](std::string scope, std::string ids, std::string number) {
    return withScope(
        pcfAliases + R"(
      func.func @f__grid() -> (index, index, index) attributes {host} {
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        return %c2, %c3, %c1 : index, index, index
      }
      func.func @f(%init: tensor<8xi32>) -> tensor<8xi32> {
        %r = pcf.generic scope(SCOPE) execute(%o = %init)[)" +
            ids + R"(] : (!pcf.sref<8xi32, sync(SCOPE)>) -> (tensor<8xi32>) {
          )" +
            number + R"(
          %v = arith.index_cast %at : index to i32
          %e = vector.broadcast %v : i32 to !I
          pcf.write_slice %e into %o[%at] [1] [1] : !I into !pcf.sref<8xi32, sync(SCOPE)>
          pcf.return
        }
        return %r : tensor<8xi32>
      })",
        scope);
  };
  Argument init = integers(8);
  Values expected = {0, 1, 2, 3, 4, 5, init.values[6], init.values[7]};
  EXPECT_EQ(valuesOf(source("#wgl", "%at: index, %n: index", ""), {init},
                     launch(8, 32)),
            expected);
  EXPECT_EQ(valuesOf(source("#wg", "%at: index, %n: index", ""), {init},
                     launch(8, 32)),
            expected);
  EXPECT_EQ(
      valuesOf(source("#wg", "%x: index, %yz: index, %nx: index, %nyz: index",
                      "%t = arith.muli %yz, %nx : index\n"
                      "%at = arith.addi %t, %x : index"),
               {init}, launch(8, 32)),
      expected);
}

// Memory that a workgroup allocates is its own, in every iteration.
TEST(PcfWorkers, SubgroupsOfEveryWorkgroupShareItsMemory) {
  Argument init = integers(40);
  Values expected = init.values;
  for (int64_t i = 0; i < 10; ++i)
    for (int64_t w = 0; w < 4; ++w)
      expected[4 * i + w] = double(100 * i + (3 - w));
  std::string text = over(40, R"(
    %r = pcf.loop scope(#wgl) count(%n) execute(%o = %init)[%i: index]
      : (!pcf.sref<40xi32, sync(#wgl)>) -> (tensor<40xi32>) {
      pcf.generic scope(#sg)
        initialize { %a = pcf.alloc() : !pcf.sref<4xi32, #sg>  pcf.yield %a : !pcf.sref<4xi32, #sg> } -> (%a: !pcf.sref<4xi32, #sg>)
        execute[%w: index, %nw: index] {
        %c100 = arith.constant 100 : index
        %h = arith.muli %i, %c100 : index
        %x = arith.addi %h, %w : index
        %v = arith.index_cast %x : index to i32
        %e = vector.broadcast %v : i32 to !I
        pcf.write_slice %e into %a[%w] [1] [1] : !I into !pcf.sref<4xi32, #sg>
        BARRIER
        %other = arith.subi %c3, %w : index
        %y = pcf.read_slice %a[%other] [1] [1] : !pcf.sref<4xi32, #sg> to !I
        %first = arith.muli %i, %nw : index
        %at = arith.addi %first, %w : index
        pcf.write_slice %y into %o[%at] [1] [1] : !I into !pcf.sref<40xi32, sync(#wgl)>
        pcf.return
      }
      pcf.return
    })");
  auto with = [&](std::string barrier) {
    std::string copy = text;
    copy.replace(copy.find("BARRIER"), 7, barrier);
    return copy;
  };
  std::string fenced = "pcf.barrier(#sg) fence(%a) : !pcf.sref<4xi32, #sg>";
  EXPECT_EQ(valuesOfFour(with(fenced), init, 10), expected);
  EXPECT_EQ(valuesOfFour(with("pcf.fence release %a : !pcf.sref<4xi32, #sg>\n"
                              "pcf.barrier(#sg)\n"
                              "pcf.fence acquire %a : !pcf.sref<4xi32, #sg>"),
                         init, 10),
            expected);
  EXPECT_EQ(faultOfFour(with(""), init, 1), "race");
  EXPECT_EQ(faultOfFour(with("pcf.barrier(#sg)"), init, 1), "race");
  EXPECT_EQ(faultOfFour(with("pcf.barrier(#sg)\n"
                             "pcf.fence acquire %a : !pcf.sref<4xi32, #sg>"),
                        init, 1),
            "race");
  EXPECT_EQ(
      faultOfFour(
          with("pcf.barrier(#sg) fence(%o) : !pcf.sref<40xi32, sync(#wgl)>"),
          init, 1),
      "race");
  // Who leaves before is waited for in vain.
  EXPECT_EQ(faultOfFour(with("%isLast = arith.cmpi eq, %w, %c3 : index\n"
                             "pcf.br.cond_return %isLast ^go\n^go:\n" +
                             fenced),
                        init, 1),
            "deadlock");
}

//===----------------------------------------------------------------------===//
// What is known when an op returns
//===----------------------------------------------------------------------===//

/// A first op writes memory, of which a second reads another worker's part.
std::string twoOps(std::string sync, std::string ref) {
  return over(4, R"(
    %a = pcf.alloc() : !pcf.sref<4xi32, #sg>
    %m = pcf.get_memref %a[0] [4] [1] : !pcf.sref<4xi32, #sg> to memref<4xi32, strided<[?], offset: ?>>
    %w0 = pcf.generic )" +
                     sync +
                     R"( scope(#sg) execute(%o = %m)[%w: index, %nw: index]
      : ()" + ref + R"() -> (memref<4xi32, strided<[?], offset: ?>>) {
      %v = arith.index_cast %w : index to i32
      %e = vector.broadcast %v : i32 to !I
      pcf.write_slice %e into %o[%w] [1] [1] : !I into )" +
                     ref + R"(
      pcf.return
    }
    %r = pcf.generic scope(#sg) execute(%o = %init)[%w: index, %nw: index]
      : (!pcf.sref<4xi32, sync(#sg)>) -> (tensor<4xi32>) {
      %other = arith.xori %w, %n : index
      %y = pcf.read_slice %a[%other] [1] [1] : !pcf.sref<4xi32, #sg> to !I
      pcf.write_slice %y into %o[%w] [1] [1] : !I into !pcf.sref<4xi32, sync(#sg)>
      pcf.return
    })");
}

TEST(PcfWorkers, WhatAnOpSynchronizesIsKnownBehindIt) {
  std::string plain = "!pcf.sref<4xi32, #sg>",
              synced = "!pcf.sref<4xi32, sync(#sg)>";
  Values reversed = {3, 2, 1, 0};
  EXPECT_EQ(valuesOfFour(twoOps("", synced), integers(4), 3), reversed);
  EXPECT_EQ(valuesOfFour(twoOps("sync true", plain), integers(4), 3), reversed);
  EXPECT_EQ(faultOfFour(twoOps("", plain), integers(4), 3), "race");
  // A worker knows what it did itself.
  EXPECT_EQ(valuesOfFour(twoOps("", plain), integers(4), 0),
            (Values{0, 1, 2, 3}));
}

/// Workers write an element each and run `body`; then all are read at once.
std::string readAfter(std::string body) {
  return over(4, R"(
    %a = pcf.alloc() : !pcf.sref<4xi32, #sg>
    pcf.generic scope(#sg) execute[%w: index, %nw: index] {
      %v = arith.index_cast %w : index to i32
      %e = vector.broadcast %v : i32 to !I
      pcf.write_slice %e into %a[%w] [1] [1] : !I into !pcf.sref<4xi32, #sg>
      )" + body + R"(
      pcf.return
    }
    %r = pcf.read_slice %a[0] [4] [1] : !pcf.sref<4xi32, #sg> to tensor<4xi32>)");
}

TEST(PcfWorkers, WhatAllWorkersKnowIsKnownBehindThem) {
  EXPECT_EQ(valuesOfFour(
                readAfter("pcf.barrier(#sg) fence(%a) : !pcf.sref<4xi32, #sg>"),
                integers(4)),
            (Values{0, 1, 2, 3}));
  EXPECT_EQ(faultOfFour(readAfter(""), integers(4)), "race");
  // One of them knows it.
  EXPECT_EQ(faultOfFour(readAfter(R"(
      pcf.fence release %a : !pcf.sref<4xi32, #sg>
      pcf.barrier(#sg)
      %isFirst = arith.cmpi eq, %w, %c0 : index
      scf.if %isFirst {
        pcf.fence acquire %a : !pcf.sref<4xi32, #sg>
      })"),
                        integers(4)),
            "race");
}

// Of a worker's first iterations, too.
TEST(PcfWorkers, WhatEveryIterationDidIsKnownBehindTheLoop) {
  EXPECT_EQ(valuesOfFour(over(8, R"(
    %a = pcf.alloc() : !pcf.sref<8xi32, #sg>
    %m = pcf.get_memref %a[0] [8] [1] : !pcf.sref<8xi32, #sg> to memref<8xi32, strided<[?], offset: ?>>
    %l = pcf.loop sync true scope(#sg) count(%c8) execute(%o = %m)[%i: index]
      : (!pcf.sref<8xi32, #sg>) -> (memref<8xi32, strided<[?], offset: ?>>) {
      %v = arith.index_cast %i : index to i32
      %e = vector.broadcast %v : i32 to !I
      pcf.write_slice %e into %o[%i] [1] [1] : !I into !pcf.sref<8xi32, #sg>
      pcf.return
    }
    %r = pcf.read_slice %a[0] [8] [1] : !pcf.sref<8xi32, #sg> to tensor<8xi32>)"),
                         integers(8)),
            (Values{0, 1, 2, 3, 4, 5, 6, 7}));
}

/// Each of four workers runs two iterations: `first`, and `second` with the
/// number %b of the first, and %next of another worker's.
std::string inTwoIterations(std::string first, std::string second) {
  return over(8, R"(
    %a = pcf.alloc() : !pcf.sref<8xi32, #sg>
    %r = pcf.loop scope(#sg) count(%c8) execute(%o = %init)[%i: index]
      : (!pcf.sref<8xi32, sync(#sg)>) -> (tensor<8xi32>) {
      %v = arith.index_cast %i : index to i32
      %e = vector.broadcast %v : i32 to !I
      %b = arith.remui %i, %c4 : index
      %next = arith.xori %b, %c1 : index
      %late = arith.addi %next, %c4 : index
      %isFirst = arith.cmpi ult, %i, %c4 : index
      scf.if %isFirst {
        pcf.write_slice %e into %o[%i] [1] [1] : !I into !pcf.sref<8xi32, sync(#sg)>
        )" + first + R"(
      } else {
        )" + second + R"(
        pcf.write_slice %x into %o[%i] [1] [1] : !I into !pcf.sref<8xi32, sync(#sg)>
      }
      pcf.return
    })");
}

// What is released in an iteration is what that one did: the order of a
// worker's iterations is no one's promise.
TEST(PcfWorkers, AReleaseDoesNotCoverOtherIterations) {
  const std::string ref = " : !pcf.sref<8xi32, #sg>\n";
  auto write = [&](std::string at) {
    return "pcf.write_slice %e into %a[" + at +
           "] [1] [1] : !I into !pcf.sref<8xi32, #sg>\n";
  };
  auto read = [&](std::string at) {
    return "%x = pcf.read_slice %a[" + at +
           "] [1] [1] : !pcf.sref<8xi32, #sg> to !I\n";
  };
  const std::string release = "pcf.fence release %a" + ref,
                    acquire = "pcf.fence acquire %a" + ref,
                    wait = "pcf.barrier(#sg)\n",
                    fenced = "pcf.barrier(#sg) fence(%a)" + ref;
  Values passedOn = {0, 1, 2, 3, 5, 4, 7, 6};
  for (const std::string &order : {release + wait + acquire, fenced}) {
    EXPECT_EQ(
        valuesOfFour(inTwoIterations("", write("%i") + order + read("%late")),
                     integers(8)),
        passedOn);
    EXPECT_EQ(faultOfFour(inTwoIterations(write("%b"), order + read("%next")),
                          integers(8)),
              "race");
    EXPECT_EQ(faultOfFour(inTwoIterations(write("%b") + order, read("%next")),
                          integers(8)),
              "race");
  }
  EXPECT_EQ(faultOfFour(inTwoIterations(write("%b") + release,
                                        wait + acquire + read("%next")),
                        integers(8)),
            "race");
  EXPECT_EQ(faultOfFour(inTwoIterations(write("%b") + release + wait,
                                        acquire + read("%next")),
                        integers(8)),
            "race");
}

// Workers that iterations start, in the same place: iterations 0 and 8 of a
// grid of eight.
TEST(PcfWorkers, AReleaseDoesNotCoverWorkersOfOtherIterations) {
  auto kernel = [](std::string first, std::string last) {
    return over(4, R"(
    %a = memref.alloc() : memref<4xi32>
    %r = pcf.loop scope(#wgl) count(%n) execute(%o = %init)[%i: index]
      : (!pcf.sref<4xi32, sync(#wgl)>) -> (tensor<4xi32>) {
      pcf.generic scope(#sg) execute(%s = %a)[%w: index, %nw: index]
        : (!pcf.sref<4xi32, #sg>) -> (memref<4xi32>) {
        %v = arith.index_cast %w : index to i32
        %e = vector.broadcast %v : i32 to !I
        %next = arith.xori %w, %c1 : index
        %isFirst = arith.cmpi eq, %i, %c0 : index
        %isLast = arith.cmpi eq, %i, %c8 : index
        scf.if %isFirst {
          pcf.write_slice %e into %s[%w] [1] [1] : !I into !pcf.sref<4xi32, #sg>
          )" + first +
                       R"(
        }
        scf.if %isLast {
          )" + last +
                       R"(
          %x = pcf.read_slice %s[%next] [1] [1] : !pcf.sref<4xi32, #sg> to !I
          pcf.write_slice %x into %o[%w] [1] [1] : !I into !pcf.sref<4xi32, sync(#wgl)>
        }
        pcf.return
      }
      pcf.return
    })");
  };
  std::string barrier = "pcf.barrier(#sg) fence(%s) : !pcf.sref<4xi32, #sg>\n";
  EXPECT_EQ(faultOfFour(kernel("", barrier), integers(4), 9), "race");
  EXPECT_EQ(faultOfFour(kernel(barrier, ""), integers(4), 9), "race");
}

TEST(PcfWorkers, WorkgroupMemoryIsOfOneIteration) {
  EXPECT_EQ(valuesOfFour(over(8, R"(
    %r = pcf.loop scope(#wgl) count(%n) execute(%o = %init)[%i: index]
      : (!pcf.sref<8xi32, sync(#wgl)>) -> (tensor<8xi32>) {
      %shared = memref.alloc() : memref<1xi32, #gpu.address_space<workgroup>>
      %v = arith.index_cast %i : index to i32
      memref.store %v, %shared[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      %x = memref.load %shared[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      %e = vector.broadcast %x : i32 to !I
      %b = arith.remui %i, %c8 : index
      %isLow = arith.cmpi ult, %i, %c8 : index
      scf.if %isLow {
        pcf.write_slice %e into %o[%b] [1] [1] : !I into !pcf.sref<8xi32, sync(#wgl)>
      }
      pcf.return
    })"),
                         integers(8), 20),
            (Values{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(PcfWorkers, ScopesNestAsTheMachineDoes) {
  auto nest = [](std::string outer, std::string inner) {
    return over(4,
                "pcf.generic scope(" + outer + ") execute[] {\n" +
                    "pcf.generic scope(" + inner +
                    ") execute[] {\npcf.return\n}\npcf.return\n}\n" +
                    "%r = tensor.cast %init : tensor<4xi32> to tensor<4xi32>");
  };
  EXPECT_EQ(faultOfFour(nest("#wg", "#sg"), integers(4)), "");
  EXPECT_EQ(faultOfFour(nest("#sg", "#ln"), integers(4)), "");
  EXPECT_EQ(faultOfFour(nest("#sg", "#sg"), integers(4)), "not modelled");
  EXPECT_EQ(faultOfFour(nest("#sg", "#wg"), integers(4)), "not modelled");
  EXPECT_EQ(faultOfFour(nest("#wg", "#wgl"), integers(4)), "not modelled");
  // Of which subgroup?
  EXPECT_EQ(faultOfFour(nest("#seq", "#ln"), integers(4)), "not modelled");
}

// Also of those that another worker's worker did, in an iteration that was not
// the last.
TEST(PcfWorkers, WhatWorkersOfAnIterationDidIsKnownBehindTheLoop) {
  EXPECT_EQ(valuesOfFour(over(4, R"(
    %a = memref.alloc() : memref<4xi32>
    %l = pcf.loop sync true scope(#wgl) count(%n) execute(%o = %a)[%i: index]
      : (!pcf.sref<4xi32, #wgl>) -> (memref<4xi32>) {
      %isFirst = arith.cmpi eq, %i, %c0 : index
      scf.if %isFirst {
        pcf.generic scope(#sg) execute[%w: index, %nw: index] {
          %v = arith.index_cast %w : index to i32
          %e = vector.broadcast %v : i32 to !I
          pcf.write_slice %e into %o[%w] [1] [1] : !I into !pcf.sref<4xi32, #wgl>
          pcf.return
        }
      }
      pcf.return
    }
    %r = bufferization.to_tensor %a restrict : memref<4xi32> to tensor<4xi32>)"),
                         integers(4), 20),
            (Values{0, 1, 2, 3}));
}

} // namespace

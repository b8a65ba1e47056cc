//===- LlvmBlocksTest.cpp - Values that share registers, across blocks ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many ops of llvm name a register that is there already. Random programs of
// such ops, with their blocks listed in any order and their values carried
// around a loop in any order, are computed here once more as they are made.
//
//===----------------------------------------------------------------------===//
#include "LlvmKernel.h"
#include "gtest/gtest.h"
#include <random>

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

constexpr int64_t threads = 32;

/// What every lane has of a value: one number, or two of a vector.
struct Computed {
  std::string name;
  std::vector<std::array<int32_t, 2>> lanes;
};

/// A program as it is made: text, and what its values are.
struct Program {
  explicit Program(unsigned seed) : random(seed) {
    Computed lane = {"%lane", {}};
    for (int32_t l = 0; l < threads; ++l)
      lane.lanes.push_back({l, 0});
    numbers.push_back(lane);
  }

  int pick(size_t count) { return int(random() % count); }
  const Computed &number() { return numbers[pick(numbers.size())]; }
  const Computed &vector() { return vectors[pick(vectors.size())]; }

  Computed fresh(llvm::function_ref<std::array<int32_t, 2>(size_t)> lane) {
    Computed value = {"%v" + std::to_string(next++), {}};
    for (size_t l = 0; l < threads; ++l)
      value.lanes.push_back(lane(l));
    return value;
  }

  /// An op of values that are there; its text.
  std::string append() {
    switch (pick(vectors.empty() ? 4 : 9)) {
    case 0: {
      Computed a = number(), b = number();
      numbers.push_back(fresh([&](size_t l) -> std::array<int32_t, 2> {
        return {int32_t(uint32_t(a.lanes[l][0]) + uint32_t(b.lanes[l][0])), 0};
      }));
      return numbers.back().name + " = llvm.add " + a.name + ", " + b.name +
             " : i32\n";
    }
    case 1: {
      int value = pick(1000);
      numbers.push_back(
          fresh([&](size_t) -> std::array<int32_t, 2> { return {value, 0}; }));
      return numbers.back().name + " = llvm.mlir.constant(" +
             std::to_string(value) + " : i32) : i32\n";
    }
    case 2: {
      Computed a = number();
      numbers.push_back(fresh([&](size_t l) { return a.lanes[l]; }));
      return numbers.back().name + " = llvm.freeze " + a.name + " : i32\n";
    }
    case 3: {
      Computed a = number(), b = number();
      vectors.push_back(fresh([&](size_t l) -> std::array<int32_t, 2> {
        return {a.lanes[l][0], b.lanes[l][0]};
      }));
      std::string name = vectors.back().name;
      return name + "u = llvm.mlir.undef : vector<2xi32>\n" + name +
             "i = llvm.insertelement " + b.name + ", " + name +
             "u[%at1 : i32] : vector<2xi32>\n" + name +
             " = llvm.insertelement " + a.name + ", " + name +
             "i[%at0 : i32] : vector<2xi32>\n";
    }
    case 4:
    case 5:
      return appendExtract();
    case 6: {
      Computed a = vector();
      vectors.push_back(fresh([&](size_t l) -> std::array<int32_t, 2> {
        return {a.lanes[l][1], a.lanes[l][0]};
      }));
      return vectors.back().name + " = llvm.shufflevector " + a.name + ", " +
             a.name + " [1, 0] : vector<2xi32>\n";
    }
    case 7: {
      Computed a = vector(), b = number();
      int at = pick(2);
      vectors.push_back(fresh([&](size_t l) {
        auto pair = a.lanes[l];
        pair[at] = b.lanes[l][0];
        return pair;
      }));
      return vectors.back().name + " = llvm.insertelement " + b.name + ", " +
             a.name + "[%at" + std::to_string(at) + " : i32] : vector<2xi32>\n";
    }
    default:
      return appendStruct();
    }
  }

  std::string appendExtract() {
    Computed a = vector();
    int at = pick(2);
    numbers.push_back(fresh([&](size_t l) -> std::array<int32_t, 2> {
      return {a.lanes[l][at], 0};
    }));
    return numbers.back().name + " = llvm.extractelement " + a.name + "[%at" +
           std::to_string(at) + " : i32] : vector<2xi32>\n";
  }

  /// A struct of a number and a vector, and one of them taken out again.
  std::string appendStruct() {
    Computed a = number(), b = vector();
    bool takesVector = pick(2);
    auto &into = takesVector ? vectors : numbers;
    const Computed from = takesVector ? b : a;
    into.push_back(fresh([&](size_t l) { return from.lanes[l]; }));
    std::string name = into.back().name,
                type = "!llvm.struct<(i32, vector<2xi32>)>";
    return name + "s = llvm.mlir.undef : " + type + "\n" + name +
           "t = llvm.insertvalue " + a.name + ", " + name + "s[0] : " + type +
           "\n" + name + "f = llvm.insertvalue " + b.name + ", " + name +
           "t[1] : " + type + "\n" + name + " = llvm.extractvalue " + name +
           "f[" + (takesVector ? "1" : "0") + "] : " + type + "\n";
  }

  std::mt19937 random;
  std::vector<Computed> numbers, vectors;
  int next = 0;
};

const std::string preamble = "%at0 = llvm.mlir.constant(0 : i32) : i32\n"
                             "%at1 = llvm.mlir.constant(1 : i32) : i32\n";

std::string storeOf(std::string name) {
  return "%to = llvm.getelementptr inbounds %out[%id] : (!llvm.ptr<1>, i64) -> "
         "!llvm.ptr<1>, i32\nllvm.store " +
         name + ", %to : i32, !llvm.ptr<1>\n";
}

Values outputOf(const std::string &body) {
  return lastArgumentOf(
      llvmKernel(nvidia, threads, "memref<1xi32>", "memref<32xi32>", body),
      {array("i32", {1}, {0}), array("i32", {threads}, Values(threads, -1))},
      optionsOf(nvidia, threads));
}

/// A chain of blocks, listed in any order behind the first.
TEST(LlvmBlocks, ValuesAreThoseOfTheirDefinitionWhereverItIsListed) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Program program(seed);
    std::vector<std::string> blocks;
    int count = 2 + program.pick(5);
    for (int b = 0; b < count; ++b) {
      std::string text = "^b" + std::to_string(b) + ":\n";
      for (int op = program.pick(6) + 1; op > 0; --op)
        text += program.append();
      blocks.push_back(text + (b + 1 < count
                                   ? "llvm.br ^b" + std::to_string(b + 1) + "\n"
                                   : "llvm.br ^end\n"));
    }
    Computed last = program.numbers.back();
    blocks.push_back("^end:\n" + storeOf(last.name) + "llvm.br ^after\n");
    std::shuffle(blocks.begin(), blocks.end(), program.random);
    std::string body = preamble + "llvm.br ^b0\n";
    for (const std::string &block : blocks)
      body += block;
    Values expected;
    for (auto lane : last.lanes)
      expected.push_back(lane[0]);
    EXPECT_EQ(outputOf(body + "^after:"), expected) << seed << "\n" << body;
  }
}

/// A vector and three numbers go around a loop, elements of the vector among
/// what becomes of the numbers.
struct Loop {
  explicit Loop(unsigned seed) {
    std::mt19937 random(seed);
    auto pick = [&](int count) { return int(random() % count); };
    for (int &source : next)
      source = pick(6);
    swapsVector = pick(2);
    vectorFirst = pick(2);
    trips = 1 + pick(5);
  }

  /// Sources of a, b, c and the two elements: a, b, c, the elements, a sum.
  std::array<int, 5> next;
  bool swapsVector, vectorFirst;
  int trips;
  static constexpr const char *names[] = {"%a", "%b", "%c", "%e0", "%e1", "%s"};

  int32_t expected() const {
    std::array<uint32_t, 5> now = {1, 20, 300, 4000, 50000};
    for (int trip = 1; trip < trips; ++trip) {
      uint32_t all[] = {now[0], now[1], now[2],
                        now[3], now[4], now[0] + now[4]};
      for (int i = 0; i < 5; ++i)
        now[i] = all[next[i]];
      if (swapsVector) {
        now[3] = all[4];
        now[4] = all[3];
      }
    }
    uint32_t product = now[1] * 3;
    return int32_t((now[0] + product + now[2] * product + now[3] * 3) ^ now[4]);
  }

  std::string list(std::string vector, std::string numbers,
                   std::string trip) const {
    return vectorFirst ? vector + ", " + numbers + ", " + trip
                       : numbers + ", " + vector + ", " + trip;
  }

  std::string body() const {
    std::string types = list("vector<2xi32>", "i32, i32, i32", "i32");
    return preamble +
           "%ca = llvm.mlir.constant(1 : i32) : i32\n"
           "%cb = llvm.mlir.constant(20 : i32) : i32\n"
           "%cc = llvm.mlir.constant(300 : i32) : i32\n"
           "%cv = llvm.mlir.constant(dense<[4000, 50000]> : vector<2xi32>) : "
           "vector<2xi32>\n"
           "%trips = llvm.mlir.constant(" +
           std::to_string(trips) + " : i32) : i32\nllvm.br ^loop(" +
           list("%cv", "%ca, %cb, %cc", "%at0") + " : " + types + ")\n^loop(" +
           list("%v: vector<2xi32>", "%a: i32, %b: i32, %c: i32", "%i: i32") +
           "):\n" + step() + "llvm.cond_br %more, ^loop(" +
           list(swapsVector ? "%w" : "%u1",
                std::string(names[next[0]]) + ", " + names[next[1]] + ", " +
                    names[next[2]],
                "%n") +
           " : " + types + "), ^end\n^end:\n" + behind();
  }

  std::string step() const {
    return "%e0 = llvm.extractelement %v[%at0 : i32] : vector<2xi32>\n"
           "%e1 = llvm.extractelement %v[%at1 : i32] : vector<2xi32>\n"
           "%s = llvm.add %a, %e1 : i32\n"
           "%n = llvm.add %i, %at1 : i32\n"
           "%u = llvm.mlir.undef : vector<2xi32>\n"
           "%u0 = llvm.insertelement " +
           std::string(names[next[3]]) +
           ", %u[%at0 : i32] : vector<2xi32>\n"
           "%u1 = llvm.insertelement " +
           names[next[4]] +
           ", %u0[%at1 : i32] : vector<2xi32>\n"
           "%w = llvm.shufflevector %v, %v [1, 0] : vector<2xi32>\n"
           "%more = llvm.icmp \"slt\" %n, %trips : i32\n";
  }

  static std::string behind() {
    // What of a loop's ops is read behind it has a register of its own.
    return "%x0 = llvm.extractelement %v[%at0 : i32] : vector<2xi32>\n"
           "%x1 = llvm.extractelement %v[%at1 : i32] : vector<2xi32>\n"
           "%k3 = llvm.mlir.constant(3 : i32) : i32\n"
           "%m1 = llvm.mul %b, %k3 : i32\n"
           "%m2 = llvm.mul %c, %m1 : i32\n"
           "%m3 = llvm.mul %x0, %k3 : i32\n"
           "%r0 = llvm.add %a, %m1 : i32\n"
           "%r1 = llvm.add %r0, %m2 : i32\n"
           "%r2 = llvm.add %r1, %m3 : i32\n"
           "%r3 = llvm.xor %r2, %x1 : i32\n" +
           storeOf("%r3");
  }
};

TEST(LlvmBlocks, WhatGoesAroundALoopIsCopiedAtOnce) {
  for (unsigned seed = 0; seed < 80; ++seed) {
    Loop loop(seed);
    EXPECT_EQ(outputOf(loop.body()), Values(threads, loop.expected()))
        << seed << "\n"
        << loop.body();
  }
}

/// One element of a vector that is put together in any order was written by
/// nobody; whoever uses it is told, and who uses the others may be.
TEST(LlvmBlocks, ElementsThatNobodyWroteAreKnownInAnyOrder) {
  std::string global = "llvm.mlir.global internal @s() {addr_space = 3 : i32, "
                       "alignment = 16 : i64} : !llvm.array<64 x i32>";
  std::array<int, 4> order = {0, 1, 2, 3};
  do {
    for (int bad = 0; bad < 4; ++bad) {
      std::string body =
          preamble +
          "%at2 = llvm.mlir.constant(2 : i32) : i32\n"
          "%at3 = llvm.mlir.constant(3 : i32) : i32\n"
          "%m = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
          "%p = llvm.getelementptr %m[%lane] : (!llvm.ptr<3>, i32) -> "
          "!llvm.ptr<3>, i32\n"
          "llvm.store %lane, %p : i32, !llvm.ptr<3>\n"
          "%good = llvm.load %p : !llvm.ptr<3> -> i32\n"
          "%q = llvm.getelementptr %p[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, "
          "i32\n"
          "%bad = llvm.load %q : !llvm.ptr<3> -> i32\n"
          "%w0 = llvm.mlir.undef : vector<4xi32>\n";
      for (int step = 0; step < 4; ++step)
        body += "%w" + std::to_string(step + 1) + " = llvm.insertelement " +
                (order[step] == bad ? "%bad" : "%good") + ", %w" +
                std::to_string(step) + "[%at" + std::to_string(order[step]) +
                " : i32] : vector<4xi32>\n";
      body += "%e = llvm.extractelement %w4[%at" + std::to_string(bad) +
              " : i32] : vector<4xi32>\n" + storeOf("%e");
      EXPECT_EQ(faultOf(llvmKernel(nvidia, threads, "memref<1xi32>",
                                   "memref<32xi32>", body, global),
                        {array("i32", {1}, {0}),
                         array("i32", {threads}, Values(threads, 0))},
                        optionsOf(nvidia, threads)),
                "unwritten")
          << body;
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

} // namespace

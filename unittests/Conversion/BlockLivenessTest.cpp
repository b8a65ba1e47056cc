//===- BlockLivenessTest.cpp - Live values against sets of them -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random loops and branches, as blocks, against MLIR's Liveness, which keeps a
// set per block.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Conversion/BlockLiveness.h"
#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace distaff;

namespace {

/// Writes blocks of i32 sums of what dominates them.
class Writer {
public:
  Writer(unsigned seed, bool hasElse) : random(seed), hasElse(hasElse) {}

  std::string write() {
    text = "llvm.func @f(%v0: i32, %c: i1) -> i32 {\n";
    known = {"%v0"};
    statements(4);
    return text + "llvm.return " + any() + " : i32\n}\n";
  }

private:
  int upTo(int limit) { return int(random() % limit); }
  std::string any() { return known[upTo(int(known.size()))]; }
  std::string block(int number) { return "^b" + std::to_string(number); }

  void sums() {
    for (int i = upTo(4); i > 0; --i) {
      std::string name = "%v" + std::to_string(++values);
      text += name + " = llvm.add " + any() + ", " + any() + " : i32\n";
      known.push_back(name);
    }
  }

  void statements(int depth) {
    for (int i = 1 + upTo(3); i > 0; --i) {
      sums();
      int kind = depth > 0 ? upTo(3) : 0;
      size_t outside = known.size();
      if (kind == 1) {
        branch(depth);
        known.resize(outside);
      }
      if (kind == 2)
        loop(depth);
    }
    sums();
  }

  void branch(int depth) {
    size_t outside = known.size();
    int then = ++blocks, otherwise = ++blocks, after = ++blocks;
    text += "llvm.cond_br %c, " + block(then) + ", " +
            block(hasElse ? otherwise : after) + "\n" + block(then) + ":\n";
    statements(depth - 1);
    text += "llvm.br " + block(after) + "\n";
    known.resize(outside);
    if (hasElse) {
      text += block(otherwise) + ":\n";
      statements(depth - 1);
      text += "llvm.br " + block(after) + "\n";
    }
    text += block(after) + ":\n";
  }

  /// Its counter is what the last iteration hands on; what follows the loop may
  /// use that, and the sums at its head.
  void loop(int depth) {
    int head = ++blocks, body = ++blocks, after = ++blocks;
    text += "llvm.br " + block(head) + "(" + any() + " : i32)\n" + block(head);
    known.push_back("%v" + std::to_string(++values));
    text += "(" + known.back() + ": i32):\n";
    sums();
    text += "llvm.cond_br %c, " + block(body) + ", " + block(after) + "\n" +
            block(body) + ":\n";
    size_t atHead = known.size();
    statements(depth - 1);
    // Some are left from the body too.
    std::string again = block(head) + "(" + any() + " : i32)";
    text += upTo(3) == 0
                ? "llvm.cond_br %c, " + again + ", " + block(after) + "\n"
                : "llvm.br " + again + "\n";
    text += block(after) + ":\n";
    known.resize(atHead);
  }

  std::mt19937 random;
  bool hasElse;
  std::string text;
  std::vector<std::string> known;
  int values = 0, blocks = 0;
};

TEST(BlockLiveness, AreThoseOfSetsPerBlock) {
  MLIRContext context;
  context.loadDialect<LLVM::LLVMDialect>();
  int64_t live = 0, dead = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    bool hasElse = seed % 4 == 0;
    std::string text = Writer(seed, hasElse).write();
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    auto function = *module->getOps<LLVM::LLVMFuncOp>().begin();
    Liveness liveness(function);
    BlockLiveness ranges(function.getBody());
    SmallVector<int64_t> counts = ranges.sizesBehind([](Value) { return 1; });
    size_t number = 0;
    for (Block &block : function.getBody()) {
      const auto &behind = liveness.getLiveOut(&block);
      auto compare = [&](Value value) {
        bool isLive = behind.contains(value);
        (isLive ? live : dead) += 1;
        // What a later arm uses is counted in this one too.
        if (!hasElse || isLive)
          EXPECT_EQ(ranges.isLiveBehind(value, block), isLive) << text;
      };
      for (Operation &op : block) {
        llvm::for_each(op.getOperands(), compare);
        llvm::for_each(op.getResults(), compare);
      }
      if (hasElse)
        EXPECT_GE(counts[number], int64_t(behind.size())) << text;
      else
        EXPECT_EQ(counts[number], int64_t(behind.size())) << text;
      ++number;
    }
  }
  EXPECT_GT(live, 5000);
  EXPECT_GT(dead, 5000);
}

// The next iteration's argument takes its place after the last use in the loop;
// what is used behind the loop is that of the last time at the head.
TEST(BlockLiveness, ALoopsArgumentIsDeadAtTheLoopsEndAndLiveBehindTheLoop) {
  MLIRContext context;
  context.loadDialect<LLVM::LLVMDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
llvm.func @f(%v: i32, %c: i1) -> i32 {
  llvm.br ^head(%v : i32)
^head(%x: i32):
  llvm.cond_br %c, ^body, ^behind
^body:
  %next = llvm.add %x, %v : i32
  llvm.br ^head(%next : i32)
^behind:
  %twice = llvm.add %x, %x : i32
  llvm.br ^last
^last:
  %sum = llvm.add %twice, %x : i32
  llvm.return %sum : i32
})",
                                            &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<LLVM::LLVMFuncOp>().begin();
  BlockLiveness ranges(function.getBody());
  Block &head = *std::next(function.getBody().begin());
  SmallVector<bool> live; // behind head, body, behind and last
  for (Block &block : llvm::drop_begin(function.getBody()))
    live.push_back(ranges.isLiveBehind(head.getArgument(0), block));
  EXPECT_EQ(live, SmallVector<bool>({true, false, true, false}));
}

} // namespace

//===- OrderingTest.cpp - Fewer registers by another order ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Conversion/ConvertToLLVM.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

/// All loads, all sums, all stores of `count` floats each, out of `from`.
std::string vectorwise(int64_t count, const std::string &from) {
  std::string text = "llvm.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) {\n";
  auto at = [](const std::string &name, int64_t i) {
    return "%" + name + std::to_string(i);
  };
  for (int64_t i = 0; i < count; ++i)
    text += at("p", i) + " = llvm.getelementptr %" + from + "[" +
            std::to_string(i) + "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\n" +
            at("v", i) + " = llvm.load " + at("p", i) +
            " : !llvm.ptr<1> -> f32\n";
  for (int64_t i = 0; i < count; ++i)
    text += at("s", i) + " = llvm.fadd " + at("v", i) + ", " + at("v", i) +
            " : f32\n";
  for (int64_t i = 0; i < count; ++i)
    text += at("q", i) + " = llvm.getelementptr %y[" +
            std::to_string(count - 1 - i) +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\nllvm.store " +
            at("s", i) + ", " + at("q", i) + " : f32, !llvm.ptr<1>\n";
  return text + "llvm.return\n}\n";
}

struct Ordered {
  int64_t registers = 0;
  std::string text;      // of the module afterwards
  std::vector<char> ops; // l and s, in order
  std::vector<int> sums; // numbers of the elements stored, in order
};

Ordered order(const std::string &source, int64_t available) {
  MLIRContext context;
  context.loadDialect<LLVM::LLVMDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  EXPECT_TRUE(module);
  auto kernel = *module->getOps<LLVM::LLVMFuncOp>().begin();
  Ordered result;
  result.registers = orderForRegisters(kernel, available);
  EXPECT_TRUE(succeeded(verify(*module)));
  kernel.walk([&](Operation *op) {
    if (isa<LLVM::LoadOp>(op))
      result.ops.push_back('l');
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      result.ops.push_back('s');
      auto address = store.getAddr().getDefiningOp<LLVM::GEPOp>();
      result.sums.push_back(address.getRawConstantIndices().front());
    }
  });
  return result;
}

TEST(Ordering, LoadsAndSumsComeWhenTheyAreStored) {
  Ordered late = order(vectorwise(100, "x"), /*available=*/32);
  EXPECT_LE(late.registers, 8);
  for (size_t i = 0; i < late.ops.size(); ++i)
    EXPECT_EQ(late.ops[i], i % 2 ? 's' : 'l');
  // What is written keeps its order.
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(late.sums[i], 99 - i);
}

TEST(Ordering, WhatFitsStays) {
  Ordered early = order(vectorwise(100, "x"), /*available=*/1000);
  EXPECT_GE(early.registers, 100);
  EXPECT_EQ(std::count(early.ops.begin(), early.ops.begin() + 100, 'l'), 100);
}

TEST(Ordering, MemoryThatIsWrittenIsLoadedWhereItWas) {
  Ordered early = order(vectorwise(100, "y"), /*available=*/32);
  EXPECT_GE(early.registers, 100);
  EXPECT_EQ(std::count(early.ops.begin(), early.ops.begin() + 100, 'l'), 100);
}

} // namespace

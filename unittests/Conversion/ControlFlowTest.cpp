//===- ControlFlowTest.cpp - Work of turning branches into blocks ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch becomes blocks by splitting its own, which moves the ops behind it.
// A lane with thousands of guarded accesses is a block with thousands of them,
// so what counts is how often an op is moved. Counted, not timed.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "../../lib/Conversion/ConvertToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

/// Counts ops that come to be or are moved.
struct Counter : RewriterBase::Listener {
  void notifyOperationInserted(Operation *, OpBuilder::InsertPoint) override {
    ++count;
  }
  int64_t count = 0;
};

/// `guards` stores under a condition each, one after the other.
std::string guardedStores(int64_t guards) {
  std::string text = R"(
func.func @kernel(%m: memref<8xf32>, %b: i1, %x: f32) {
  %c0 = arith.constant 0 : index
)";
  for (int64_t guard = 0; guard < guards; ++guard)
    text += "  scf.if %b { memref.store %x, %m[%c0] : memref<8xf32> }\n";
  return text + "  return\n}\n";
}

int64_t countMoves(int64_t guards) {
  MLIRContext context;
  context
      .loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                   func::FuncDialect, memref::MemRefDialect, scf::SCFDialect>();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(guardedStores(guards), &context);
  Counter counter;
  EXPECT_TRUE(module && succeeded(lowerControlFlow(*module, &counter)));
  int64_t left = 0;
  module->walk([&](scf::IfOp) { ++left; });
  EXPECT_EQ(left, 0);
  return counter.count;
}

TEST(ControlFlow, BranchesBecomeBlocksInLinearlyManyMoves) {
  int64_t few = countMoves(100), many = countMoves(1000);
  EXPECT_GE(few, 100);
  // Ten times as many, and not a hundred times.
  EXPECT_LE(many, 12 * few)
      << few << " moves for 100 branches, " << many << " for 1000";
}

} // namespace

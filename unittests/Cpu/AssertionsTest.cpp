//===- AssertionsTest.cpp - Promises of panels, broken on purpose ---------===//
//===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/Cpu/Pack/CacheBlocking.h"
#include "../../lib/Cpu/Pack/PackedDotOperands.h"
#include "../../lib/Cpu/Pack/RowReads.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace distaff;

namespace {

/// A function of an index, and a builder in it.
struct Code {
  Code() : b(&context) {
    context.loadDialect<affine::AffineDialect, memref::MemRefDialect,
                        arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                        vector::VectorDialect>();
    module = ModuleOp::create(loc());
    b.setInsertionPointToEnd(module->getBody());
    auto function = func::FuncOp::create(
        b, loc(), "f", b.getFunctionType(b.getIndexType(), {}));
    b.setInsertionPointToEnd(function.addEntryBlock());
    unknown = function.getArgument(0);
  }

  Location loc() { return b.getUnknownLoc(); }
  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc(), value);
  }
  /// Steps of one from `first` on.
  scf::ForOp loopFrom(Value first) {
    return scf::ForOp::create(b, loc(), first, number(64), number(1));
  }

  MLIRContext context;
  OpBuilder b;
  OwningOpRef<ModuleOp> module;
  Value unknown;
};

DEATH_TEST(CacheBlocking, BlocksHaveStepsFromAConstantOn) {
  Code code;
  scf::ForOp loop = code.loopFrom(code.number(0));
  EXPECT_DEATH(buildBlocks(code.b, loop, 0), "a block has steps");
  scf::ForOp other = code.loopFrom(code.unknown);
  EXPECT_DEATH(buildBlocks(code.b, other, 8), "begins at a constant");
}

DEATH_TEST(CacheBlocking, TilesAreWalkedAroundTheirSteps) {
  Code code;
  scf::ForOp loop = code.loopFrom(code.number(0));
  scf::ForOp beside = code.loopFrom(code.number(0));
  StepBlock block = buildBlocks(code.b, loop, 8);
  EXPECT_DEATH(doInBlocks({{loop}, 64}, TileWalk{beside, 4}, block),
               "the tiles of a loop of steps are walked around it");
}

DEATH_TEST(RowReads, WidthsArePowersOfTwoTheWidestFirst) {
  Code code;
  auto body = [](OpBuilder &, Value, int64_t) {};
  Value from = code.number(0);
  EXPECT_DEATH(forSeveralSteps(code.b, code.loc(), from, from, {1, 8}, body),
               "the widest first");
  EXPECT_DEATH(forSeveralSteps(code.b, code.loc(), from, from, {12, 1}, body),
               "powers of two");
}

DEATH_TEST(PackedDotOperands, StepsFillWords) {
  Code code;
  WordParts parts{ScalarKind::I8, /*isUnsigned=*/false};
  auto type = VectorType::get({4, 6}, code.b.getI8Type());
  Value part =
      arith::ConstantOp::create(code.b, code.loc(), code.b.getZeroAttr(type));
  EXPECT_DEATH(parts.packSteps(code.b, part), "steps fill whole words");
  SmallVector<Value> five(5, part);
  EXPECT_DEATH(parts.packEach(code.b, five), "a word has room for its steps");
  EXPECT_DEATH(parts.packEach(code.b, {}), "a word has room for its steps");
}

} // namespace

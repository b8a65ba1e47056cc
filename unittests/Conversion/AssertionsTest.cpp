//===- AssertionsTest.cpp - Promises of conversions, broken on purpose ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/Conversion/BlockLiveness.h"
#include "../../lib/Conversion/ConvertToLLVM.h"
#include "../../lib/Conversion/SRefLayouts.h"
#include "mlir/IR/BuiltinOps.h"

using namespace distaff;

namespace {

DEATH_TEST(BlockLiveness, BlocksAreOfTheRegion) {
  Region region;
  region.push_back(new Block);
  Block other;
  BlockLiveness ranges(region);
  EXPECT_FALSE(ranges.isInLoop(region.front()));
  EXPECT_DEATH(ranges.isInLoop(other), "a block is one of the region");
}

DEATH_TEST(Registers, ThereAreLanes) {
  const Target &target = *lookupTarget("sm_80");
  EXPECT_DEATH(forecastOf({}, target, 0), "there are lanes");
  EXPECT_DEATH(forecastOf({}, target, 32, /*resident=*/0), "there are lanes");
}

DEATH_TEST(SRefLayouts, RefsAreOfTheModule) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  OpBuilder b(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      b, b.getUnknownLoc(), "f",
      b.getFunctionType(b.getIndexType(), b.getIndexType()));
  Value number = function.addEntryBlock()->getArgument(0);
  FailureOr<SRefLayouts> layouts = SRefLayouts::compute(*module);
  ASSERT_TRUE(succeeded(layouts));
  EXPECT_DEATH(layouts->getType(number), "an sref is one of the module");
  EXPECT_DEATH(layouts->getResultType(function, 0), "returns that sref");
}

} // namespace

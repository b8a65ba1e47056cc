//===- AssertionsTest.cpp - Promises of the machine, broken on purpose ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No kernel may break one: what a kernel can do wrong is a fault.
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/Simt/Machine/AsyncGroups.h"
#include "../../lib/Simt/Machine/Pointer.h"
#include "../../lib/Simt/Machine/Team.h"
#include "../../lib/Simt/Values/IndexSpace.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

DEATH_TEST(SimtGroups, OperationsCompleteOnceAndInTheirGroup) {
  AsyncGroups groups(AsyncGroups::Of::Copies, /*lanes=*/2);
  int64_t group = groups.start(0);
  groups.commit(0);
  groups.finish(0, group);
  EXPECT_DEATH(groups.finish(0, group), "an operation completes once");
  EXPECT_DEATH(groups.finish(0, 7), "an operation is of a group");
}

DEATH_TEST(SimtClocks, ThreadsHaveClocks) {
  Clocks clocks(4, /*partial=*/true);
  EXPECT_DEATH(clocks.now(4), "a thread has a clock");
  EXPECT_DEATH(clocks.knows(-1, 0, 1, 0), "a thread has a clock");
  Knowledge into;
  EXPECT_DEATH(clocks.release(3, 3, into), "a thread has a clock");
}

DEATH_TEST(SimtShadow, ElementsAreOfTheBufferAndCopiesEndOnce) {
  Shadow shadow;
  EXPECT_DEATH(shadow.at(-1), "an element is of the buffer");
  shadow.startCopy(3, 0, 0, /*isStore=*/true);
  EXPECT_DEATH(shadow.endCopy(3, /*isStore=*/false), "a copy ends once");
  Clocks clocks(1, /*partial=*/false);
  Shadow::Touch how = {0, Shadow::many, 0, true};
  EXPECT_DEATH(shadow.touch(0, shadow.at(0), clocks, how),
               "a thread is none of many");
  LaunchShadow launch(8);
  EXPECT_DEATH(launch.at(0), "a workgroup touched the element");
}

DEATH_TEST(SimtSync, TablesHaveTheirObjectsAndTeamsTheirWorkers) {
  SyncTable table;
  int64_t team = table.add(std::make_unique<Team>());
  EXPECT_DEATH(table.at(team + 1), "an object of that number");
  EXPECT_DEATH(table.as<Team>(-1), "an object of that number");
}

DEATH_TEST(SimtTensor, HasASizeAndCells) {
  Tensor tensor;
  EXPECT_DEATH(tensor.cells(), "a tensor that is read has cells");
  EXPECT_DEATH(tensor.mutableCells(), "a tensor that is written has cells");
  EXPECT_DEATH(Tensor::allocate({2, -1}, 4), "an array has a size");
}

DEATH_TEST(SimtMemory, MemRefsHaveTheirDims) {
  int64_t cells[6] = {};
  MemRefView view = {cells, /*lanes=*/1};
  EXPECT_DEATH(view.size(2, 2, 0), "a memref has that dim");
  EXPECT_DEATH(view.stride(1, 0, 1), "a memref has that dim");
  EXPECT_DEATH(Pointer::encode(-1, 0), "the number of its buffer");
}

DEATH_TEST(SimtValues, IndicesHaveAPartPerDim) {
  int64_t index[1] = {};
  EXPECT_DEATH(advance(index, {4, 4}), "an index has a part per dim");
}

} // namespace

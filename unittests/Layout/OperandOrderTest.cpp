//===- OperandOrderTest.cpp - Loads in an instruction's order -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "distaff/Layout/Conversion.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>

using namespace distaff;
using namespace distaff::test;

/// Words that loads bring together and an instruction does not take together:
/// of each load that has such words, all.
static int64_t movedBy(const SharedMemoryPlan &plan,
                       llvm::ArrayRef<int64_t> order, int64_t perOperand) {
  const SharedAccess &load = plan.load;
  int64_t perWord = std::max<int64_t>(1, 4 / plan.elementBytes), moved = 0;
  auto takes = [&](int64_t reg) {
    return std::find(order.begin(), order.end(), reg) - order.begin();
  };
  if (load.width <= perWord)
    return 0;
  for (size_t at = 0; at < load.registers.size(); at += load.width) {
    bool isApart = false;
    for (int64_t i = perWord; i < load.width; i += perWord) {
      int64_t last = takes(load.registers[at + i - perWord]) + perWord - 1;
      int64_t next = takes(load.registers[at + i]);
      // An operand may stand behind the end of any other one.
      isApart |= (last + 1) % perOperand == 0 ? next % perOperand != 0
                                              : next != last + 1;
    }
    moved += isApart ? load.width / perWord : 0;
  }
  return moved;
}

// VX-285: slices are loaded in the order of an instruction, as the whole is.
TEST(OperandOrder, PiecesFollowTheOrderOfAnInstruction) {
  std::mt19937 random(285);
  int64_t better = 0, inPieces = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Shape shape = {pick(random, {8, 16, 32}), pick(random, {16, 32})};
    RandomRange range{.maxSubgroups = 2, .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    HardwareShape hardware{
        std::max(src.neededSubgroups(), dst.neededSubgroups()), 32};
    int64_t perOperand = pick(random, {1, 2, 4});
    if (dst.numRegisters() % perOperand != 0)
      continue;
    std::vector<int64_t> order(dst.numRegisters());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    int64_t left = src.numElements() * 4 / pick(random, {1, 2, 4});
    MoveCosts costs;
    auto plan = [&](OperandOrder known) {
      return planSharedMemory(src, dst, hardware, 32, BankModel(), left, costs,
                              /*storeRow=*/0, known);
    };
    SharedMemoryPlan ordered = plan({order, perOperand});
    if (ordered.bytes > left)
      continue;
    EXPECT_EQ(ordered.movedWords, movedBy(ordered, order, perOperand));
    if (ordered.pieces() == 1)
      continue;
    ++inPieces;
    better += ordered.movedWords < movedBy(plan({}), order, perOperand);
  }
  EXPECT_GT(inPieces, 50);
  EXPECT_GT(better, 10);
}

// VX-286: how many registers an instruction takes at once decides which loads
// serve it, also where their order is the same.
TEST(OperandOrder, PlansDependOnTheRegistersOfAnOperand) {
  std::mt19937 random(286);
  int64_t dearer = 0;
  for (int trial = 0; trial < 100; ++trial) {
    Shape shape = {8, 32};
    RandomRange range{.maxSubgroups = 1, .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    if (dst.numRegisters() % 4 != 0)
      continue;
    std::vector<int64_t> order(dst.numRegisters());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    auto plan = [&](int64_t perOperand) {
      return planSharedMemory(src, dst, {1, 32}, 32, BankModel(),
                              /*maxBytes=*/0, MoveCosts(), /*storeRow=*/0,
                              {order, perOperand});
    };
    SharedMemoryPlan one = plan(1), four = plan(4);
    EXPECT_EQ(movedBy(one, order, 1), 0) << "every register stands alone";
    EXPECT_LE(four.movedWords, movedBy(one, order, 4));
    dearer += four.movedWords < movedBy(one, order, 4);
  }
  EXPECT_GT(dearer, 10);
}

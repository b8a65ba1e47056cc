//===- FragmentMapsTest.cpp - Matrix fragments as the manuals print them --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Ops/FragmentMaps.h"
#include "gtest/gtest.h"
#include <set>

using namespace distaff::simt;

namespace {

TEST(FragmentMaps, EveryElementLiesInExactlyOneRegister) {
  for (const MmaInstruction &instruction : mmaInstructions())
    for (MmaOperand operand : {MmaOperand::A, MmaOperand::B, MmaOperand::C}) {
      std::set<std::pair<int64_t, int64_t>> seen;
      MatrixElement extent = instruction.shape(operand);
      for (int64_t lane = 0; lane < instruction.subgroupSize; ++lane)
        for (int64_t reg = 0; reg < instruction.numRegisters(operand); ++reg) {
          MatrixElement at = instruction.map(operand)(lane, reg);
          EXPECT_TRUE(at.row >= 0 && at.row < extent.row);
          EXPECT_TRUE(at.column >= 0 && at.column < extent.column);
          EXPECT_TRUE(seen.insert({at.row, at.column}).second);
        }
      EXPECT_EQ(int64_t(seen.size()), extent.row * extent.column)
          << instruction.name.str();
    }
}

TEST(FragmentMaps, PlacesThatTheManualsShow) {
  using Element = MatrixElement;
  const MmaInstruction *sync =
      lookupMmaInstruction("NV_MMA_SYNC_F32_16x8x16_F16");
  ASSERT_TRUE(sync);
  // PTX ISA, figures of m16n8k16: T5 holds (1, 2..3), (9, 2..3), (1, 10..11)
  // ...
  EXPECT_EQ(sync->a(5, 0), (Element{1, 2}));
  EXPECT_EQ(sync->a(5, 3), (Element{9, 3}));
  EXPECT_EQ(sync->a(5, 4), (Element{1, 10}));
  EXPECT_EQ(sync->a(31, 7), (Element{15, 15}));
  EXPECT_EQ(sync->b(5, 2), (Element{10, 1}));
  EXPECT_EQ(sync->c(5, 2), (Element{9, 2}));
  const MmaInstruction *mfma = lookupMmaInstruction("MFMA_F32_32x32x8_F16");
  ASSERT_TRUE(mfma);
  EXPECT_EQ(mfma->a(33, 2), (Element{1, 6}));
  EXPECT_EQ(mfma->b(33, 2), (Element{6, 1}));
  EXPECT_EQ(mfma->c(33, 5), (Element{13, 1}));
  EXPECT_EQ(mfma->numRegisters(MmaOperand::C), 16);
  EXPECT_FALSE(lookupMmaInstruction("NV_MMA_SYNC_F32_8x8x4_F16"));
}

} // namespace

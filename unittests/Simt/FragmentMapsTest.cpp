//===- FragmentMapsTest.cpp - Matrix fragments as the manuals print them --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Ops/FragmentMaps.h"
#include "gtest/gtest.h"
#include <array>
#include <map>

using namespace distaff::simt;

namespace {

TEST(FragmentMaps, EveryElementLiesInAsManyRegistersAsThereAreCopies) {
  for (const MmaInstruction &instruction : mmaInstructions())
    for (MmaOperand operand : {MmaOperand::A, MmaOperand::B, MmaOperand::C}) {
      std::map<std::array<int64_t, 3>, int64_t> seen;
      MatrixElement extent = instruction.shape(operand);
      for (int64_t lane = 0; lane < instruction.subgroupSize; ++lane)
        for (int64_t reg = 0; reg < instruction.numRegisters(operand); ++reg) {
          MatrixElement at = instruction.map(operand)(lane, reg);
          EXPECT_TRUE(at.row >= 0 && at.row < extent.row);
          EXPECT_TRUE(at.column >= 0 && at.column < extent.column);
          EXPECT_TRUE(at.block >= 0 && at.block < extent.block);
          ++seen[{at.row, at.column, at.block}];
        }
      EXPECT_EQ(int64_t(seen.size()), extent.row * extent.column * extent.block)
          << instruction.name.str();
      for (auto &[at, count] : seen)
        EXPECT_EQ(count, operand == MmaOperand::C ? 1 : instruction.copies)
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
  // W10: 16 elements of A per lane; PTX ISA, figures of m16n8k32: T5 holds (1,
  // 4..7), (9, 4..7), (1, 20..23), (9, 20..23).
  const MmaInstruction *bytes =
      lookupMmaInstruction("NV_MMA_SYNC_F32_16x8x32_F8E4M3FN");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->numRegisters(MmaOperand::A), 16);
  EXPECT_EQ(bytes->a(5, 3), (Element{1, 7}));
  EXPECT_EQ(bytes->a(5, 4), (Element{9, 4}));
  EXPECT_EQ(bytes->a(5, 8), (Element{1, 20}));
  EXPECT_EQ(bytes->b(5, 4), (Element{20, 1}));
  // m16n8k8 of tf32: a1 is eight rows down, a2 four columns to the right.
  const MmaInstruction *tensor =
      lookupMmaInstruction("NV_MMA_SYNC_F32_16x8x8_TF32");
  EXPECT_EQ(tensor->a(5, 1), (Element{9, 1}));
  EXPECT_EQ(tensor->a(5, 2), (Element{1, 5}));
  // MI300 ISA: of four blocks of 16x16, lane 17 has row 1 of block 1 of A, and
  // rows 4..7 of each block's column 1 of D.
  const MmaInstruction *blocks =
      lookupMmaInstruction("MFMA_F32_16x16x4_4B_F16");
  EXPECT_EQ(blocks->a(17, 2), (Element{1, 2, 1}));
  EXPECT_EQ(blocks->c(17, 9), (Element{5, 1, 2}));
  // RDNA3: lane 17 repeats row 1 of A and has the odd rows of D.
  const MmaInstruction *wmma = lookupMmaInstruction("WMMAR3_F32_16x16x16_F16");
  EXPECT_EQ(wmma->a(17, 5), (Element{1, 5}));
  EXPECT_EQ(wmma->c(17, 3), (Element{7, 1}));
  // RDNA4: K in groups of four.
  EXPECT_EQ(lookupMmaInstruction("WMMAR4_F32_16x16x16_F16")->a(17, 5),
            (Element{1, 13}));
}

} // namespace

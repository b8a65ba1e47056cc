//===- TargetFragmentsTest.cpp - Target's rows against the manuals --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-97: for every row of every target, the fragment's layout, read in the
// order of its registers, holds what the machine's own map says. The two were
// written independently.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Ops/FragmentMaps.h"
#include "distaff/Target/Target.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

using simt::MatrixElement;
using simt::MmaInstruction;
using simt::MmaOperand;

/// Formula (1) of the specification, for one lane and register of a fragment.
MatrixElement elementOf(const Fragment &fragment, int64_t lane, int64_t reg) {
  int64_t extents[4] = {fragment.outer[0], fragment.outer[1],
                        fragment.element[0], fragment.element[1]};
  int64_t digits[4];
  for (int position = 3; position >= 0; --position) {
    int64_t extent = extents[fragment.registerOrder[position]];
    digits[fragment.registerOrder[position]] = reg % extent;
    reg /= extent;
  }
  EXPECT_EQ(reg, 0);
  int64_t index[2];
  for (int d = 0; d < 2; ++d) {
    int64_t stride = fragment.threadStrides[d];
    int64_t thread = stride == 0 ? 0 : lane / stride % fragment.thread[d];
    index[d] = (digits[d] * fragment.thread[d] + thread) * fragment.element[d] +
               digits[2 + d];
  }
  return {index[0], index[1]};
}

void expectSameMap(const MmaRow &row, const Fragment &fragment,
                   const MmaInstruction &instruction, MmaOperand operand) {
  Layout layout = layoutOf(fragment);
  ASSERT_EQ(fragment.numRegisters(), instruction.numRegisters(operand))
      << row.name.str();
  for (int64_t lane = 0; lane < row.subgroupSize; ++lane)
    for (int64_t reg = 0; reg < fragment.numRegisters(); ++reg) {
      MatrixElement manual = instruction.map(operand)(lane, reg);
      ASSERT_EQ(elementOf(fragment, lane, reg), manual)
          << row.name.str() << " operand " << int(operand) << " lane " << lane
          << " register " << reg;
      auto index = layout.indexOf({0, lane, reg});
      ASSERT_EQ(MatrixElement({index[0], index[1]}), manual) << row.name.str();
    }
}

simt::FloatFormat formatOf(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::F16:
    return simt::FloatFormat::F16;
  case ScalarKind::BF16:
    return simt::FloatFormat::BF16;
  case ScalarKind::F32:
    return simt::FloatFormat::F32;
  }
  return simt::FloatFormat::F64;
}

TEST(TargetFragments, EveryRowHoldsWhatTheManualSays) {
  int rows = 0;
  for (const Target *target : allTargets())
    for (const MmaRow &row : target->mma) {
      ++rows;
      const MmaInstruction *instruction = simt::lookupMmaInstruction(row.name);
      ASSERT_TRUE(instruction) << row.name.str() << " has no map of its own";
      EXPECT_EQ(instruction->m, row.m);
      EXPECT_EQ(instruction->n, row.n);
      EXPECT_EQ(instruction->k, row.k);
      EXPECT_EQ(instruction->subgroupSize, row.subgroupSize);
      EXPECT_EQ(instruction->input, formatOf(row.a));
      EXPECT_EQ(instruction->input, formatOf(row.b));
      EXPECT_EQ(instruction->accumulator, formatOf(row.c));
      expectSameMap(row, row.fragmentA, *instruction, MmaOperand::A);
      expectSameMap(row, row.fragmentB, *instruction, MmaOperand::B);
      expectSameMap(row, row.fragmentC, *instruction, MmaOperand::C);
    }
  EXPECT_GE(rows, 10);
}

} // namespace

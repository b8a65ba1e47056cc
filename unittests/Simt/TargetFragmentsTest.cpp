//===- TargetFragmentsTest.cpp - Target's rows against the manuals --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-97: for every row of every target, the fragment's layout, read in the
// order of its registers, holds what the machine's own map says, up to a
// numbering of K that A and B share. The two were written independently.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Ops/FragmentMaps.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

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
  EXPECT_LT(reg, fragment.blocks.outer);
  auto digitOf = [&](int64_t stride, int64_t count) {
    return stride == 0 ? 0 : lane / stride % count;
  };
  int64_t index[2];
  for (int d = 0; d < 2; ++d)
    index[d] = (digits[d] * fragment.thread[d] +
                digitOf(fragment.threadStrides[d], fragment.thread[d])) *
                   fragment.element[d] +
               digits[2 + d];
  const FragmentBlocks &blocks = fragment.blocks;
  return {index[0], index[1],
          reg * blocks.thread + digitOf(blocks.threadStride, blocks.thread)};
}

/// How one map numbers K where the other has 0, 1, 2, ...
using Renumbering = std::vector<int64_t>;

/// Compares the two maps of an operand, of which `k` is the dim of K, 0 for
/// rows, 1 for columns and 2 for none. K is the same but for a renumbering,
/// which comes back.
Renumbering expectSameMap(const MmaRow &row, const Fragment &fragment,
                          const MmaInstruction &instruction, MmaOperand operand,
                          int k) {
  Layout layout = layoutOf(fragment);
  Renumbering numbers(k == 2 ? 0 : row.k, -1);
  EXPECT_EQ(fragment.numRegisters(), instruction.numRegisters(operand))
      << row.name.str();
  for (int64_t lane = 0; lane < row.subgroupSize; ++lane)
    for (int64_t reg = 0; reg < fragment.numRegisters(); ++reg) {
      MatrixElement manual = instruction.map(operand)(lane, reg);
      MatrixElement ours = elementOf(fragment, lane, reg);
      auto index = layout.indexOf({0, lane, reg});
      size_t at = row.blocks > 1 ? 1 : 0;
      EXPECT_EQ(MatrixElement(
                    {index[at], index[at + 1], row.blocks > 1 ? index[0] : 0}),
                ours)
          << row.name.str();
      if (k != 2) {
        int64_t &number = numbers[k == 0 ? ours.row : ours.column];
        int64_t theirs = k == 0 ? manual.row : manual.column;
        EXPECT_TRUE(number == -1 || number == theirs) << row.name.str();
        number = theirs;
        (k == 0 ? ours.row : ours.column) = theirs;
      }
      EXPECT_EQ(ours, manual) << row.name.str() << " operand " << int(operand)
                              << " lane " << lane << " register " << reg;
    }
  return numbers;
}

simt::MmaElement elementOf(ScalarKind kind) {
  using simt::FloatFormat;
  switch (kind) {
  case ScalarKind::F16:
    return {true, FloatFormat::F16, 16};
  case ScalarKind::BF16:
    return {true, FloatFormat::BF16, 16};
  case ScalarKind::F32:
    return {true, FloatFormat::F32, 32};
  case ScalarKind::F64:
    return {true, FloatFormat::F64, 64};
  case ScalarKind::TF32:
  case ScalarKind::XF32:
    return {true, FloatFormat::TF32, 32};
  case ScalarKind::F8E4M3FN:
    return {true, FloatFormat::F8E4M3FN, 8};
  case ScalarKind::F8E5M2:
    return {true, FloatFormat::F8E5M2, 8};
  case ScalarKind::F8E4M3FNUZ:
    return {true, FloatFormat::F8E4M3FNUZ, 8};
  case ScalarKind::F8E5M2FNUZ:
    return {true, FloatFormat::F8E5M2FNUZ, 8};
  case ScalarKind::I4:
  case ScalarKind::U4:
    return {false, FloatFormat::F32, 4, kind == ScalarKind::I4};
  case ScalarKind::I8:
  case ScalarKind::U8:
    return {false, FloatFormat::F32, 8, kind == ScalarKind::I8};
  case ScalarKind::I16:
    return {false, FloatFormat::F32, 16};
  case ScalarKind::I32:
    return {false, FloatFormat::F32, 32};
  }
  return {};
}

// VX-97; VX-101 of the rows whose K the manual numbers otherwise.
TEST(TargetFragments, EveryRowHoldsWhatTheManualSays) {
  std::set<std::string> renumbered, rows;
  for (const Target *target : gpuTargets())
    for (const MmaRow &row : target->mma) {
      rows.insert(row.name.str());
      const MmaInstruction *instruction = simt::lookupMmaInstruction(row.name);
      ASSERT_TRUE(instruction) << row.name.str() << " has no map of its own";
      EXPECT_EQ(instruction->m, row.m);
      EXPECT_EQ(instruction->n, row.n);
      EXPECT_EQ(instruction->k, row.k);
      EXPECT_EQ(instruction->blocks, row.blocks);
      EXPECT_EQ(instruction->subgroupSize, row.subgroupSize);
      EXPECT_EQ(instruction->lhs, elementOf(row.a)) << row.name.str();
      EXPECT_EQ(instruction->rhs, elementOf(row.b)) << row.name.str();
      EXPECT_EQ(instruction->accumulator, elementOf(row.c)) << row.name.str();
      EXPECT_EQ(instruction->copies > 1, row.replicates()) << row.name.str();
      Renumbering a =
          expectSameMap(row, row.fragmentA, *instruction, MmaOperand::A, 1);
      Renumbering b =
          expectSameMap(row, row.fragmentB, *instruction, MmaOperand::B, 0);
      expectSameMap(row, row.fragmentC, *instruction, MmaOperand::C, 2);
      EXPECT_EQ(a, b) << row.name.str();
      Renumbering sorted(a);
      llvm::sort(sorted);
      for (int64_t k = 0; k < row.k; ++k)
        EXPECT_EQ(sorted[k], k) << row.name.str();
      if (a != sorted)
        renumbered.insert(row.name.str());
    }
  EXPECT_EQ(rows.size(), simt::mmaInstructions().size());
  // 16-bit operands of RDNA4, and the deepest forms of CDNA4.
  EXPECT_EQ(renumbered.size(), 12u);
  for (const std::string &name : renumbered)
    EXPECT_TRUE(llvm::StringRef(name).starts_with("WMMAR4") ||
                llvm::StringRef(name).contains("x128_") ||
                llvm::StringRef(name).contains("x64_"))
        << name;
}

} // namespace

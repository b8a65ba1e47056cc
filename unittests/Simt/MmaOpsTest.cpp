//===- MmaOpsTest.cpp - Matrix instructions on a subgroup -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every lane reads its fragments from memory that the test laid out by the
// fragment maps, multiplies, and writes its part of the result.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Ops/FragmentMaps.h"
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// A matrix as [lane][register], with room for `tiles` of them.
Values fragments(const MmaInstruction &mma, MmaOperand operand,
                 const Values &matrix) {
  int64_t registers = mma.numRegisters(operand),
          columns = mma.shape(operand).column;
  Values values(mma.subgroupSize * registers);
  for (int64_t lane = 0; lane < mma.subgroupSize; ++lane)
    for (int64_t reg = 0; reg < registers; ++reg) {
      MatrixElement at = mma.map(operand)(lane, reg);
      values[lane * registers + reg] = matrix[at.row * columns + at.column];
    }
  return values;
}

std::string typeName(FloatFormat format) {
  return format == FloatFormat::F16    ? "f16"
         : format == FloatFormat::BF16 ? "bf16"
                                       : "f32";
}

/// Fragment shapes: trailing dims of inner_tiled.
std::string fragmentShape(const MmaInstruction &mma, MmaOperand operand) {
  int64_t registers = mma.numRegisters(operand);
  if (mma.subgroupSize == 32)
    return std::to_string(registers / 2) + "x2";
  std::string count = std::to_string(registers);
  return operand == MmaOperand::A ? "1x" + count : count + "x1";
}

std::string kernelOf(const MmaInstruction &mma) {
  std::string subgroup = std::to_string(mma.subgroupSize);
  std::string body, arguments;
  for (auto [name, operand, format] :
       {std::tuple{"a", MmaOperand::A, mma.input},
        {"b", MmaOperand::B, mma.input},
        {"c", MmaOperand::C, mma.accumulator}}) {
    std::string n = name, type = typeName(format),
                registers = std::to_string(mma.numRegisters(operand));
    std::string shape = fragmentShape(mma, operand);
    arguments +=
        "%" + n + ": memref<" + subgroup + "x" + registers + "x" + type + ">, ";
    body += "%" + n + "0 = vector.load %" + n + "[%l, %zero] : memref<" +
            subgroup + "x" + registers + "x" + type + ">, vector<" + registers +
            "x" + type + ">\n";
    body += "%" + n + "1 = vector.shape_cast %" + n + "0 : vector<" +
            registers + "x" + type + "> to vector<1x1x" + shape + "x" + type +
            ">\n";
  }
  std::string acc = typeName(mma.accumulator), in = typeName(mma.input);
  std::string registers = std::to_string(mma.numRegisters(MmaOperand::C));
  std::string accType =
      "vector<1x1x" + fragmentShape(mma, MmaOperand::C) + "x" + acc + ">";
  std::string outType =
      "memref<" + subgroup + "x" + registers + "x" + acc + ">";
  return "gpu.module @m { gpu.func @f(" + arguments + "%d: " + outType +
         ") {\n"
         "%zero = arith.constant 0 : index\n%l = gpu.thread_id x\n" +
         body +
         "%r = iree_codegen.inner_tiled ins(%a1, %b1) outs(%c1) {indexing_maps "
         "= [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
         "affine_map<(m, n, k) -> (m, n)>], kind = #iree_gpu.mma_layout<" +
         mma.name.str() + ">} : vector<1x1x" +
         fragmentShape(mma, MmaOperand::A) + "x" + in + ">, vector<1x1x" +
         fragmentShape(mma, MmaOperand::B) + "x" + in + "> into " + accType +
         "\n"
         "%r1 = vector.shape_cast %r : " +
         accType + " to vector<" + registers + "x" + acc +
         ">\n"
         "vector.store %r1, %d[%l, %zero] : " +
         outType + ", vector<" + registers + "x" + acc + ">\ngpu.return } }";
}

TEST(MmaOps, EveryInstructionMultipliesItsFragments) {
  for (const MmaInstruction &mma : mmaInstructions()) {
    // Small integers: every product and sum is exact in every type.
    Values a(mma.m * mma.k), b(mma.k * mma.n), c(mma.m * mma.n);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = double(i * 7 % 5) - 2;
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = double(i * 3 % 7) - 3;
    for (size_t i = 0; i < c.size(); ++i)
      c[i] = double(i % 11) - 5;
    Values want = c;
    for (int64_t m = 0; m < mma.m; ++m)
      for (int64_t n = 0; n < mma.n; ++n)
        for (int64_t k = 0; k < mma.k; ++k)
          want[m * mma.n + n] += a[m * mma.k + k] * b[k * mma.n + n];

    Options options;
    options.subgroupSize = mma.subgroupSize;
    options.workgroupSize = {mma.subgroupSize, 1, 1};
    int64_t s = mma.subgroupSize;
    Argument out = array(typeName(mma.accumulator),
                         {s, mma.numRegisters(MmaOperand::C)}, {});
    out.written = false;
    Ending outcome = execute(
        kernelOf(mma),
        {array(typeName(mma.input), {s, mma.numRegisters(MmaOperand::A)},
               fragments(mma, MmaOperand::A, a)),
         array(typeName(mma.input), {s, mma.numRegisters(MmaOperand::B)},
               fragments(mma, MmaOperand::B, b)),
         array(typeName(mma.accumulator), {s, mma.numRegisters(MmaOperand::C)},
               fragments(mma, MmaOperand::C, c)),
         out},
        options);
    ASSERT_EQ(outcome.error, "") << mma.name.str();
    EXPECT_EQ(outcome.arguments[3], fragments(mma, MmaOperand::C, want))
        << mma.name.str();
    EXPECT_EQ(outcome.counters.mma, 1);
  }
}

TEST(MmaOps, AWrongSubgroupSizeIsNotModelled) {
  const MmaInstruction *mma = lookupMmaInstruction("MFMA_F32_16x16x16_F16");
  Options options;
  options.subgroupSize = 32;
  options.workgroupSize = {64, 1, 1};
  Argument operand = array("f16", {64, 4}, Values(256, 1)),
           acc = array("f32", {64, 4}, Values(256, 1));
  EXPECT_EQ(faultOf(kernelOf(*mma), {operand, operand, acc, acc}, options),
            "not modelled");
}

} // namespace

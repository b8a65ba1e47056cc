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
  int64_t registers = mma.numRegisters(operand), rows = mma.shape(operand).row,
          columns = mma.shape(operand).column;
  Values values(mma.subgroupSize * registers);
  for (int64_t lane = 0; lane < mma.subgroupSize; ++lane)
    for (int64_t reg = 0; reg < registers; ++reg) {
      MatrixElement at = mma.map(operand)(lane, reg);
      values[lane * registers + reg] =
          matrix[(at.block * rows + at.row) * columns + at.column];
    }
  return values;
}

std::string typeName(const MmaElement &element) {
  if (!element.isFloat)
    return "i" + std::to_string(element.width);
  switch (element.format) {
  case FloatFormat::F16:
    return "f16";
  case FloatFormat::BF16:
    return "bf16";
  case FloatFormat::F64:
    return "f64";
  case FloatFormat::F8E4M3FN:
    return "f8E4M3FN";
  case FloatFormat::F8E5M2:
    return "f8E5M2";
  case FloatFormat::F8E4M3FNUZ:
    return "f8E4M3FNUZ";
  case FloatFormat::F8E5M2FNUZ:
    return "f8E5M2FNUZ";
  default:
    return "f32";
  }
}

/// Fragment shapes: trailing dims of inner_tiled.
std::string fragmentShape(const MmaInstruction &mma, MmaOperand operand) {
  int64_t registers = mma.numRegisters(operand);
  auto shape = [](int64_t first, int64_t second) {
    return std::to_string(first) + "x" + std::to_string(second);
  };
  if (mma.name.starts_with("NV_")) {
    int64_t second = operand == MmaOperand::C ? 2
                     : mma.lhs.width >= 32    ? 1
                                              : 32 / mma.lhs.width;
    return shape(registers / second, second);
  }
  return operand == MmaOperand::A ? shape(1, registers) : shape(registers, 1);
}

std::string kernelOf(const MmaInstruction &mma) {
  std::string subgroup = std::to_string(mma.subgroupSize);
  std::string body, arguments;
  for (auto [name, operand, format] : {std::tuple{"a", MmaOperand::A, mma.lhs},
                                       {"b", MmaOperand::B, mma.rhs},
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
  std::string acc = typeName(mma.accumulator);
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
         fragmentShape(mma, MmaOperand::A) + "x" + typeName(mma.lhs) +
         ">, vector<1x1x" + fragmentShape(mma, MmaOperand::B) + "x" +
         typeName(mma.rhs) + "> into " + accType +
         "\n"
         "%r1 = vector.shape_cast %r : " +
         accType + " to vector<" + registers + "x" + acc +
         ">\n"
         "vector.store %r1, %d[%l, %zero] : " +
         outType + ", vector<" + registers + "x" + acc + ">\ngpu.return } }";
}

/// `count` small whole numbers that the element has: every product and sum is
/// exact in every type. Unsigned ones reach beyond what has a sign.
Values numbersOf(const MmaElement &element, size_t count, int64_t factor) {
  Values values(count);
  int64_t bias = element.isSigned ? 2 : 0;
  for (size_t i = 0; i < count; ++i)
    values[i] = double(int64_t(i * factor % 5) - bias);
  if (!element.isSigned)
    for (size_t i = 0; i < count; i += 3)
      values[i] = double((1 << element.width) - 1 - int64_t(i % 2));
  return values;
}

/// As an array of the IR's type holds them, which has a sign.
Values stored(const MmaElement &element, Values values) {
  for (double &value : values)
    if (!element.isSigned && value >= double(1 << (element.width - 1)))
      value -= double(1 << element.width);
  return values;
}

// VX-97, VX-98.
TEST(MmaOps, EveryInstructionMultipliesItsFragments) {
  for (const MmaInstruction &mma : mmaInstructions()) {
    Values a = numbersOf(mma.lhs, mma.blocks * mma.m * mma.k, 7);
    Values b = numbersOf(mma.rhs, mma.blocks * mma.k * mma.n, 3);
    Values c = numbersOf(mma.accumulator, mma.blocks * mma.m * mma.n, 11);
    Values want = c;
    for (int64_t block = 0; block < mma.blocks; ++block)
      for (int64_t m = 0; m < mma.m; ++m)
        for (int64_t n = 0; n < mma.n; ++n)
          for (int64_t k = 0; k < mma.k; ++k)
            want[(block * mma.m + m) * mma.n + n] +=
                a[(block * mma.m + m) * mma.k + k] *
                b[(block * mma.k + k) * mma.n + n];

    Options options;
    options.subgroupSize = mma.subgroupSize;
    options.workgroupSize = {mma.subgroupSize, 1, 1};
    int64_t s = mma.subgroupSize;
    auto operand = [&](MmaOperand which, const Values &values) {
      return array(typeName(mma.element(which)), {s, mma.numRegisters(which)},
                   stored(mma.element(which), fragments(mma, which, values)));
    };
    Argument out = array(typeName(mma.accumulator),
                         {s, mma.numRegisters(MmaOperand::C)}, {});
    out.written = false;
    Ending outcome =
        execute(kernelOf(mma),
                {operand(MmaOperand::A, a), operand(MmaOperand::B, b),
                 operand(MmaOperand::C, c), out},
                options);
    ASSERT_EQ(outcome.error, "") << mma.name.str();
    EXPECT_EQ(outcome.arguments[3], fragments(mma, MmaOperand::C, want))
        << mma.name.str();
    EXPECT_EQ(outcome.counters.mma, 1);
  }
}

// RDNA3 multiplies whatever its two halves hold; no one product is meant.
TEST(MmaOps, LanesWithoutTheCopiesOfOthersAreMisuse) {
  const MmaInstruction *mma = lookupMmaInstruction("WMMAR3_F32_16x16x16_F16");
  Options options;
  options.workgroupSize = {32, 1, 1};
  Argument same = array("f16", {32, 16}, Values(512, 1));
  Argument acc = array("f32", {32, 8}, Values(256, 1));
  Values other(512, 1);
  other[20 * 16 + 3] = 2;
  Argument different = array("f16", {32, 16}, other);
  EXPECT_EQ(faultOf(kernelOf(*mma), {same, same, acc, acc}, options), "");
  EXPECT_EQ(faultOf(kernelOf(*mma), {different, same, acc, acc}, options),
            "misuse");
  EXPECT_EQ(faultOf(kernelOf(*mma), {same, different, acc, acc}, options),
            "misuse");
}

// The same where each lane is an agent, and they meet for the instruction.
TEST(MmaOps, LanesThatMeetHoldTheCopiesOfOthers) {
  const char *kernel = R"(
#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @f(%bad: i32, %o: memref<32x8xf32>) attributes {translation_info = #launch} {
  pcf.generic scope(#ln) execute(%O = %o)[%lane: index, %lanes: index] : (!pcf.sref<32x8xf32, #ln>) -> (memref<32x8xf32>) {
    %l = arith.index_cast %lane : index to i32
    %is = arith.cmpi eq, %l, %bad : i32
    %one = arith.constant dense<1.0> : tensor<1x16xf16>
    %two = arith.constant dense<2.0> : tensor<1x16xf16>
    %a = arith.select %is, %two, %one : tensor<1x16xf16>
    %b = arith.constant dense<1.0> : tensor<16x1xf16>
    %c = arith.constant dense<0.0> : tensor<8x1xf32>
    %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], kind = #iree_gpu.mma_layout<WMMAR3_F32_16x16x16_F16>}
        : tensor<1x16xf16>, tensor<16x1xf16> into tensor<8x1xf32>
    %e = tensor.collapse_shape %d [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    %f = tensor.expand_shape %e [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
    pcf.write_slice %f into %O[%lane, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !pcf.sref<32x8xf32, #ln>
    pcf.return
  }
  return
}
)";
  auto withBadLane = [&](double lane) {
    Options options;
    options.workgroupSize = {32, 1, 1};
    return faultOf(
        kernel,
        {array("i32", {}, {lane}), array("f32", {32, 8}, Values(256, 0))},
        options);
  };
  EXPECT_EQ(withBadLane(40), "");
  EXPECT_EQ(withBadLane(20), "misuse");
  EXPECT_EQ(withBadLane(3), "misuse");
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

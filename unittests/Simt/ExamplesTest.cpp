//===- ExamplesTest.cpp - The example kernels before compilation ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kernel of examples/, as it is written, runs within the bounds of its
// own reference evaluation, and the bounds are narrow enough for `--check` to
// decide.
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "Kernel.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

std::string example(const char *name) {
  auto file = llvm::MemoryBuffer::getFile(
      std::string(DISTAFF_SOURCE_DIR "/examples/") + name + ".mlir");
  return file ? (*file)->getBuffer().str() : "";
}

void expectWithin(const Values &values, const EstimateArray &estimates) {
  ASSERT_EQ(values.size(), estimates.elements.size());
  double largest = 0, widest = 0;
  int64_t outside = 0, undecided = 0;
  for (auto [value, estimate] : llvm::zip_equal(values, estimates.elements)) {
    outside += !(std::abs(value - estimate.value) <= estimate.bound);
    undecided += estimate.undecided;
    largest = std::max(largest, std::abs(estimate.value));
    widest = std::max(widest, estimate.bound);
  }
  EXPECT_EQ(outside, 0);
  EXPECT_EQ(undecided, 0);
  EXPECT_LE(widest, 0.02 * largest);
  std::printf("  largest value %g, widest bound %g\n", largest, widest);
}

/// Arguments from `firstOutput` on are outputs.
void expectRight(const std::string &source, std::vector<Argument> arguments,
                 size_t firstOutput) {
  for (size_t i = firstOutput; i < arguments.size(); ++i)
    arguments[i].written = false;
  Options options;
  Ending outcome = execute(source, arguments, options);
  ASSERT_EQ(outcome.error, "");
  Evaluation evaluation = evaluateKernel(source, arguments);
  ASSERT_EQ(evaluation.error, "");
  for (size_t i = firstOutput; i < arguments.size(); ++i)
    expectWithin(outcome.arguments[i], evaluation.arguments[i]);
  for (size_t i = 0; i < outcome.results.size(); ++i)
    expectWithin(outcome.results[i], evaluation.results[i]);
}

void expectExample(const char *name, std::vector<Argument> arguments,
                   size_t firstOutput) {
  SCOPED_TRACE(name);
  expectRight(example(name), std::move(arguments), firstOutput);
}

Argument output(const char *type, distaff::ArrayRef<int64_t> shape) {
  return array(type, shape, {});
}

TEST(Examples, Reduce) {
  expectExample("reduce_8x64",
                {randomArray("f32", {8, 64}, 1), output("f32", {8})}, 1);
}
TEST(Examples, ContractMmaSync) {
  expectExample("contract_mma_sync",
                {randomArray("f16", {16, 16}, 1),
                 randomArray("f16", {8, 16}, 2), randomArray("f32", {16, 8}, 3),
                 output("f32", {16, 8})},
                3);
}
TEST(Examples, RowSum) {
  expectExample("row_sum", {randomArray("f32", {64, 4096}, 1)}, 1);
}
// A row is like another: some are enough.
TEST(Examples, Softmax) {
  int64_t rows = isQuick() ? 65 : 1024;
  std::string source = example("softmax"), few = std::to_string(rows) + "x768";
  for (size_t at = 0; (at = source.find("1024x768", at)) != source.npos;)
    source.replace(at, strlen("1024x768"), few);
  expectRight(source, {randomArray("f32", {rows, 768}, 1)}, 1);
}
TEST(Examples, MatmulF16) {
  expectExample(
      "matmul_f16",
      {randomArray("f16", {512, 256}, 1), randomArray("f16", {256, 384}, 2)},
      2);
}
TEST(Examples, MatmulDynamic) {
  expectExample(
      "matmul_dynamic",
      {randomArray("f16", {33, 17}, 1), randomArray("f16", {17, 5}, 2)}, 2);
}
TEST(Examples, FlashAttention) {
  expectExample("flash_attention",
                {randomArray("f16", {256, 64}, 1),
                 randomArray("f16", {512, 64}, 2),
                 randomArray("f16", {512, 64}, 3), output("f16", {256, 64})},
                3);
}
TEST(Examples, AttentionOfTheRfc) {
  expectExample("attention_rfc",
                {randomArray("f16", {1, 128, 64}, 1),
                 randomArray("f16", {128, 64}, 2),
                 randomArray("f16", {128, 64}, 3), output("f16", {1, 128, 64})},
                3);
}

} // namespace

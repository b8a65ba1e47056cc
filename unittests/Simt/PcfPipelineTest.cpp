//===- PcfPipelineTest.cpp - A matmul at every stage of a pipeline ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The listings of the specification, chapter 8: from one loop over workgroups
// to lanes that hold fragments of an MMA. All compute the same (PCF-85,
// PCF-89), and no barrier of theirs can be left out.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

Options options(uint64_t schedule = 0) {
  Options options;
  options.subgroupSize = 64;
  options.workgroupSize = {256, 1, 1};
  options.target = "gfx942";
  options.schedule = schedule;
  return options;
}

std::string sample(StringRef name) {
  auto file = llvm::MemoryBuffer::getFile(
      DISTAFF_SOURCE_DIR "/test/Dialect/PCF/samples-pipeline.mlir");
  StringRef all = (*file)->getBuffer();
  size_t start = all.find(("func.func @" + name + "(").str());
  return all.slice(all.find("#seq ="), all.find("func.func")).str() +
         all.slice(start, all.find("\nfunc.func", start)).str();
}

struct Problem {
  int64_t m, n, k;

  Argument whole(int64_t rows, int64_t columns, unsigned seed) const {
    Argument argument = randomArray("f16", {rows, columns}, seed, -3, 3);
    for (double &value : argument.values)
      value = std::round(value);
    return argument;
  }
  Argument lhs = whole(m, k, 1), rhs = whole(k, n, 2),
           out = randomArray("f32", {m, n}, 3);

  std::vector<Argument> arguments() const { return {lhs, rhs, out}; }
  Values product() const {
    Values sums(m * n, 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < k; ++l)
        for (int64_t j = 0; j < n; ++j)
          sums[i * n + j] += lhs.values[i * k + l] * rhs.values[l * n + j];
    return sums;
  }
};

const std::vector<std::string> stages = {"tiled",  "wrapped",   "flow",
                                         "copies", "subgroups", "vectorized"};

TEST(PcfPipeline, EveryStageComputesTheProduct) {
  for (Problem problem :
       {Problem{256, 128, 64}, Problem{1, 1, 1}, Problem{257, 129, 65},
        Problem{300, 150, 100}, Problem{511, 255, 70}, Problem{5, 3, 0}}) {
    Values expected = problem.product();
    for (const std::string &stage : stages)
      EXPECT_TRUE(valuesOf(sample(stage), problem.arguments(),
                           options(problem.k)) == expected)
          << stage << " " << problem.m << "x" << problem.n << "x" << problem.k;
  }
}

// PCF-87: both barriers of a step are needed, with their fences.
TEST(PcfPipeline, EveryBarrierIsNeeded) {
  Problem problem{100, 60, 130};
  for (StringRef stage : {"copies", "subgroups", "vectorized"})
    for (StringRef missing : {"pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB",
                              " fence(%la, %lb) : !LA, !LB"})
      for (bool first : {true, false}) {
        std::string text = sample(stage);
        size_t at = first ? text.find(missing) : text.rfind(missing);
        ASSERT_NE(at, std::string::npos) << stage.str();
        text.erase(at, missing.size());
        for (uint64_t schedule : {0, 1})
          EXPECT_EQ(faultOf(text, problem.arguments(), options(schedule)),
                    "race")
              << stage.str() << (first ? ", first" : ", last");
      }
}

} // namespace

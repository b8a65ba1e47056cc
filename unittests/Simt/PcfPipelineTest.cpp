//===- PcfPipelineTest.cpp - A matmul at every stage of a pipeline --------===//
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
#include "../Depth.h"
#include "PcfKernel.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

Options options(uint64_t schedule) {
  Options options = launch(64, 256, schedule);
  options.target = "gfx942";
  return options;
}

struct Problem {
  int64_t m, n, k;

  Argument lhs = wholeNumbers({m, k}, 1), rhs = wholeNumbers({k, n}, 2),
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
  int64_t seen = 0;
  for (Problem problem :
       {Problem{256, 128, 64}, Problem{1, 1, 1}, Problem{257, 129, 65},
        Problem{300, 150, 100}, Problem{511, 255, 70}, Problem{5, 3, 0}}) {
    Values expected = problem.product();
    for (const std::string &stage : stages) {
      if (isQuick() && seen++ % 5 != 0) // there are 6 stages
        continue;
      EXPECT_TRUE(valuesOf(sampleOf("pipeline", stage), problem.arguments(),
                           options(problem.k)) == expected)
          << stage << " " << problem.m << "x" << problem.n << "x" << problem.k;
    }
  }
}

// PCF-87: both barriers of a step are needed, with their fences.
TEST(PcfPipeline, EveryBarrierIsNeeded) {
  Problem problem{100, 60, 130};
  for (StringRef stage : {"copies", "subgroups", "vectorized"})
    for (StringRef missing : {"pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB",
                              " fence(%la, %lb) : !LA, !LB"})
      for (bool first : {true, false}) {
        std::string text = sampleOf("pipeline", stage);
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

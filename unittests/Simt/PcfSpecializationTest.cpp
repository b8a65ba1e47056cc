//===- PcfSpecializationTest.cpp - Producers, consumers, ping-pong --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of the specification, chapter 7, before anything is distributed:
// clusters run at the same time, and every barrier is needed (PCF-76, PCF-77).
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "PcfKernel.h"
#include <set>

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// One function of the samples, which returns what it computes.
std::string sample(StringRef name) {
  std::string text = sampleOf("specialization", name);
  auto replace = [&](StringRef from, StringRef to) {
    text.replace(text.rfind(from), from.size(), to);
  };
  replace("index) {", "index) -> tensor<1x256x128xf32> {");
  replace("\n  return\n", "\n  return %res : tensor<1x256x128xf32>\n");
  return text;
}

struct SpecializedProblem {
  int64_t steps;
  /// With no step, there is a panel all the same, which is read for nothing.
  int64_t k = 32 * std::max<int64_t>(steps, 1);
  Argument lhs = wholeNumbers({1, 256, k}, 3),
           rhs = wholeNumbers({1, k, 128}, 4);

  /// `last` are the arguments behind the arrays.
  std::vector<Argument> arguments(ArrayRef<int64_t> last) const {
    std::vector<Argument> all = {lhs, rhs,
                                 randomArray("f32", {1, 256, 128}, 5)};
    for (int64_t value : last)
      all.push_back(index(value));
    return all;
  }

  Values product() const {
    Values out(256 * 128, 0);
    for (int64_t i = 0; i < 256; ++i)
      for (int64_t l = 0; l < 32 * steps; ++l)
        for (int64_t j = 0; j < 128; ++j)
          out[i * 128 + j] += lhs.values[i * k + l] * rhs.values[l * 128 + j];
    return out;
  }
};

/// The arguments behind the arrays, of a program: steps, and where it is split.
std::vector<int64_t> lastArguments(StringRef name, int64_t steps,
                                   int64_t split) {
  if (name == "v1_collective")
    return {steps};
  if (name == "producer_consumer")
    return {split, steps};
  return {steps, split};
}

const std::vector<std::string> names = {"producer_consumer", "v1_collective",
                                        "v2_split", "v3_sheared"};

TEST(PcfSpecialization, AllComputeTheProduct) {
  int64_t seen = 0;
  for (int64_t steps : {0, 1, 2, 3, 8}) {
    SpecializedProblem problem{steps};
    Values expected = problem.product();
    for (const std::string &name : names)
      for (int64_t split : {1, 2, 3})
        for (uint64_t schedule : {0, 1, 2}) {
          if (split != 2 && (schedule != 0 || steps == 8))
            continue;
          if (isQuick() && seen++ % 11 != 0) // of 5 or 3 per name
            continue;
          Ending ending =
              execute(sample(name),
                      problem.arguments(lastArguments(name, steps, split)),
                      launch(32, 128, schedule));
          ASSERT_EQ(ending.error, "") << name << ", " << steps << " steps";
          EXPECT_TRUE(ending.results[0] == expected)
              << name << ", " << steps << " steps, split at " << split;
        }
  }
}

/// A program without its barriers of these numbers.
std::string withoutBarriers(StringRef name, std::set<int> numbers) {
  std::string text = sample(name);
  int number = 0;
  for (size_t at = 0; (at = text.find("pcf.barrier", at)) != std::string::npos;
       ++number)
    if (numbers.count(number))
      text.erase(at, text.find('\n', at) - at);
    else
      ++at;
  return text;
}

// Which agent comes first does not matter: a race is one in any order.
TEST(PcfSpecialization, ARaceIsFoundWhereABarrierIsMissing) {
  SpecializedProblem problem{3};
  // At the depth of `make test` each program runs in one of three orders.
  uint64_t number = 0;
  for (auto [name, missing] : std::vector<std::pair<StringRef, std::set<int>>>{
           {"producer_consumer", {0}},
           {"producer_consumer", {1}},
           {"v1_collective", {0}},
           {"v1_collective", {1, 2}},
           {"v2_split", {0}},
           {"v2_split", {1, 2}},
           {"v3_sheared", {0}},
           {"v3_sheared", {2}}}) {
    for (uint64_t schedule : {0, 1, 2})
      if (!isQuick() || schedule == number % 3)
        EXPECT_EQ(faultOf(withoutBarriers(name, missing),
                          problem.arguments(lastArguments(name, 3, 2)),
                          launch(32, 128, schedule)),
                  "race")
            << name.str() << " without barrier " << *missing.begin();
    ++number;
  }
}

// Of two barriers around a phase without memory, either would do; those of V3
// in front of the slots in which only the odd cluster moves data, as well.
TEST(PcfSpecialization, ABarrierMayBeOneTooMany) {
  SpecializedProblem problem{3};
  Values expected = problem.product();
  for (auto [name, missing] :
       std::vector<std::pair<StringRef, int>>{{"v1_collective", 1},
                                              {"v1_collective", 2},
                                              {"v2_split", 1},
                                              {"v2_split", 2},
                                              {"v3_sheared", 1},
                                              {"v3_sheared", 3}})
    EXPECT_TRUE(valuesOf(withoutBarriers(name, {missing}),
                         problem.arguments(lastArguments(name, 3, 2)),
                         launch(32, 128, 5)) == expected)
        << name.str() << " without barrier " << missing;
}

// Members of a group of one are in order.
TEST(PcfSpecialization, OneSubgroupNeedsNoBarriers) {
  SpecializedProblem problem{3};
  Options one = launch(32, 128);
  one.workgroupSize = {32, 1, 1};
  EXPECT_TRUE(valuesOf(withoutBarriers("v1_collective", {0, 1, 2}),
                       problem.arguments({3}), one) == problem.product());
}

// An empty cluster executes nothing, and barriers do not wait for it (PCF-62).
TEST(PcfSpecialization, AnEmptyClusterIsNotWaitedFor) {
  SpecializedProblem problem{2};
  for (int64_t split : {0, 4}) {
    Ending ending =
        execute(sample("v2_split"),
                problem.arguments(lastArguments("v2_split", 2, split)),
                launch(32, 128));
    // Half of the panels are never written, and are used.
    EXPECT_EQ(ending.fault, FaultKind::Unwritten) << split;
  }
}

// Of the buffers, which a barrier without them does not order.
TEST(PcfSpecialization, EveryFencedRefIsNeeded) {
  SpecializedProblem problem{3};
  for (const std::string &name : names)
    for (auto [from, to] :
         {std::pair("fence(%la, %lb) : !LA, !LB", "fence(%la) : !LA"),
          {"fence(%la, %lb) : !LA, !LB", "fence(%lb) : !LB"},
          {"fence(%la, %lb) : !LA, !LB", ""}}) {
      std::string text = sample(name);
      for (size_t at; (at = text.find(from)) != std::string::npos;)
        text.replace(at, strlen(from), to);
      EXPECT_EQ(faultOf(text, problem.arguments(lastArguments(name, 3, 2)),
                        launch(32, 128)),
                "race")
          << name << " with " << to;
    }
}

} // namespace

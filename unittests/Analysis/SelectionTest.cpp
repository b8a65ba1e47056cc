//===- SelectionTest.cpp - Cheapest assignments on random graphs ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Selection.h"

#include "gtest/gtest.h"
#include <random>

using namespace distaff;
using llvm::SmallVector;

namespace {
struct GraphShape {
  unsigned nodes, edges, candidates;
};
} // namespace

static SelectionProblem randomProblem(GraphShape shape, unsigned seed) {
  std::mt19937 random(seed);
  auto upTo = [&](unsigned limit) { return random() % limit; };
  SelectionProblem problem;
  for (unsigned i = 0; i < shape.nodes; ++i) {
    auto &node = problem.nodes.emplace_back();
    for (unsigned c = 0, e = 1 + upTo(shape.candidates); c < e; ++c)
      node.push_back(upTo(20));
  }
  for (unsigned i = 0; i < shape.edges; ++i) {
    unsigned a = upTo(shape.nodes), b = upTo(shape.nodes);
    if (a == b)
      continue;
    SelectionProblem::Edge edge{a, b, {}};
    for (unsigned x = 0; x < problem.nodes[a].size(); ++x)
      for (unsigned y = 0; y < problem.nodes[b].size(); ++y)
        edge.cost.push_back(x == y ? 0 : upTo(30));
    problem.edges.push_back(std::move(edge));
  }
  return problem;
}

static int64_t bruteForce(const SelectionProblem &problem) {
  SmallVector<unsigned> choice(problem.nodes.size(), 0);
  int64_t best = problem.costOf(choice);
  for (;;) {
    unsigned i = 0;
    while (i < choice.size() && ++choice[i] == problem.nodes[i].size())
      choice[i++] = 0;
    if (i == choice.size())
      return best;
    best = std::min(best, problem.costOf(choice));
  }
}

TEST(Selection, IsTheMinimumOnSmallGraphs) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SelectionProblem problem = randomProblem({6, 9, 4}, seed);
    Selection selection = select(problem);
    EXPECT_TRUE(selection.exact);
    EXPECT_EQ(selection.cost, bruteForce(problem)) << "seed " << seed;
    EXPECT_EQ(selection.cost, problem.costOf(selection.choice));
  }
}

// VX-54, with tables too small for elimination as well.
TEST(Selection, NeverCostsMoreThanFirstWins) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SelectionProblem problem = randomProblem({40, 120, 8}, seed);
    for (int64_t tableLimit : {4, 1 << 10}) {
      Selection selection = select(problem, tableLimit);
      EXPECT_LE(selection.cost, firstWins(problem, true).cost);
      EXPECT_LE(selection.cost, firstWins(problem, false).cost);
      EXPECT_EQ(selection.cost, problem.costOf(selection.choice));
    }
  }
}

TEST(Selection, IsExactOnTreesOfAnySize) {
  SelectionProblem problem = randomProblem({200, 0, 8}, 1);
  std::mt19937 random(2);
  for (unsigned i = 1; i < problem.nodes.size(); ++i) {
    SelectionProblem::Edge edge{unsigned(random() % i), i, {}};
    edge.cost.assign(
        problem.nodes[edge.a].size() * problem.nodes[edge.b].size(), 3);
    problem.edges.push_back(std::move(edge));
  }
  EXPECT_TRUE(select(problem, /*tableLimit=*/64).exact);
}

TEST(Selection, TiesGoToTheEarlierCandidate) {
  SelectionProblem problem;
  problem.nodes = {{1, 1}, {0, 0, 0}};
  problem.edges.push_back({0, 1, {0, 0, 0, 0, 0, 0}});
  EXPECT_EQ(select(problem).choice, (SmallVector<unsigned>{0, 0}));
}

TEST(Selection, IsDeterministic) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SelectionProblem problem = randomProblem({30, 60, 8}, seed);
    EXPECT_EQ(select(problem).choice, select(problem).choice);
  }
}

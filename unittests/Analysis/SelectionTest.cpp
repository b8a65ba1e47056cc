//===- SelectionTest.cpp - Cheapest assignments on random graphs ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Layout/Selection.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

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
    SmallVector<int64_t> cost;
    for (unsigned x = 0; x < problem.nodes[a].size(); ++x)
      for (unsigned y = 0; y < problem.nodes[b].size(); ++y)
        cost.push_back(x == y ? 0 : upTo(30));
    problem.addEdge(a, b, std::move(cost));
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

namespace {

/// Elimination by the book, on sets and maps: always the node next whose
/// removal leaves the smallest table, the first of equals.
class Reference {
public:
  explicit Reference(const SelectionProblem &problem) : problem(problem) {}

  std::optional<SmallVector<unsigned>> choose(int64_t tableLimit);

private:
  using Assignment = std::map<unsigned, unsigned>;
  using Cost = std::function<int64_t(const Assignment &)>;
  struct Factor {
    std::set<unsigned> scope;
    std::map<Assignment, int64_t> cost;
  };

  int64_t tableSize(const std::set<unsigned> &scope) const;
  Factor tabulate(const std::set<unsigned> &scope, const Cost &cost) const;
  /// Replaces all that touches `node` by what the best candidate costs.
  void eliminate(unsigned node);
  std::set<unsigned> around(unsigned node) const;
  static Assignment within(const Assignment &all,
                           const std::set<unsigned> &scope);

  const SelectionProblem &problem;
  std::vector<Factor> factors;
  std::vector<std::pair<unsigned, std::map<Assignment, unsigned>>> order;
};

} // namespace

Reference::Assignment Reference::within(const Assignment &all,
                                        const std::set<unsigned> &scope) {
  Assignment result;
  for (unsigned node : scope)
    result[node] = all.at(node);
  return result;
}

std::set<unsigned> Reference::around(unsigned node) const {
  std::set<unsigned> result;
  for (const Factor &factor : factors)
    if (factor.scope.contains(node))
      result.insert(factor.scope.begin(), factor.scope.end());
  result.erase(node);
  return result;
}

int64_t Reference::tableSize(const std::set<unsigned> &scope) const {
  double result = 1; // more than fits in an int64_t is too much in any case
  for (unsigned node : scope)
    result *= problem.nodes[node].size();
  return int64_t(std::min(result, 1e15));
}

Reference::Factor Reference::tabulate(const std::set<unsigned> &scope,
                                      const Cost &cost) const {
  std::vector<Assignment> assignments(1);
  for (unsigned node : scope) {
    std::vector<Assignment> longer;
    for (Assignment &assignment : assignments)
      for (unsigned c = 0; c < problem.nodes[node].size(); ++c) {
        assignment[node] = c;
        longer.push_back(assignment);
      }
    assignments = std::move(longer);
  }
  Factor result{scope, {}};
  for (const Assignment &assignment : assignments)
    result.cost[assignment] = cost(assignment);
  return result;
}

void Reference::eliminate(unsigned node) {
  std::set<unsigned> scope = around(node);
  std::vector<Factor> touching, rest;
  for (Factor &factor : factors)
    (factor.scope.contains(node) ? touching : rest)
        .push_back(std::move(factor));
  auto &[eliminated, best] = order.emplace_back();
  eliminated = node;
  factors = std::move(rest);
  factors.push_back(tabulate(scope, [&](const Assignment &assignment) {
    Assignment all = assignment;
    std::vector<int64_t> costs;
    for (unsigned c = 0; c < problem.nodes[node].size(); ++c) {
      all[node] = c;
      costs.push_back(problem.nodes[node][c]);
      for (const Factor &factor : touching)
        costs.back() += factor.cost.at(within(all, factor.scope));
    }
    auto lowest = std::min_element(costs.begin(), costs.end());
    best[assignment] = lowest - costs.begin();
    return *lowest;
  }));
}

std::optional<SmallVector<unsigned>> Reference::choose(int64_t tableLimit) {
  for (const SelectionProblem::Edge &edge : problem.edges)
    factors.push_back(tabulate({edge.a, edge.b}, [&](const Assignment &choice) {
      return problem.costOn(edge, choice.at(edge.a), choice.at(edge.b));
    }));
  std::set<unsigned> left;
  for (unsigned node = 0; node < problem.nodes.size(); ++node)
    left.insert(node);
  while (!left.empty()) {
    unsigned next = *std::min_element(
        left.begin(), left.end(), [&](unsigned a, unsigned b) {
          return tableSize(around(a)) < tableSize(around(b));
        });
    if (tableSize(around(next)) > tableLimit)
      return std::nullopt;
    eliminate(next);
    left.erase(next);
  }
  Assignment chosen;
  for (auto &[node, best] : llvm::reverse(order))
    chosen[node] =
        best.size() == 1 ? best.begin()->second : best.at(within(chosen, [&] {
          std::set<unsigned> scope;
          for (auto &[other, c] : best.begin()->first)
            scope.insert(other);
          return scope;
        }()));
  SmallVector<unsigned> result;
  for (auto &[node, candidate] : chosen)
    result.push_back(candidate);
  return result;
}

// Among equals the order of elimination decides: small costs, many of them.
TEST(Selection, EliminatesTheSmallestTableFirst) {
  unsigned exact = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SelectionProblem problem = randomProblem({12, 14 + seed % 6, 4}, seed);
    for (auto &node : problem.nodes)
      for (int64_t &cost : node)
        cost %= 2;
    for (SmallVector<int64_t> &table : problem.tables)
      for (int64_t &cost : table)
        cost %= 3;
    int64_t tableLimit = seed % 2 ? 64 : 12;
    Selection selection = select(problem, tableLimit);
    std::optional<SmallVector<unsigned>> expected =
        Reference(problem).choose(tableLimit);
    ASSERT_EQ(selection.exact, expected.has_value()) << "seed " << seed;
    exact += selection.exact;
    if (expected)
      ASSERT_EQ(selection.choice, *expected) << "seed " << seed;
  }
  EXPECT_GT(exact, 200u);
  EXPECT_LT(exact, 400u);
}

/// `candidates` for each of `count` nodes, each but the first next to what
/// `neighbour` says.
static SelectionProblem
treeProblem(unsigned count, unsigned candidates,
            llvm::function_ref<unsigned(unsigned)> neighbour) {
  SelectionProblem problem;
  problem.nodes.assign(count, SmallVector<int64_t>(candidates, 1));
  for (unsigned i = 1; i < count; ++i)
    problem.addEdge(
        neighbour(i), i,
        SmallVector<int64_t>(candidates * candidates, int64_t(i % 3)));
  return problem;
}

// Counted, not timed: what is looked at grows as the graph does, in a chain, in
// pairs, around the first node, around the last, with a table that is too small
// as well.
TEST(Selection, LooksAtAsMuchAsThereIs) {
  using Neighbour = unsigned (*)(unsigned node, unsigned count);
  constexpr Neighbour shapes[] = {
      [](unsigned i, unsigned) { return i - 1; },
      [](unsigned i, unsigned count) {
        return i < count / 2 ? 0 : i - count / 2;
      },
      [](unsigned, unsigned) { return 0u; },
      [](unsigned i, unsigned count) { return i + 1 < count ? count - 1 : 0; }};
  for (auto [index, shape] : llvm::enumerate(shapes))
    for (int64_t tableLimit : {1, 64}) {
      auto problemOf = [&, shape = shape](unsigned count) {
        return treeProblem(count, 3,
                           [&](unsigned i) { return shape(i, count); });
      };
      SelectionProblem small = problemOf(1000), large = problemOf(4000);
      EXPECT_LE(select(large, tableLimit).steps,
                5 * select(small, tableLimit).steps)
          << "shape " << index << ", tables of " << tableLimit;
      EXPECT_LE(firstWins(large).steps, 5 * firstWins(small).steps)
          << "shape " << index;
    }
}

TEST(Selection, IsExactOnTreesOfAnySize) {
  SelectionProblem problem = randomProblem({200, 0, 8}, 1);
  std::mt19937 random(2);
  for (unsigned i = 1; i < problem.nodes.size(); ++i) {
    unsigned a = random() % i;
    problem.addEdge(a, i,
                    SmallVector<int64_t>(
                        problem.nodes[a].size() * problem.nodes[i].size(), 3));
  }
  EXPECT_TRUE(select(problem, /*tableLimit=*/64).exact);
}

TEST(Selection, TiesGoToTheEarlierCandidate) {
  SelectionProblem problem;
  problem.nodes = {{1, 1}, {0, 0, 0}};
  problem.addEdge(0, 1, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(select(problem).choice, (SmallVector<unsigned>{0, 0}));
}

TEST(Selection, IsDeterministic) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SelectionProblem problem = randomProblem({30, 60, 8}, seed);
    EXPECT_EQ(select(problem).choice, select(problem).choice);
  }
}

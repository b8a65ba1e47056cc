//===- Selection.cpp - Choosing one candidate per node --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <limits>
#include <optional>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t SelectionProblem::costOf(ArrayRef<unsigned> choice) const {
  int64_t cost = 0;
  for (auto [node, candidate] : llvm::zip_equal(nodes, choice))
    cost += node[candidate];
  for (const Edge &edge : edges)
    cost += edge.cost[choice[edge.a] * nodes[edge.b].size() + choice[edge.b]];
  return cost;
}

/// The cost of `edge` when `node` takes `own` and its neighbour `other`.
static int64_t edgeCost(const SelectionProblem &problem,
                        const SelectionProblem::Edge &edge, unsigned node,
                        unsigned own, unsigned other) {
  unsigned a = edge.a == node ? own : other;
  unsigned b = edge.a == node ? other : own;
  return edge.cost[a * problem.nodes[edge.b].size() + b];
}

//===----------------------------------------------------------------------===//
// First wins
//===----------------------------------------------------------------------===//

Selection distaff::firstWins(const SelectionProblem &problem, bool forward) {
  unsigned count = problem.nodes.size();
  auto position = [&](unsigned node) {
    return forward ? node : count - 1 - node;
  };
  Selection selection;
  selection.choice.assign(count, 0);
  for (unsigned i = 0; i < count; ++i) {
    unsigned node = position(i); // position is its own inverse
    const SelectionProblem::Edge *first = nullptr;
    unsigned firstNeighbour = 0;
    for (const SelectionProblem::Edge &edge : problem.edges) {
      if (edge.a != node && edge.b != node)
        continue;
      unsigned neighbour = edge.a == node ? edge.b : edge.a;
      if (position(neighbour) >= i ||
          (first && position(firstNeighbour) <= position(neighbour)))
        continue;
      first = &edge;
      firstNeighbour = neighbour;
    }
    if (!first)
      continue;
    for (unsigned own = 0; own < problem.nodes[node].size(); ++own)
      if (edgeCost(problem, *first, node, own,
                   selection.choice[firstNeighbour]) == 0) {
        selection.choice[node] = own;
        break;
      }
  }
  selection.cost = problem.costOf(selection.choice);
  return selection;
}

//===----------------------------------------------------------------------===//
// Coordinate descent
//===----------------------------------------------------------------------===//

static void descend(const SelectionProblem &problem, Selection &selection) {
  unsigned count = problem.nodes.size();
  SmallVector<SmallVector<const SelectionProblem::Edge *>> edgesOf(count);
  for (const SelectionProblem::Edge &edge : problem.edges) {
    edgesOf[edge.a].push_back(&edge);
    edgesOf[edge.b].push_back(&edge);
  }
  auto localCost = [&](unsigned node, unsigned own) {
    int64_t cost = problem.nodes[node][own];
    for (const SelectionProblem::Edge *edge : edgesOf[node]) {
      unsigned other = edge->a == node ? edge->b : edge->a;
      cost += edgeCost(problem, *edge, node, own, selection.choice[other]);
    }
    return cost;
  };
  // Every change lowers the cost, so this ends.
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned node = 0; node < count; ++node) {
      int64_t best = localCost(node, selection.choice[node]);
      for (unsigned own = 0; own < problem.nodes[node].size(); ++own)
        if (int64_t cost = localCost(node, own); cost < best) {
          best = cost;
          selection.choice[node] = own;
          changed = true;
        }
    }
  }
  selection.cost = problem.costOf(selection.choice);
}

//===----------------------------------------------------------------------===//
// Elimination
//===----------------------------------------------------------------------===//

namespace {

/// A cost over the candidates of a few nodes, row-major in scope order.
struct Factor {
  SmallVector<unsigned> scope; // ascending
  SmallVector<int64_t> cost;
};

/// An eliminated node: its best candidate for each choice of its neighbours.
struct Eliminated {
  unsigned node;
  SmallVector<unsigned> scope;
  SmallVector<unsigned> best;
};

class Eliminator {
public:
  Eliminator(const SelectionProblem &problem, int64_t tableLimit)
      : problem(problem), tableLimit(tableLimit) {}

  std::optional<Selection> run();

private:
  int64_t size(unsigned node) const { return problem.nodes[node].size(); }
  SmallVector<unsigned> neighboursOf(unsigned node) const;
  int64_t tableSize(ArrayRef<unsigned> scope) const;
  void eliminate(unsigned node, SmallVector<unsigned> scope);
  /// The position in a table over `scope` of `choice`.
  int64_t positionOf(ArrayRef<unsigned> scope, ArrayRef<unsigned> choice) const;
  bool next(ArrayRef<unsigned> scope,
            llvm::SmallVectorImpl<unsigned> &choice) const;

  const SelectionProblem &problem;
  int64_t tableLimit;
  SmallVector<Factor> factors;
  SmallVector<Eliminated> order;
};

} // namespace

SmallVector<unsigned> Eliminator::neighboursOf(unsigned node) const {
  SmallVector<unsigned> result;
  for (const Factor &factor : factors)
    if (llvm::is_contained(factor.scope, node))
      for (unsigned other : factor.scope)
        if (other != node)
          result.push_back(other);
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

int64_t Eliminator::tableSize(ArrayRef<unsigned> scope) const {
  int64_t result = 1;
  for (unsigned node : scope) {
    result *= size(node);
    if (result > tableLimit)
      return tableLimit + 1;
  }
  return result;
}

int64_t Eliminator::positionOf(ArrayRef<unsigned> scope,
                               ArrayRef<unsigned> choice) const {
  int64_t position = 0;
  for (unsigned node : scope)
    position = position * size(node) + choice[node];
  return position;
}

bool Eliminator::next(ArrayRef<unsigned> scope,
                      llvm::SmallVectorImpl<unsigned> &choice) const {
  for (unsigned node : llvm::reverse(scope)) {
    if (++choice[node] < size(node))
      return true;
    choice[node] = 0;
  }
  return false;
}

void Eliminator::eliminate(unsigned node, SmallVector<unsigned> scope) {
  SmallVector<Factor> touching;
  llvm::erase_if(factors, [&](Factor &factor) {
    if (!llvm::is_contained(factor.scope, node))
      return false;
    touching.push_back(std::move(factor));
    return true;
  });
  Factor combined{scope, {}};
  Eliminated step{node, scope, {}};
  SmallVector<unsigned> choice(problem.nodes.size(), 0);
  do {
    int64_t best = std::numeric_limits<int64_t>::max();
    unsigned bestCandidate = 0;
    for (choice[node] = 0; choice[node] < size(node); ++choice[node]) {
      int64_t cost = problem.nodes[node][choice[node]];
      for (const Factor &factor : touching)
        cost += factor.cost[positionOf(factor.scope, choice)];
      if (cost < best) {
        best = cost;
        bestCandidate = choice[node];
      }
    }
    combined.cost.push_back(best);
    step.best.push_back(bestCandidate);
  } while (next(scope, choice));
  if (!scope.empty())
    factors.push_back(std::move(combined));
  order.push_back(std::move(step));
}

std::optional<Selection> Eliminator::run() {
  for (const SelectionProblem::Edge &edge : problem.edges) {
    Factor factor{{std::min(edge.a, edge.b), std::max(edge.a, edge.b)}, {}};
    for (unsigned i = 0; i < size(factor.scope[0]); ++i)
      for (unsigned j = 0; j < size(factor.scope[1]); ++j)
        factor.cost.push_back(edgeCost(problem, edge, factor.scope[0], i, j));
    factors.push_back(std::move(factor));
  }
  SmallVector<unsigned> left =
      llvm::to_vector(llvm::seq<unsigned>(0, problem.nodes.size()));
  while (!left.empty()) {
    // The node whose removal leaves the smallest table; the first of equals.
    unsigned bestNode = left.front();
    SmallVector<unsigned> bestScope;
    int64_t bestSize = tableLimit + 1;
    for (unsigned node : left) {
      SmallVector<unsigned> scope = neighboursOf(node);
      int64_t cost = tableSize(scope);
      if (cost < bestSize) {
        bestSize = cost;
        bestNode = node;
        bestScope = std::move(scope);
      }
      if (bestSize == 1)
        break;
    }
    if (bestSize > tableLimit)
      return std::nullopt;
    eliminate(bestNode, bestScope);
    llvm::erase(left, bestNode);
  }
  Selection selection;
  selection.choice.assign(problem.nodes.size(), 0);
  selection.exact = true;
  for (const Eliminated &step : llvm::reverse(order))
    selection.choice[step.node] =
        step.best[positionOf(step.scope, selection.choice)];
  selection.cost = problem.costOf(selection.choice);
  return selection;
}

Selection distaff::select(const SelectionProblem &problem, int64_t tableLimit) {
  if (std::optional<Selection> exact = Eliminator(problem, tableLimit).run())
    return *exact;
  Selection forward = firstWins(problem, /*forward=*/true);
  Selection backward = firstWins(problem, /*forward=*/false);
  descend(problem, forward);
  descend(problem, backward);
  return backward.cost < forward.cost ? backward : forward;
}

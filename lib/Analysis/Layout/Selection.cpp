//===- Selection.cpp - Choosing one candidate per node --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Layout/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <optional>
#include <set>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t SelectionProblem::costOf(ArrayRef<unsigned> choice) const {
  int64_t cost = 0;
  for (auto [node, candidate] : llvm::zip_equal(nodes, choice))
    cost += node[candidate];
  for (const Edge &edge : edges)
    cost += costOn(edge, choice[edge.a], choice[edge.b]);
  return cost;
}

/// Returns the cost of `edge` if `node` takes `own` and its neighbour `other`.
static int64_t edgeCost(const SelectionProblem &problem,
                        const SelectionProblem::Edge &edge, unsigned node,
                        unsigned own, unsigned other) {
  return edge.a == node ? problem.costOn(edge, own, other)
                        : problem.costOn(edge, other, own);
}

/// Returns whether every node has candidates, and every pair of candidates of
/// an edge's ends a cost.
[[maybe_unused]] static bool isComplete(const SelectionProblem &problem) {
  size_t count = problem.nodes.size();
  auto hasChoice = [](const auto &candidates) { return !candidates.empty(); };
  auto hasCosts = [&](const SelectionProblem::Edge &edge) {
    return edge.a < count && edge.b < count && edge.a != edge.b &&
           edge.table < problem.tables.size() &&
           problem.tables[edge.table].size() ==
               problem.nodes[edge.a].size() * problem.nodes[edge.b].size();
  };
  return llvm::all_of(problem.nodes, hasChoice) &&
         llvm::all_of(problem.edges, hasCosts);
}

namespace {
/// The edges of each node, in the order of all edges.
using EdgesOfNodes = SmallVector<SmallVector<const SelectionProblem::Edge *>>;
} // namespace

static EdgesOfNodes edgesOfNodes(const SelectionProblem &problem) {
  EdgesOfNodes result(problem.nodes.size());
  for (const SelectionProblem::Edge &edge : problem.edges) {
    result[edge.a].push_back(&edge);
    result[edge.b].push_back(&edge);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// First wins
//===----------------------------------------------------------------------===//

Selection distaff::firstWins(const SelectionProblem &problem, bool forward) {
  assert(isComplete(problem) && "each pair of candidates has a cost");
  unsigned count = problem.nodes.size();
  auto position = [&](unsigned node) {
    return forward ? node : count - 1 - node;
  };
  EdgesOfNodes edgesOf = edgesOfNodes(problem);
  Selection selection;
  selection.choice.assign(count, 0);
  for (unsigned i = 0; i < count; ++i) {
    unsigned node = position(i); // position is its own inverse
    const SelectionProblem::Edge *first = nullptr;
    unsigned firstNeighbour = 0;
    for (const SelectionProblem::Edge *edge : edgesOf[node]) {
      ++selection.steps;
      unsigned neighbour = edge->a == node ? edge->b : edge->a;
      if (position(neighbour) >= i ||
          (first && position(firstNeighbour) <= position(neighbour)))
        continue;
      first = edge;
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
  [[maybe_unused]] int64_t before = selection.cost;
  unsigned count = problem.nodes.size();
  EdgesOfNodes edgesOf = edgesOfNodes(problem);
  auto localCost = [&](unsigned node, unsigned own) {
    int64_t cost = problem.nodes[node][own];
    for (const SelectionProblem::Edge *edge : edgesOf[node]) {
      ++selection.steps;
      unsigned other = edge->a == node ? edge->b : edge->a;
      cost += edgeCost(problem, *edge, node, own, selection.choice[other]);
    }
    return cost;
  };
  // Every change lowers the cost, so this terminates.
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
  assert(selection.cost <= before && "a descent makes nothing dearer");
}

//===----------------------------------------------------------------------===//
// Elimination
//===----------------------------------------------------------------------===//

namespace {

/// A cost over the candidates of a few nodes, row-major in scope order.
struct Factor {
  SmallVector<unsigned> scope; // ascending; nodes with a choice only
  /// Refers to the problem's costs, or to `own`.
  ArrayRef<int64_t> cost;
  SmallVector<int64_t, 0> own;
};

/// An eliminated node: its best candidate for each choice of its neighbours.
struct Eliminated {
  unsigned node;
  SmallVector<unsigned> scope;
  SmallVector<unsigned> best;
};

/// The nodes that share a factor with a node. Those with one candidate are
/// separate: they do not enlarge a table, so a small enough table has few of
/// the others.
struct Neighbours {
  std::set<unsigned> open, fixed;
};

class Eliminator {
public:
  Eliminator(const SelectionProblem &problem, int64_t tableLimit);

  std::optional<Selection> run();

  int64_t steps = 0;

private:
  int64_t size(unsigned node) const { return problem.nodes[node].size(); }
  bool isOpen(unsigned node) const { return size(node) > 1; }
  std::set<unsigned> &listFor(unsigned node, unsigned neighbour) {
    return isOpen(neighbour) ? neighbours[node].open : neighbours[node].fixed;
  }
  void addFactor(Factor factor);
  int64_t tableSizeWithout(unsigned node);
  void enqueue(unsigned node);
  /// Removes `node` from the graph and connects its neighbours.
  void connectAround(unsigned node);
  void eliminate(unsigned node);
  void addBest(unsigned node, ArrayRef<unsigned> touching, unsigned inner,
               SmallVectorImpl<int64_t> &costs,
               SmallVectorImpl<unsigned> &best);
  /// Returns the position of `choice` in a table over `scope`.
  int64_t positionOf(ArrayRef<unsigned> scope) const;
  /// Returns the distance of two consecutive candidates of `node` in that
  /// table.
  int64_t strideOf(unsigned node, ArrayRef<unsigned> scope) const;
  bool next(ArrayRef<unsigned> scope);

  const SelectionProblem &problem;
  int64_t tableLimit;
  SmallVector<Factor> factors;
  SmallVector<SmallVector<unsigned>>
      factorsOf; // per node, also eliminated ones
  SmallVector<Neighbours> neighbours;
  /// Each remaining node with the size of the table that its removal leaves:
  /// smallest first, then the first node.
  std::set<std::pair<int64_t, unsigned>> queue;
  SmallVector<int64_t> queuedSize;
  SmallVector<unsigned> choice;
  SmallVector<Eliminated> order;
  SmallVector<int64_t> sums; // of addBest, by candidate of the inner node
};

} // namespace

Eliminator::Eliminator(const SelectionProblem &problem, int64_t tableLimit)
    : problem(problem), tableLimit(tableLimit), factorsOf(problem.nodes.size()),
      neighbours(problem.nodes.size()), queuedSize(problem.nodes.size(), 0),
      choice(problem.nodes.size(), 0) {
  assert(isComplete(problem) && "each pair of candidates has a cost");
  for (const SelectionProblem::Edge &edge : problem.edges) {
    listFor(edge.a, edge.b).insert(edge.b);
    listFor(edge.b, edge.a).insert(edge.a);
    unsigned low = std::min(edge.a, edge.b), high = std::max(edge.a, edge.b);
    Factor factor;
    for (unsigned node : {low, high})
      if (isOpen(node))
        factor.scope.push_back(node);
    if (edge.a == low) {
      factor.cost = problem.tables[edge.table];
    } else {
      for (unsigned i = 0; i < size(low); ++i)
        for (unsigned j = 0; j < size(high); ++j)
          factor.own.push_back(edgeCost(problem, edge, low, i, j));
      factor.cost = factor.own;
    }
    addFactor(std::move(factor));
  }
  for (unsigned node = 0; node < problem.nodes.size(); ++node)
    enqueue(node);
}

void Eliminator::addFactor(Factor factor) {
  for (unsigned node : factor.scope)
    factorsOf[node].push_back(factors.size());
  factors.push_back(std::move(factor));
}

int64_t Eliminator::tableSizeWithout(unsigned node) {
  int64_t result = 1;
  for (unsigned other : neighbours[node].open) {
    ++steps;
    result *= size(other);
    if (result > tableLimit)
      return tableLimit + 1;
  }
  return result;
}

void Eliminator::enqueue(unsigned node) {
  ++steps;
  int64_t left = tableSizeWithout(node);
  if (left == queuedSize[node])
    return;
  queue.erase({queuedSize[node], node});
  queue.insert({left, node});
  queuedSize[node] = left;
}

void Eliminator::connectAround(unsigned node) {
  const auto &[open, fixed] = neighbours[node];
  SmallVector<unsigned> around(open.begin(), open.end());
  around.append(fixed.begin(), fixed.end());
  for (unsigned a : around) {
    listFor(a, node).erase(node);
    for (unsigned b : around) {
      ++steps;
      if (a != b)
        listFor(a, b).insert(b);
    }
    enqueue(a);
  }
}

int64_t Eliminator::positionOf(ArrayRef<unsigned> scope) const {
  int64_t position = 0;
  for (unsigned node : scope)
    position = position * size(node) + choice[node];
  return position;
}

int64_t Eliminator::strideOf(unsigned node, ArrayRef<unsigned> scope) const {
  int64_t stride = 1;
  for (unsigned other : llvm::reverse(scope)) {
    if (other == node)
      break;
    stride *= size(other);
  }
  return stride;
}

bool Eliminator::next(ArrayRef<unsigned> scope) {
  for (unsigned node : llvm::reverse(scope)) {
    if (++choice[node] < size(node))
      return true;
    choice[node] = 0;
  }
  return false;
}

/// Appends, for each consecutive candidate of `inner`, the lowest cost of
/// `node` and its factors, and the first candidate with it. `inner` is `node`
/// itself if there is one result.
void Eliminator::addBest(unsigned node, ArrayRef<unsigned> touching,
                         unsigned inner, SmallVectorImpl<int64_t> &costs,
                         SmallVectorImpl<unsigned> &best) {
  struct Row {
    const int64_t *at;
    int64_t perCandidate, perInner;
  };
  choice[node] = 0;
  SmallVector<Row, 16> rows;
  for (unsigned factor : touching) {
    const auto &[scope, cost, own] = factors[factor];
    bool hasInner = inner != node && llvm::is_contained(scope, inner);
    rows.push_back({cost.begin() + positionOf(scope), strideOf(node, scope),
                    hasInner ? strideOf(inner, scope) : 0});
  }
  size_t first = costs.size(), count = inner == node ? 1 : size(inner);
  costs.append(count, std::numeric_limits<int64_t>::max());
  best.append(count, 0);
  sums.resize(count);
  for (auto [candidate, own] : llvm::enumerate(problem.nodes[node])) {
    llvm::fill(sums, own);
    for (const auto &[at, perCandidate, perInner] : rows) {
      const int64_t *row = at + candidate * perCandidate;
      for (size_t i = 0; i < count; ++i)
        sums[i] += row[i * perInner];
    }
    for (size_t i = 0; i < count; ++i)
      if (sums[i] < costs[first + i]) {
        costs[first + i] = sums[i];
        best[first + i] = candidate;
      }
  }
  steps += count * size(node) * touching.size();
}

void Eliminator::eliminate(unsigned node) {
  connectAround(node);
  if (!isOpen(node))
    return; // its costs are part of its neighbours' costs
  SmallVector<unsigned> touching;
  for (unsigned factor : factorsOf[node]) {
    ++steps;
    if (!factors[factor].cost.empty())
      touching.push_back(factor);
  }
  Factor combined{llvm::to_vector(neighbours[node].open), {}, {}};
  Eliminated step{node, combined.scope, {}};
  ArrayRef<unsigned> scope = combined.scope;
  unsigned inner = scope.empty() ? node : scope.back();
  for (unsigned other : scope)
    choice[other] = 0;
  do
    addBest(node, touching, inner, combined.own, step.best);
  while (!scope.empty() && next(scope.drop_back()));
  combined.cost = combined.own;
  for (unsigned factor : touching)
    factors[factor] = Factor();
  if (!combined.scope.empty())
    addFactor(std::move(combined));
  order.push_back(std::move(step));
}

std::optional<Selection> Eliminator::run() {
  while (!queue.empty()) {
    auto [left, node] = *queue.begin();
    if (left > tableLimit)
      return std::nullopt;
    queue.erase(queue.begin());
    eliminate(node);
  }
  choice.assign(problem.nodes.size(), 0);
  for (const Eliminated &step : llvm::reverse(order))
    choice[step.node] = step.best[positionOf(step.scope)];
  return Selection{choice, problem.costOf(choice), /*exact=*/true, steps};
}

Selection distaff::select(const SelectionProblem &problem, int64_t tableLimit) {
  Eliminator eliminator(problem, tableLimit);
  if (std::optional<Selection> exact = eliminator.run())
    return *exact;
  Selection forward = firstWins(problem, /*forward=*/true);
  Selection backward = firstWins(problem, /*forward=*/false);
  descend(problem, forward);
  descend(problem, backward);
  int64_t steps = eliminator.steps + forward.steps + backward.steps;
  Selection best = backward.cost < forward.cost ? backward : forward;
  best.steps = steps;
  return best;
}

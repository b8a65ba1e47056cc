//===- Selection.h - Choosing one candidate per node ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph whose nodes each pick one of a few candidates: a node costs what its
// candidate costs, an edge what the pair of its ends' candidates costs. The
// cheapest assignment is found exactly by eliminating one node after the other
// (on a tree that is dynamic programming), as long as the tables stay small;
// else by coordinate descent from two starts.
//
//   node 0: candidates cost 5, 0      edge (0, 1): equal 0, unequal 7
//   node 1: candidates cost 0, 9      best: both take candidate 0, cost 5
//
// Equal costs go to the earlier candidate, so the answer depends on nothing
// but the order of nodes and candidates. No MLIR here.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_SELECTION_H
#define DISTAFF_ANALYSIS_LAYOUT_SELECTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace distaff {

struct SelectionProblem {
  struct Edge {
    unsigned a, b; // not the same
    unsigned table;
  };

  /// What each candidate of each node costs by itself; never empty.
  llvm::SmallVector<llvm::SmallVector<int64_t>> nodes;
  llvm::SmallVector<Edge> edges;
  /// Cost of (candidate of a, candidate of b), row-major, a's rows. Edges that
  /// cost alike share one: a large program has few.
  std::vector<llvm::SmallVector<int64_t>> tables;

  void addEdge(unsigned a, unsigned b, llvm::SmallVector<int64_t> cost) {
    edges.push_back({a, b, unsigned(tables.size())});
    tables.push_back(std::move(cost));
  }
  int64_t costOn(const Edge &edge, unsigned ofA, unsigned ofB) const {
    return tables[edge.table][ofA * nodes[edge.b].size() + ofB];
  }
  int64_t costOf(llvm::ArrayRef<unsigned> choice) const;
};

struct Selection {
  llvm::SmallVector<unsigned> choice; // per node, a candidate
  int64_t cost = 0;
  bool exact = false; // proved to be the minimum
  /// How much was looked at: edges, neighbours, table entries. Time goes with
  /// it, but it is the same on every machine.
  int64_t steps = 0;
};

/// Each node in order takes the first candidate that costs nothing towards the
/// earliest neighbour already decided, or its first; the baseline.
Selection firstWins(const SelectionProblem &problem, bool forward = true);

/// \post the cost is at most that of firstWins in either direction; it is the
///       minimum if `exact`
Selection select(const SelectionProblem &problem,
                 int64_t tableLimit = int64_t(1) << 16);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_SELECTION_H

//===- Selection.h - Choosing one candidate per node ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each node of a graph takes one of a few candidates: a node has the cost of
// its candidate, an edge the cost of the pair of its ends' candidates. The
// cheapest assignment is found exactly by variable elimination (on a tree this
// is dynamic programming), as long as the tables stay small; else by coordinate
// descent from two starts.
//
//   node 0: candidates cost 5, 0      edge (0, 1): equal 0, unequal 7
//   node 1: candidates cost 0, 9      best: both take candidate 0, cost 5
//
// Ties go to the earlier candidate, so the result depends only on the order of
// nodes and candidates. This file does not depend on MLIR.
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
    unsigned a, b; // distinct
    unsigned table;
  };

  /// Cost of each candidate of each node by itself; never empty.
  llvm::SmallVector<llvm::SmallVector<int64_t>> nodes;
  llvm::SmallVector<Edge> edges;
  /// Cost of (candidate of a, candidate of b), row-major, a's rows. Edges with
  /// equal costs share one table: a large program has few.
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
  /// The amount of work: edges, neighbours, table entries. It is proportional
  /// to time, but equal on every machine.
  int64_t steps = 0;
};

/// Gives each node in order the first candidate that costs nothing towards the
/// earliest neighbour already decided, else its first candidate; the baseline.
Selection firstWins(const SelectionProblem &problem, bool forward = true);

/// Returns an assignment of low cost.
/// \post the cost is at most that of firstWins in either direction; it is the
///       minimum if `exact`
Selection select(const SelectionProblem &problem,
                 int64_t tableLimit = int64_t(1) << 16);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_SELECTION_H

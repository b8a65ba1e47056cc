//===- PtxControlFlow.cpp - Where lanes meet again ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Post-dominators as the fixed point of
//
//   postDominator(i) = the nearest common one of all successors of i
//
// where "nearest common" walks up the tree found so far. Instructions are
// numbered by a depth-first walk from the end of the program against the flow,
// so that a post-dominator has a greater number than what it post-dominates.
//
//===----------------------------------------------------------------------===//
#include "PtxControlFlow.h"

namespace distaff::ptx {
namespace {

using Graph = std::vector<std::vector<size_t>>;

Graph findSuccessors(const Kernel &kernel) {
  size_t end = kernel.instructions.size();
  Graph successors(end + 1);
  for (size_t i = 0; i < end; ++i) {
    const Instruction &instruction = kernel.instructions[i];
    const std::string &root = instruction.opcode[0];
    bool leaves = root == "bra" || root == "ret" || root == "exit";
    if (leaves)
      successors[i].push_back(root == "bra" ? instruction.operands[0].value
                                            : end);
    if (!leaves || instruction.guard)
      successors[i].push_back(i + 1);
  }
  return successors;
}

/// Nodes in the order in which a walk from `root` leaves them.
std::vector<size_t> leavingOrder(const Graph &edges, size_t root) {
  std::vector<size_t> order;
  std::vector<bool> seen(edges.size());
  std::vector<std::pair<size_t, size_t>> stack = {{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next == edges[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    size_t to = edges[node][next++];
    if (!seen[to]) {
      seen[to] = true;
      stack.emplace_back(to, 0);
    }
  }
  return order;
}

} // namespace

std::vector<size_t> immediatePostDominators(const Kernel &kernel) {
  Graph successors = findSuccessors(kernel);
  size_t end = kernel.instructions.size(), unknown = end + 1;
  Graph predecessors(end + 1);
  for (size_t i = 0; i <= end; ++i)
    for (size_t to : successors[i])
      predecessors[to].push_back(i);
  std::vector<size_t> order = leavingOrder(predecessors, end);
  std::vector<size_t> number(end + 1, 0);
  for (size_t i = 0; i < order.size(); ++i)
    number[order[i]] = i;

  std::vector<size_t> result(end + 1, unknown);
  result[end] = end;
  auto common = [&](size_t a, size_t b) {
    while (a != b) {
      size_t &lower = number[a] < number[b] ? a : b;
      lower = result[lower];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      size_t node = order[i], found = unknown;
      for (size_t to : successors[node])
        if (result[to] != unknown)
          found = found == unknown ? to : common(found, to);
      changed |= found != result[node];
      result[node] = found;
    }
  }
  return result;
}

} // namespace distaff::ptx

//===- ControlFlow.cpp - Reconvergence of lanes ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes post-dominators as the fixed point of
//
//   postDominator(i) = the nearest common one of all successors of i
//
// where "nearest common" walks up the tree found so far. Instructions are
// numbered in a depth-first traversal of the reverse graph from the end of the
// function, so that a post-dominator has a greater number than the instructions
// that it post-dominates.
//
// Lanes that leave by exit or trap do not reconverge, and other lanes do not
// wait for them: a path to one counts only in a function without ret. LLVM
// writes exit for code that it proved unreachable, as the default of a switch
// over a lane's digit.
//
//===----------------------------------------------------------------------===//
#include "ControlFlow.h"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace distaff::ptx {
namespace {

using Graph = std::vector<std::vector<size_t>>;

/// Returns the nodes in the post-order of a traversal from `root`.
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

std::vector<std::vector<size_t>> findSuccessors(const Program &program,
                                                const Function &function) {
  auto first = program.instructions.begin();
  bool anyReturns =
      std::any_of(first + function.begin, first + function.end,
                  [](const Instruction &one) { return rootOf(one) == "ret"; });
  size_t end = function.end - function.begin;
  Graph successors(end + 1);
  for (size_t i = 0; i < end; ++i) {
    const Instruction &one = program.instructions[function.begin + i];
    std::string_view root = rootOf(one);
    bool leaves = root == "exit" || root == "trap";
    bool returns = root == "ret" || (leaves && !anyReturns);
    bool jumps = root == "bra" || root == "brx" || leaves;
    if (returns)
      successors[i].push_back(end);
    if (root == "bra" && !one.operands.empty())
      successors[i].push_back(one.operands[0].value - function.begin);
    if (root == "brx" && one.operands.size() == 2 &&
        one.operands[1].value < program.branchTargets.size())
      for (size_t target : program.branchTargets[one.operands[1].value])
        successors[i].push_back(target - function.begin);
    if ((!returns && !jumps) || one.guard != none)
      successors[i].push_back(i + 1);
    // A malformed branch, which no decoder will accept, leads nowhere.
    for (size_t &to : successors[i])
      to = std::min(to, end);
  }
  return successors;
}

void findRejoins(const Program &program, const Function &function,
                 std::vector<size_t> &rejoins) {
  assert(function.begin <= function.end &&
         function.end <= program.instructions.size() &&
         rejoins.size() == program.instructions.size() &&
         "a function's body is a range of the program's instructions");
  Graph successors = findSuccessors(program, function);
  size_t end = function.end - function.begin, unknown = end + 1;
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
  for (size_t i = 0; i < end; ++i) {
    assert(result[i] != i && "no instruction post-dominates itself alone");
    rejoins[function.begin + i] = function.begin + std::min(result[i], end);
  }
}

} // namespace distaff::ptx

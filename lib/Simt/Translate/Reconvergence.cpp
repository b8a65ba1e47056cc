//===- Reconvergence.cpp - Post-dominators as reconvergence points --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out the basic blocks of a program one after the other and gives every
// branch the start of its immediate post-dominator: the first block that all
// paths from the branch to the end go through. Post-dominators are dominators
// of the reversed graph, whose entry is a virtual exit; the algorithm is that
// of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm").
//
// MLIR's PostDominanceInfo does not apply: it covers the blocks of one region,
// and here the blocks of all regions are one graph. LLVM's generic trees
// require nodes with a parent and predecessors: the adapter would be longer
// than this file.
//
//===----------------------------------------------------------------------===//
#include "Translator.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
constexpr uint32_t none = ~uint32_t(0);

/// The block graph; `exit` is one past the last block.
struct BlockGraph {
  std::vector<SmallVector<uint32_t, 2>> successors;
  std::vector<uint32_t> postOrder; // reachable blocks, successors first
  uint32_t exit;

  void visitFrom(uint32_t entry) {
    std::vector<bool> seen(successors.size(), false);
    SmallVector<std::pair<uint32_t, uint32_t>> path = {{entry, 0}};
    seen[entry] = true;
    while (!path.empty()) {
      auto &[block, next] = path.back();
      if (next == successors[block].size()) {
        postOrder.push_back(block);
        path.pop_back();
        continue;
      }
      uint32_t successor = successors[block][next++];
      if (successor == exit || seen[successor])
        continue;
      seen[successor] = true;
      path.push_back({successor, 0});
    }
  }
};

/// Computes immediate post-dominators; blocks that cannot reach the exit get
/// the exit.
class PostDominators {
public:
  explicit PostDominators(const BlockGraph &graph)
      : graph(graph), immediate(graph.successors.size() + 1, none),
        order(graph.successors.size() + 1, 0) {
    numberFromExit();
    immediate[graph.exit] = graph.exit;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t block : backwardOrder)
        changed |= update(block);
    }
  }

  uint32_t of(uint32_t block) const {
    return immediate[block] == none ? graph.exit : immediate[block];
  }

private:
  /// Computes the reverse post-order of the reversed graph, from the exit.
  void numberFromExit() {
    std::vector<SmallVector<uint32_t, 2>> predecessors(immediate.size());
    for (uint32_t block : graph.postOrder)
      for (uint32_t successor : graph.successors[block])
        predecessors[successor].push_back(block);
    BlockGraph reversed{std::move(predecessors), {}, none};
    reversed.visitFrom(graph.exit);
    for (auto [number, block] :
         llvm::enumerate(llvm::reverse(reversed.postOrder))) {
      order[block] = number;
      if (block != graph.exit)
        backwardOrder.push_back(block);
    }
  }

  bool update(uint32_t block) {
    uint32_t meet = none;
    for (uint32_t successor : graph.successors[block]) {
      if (immediate[successor] == none)
        continue;
      meet = meet == none ? successor : intersect(meet, successor);
    }
    if (meet == none || immediate[block] == meet)
      return false;
    immediate[block] = meet;
    return true;
  }

  uint32_t intersect(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (order[a] > order[b])
        a = immediate[a];
      while (order[b] > order[a])
        b = immediate[b];
    }
    return a;
  }

  const BlockGraph &graph;
  std::vector<uint32_t> immediate, order, backwardOrder;
};
} // namespace

Program Translator::finish() {
  BlockGraph graph;
  graph.exit = uint32_t(blocks.size());
  for (BasicBlock &block : blocks) {
    assert((block.closed || block.body.empty()) &&
           "a block without terminator");
    graph.successors.emplace_back();
    if (!block.closed)
      continue;
    const Instruction &last = block.body.back();
    graph.successors.back().assign(last.targets.begin(), last.targets.end());
    if (last.flow == Instruction::Flow::Return)
      graph.successors.back().push_back(graph.exit);
  }
  graph.visitFrom(0);
  PostDominators postDominators(graph);

  // Unreachable blocks are dropped.
  std::vector<uint32_t> start(blocks.size() + 1, none);
  uint32_t size = 0;
  for (uint32_t block : llvm::reverse(graph.postOrder)) {
    start[block] = size;
    size += blocks[block].body.size();
  }
  start[graph.exit] = size;

  program.code.reserve(size);
  for (uint32_t block : llvm::reverse(graph.postOrder))
    for (Instruction &instruction : blocks[block].body) {
      for (uint32_t &target : instruction.targets)
        target = start[target];
      instruction.reconverge = start[postDominators.of(block)];
      program.code.push_back(std::move(instruction));
    }
  blocks.clear();
  return std::move(program);
}

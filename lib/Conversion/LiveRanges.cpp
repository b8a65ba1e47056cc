//===- LiveRanges.cpp - Values that blocks hand on ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LiveRanges.h"
#include "mlir/IR/Operation.h"

using namespace distaff;

LiveRanges::LiveRanges(Region &region) {
  for (Block &block : region)
    numbers.try_emplace(&block, numbers.size());
  loops.resize(numbers.size());
  for (Block &block : region)
    for (Block *next : block.getSuccessors()) {
      Loop loop = {numbers.lookup(next), numbers.lookup(&block)};
      for (unsigned inside = loop.first; inside <= loop.last; ++inside)
        loops[inside].push_back(loop);
    }
  for (Block &block : region)
    for (Operation &op : block)
      for (Value operand : op.getOperands())
        use(operand, numbers.lookup(&block));
}

unsigned LiveRanges::numberOf(Value value) const {
  return numbers.lookup(value.getParentBlock());
}

void LiveRanges::use(Value value, unsigned block) {
  unsigned defined = numberOf(value);
  // A loop that the definition is not in needs the value once more.
  unsigned dead = block;
  for (unsigned at = block;;) {
    unsigned last = at;
    for (Loop loop : loops[at])
      if (loop.first > defined) {
        last = std::max(last, loop.last);
        dead = std::max(dead, loop.last + 1);
      }
    if (last == at)
      break;
    at = last;
  }
  if (dead <= defined)
    return;
  unsigned &known = firstDead.try_emplace(value, dead).first->second;
  known = std::max(known, dead);
}

bool LiveRanges::isLiveBehind(Value value, Block &block) const {
  auto found = firstDead.find(value);
  return found != firstDead.end() && numbers.lookup(&block) < found->second;
}

SmallVector<int64_t>
LiveRanges::sizesBehind(llvm::function_ref<int64_t(Value)> sizeOf) const {
  SmallVector<int64_t> sizes(numbers.size() + 1);
  for (auto [value, dead] : firstDead) {
    int64_t size = sizeOf(value);
    sizes[numberOf(value)] += size;
    sizes[dead] -= size;
  }
  for (size_t block = 1; block < sizes.size(); ++block)
    sizes[block] += sizes[block - 1];
  sizes.pop_back();
  return sizes;
}

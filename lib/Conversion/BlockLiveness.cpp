//===- BlockLiveness.cpp - Liveness across blocks -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockLiveness.h"
#include "mlir/IR/Operation.h"

using namespace distaff;

BlockLiveness::BlockLiveness(Region &region,
                             llvm::function_ref<Values(Value)> standsFor) {
  for (Block &block : region)
    numbers.try_emplace(&block, numbers.size());
  loops.resize(numbers.size());
  for (Block &block : region)
    for (Block *next : block.getSuccessors()) {
      Loop loop = {numbers.lookup(next), numbers.lookup(&block)};
      for (unsigned inside = loop.first; inside <= loop.last; ++inside)
        loops[inside].push_back(loop);
    }
  findExits(region);
  for (Block &block : region)
    for (Operation &op : block)
      for (Value operand : op.getOperands())
        for (Value value : standsFor ? standsFor(operand) : Values{operand})
          use(value, numbers.lookup(&block));
}

void BlockLiveness::findExits(Region &region) {
  behindLoop.resize(numbers.size());
  for (unsigned block = 0; block < loops.size(); ++block)
    for (Loop loop : loops[block])
      if (loop.first == block)
        behindLoop[block] = std::max(behindLoop[block], loop.last + 1);
  for (Block &block : region) {
    unsigned from = numbers.lookup(&block);
    for (Block *next : block.getSuccessors())
      for (Loop loop : loops[from])
        if (loop.first != from &&
            numbers.lookup(next) >= behindLoop[loop.first])
          behindLoop[loop.first] = 0;
  }
}

unsigned BlockLiveness::numberOf(Value value) const {
  return numbers.lookup(value.getParentBlock());
}

/// Returns the first block in which the value is dead after its use.
unsigned BlockLiveness::firstDeadAfter(unsigned defined, unsigned use) const {
  // A loop that contains the use but not the definition needs the value again.
  unsigned dead = use;
  for (unsigned at = use;;) {
    unsigned last = at;
    for (Loop loop : loops[at])
      if (loop.first > defined) {
        last = std::max(last, loop.last);
        dead = std::max(dead, loop.last + 1);
      }
    if (last == at)
      return dead;
    at = last;
  }
}

void BlockLiveness::use(Value value, unsigned block) {
  unsigned defined = numberOf(value);
  unsigned dead = firstDeadAfter(defined, block);
  if (dead <= defined)
    return;
  auto [it, isNew] = ranges.try_emplace(value, Range{dead});
  Range &range = it->second;
  unsigned behind = behindLoop[defined];
  if (behind == 0) {
    range.firstDead = std::max(range.firstDead, dead);
    return;
  }
  if (isNew)
    range = {defined, defined, defined};
  bool isInLoop = block < behind;
  if (isInLoop)
    range.firstGap = std::max(range.firstGap, dead);
  else
    range.behindGap = behind;
  if (!isInLoop)
    range.firstGap = std::max(range.firstGap, defined + 1);
  range.firstDead = std::max(range.firstDead, dead);
}

bool BlockLiveness::isLiveBehind(Value value, Block &block) const {
  auto found = ranges.find(value);
  if (found == ranges.end())
    return false;
  Range range = found->second;
  unsigned number = numbers.lookup(&block);
  return number < range.firstDead &&
         (number < range.firstGap || number >= range.behindGap);
}

SmallVector<int64_t>
BlockLiveness::sizesBehind(llvm::function_ref<int64_t(Value)> sizeOf) const {
  SmallVector<int64_t> sizes(numbers.size() + 1);
  for (auto [value, range] : ranges) {
    int64_t size = sizeOf(value);
    sizes[numberOf(value)] += size;
    sizes[range.firstDead] -= size;
    if (range.firstGap < range.behindGap) {
      sizes[range.firstGap] -= size;
      sizes[range.behindGap] += size;
    }
  }
  for (size_t block = 1; block < sizes.size(); ++block)
    sizes[block] += sizes[block - 1];
  assert(sizes.back() == 0 && "what is live dies");
  sizes.pop_back();
  return sizes;
}

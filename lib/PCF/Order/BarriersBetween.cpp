//===- BarriersBetween.cpp - Barriers that order two phases ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BarriersBetween.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;
using namespace distaff::pcf;

bool pcf::isOfEverybody(BarrierOp barrier) {
  auto executor = barrier->getParentOfType<SharedExecutorOp>();
  auto levelOf = [](Attribute scope) {
    return cast<ScopeAttrInterface>(scope).getNestingLevel();
  };
  // A barrier of all workers of a coarser scope includes those of each of them.
  return barrier.getClusters().empty() && executor &&
         (executor.getScope() == barrier.getScope() ||
          levelOf(barrier.getScope()) < levelOf(executor.getScope()));
}

bool pcf::hasBarrier(Block::iterator begin, Block::iterator end, Value ref) {
  return std::any_of(begin, end, [&](Operation &op) {
    auto barrier = dyn_cast<BarrierOp>(op);
    return barrier && isOfEverybody(barrier) &&
           llvm::is_contained(llvm::map_range(barrier.getRefs(), getViewedRef),
                              ref);
  });
}

/// Returns whether a barrier is certain after `op`, before control leaves the
/// op of `block` that contains it.
static bool isFencedOnTheWayOut(Operation *op, Block *block, Value ref) {
  for (; op->getBlock() != block; op = op->getParentOp())
    if (hasBarrier(std::next(op->getIterator()), op->getBlock()->end(), ref))
      return true;
  return false;
}

/// Returns whether a barrier is certain before `op`, after control entered the
/// op of `block` that contains it.
static bool isFencedOnTheWayIn(Operation *op, Block *block, Value ref) {
  for (; op->getBlock() != block; op = op->getParentOp())
    if (hasBarrier(op->getBlock()->begin(), op->getIterator(), ref))
      return true;
  return false;
}

/// Returns the innermost block around both ops; null if they are in different
/// blocks of one region.
static Block *getCommonBlock(Operation *a, Operation *b) {
  for (Block *block = a->getBlock(); block;
       block = block->getParentOp() ? block->getParentOp()->getBlock()
                                    : nullptr)
    if (block->findAncestorOpInBlock(*b))
      return block;
  return nullptr;
}

/// Returns whether a region around an op is a control-flow graph, whose order
/// its list of blocks does not show.
static bool isInGraph(Operation *op) {
  for (; op && !isa<SharedExecutorOp>(op); op = op->getParentOp())
    if (op->getParentRegion() && !op->getParentRegion()->hasOneBlock())
      return true;
  return false;
}

bool pcf::mayMeet(Operation *first, Operation *second, Value ref) {
  if (isInGraph(first) || isInGraph(second))
    return true;
  Block *block = getCommonBlock(first, second);
  Operation *from = block->findAncestorOpInBlock(*first);
  Operation *to = block->findAncestorOpInBlock(*second);
  if (from == to) // Regions of one op: a loop's may follow each other.
    return isa<LoopLikeOpInterface>(from);
  if (!from->isBeforeInBlock(to))
    return false;
  return !isFencedOnTheWayOut(first, block, ref) &&
         !hasBarrier(std::next(from->getIterator()), to->getIterator(), ref) &&
         !isFencedOnTheWayIn(second, block, ref);
}

bool pcf::mayMeetAround(Operation *first, Operation *second, Value ref) {
  if (isInGraph(first) || isInGraph(second))
    return true;
  for (Operation *loop = first->getParentOp();
       loop && !isa<SharedExecutorOp>(loop); loop = loop->getParentOp()) {
    if (!isa<LoopLikeOpInterface>(loop) || !loop->isProperAncestor(second))
      continue;
    Block *body = first->getBlock();
    while (body->getParentOp() != loop)
      body = body->getParentOp()->getBlock();
    Operation *from = body->findAncestorOpInBlock(*first);
    Operation *to = body->findAncestorOpInBlock(*second);
    if (!to) // Another region of the loop.
      return true;
    if (!isFencedOnTheWayOut(first, body, ref) &&
        !hasBarrier(std::next(from->getIterator()), body->end(), ref) &&
        !hasBarrier(body->begin(), to->getIterator(), ref) &&
        !isFencedOnTheWayIn(second, body, ref))
      return true;
  }
  return false;
}

//===- Waits.cpp - Waits for asynchronous copies --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Waits.h"
#include "Ring.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::async_copies;

namespace {

/// Finds the op before which a copy has to be complete.
class WaitFinder {
public:
  WaitFinder(IndexSums &sums, Hazards &hazards)
      : sums(sums), hazards(hazards) {}

  /// Returns the op, with the op of its block that starts the copy; nulls where
  /// the kernel ends before.
  std::pair<Operation *, Operation *> find(const Copy &copy);

private:
  bool stops(Operation *op, const Copy &copy);
  bool stopsAcross(scf::ForOp loop, const Copy &copy);
  bool overwritesItself(scf::ForOp loop, const Copy &copy);

  IndexSums &sums;
  Hazards &hazards;
};

} // namespace

/// Returns whether a later op of the lane itself stops the copy. Other lanes
/// access nothing that this one writes before a barrier, for in the program
/// without asynchronous copies they would race.
bool WaitFinder::stops(Operation *op, const Copy &copy) {
  return hazards.stops(op, copy, [&](const Box &box) {
    return areApart(copy.target, box, sums, [](AffineExpr) { return true; });
  });
}

/// Returns whether the copies of two iterations may write one place: they do
/// not if the counter moves the box by its extent in some dim.
bool WaitFinder::overwritesItself(scf::ForOp loop, const Copy &copy) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step)
    return true;
  SmallVector<scf::ForOp> inner;
  for (auto other = copy.to.op->getParentOfType<scf::ForOp>(); other != loop;
       other = other->getParentOfType<scf::ForOp>())
    inner.push_back(other);
  for (auto [first, extent] :
       llvm::zip_equal(copy.target.first, copy.target.extents)) {
    std::optional<int64_t> factor = sums.factorOf(first, loop);
    bool isOwn = llvm::all_of(inner, [&](scf::ForOp other) {
      return sums.factorOf(first, other) == 0;
    });
    if (factor && isOwn && std::abs(*factor * *step) >= extent)
      return false;
  }
  return true;
}

/// Returns whether an op of an iteration stops a copy of another one.
bool WaitFinder::stopsAcross(scf::ForOp loop, const Copy &copy) {
  if (overwritesItself(loop, copy))
    return true;
  auto isFixed = [&](AffineExpr expr) {
    return sums.factorOf(expr, loop) == 0;
  };
  WalkResult walk = loop.getBody()->walk([&](Operation *op) -> WalkResult {
    if (op == copy.to.op || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    bool isStop = hazards.stops(op, copy, [&](const Box &box) {
      return areApart(copy.target, box, sums, isFixed);
    });
    return isStop ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

std::pair<Operation *, Operation *> WaitFinder::find(const Copy &copy) {
  Operation *item = copy.to.op;
  while (true) {
    for (Operation *op = item->getNextNode(); op; op = op->getNextNode())
      if (stops(op, copy))
        return {op, item};
    Operation *end = item->getBlock()->getTerminator();
    Operation *parent = item->getParentOp();
    if (isa<FunctionOpInterface>(parent))
      return {};
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!isa<scf::IfOp, scf::IndexSwitchOp>(parent) &&
        (!loop || stopsAcross(loop, copy)))
      return {end, item};
    item = parent;
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Counts the younger ones of the groups of a block that are created before the
/// wait for `group`.
static int64_t countYounger(const Group &group, ArrayRef<Group> groups) {
  return llvm::count_if(groups, [&](const Group &other) {
    return other.last->getBlock() == group.last->getBlock() &&
           group.last->isBeforeInBlock(other.last) &&
           other.last->isBeforeInBlock(group.wait);
  });
}

SmallVector<Group> async_copies::planGroups(ArrayRef<Copy> copies,
                                            IndexSums &sums, Hazards &hazards) {
  WaitFinder finder(sums, hazards);
  SmallVector<Group> groups;
  for (const Copy &copy : copies) {
    auto [wait, item] = finder.find(copy);
    if (!wait)
      continue;
    auto *group = llvm::find_if(
        groups, [&, wait = wait](const Group &g) { return g.wait == wait; });
    if (group == groups.end())
      group = &groups.emplace_back(Group{{}, item, wait, 0});
    group->copies.push_back(&copy);
    if (group->last->isBeforeInBlock(item))
      group->last = item;
  }
  for (Group &group : groups)
    group.inFlight = countYounger(group, groups);
  waitInLaterIterations(groups, sums, hazards);
  return groups;
}

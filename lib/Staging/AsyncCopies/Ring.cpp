//===- Ring.cpp - Waits for copies of later iterations --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ring.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace distaff;
using namespace distaff::async_copies;

/// The limit of slots of a ring.
static constexpr int64_t kMostIterations = 16;

static bool isBarrierOfAll(Operation *op) {
  auto barrier = dyn_cast<iree::GlobalSubgroupBarrierOp>(op);
  return isa<gpu::BarrierOp>(op) || (barrier && !barrier.getId());
}

/// Returns whether an op publishes memory, but is no wait for the whole
/// workgroup.
static bool isFence(Operation *op) {
  return isa<iree::FenceOp, iree::LaneBarrierOp>(op);
}

namespace {

/// A moment is a point of an iteration, that many iterations later.
struct Moment {
  int64_t iteration = 0;
  Operation *op = nullptr;

  bool isBefore(const Moment &other) const {
    return iteration != other.iteration ? iteration < other.iteration
                                        : op->isBeforeInBlock(other.op);
  }
};

/// Represents the loop around groups, as events. Its siblings are the loops of
/// other lanes that wait at its barriers: one in each other case of a switch
/// around it.
class RingLoop {
public:
  RingLoop(scf::ForOp loop, ArrayRef<Group> groups, IndexSums &sums,
           Hazards &hazards)
      : loop(loop), groups(groups), sums(sums), hazards(hazards),
        barriers(barriersIn(loop.getBody())), isAlone(findSiblings()) {}

  /// Returns the latest barrier before which the group has to be complete.
  std::optional<Moment> lastBarrierFor(const Group &group);
  /// Counts groups that are created after that one and before the moment.
  int64_t countYounger(const Group &group, const Moment &moment);

private:
  static SmallVector<Operation *> barriersIn(Block *block);
  bool findSiblings();
  bool addSibling(Region &region);
  bool knowsAllAccesses(Value array);
  bool mayAccess(Operation *op, scf::ForOp of, const Copy &copy,
                 int64_t iteration);
  std::optional<Moment> lastBarrierFor(const Copy &copy, Operation *from);
  std::optional<Moment> lastBarrierFor(const Copy &copy, Operation *from,
                                       scf::ForOp sibling);
  bool isOfLaterIteration(const Copy &copy, Operation *item,
                          int64_t iterations);

  scf::ForOp loop;
  ArrayRef<Group> groups;
  IndexSums &sums;
  Hazards &hazards;
  SmallVector<Operation *> barriers;
  SmallVector<scf::ForOp> siblings;
  bool isAlone; // no other lanes than the siblings' wait at the barriers
};

} // namespace

/// Returns the barriers of a block itself.
SmallVector<Operation *> RingLoop::barriersIn(Block *block) {
  SmallVector<Operation *> found;
  for (Operation &op : *block)
    if (isBarrierOfAll(&op))
      found.push_back(&op);
  return found;
}

static int64_t countBefore(ArrayRef<Operation *> barriers, Operation *op) {
  return llvm::count_if(barriers, [&](Operation *barrier) {
    return barrier->isBeforeInBlock(op);
  });
}

/// Adds the loop of a switch's region as a sibling. The region waits as often
/// as the loop's own region if barriers are in its block, as many before a loop
/// over the same numbers, and in that loop's block, as many per iteration.
bool RingLoop::addSibling(Region &region) {
  if (!region.hasOneBlock())
    return false;
  scf::ForOp sibling;
  bool isPlain = true;
  region.walk([&](Operation *op) {
    if (!isBarrierOfAll(op) || op->getBlock() == &region.front())
      return;
    auto around = dyn_cast<scf::ForOp>(op->getParentOp());
    isPlain &= around && around->getBlock() == &region.front() &&
               (!sibling || sibling == around);
    sibling = around;
  });
  if (!isPlain || !sibling)
    return false;
  auto isSame = [&](Value lhs, Value rhs) {
    return sums.of(OpFoldResult(lhs)) == sums.of(OpFoldResult(rhs));
  };
  bool isAligned = isSame(sibling.getLowerBound(), loop.getLowerBound()) &&
                   isSame(sibling.getUpperBound(), loop.getUpperBound()) &&
                   isSame(sibling.getStep(), loop.getStep()) &&
                   barriersIn(sibling.getBody()).size() == barriers.size() &&
                   countBefore(barriersIn(&region.front()), sibling) ==
                       countBefore(barriersIn(loop->getBlock()), loop);
  if (isAligned && sibling != loop)
    siblings.push_back(sibling);
  return isAligned;
}

bool RingLoop::findSiblings() {
  auto cases = dyn_cast<scf::IndexSwitchOp>(loop->getParentOp());
  return !cases || llvm::all_of(cases->getRegions(), [&](Region &region) {
    return addSibling(region);
  });
}

/// Returns whether every access to the array is in the loop or a sibling, or
/// executes before or after them.
bool RingLoop::knowsAllAccesses(Value array) {
  if (!array.getDefiningOp() || !isAlone)
    return false;
  SmallVector<Block *> around = {loop->getBlock()};
  for (scf::ForOp sibling : siblings)
    around.push_back(sibling->getBlock());
  if (!siblings.empty())
    around.push_back(loop->getParentOp()->getBlock());
  SmallVector<Value> views = {array};
  while (!views.empty()) {
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
      else if (llvm::none_of(around, [&](Block *block) {
                 return block->findAncestorOpInBlock(*user);
               }))
        return false;
    }
  }
  return true;
}

/// Returns whether the op, that many iterations later, may access what the copy
/// writes; also in other lanes, so only uniform expressions are compared.
bool RingLoop::mayAccess(Operation *op, scf::ForOp of, const Copy &copy,
                         int64_t iteration) {
  return hazards.stops(op, copy, [&](const Box &box) {
    Box later = box;
    for (AffineExpr &first : later.first)
      first = sums.later(first, of, loop, iteration);
    return areApart(copy.target, later, sums,
                    [&](AffineExpr expr) { return sums.isUniform(expr); });
  });
}

/// Returns the last barrier before accesses of the loop's own lanes.
std::optional<Moment> RingLoop::lastBarrierFor(const Copy &copy,
                                               Operation *from) {
  Moment barrier;
  Operation *op = from->getNextNode();
  for (int64_t iteration = 0; iteration < kMostIterations; ++iteration) {
    for (; op; op = op->getNextNode()) {
      if (isBarrierOfAll(op))
        barrier = {iteration, op};
      else if (!isFence(op) && mayAccess(op, loop, copy, iteration))
        return barrier.op ? std::optional(barrier) : std::nullopt;
    }
    op = &loop.getBody()->front();
  }
  return std::nullopt;
}

/// Returns the last barrier before accesses of a sibling's lanes, which may be
/// between other barriers.
std::optional<Moment> RingLoop::lastBarrierFor(const Copy &copy,
                                               Operation *from,
                                               scf::ForOp sibling) {
  int64_t count = barriers.size(), now = countBefore(barriers, from);
  SmallVector<Operation *> theirs = barriersIn(sibling.getBody());
  for (int64_t iteration = 0; iteration < kMostIterations; ++iteration) {
    for (Operation &op : *sibling.getBody()) {
      int64_t passed = iteration * count + countBefore(theirs, &op);
      if (passed > now && !isBarrierOfAll(&op) && !isFence(&op) &&
          mayAccess(&op, sibling, copy, iteration))
        return Moment{(passed - 1) / count, barriers[(passed - 1) % count]};
    }
  }
  return std::nullopt;
}

/// Returns whether the copy is made only where the loop has that many
/// iterations more:
///   if (counter + c * step < upper bound), c >= iterations
bool RingLoop::isOfLaterIteration(const Copy &copy, Operation *item,
                                  int64_t iterations) {
  auto branch = dyn_cast<scf::IfOp>(item);
  if (!branch ||
      !branch.getThenRegion().isAncestor(copy.to.op->getParentRegion()))
    return false;
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  auto wanted = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
  bool isBelow =
      compare && (compare.getPredicate() == wanted ||
                  compare.getPredicate() == arith::CmpIPredicate::ult);
  if (!isBelow || sums.of(OpFoldResult(compare.getRhs())) !=
                      sums.of(OpFoldResult(loop.getUpperBound())))
    return false;
  AffineExpr needed = sums.later(sums.of(OpFoldResult(loop.getInductionVar())),
                                 loop, loop, iterations);
  auto spare = dyn_cast<AffineConstantExpr>(
      sums.simplified(sums.of(OpFoldResult(compare.getLhs())) - needed));
  return spare && spare.getValue() >= 0;
}

std::optional<Moment> RingLoop::lastBarrierFor(const Group &group) {
  std::optional<Moment> earliest;
  auto take = [&](std::optional<Moment> barrier) {
    if (barrier && (!earliest || barrier->isBefore(*earliest)))
      earliest = barrier;
  };
  for (const Copy *copy : group.copies) {
    if (!knowsAllAccesses(copy->target.array))
      return std::nullopt;
    Operation *item = loop.getBody()->findAncestorOpInBlock(*copy->to.op);
    std::optional<Moment> own = lastBarrierFor(*copy, item);
    if (!own)
      return std::nullopt;
    take(own);
    for (scf::ForOp sibling : siblings)
      take(lastBarrierFor(*copy, item, sibling));
  }
  for (const Copy *copy : group.copies) {
    Operation *item = loop.getBody()->findAncestorOpInBlock(*copy->to.op);
    if (earliest->iteration > 0 &&
        !isOfLaterIteration(*copy, item, earliest->iteration))
      return std::nullopt;
  }
  return earliest;
}

int64_t RingLoop::countYounger(const Group &group, const Moment &moment) {
  int64_t count = 0;
  for (const Group &other : groups) {
    if (other.last->getBlock() != loop.getBody() || &other == &group)
      continue;
    bool isBehind = group.last->isBeforeInBlock(other.last);
    bool isBefore = other.last->isBeforeInBlock(moment.op);
    // Adds groups of the group's own iteration, of those in between, of the
    // last one.
    count += moment.iteration == 0
                 ? isBehind && isBefore
                 : isBehind + (moment.iteration - 1) + isBefore;
  }
  if (moment.iteration > 0)
    count += moment.iteration - 1 + group.last->isBeforeInBlock(moment.op);
  return count;
}

void async_copies::waitInLaterIterations(MutableArrayRef<Group> groups,
                                         IndexSums &sums, Hazards &hazards) {
  for (Group &group : groups) {
    auto loop = dyn_cast<scf::ForOp>(group.last->getParentOp());
    if (!loop || !(isFence(group.wait) || isBarrierOfAll(group.wait)))
      continue;
    RingLoop ring(loop, groups, sums, hazards);
    std::optional<Moment> barrier = ring.lastBarrierFor(group);
    if (!barrier)
      continue;
    group.inFlight = ring.countYounger(group, *barrier);
    group.wait = barrier->op;
    // Fences are before their barrier.
    while (group.wait->getPrevNode() && isFence(group.wait->getPrevNode()))
      group.wait = group.wait->getPrevNode();
  }
}

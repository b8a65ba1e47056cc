//===- Ring.cpp - Copies for later iterations -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ring.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace distaff;
using namespace distaff::async_copies;

/// Rings of more slots are not looked for.
static constexpr int64_t kMostIterations = 16;

static bool isBarrierOfAll(Operation *op) {
  auto barrier = dyn_cast<compat::GlobalSubgroupBarrierOp>(op);
  return isa<gpu::BarrierOp>(op) || (barrier && !barrier.getId());
}

/// Publishes, but lets nobody wait for the whole workgroup.
static bool isFence(Operation *op) {
  return isa<compat::FenceOp, compat::LaneBarrierOp>(op);
}

namespace {

/// A point of an iteration, that many iterations later.
struct Moment {
  int64_t iteration = 0;
  Operation *op = nullptr;

  bool isBefore(const Moment &other) const {
    return iteration != other.iteration ? iteration < other.iteration
                                        : op->isBeforeInBlock(other.op);
  }
};

/// The loop around groups, as events.
class RingLoop {
public:
  RingLoop(scf::ForOp loop, ArrayRef<Group> groups, IndexSums &sums,
           Hazards &hazards)
      : loop(loop), groups(groups), sums(sums), hazards(hazards) {}

  /// The barrier before which the group has to be complete, as late as may be.
  std::optional<Moment> lastBarrierFor(const Group &group);
  /// Groups that are made behind that one and before the moment.
  int64_t countYounger(const Group &group, const Moment &moment);

private:
  bool knowsAllAccesses(Value array);
  bool mayAccess(Operation *op, const Copy &copy, int64_t iteration);
  std::optional<Moment> lastBarrierFor(const Copy &copy, Operation *from);
  bool isOfLaterIteration(const Copy &copy, Operation *item,
                          int64_t iterations);

  scf::ForOp loop;
  ArrayRef<Group> groups;
  IndexSums &sums;
  Hazards &hazards;
};

} // namespace

/// Whoever accesses the array is in the loop, or is run before or behind it by
/// the same lanes.
bool RingLoop::knowsAllAccesses(Value array) {
  if (!array.getDefiningOp())
    return false;
  SmallVector<Value> views = {array};
  while (!views.empty()) {
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(views, user->getResults());
        continue;
      }
      if (!loop->getBlock()->findAncestorOpInBlock(*user))
        return false;
    }
  }
  return true;
}

/// Whether the op, that many iterations later, may access what the copy writes;
/// also by other lanes, so only what is the same for all may be compared.
bool RingLoop::mayAccess(Operation *op, const Copy &copy, int64_t iteration) {
  return hazards.stops(op, copy, [&](const Box &box) {
    Box later = box;
    for (AffineExpr &first : later.first)
      first = sums.later(first, loop, iteration);
    return areApart(copy.target, later, sums,
                    [&](AffineExpr expr) { return sums.isUniform(expr); });
  });
}

std::optional<Moment> RingLoop::lastBarrierFor(const Copy &copy,
                                               Operation *from) {
  Moment barrier;
  Operation *op = from->getNextNode();
  for (int64_t iteration = 0; iteration < kMostIterations; ++iteration) {
    for (; op; op = op->getNextNode()) {
      if (isBarrierOfAll(op))
        barrier = {iteration, op};
      else if (!isFence(op) && mayAccess(op, copy, iteration))
        return barrier.op ? std::optional(barrier) : std::nullopt;
    }
    op = &loop.getBody()->front();
  }
  return std::nullopt;
}

/// True if the copy is made only where the loop has that many iterations more:
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
                                 loop, iterations);
  auto spare = dyn_cast<AffineConstantExpr>(
      sums.simplified(sums.of(OpFoldResult(compare.getLhs())) - needed));
  return spare && spare.getValue() >= 0;
}

std::optional<Moment> RingLoop::lastBarrierFor(const Group &group) {
  std::optional<Moment> earliest;
  for (const Copy *copy : group.copies) {
    if (!knowsAllAccesses(copy->target.array))
      return std::nullopt;
    Operation *item = loop.getBody()->findAncestorOpInBlock(*copy->to.op);
    std::optional<Moment> barrier = lastBarrierFor(*copy, item);
    if (!barrier || (barrier->iteration > 0 &&
                     !isOfLaterIteration(*copy, item, barrier->iteration)))
      return std::nullopt;
    if (!earliest || barrier->isBefore(*earliest))
      earliest = barrier;
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
    // Of the group's own iteration, of those in between, of the last one.
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
    // What publishes memory stands before its barrier.
    while (group.wait->getPrevNode() && isFence(group.wait->getPrevNode()))
      group.wait = group.wait->getPrevNode();
  }
}

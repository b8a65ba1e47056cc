//===- SkewPlan.cpp - Legality of skewing a cluster -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SkewPlan.h"

#include "../Order/MovedOps.h"
#include "UniformBounds.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
class SkewPlanner {
public:
  SkewPlanner(BlockArgument cluster, int64_t steps) {
    plan.cluster = cluster;
    plan.steps = steps;
    group = cast<TileGroupOp>(cluster.getOwner()->getParentOp());
  }
  FailureOr<SkewPlan> run();

private:
  LogicalResult findLoop();
  LogicalResult sortOps();
  LogicalResult verifyFences();
  LogicalResult verifyOrder(PhaseOrder &order);
  LogicalResult collectAhead();
  LogicalResult collectCarried();
  LogicalResult findEnds();
  LogicalResult findEnd(unsigned result);
  std::optional<unsigned> trace(Value handle, unsigned field, Value argument);

  bool isPhaseOfCluster(Operation *op) const {
    return isa<RunClusterOp, RunThreadOp>(op) &&
           plan.isOfCluster(op->getOperand(0));
  }
  bool isEarly(Operation *op) const {
    return llvm::any_of(ArrayRef(plan.phases).take_front(plan.steps),
                        [&](ArrayRef<Operation *> phases) {
                          return llvm::is_contained(phases, op);
                        });
  }

  SkewPlan plan;
  TileGroupOp group;
};
} // namespace

//===----------------------------------------------------------------------===//
// The loop and its contents
//===----------------------------------------------------------------------===//

LogicalResult SkewPlanner::findLoop() {
  SmallVector<scf::ForOp> loops;
  group.getBody().walk([&](Operation *op) {
    if (!isPhaseOfCluster(op))
      return;
    auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
    if (loop && !loop.getOps<BarrierOp>().empty() &&
        !llvm::is_contained(loops, loop))
      loops.push_back(loop);
  });
  if (loops.empty())
    return group.emitOpError("runs no phase of the cluster in a loop with "
                             "barriers; there is nothing to skew");
  if (loops.size() > 1)
    return loops[1].emitOpError("is another loop with phases of the cluster, "
                                "and one can be skewed; make one loop of the "
                                "two");
  plan.loop = loops.front();
  if (plan.loop->getParentOp() != group)
    return plan.loop.emitOpError("is not in the block of its tile_group; what "
                                 "runs ahead of it would run more often, so "
                                 "move it there");
  for (Value bound : {plan.loop.getLowerBound(), plan.loop.getUpperBound()})
    if (!isUniformBound(bound))
      return plan.loop.emitOpError(
          "has a bound that is not known to be the same for all clusters");
  return success();
}

/// Sorts the ops of the loop into arithmetic and, per interval between
/// barriers, phases of the cluster and other phases. Fails on any other op, and
/// if phases follow the last barrier.
LogicalResult SkewPlanner::sortOps() {
  plan.phases.emplace_back();
  plan.others.emplace_back();
  for (Operation &op : plan.loop.getBody()->without_terminator()) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      for (Value operand : barrier->getOperands())
        if (!plan.loop.isDefinedOutsideOfLoop(operand))
          return barrier.emitOpError("takes a ref that is made in the loop");
      plan.barriers.push_back(barrier);
      plan.phases.emplace_back();
      plan.others.emplace_back();
    } else if (isPhaseOfCluster(&op)) {
      plan.phases.back().push_back(&op);
    } else if (op.getNumRegions() == 0 && isPure(&op)) {
      plan.arithmetic.push_back(&op);
    } else if (isa<RunClusterOp, RunThreadOp>(op)) {
      plan.others.back().push_back(&op);
    } else {
      return op.emitOpError("in the loop is neither phase, barrier nor "
                            "arithmetic; it cannot be ordered anew");
    }
  }
  if (!plan.phases.back().empty() || !plan.others.back().empty())
    return plan.loop.emitOpError("has phases after its last barrier, which "
                                 "those of the next iteration do not wait "
                                 "for; put a barrier at its end");
  plan.phases.pop_back();
  plan.others.pop_back();
  return success();
}

/// Verifies that all barriers fence the same memory: a phase that moves past
/// one barrier is ordered by another one.
LogicalResult SkewPlanner::verifyFences() {
  auto fencedBy = [](BarrierOp barrier) {
    llvm::SmallPtrSet<Value, 4> fenced;
    for (Value ref : barrier.getRefs())
      fenced.insert(getRefMemory(ref));
    return fenced;
  };
  auto first = fencedBy(plan.barriers.front());
  for (BarrierOp barrier : ArrayRef(plan.barriers).drop_front()) {
    auto fenced = fencedBy(barrier);
    if (fenced.size() == first.size() &&
        llvm::all_of(fenced, [&](Value ref) { return first.contains(ref); }))
      continue;
    InFlightDiagnostic error =
        barrier.emitOpError("fences other memory than the loop's first "
                            "barrier; they cannot take each other's place");
    error.attachNote(plan.barriers.front().getLoc()) << "the first barrier";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static InFlightDiagnostic refuse(const pcf::PhaseAccess &a,
                                 const pcf::PhaseAccess &b, const Twine &what) {
  InFlightDiagnostic error = emitError(a.op->getLoc())
                             << what << " of " << a.describe() << " and "
                             << b.describe();
  error.attachNote(b.op->getLoc()) << b.describe() << " is here";
  return error;
}

LogicalResult SkewPlanner::verifyOrder(PhaseOrder &order) {
  auto isBefore = [&](const pcf::PhaseAccess &access) {
    Operation *op = plan.loop->getBlock()->findAncestorOpInBlock(*access.op);
    return !op || op->isBeforeInBlock(plan.loop);
  };
  for (const pcf::PhaseAccess &a : order.getAccesses()) {
    if (!plan.loop->isAncestor(a.op) ||
        !plan.isOfCluster(a.phase->getOperand(0)))
      continue;
    bool runsPastEnd =
        isEarly(a.phase) && !plan.guarded.lookup(a.phase).contain(a.op);
    for (const pcf::PhaseAccess &b : order.getAccesses()) {
      if (a.isOfSameGroup(b))
        continue;
      if (!plan.loop->isAncestor(b.op) && !isBefore(b))
        continue;
      if (order.mayMeet(a, b, {0, 0}))
        return refuse(a, b, "no barrier fixes the order");
      int64_t reach = plan.loop->isAncestor(b.op) ? plan.steps : 0;
      if (order.mayMeet(a, b, {0, reach}) ||
          (runsPastEnd && order.mayMeet(a, b, {0, reach, plan.loop})))
        return refuse(a, b,
                      "skew by " + Twine(plan.steps) + " breaks the order");
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operands and results of early phases
//===----------------------------------------------------------------------===//

LogicalResult SkewPlanner::collectAhead() {
  auto isThere = [&](Value value) {
    return plan.loop.isDefinedOutsideOfLoop(value) ||
           value == plan.loop.getInductionVar();
  };
  for (ArrayRef<Operation *> phases :
       ArrayRef(plan.phases).take_front(plan.steps))
    for (Operation *phase : phases) {
      bool isKnown = true;
      auto visit = [&](Value used) {
        if (isHandle(used.getType()) ||
            phase->isAncestor(used.getParentRegion()->getParentOp()))
          return;
        isKnown &= collectOps(used, isThere, plan.ahead);
      };
      phase->walk(
          [&](Operation *op) { llvm::for_each(op->getOperands(), visit); });
      if (!isKnown)
        return phase->emitOpError("uses a number that the loop carries, which "
                                  "is not known an iteration ahead");
    }
  return success();
}

LogicalResult SkewPlanner::collectCarried() {
  auto add = [&](Value handle) {
    if (!plan.isOfCluster(handle) || plan.loop.isDefinedOutsideOfLoop(handle) ||
        llvm::is_contained(plan.carried, handle))
      return;
    Operation *maker = handle.getDefiningOp();
    if (!maker || isEarly(maker))
      plan.carried.push_back(handle);
  };
  for (ArrayRef<Operation *> phases :
       ArrayRef(plan.phases).drop_front(plan.steps))
    for (Operation *phase : phases)
      llvm::for_each(phase->getOperands(), add);
  llvm::for_each(plan.loop.getYieldedValues(), add);
  return success();
}

/// Returns the field of the loop's argument that a field of a handle was, if
/// early phases only forward it.
std::optional<unsigned> SkewPlanner::trace(Value handle, unsigned field,
                                           Value argument) {
  if (handle == argument)
    return field;
  Operation *phase = handle.getDefiningOp();
  if (!phase)
    return std::nullopt;
  Block &body = phase->getRegion(0).front();
  auto passed =
      dyn_cast<BlockArgument>(body.getTerminator()->getOperand(field));
  if (!passed || passed.getOwner() != &body)
    return std::nullopt;
  unsigned number = passed.getArgNumber();
  for (Value source : phase->getOperands()) {
    unsigned size = getPayload(source.getType()).size();
    if (isHandle(source.getType()) && number < size)
      return trace(source, number, argument);
    number -= size;
  }
  return std::nullopt;
}

LogicalResult SkewPlanner::findEnd(unsigned result) {
  Value argument = plan.loop.getRegionIterArg(result);
  unsigned size = getPayload(argument.getType()).size();
  for (Operation *user : plan.loop.getResult(result).getUsers())
    if (!isa<RunClusterOp, RunThreadOp>(user))
      return user->emitOpError("takes what the skewed loop hands on; only "
                               "phases may");
  for (auto [i, handle] : llvm::enumerate(plan.carried)) {
    SkewEnd end{static_cast<unsigned>(i), SmallVector<unsigned>(size, ~0u)};
    for (unsigned field :
         llvm::seq<unsigned>(0, getPayload(handle.getType()).size()))
      if (std::optional<unsigned> origin = trace(handle, field, argument))
        end.fields[*origin] = field;
    if (!llvm::is_contained(end.fields, ~0u)) {
      plan.ends[result] = std::move(end);
      return success();
    }
  }
  return plan.loop.emitOpError("hands on a payload that the phases which run "
                               "ahead do not pass on; one run too many would "
                               "change it");
}

LogicalResult SkewPlanner::findEnds() {
  for (unsigned result : llvm::seq(plan.loop.getNumResults())) {
    Value value = plan.loop.getResult(result);
    if (!plan.isOfCluster(value) || value.use_empty())
      continue;
    if (failed(findEnd(result)))
      return failure();
  }
  return success();
}

FailureOr<SkewPlan> SkewPlanner::run() {
  if (plan.steps < 1)
    return group.emitOpError("cannot be skewed by ")
           << plan.steps << " steps; it takes at least one";
  auto executor = group->getParentOfType<SharedExecutorOp>();
  if (failed(findLoop()) || failed(sortOps()) || failed(verifyFences()))
    return failure();
  FailureOr<PhaseOrder> order = PhaseOrder::compute(executor);
  if (failed(order))
    return failure();
  int64_t steps = plan.steps;
  int64_t numBarriers = plan.barriers.size();
  plan.steps = std::min(steps, numBarriers);
  for (ArrayRef<Operation *> phases :
       ArrayRef(plan.phases).take_front(plan.steps))
    for (Operation *phase : phases) {
      auto guarded = findGuarded(phase, *order, plan.loop);
      if (failed(guarded))
        return failure();
      if (!guarded->empty())
        plan.guarded[phase] = std::move(*guarded);
    }
  plan.steps = steps;
  if (failed(verifyOrder(*order)))
    return failure();
  if (steps >= numBarriers)
    return plan.loop.emitOpError("has ")
           << numBarriers << " barriers; a skew by " << steps
           << " would move whole iterations";
  if (failed(collectAhead()) || failed(collectCarried()) || failed(findEnds()))
    return failure();
  return std::move(plan);
}

FailureOr<SkewPlan> pcf::planSkew(BlockArgument cluster, int64_t steps) {
  return SkewPlanner(cluster, steps).run();
}

//===- PhaseOrder.cpp - Accesses of phases between barriers ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseOrder.h"

#include "PhaseSlices.h"
#include "RefAccess.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::pcf;

std::string PhaseAccess::describe() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << (isWrite ? "the write" : "the read");
  if (auto cluster = dyn_cast<ClusterType>(getGroup()))
    stream << " of " << cluster.getId().str();
  return text;
}

Value pcf::getRefMemory(Value ref) {
  ref = getViewedRef(ref);
  auto argument = dyn_cast<BlockArgument>(ref);
  auto executor =
      argument ? dyn_cast<SharedExecutorOp>(argument.getOwner()->getParentOp())
               : SharedExecutorOp();
  if (!executor || argument.getArgNumber() >=
                       static_cast<unsigned>(executor.getNumLeadingArgs()))
    return ref;
  Value yielded = executor.getInitializer().front().getTerminator()->getOperand(
      argument.getArgNumber());
  return getViewedRef(yielded);
}

//===----------------------------------------------------------------------===//
// Contents of the executor
//===----------------------------------------------------------------------===//

FailureOr<PhaseOrder> PhaseOrder::compute(SharedExecutorOp executor) {
  PhaseOrder order(executor);
  if (failed(order.collect(*executor.getBody())))
    return failure();
  return order;
}

static bool isPhase(Operation *op) {
  return isa<RunClusterOp, RunThreadOp>(op);
}

/// Returns whether an op contains barriers of the group of clusters.
static bool hasBarriers(Operation *op) {
  return op
      ->walk<WalkOrder::PreOrder>([](Operation *nested) {
        if (isPhase(nested))
          return WalkResult::skip();
        return isa<BarrierOp>(nested) ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

static LogicalResult verifyLoop(scf::ForOp loop) {
  if (!hasBarriers(loop))
    return success();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step <= 0 || loop.getUnsignedCmp())
    return loop.emitOpError("with barriers must count up by a number to be "
                            "ordered");
  scf::ForOp unknown;
  loop.getBody()->walk([&](scf::ForOp inner) {
    if (hasBarriers(inner) && !getConstantTripCount(inner))
      unknown = inner;
  });
  if (unknown)
    return unknown.emitOpError(
        "has barriers and runs a number of times that is not known, in "
        "another loop; iterations have no fixed number of barriers");
  return success();
}

LogicalResult PhaseOrder::collect(Block &block) {
  for (Operation &op : block) {
    if (isPhase(&op)) {
      if (failed(collectPhase(&op)))
        return failure();
      continue;
    }
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      if (!barrier.getClusters().empty())
        return barrier.emitOpError("'among' some clusters gives the others no "
                                   "order");
      if (barrier.getScope() != executor.getScope())
        return barrier.emitOpError("is of another scope than the executor and "
                                   "gives its workers no order");
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(verifyLoop(loop)))
        return failure();
    } else if (isa<scf::IfOp>(op)) {
      if (hasBarriers(&op))
        return op.emitOpError("holds barriers; under a condition they have no "
                              "fixed order");
    } else if (!isa<TileGroupOp, FenceOp>(op)) {
      if ((op.getNumRegions() == 0 && isMemoryEffectFree(&op)) ||
          isGroupAllocation(&op, executor))
        continue;
      return op.emitOpError(
          "is not known to leave shared memory alone outside a phase");
    }
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (failed(collect(nested)))
          return failure();
  }
  return success();
}

LogicalResult PhaseOrder::collectPhase(Operation *phase) {
  return failure(phase->getRegion(0)
                     .walk([&](Operation *op) {
                       return WalkResult(visitInPhase(op, phase));
                     })
                     .wasInterrupted());
}

/// Returns whether phases of one cluster alone access an allocation of their
/// executor: then program order orders the accesses.
static bool isOfOneCluster(memref::AllocOp alloc, SharedExecutorOp executor) {
  auto takesIt = [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isa<BaseMemRefType>(operand.getType()) &&
             getGroupAllocation(operand, executor) == alloc;
    });
  };
  ClusterType owner;
  WalkResult result =
      executor.getExecute().walk([&](Operation *op) -> WalkResult {
        if (!takesIt(op) || isa<BarrierOp, FenceOp>(op))
          return WalkResult::advance();
        Operation *phase = op;
        while (phase != executor && !isPhase(phase))
          phase = phase->getParentOp();
        // A view before the phases is no access.
        if (phase == executor)
          return isMemoryEffectFree(op) ? WalkResult::advance()
                                        : WalkResult::interrupt();
        auto group = dyn_cast<ClusterType>(phase->getOperand(0).getType());
        if (!group || (owner && !isSameGroup(owner, group)))
          return WalkResult::interrupt();
        owner = group;
        return WalkResult::advance();
      });
  return !result.wasInterrupted();
}

/// Returns whether no order of phases changes an op's accesses to memrefs: it
/// reads memory that the executor does not write, or writes, after all loops,
/// memory that it does not read, or the memory is of one cluster.
static bool isFreeOfOrder(Operation *op, Operation *phase,
                          SharedExecutorOp executor) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || isa<ReadSliceOp, WriteSliceOp, GetMemrefOp>(op))
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  auto isRead = [&](Value memref) {
    return executor.getExecute()
        .walk([&](RunClusterOp other) {
          return llvm::any_of(PhaseSlices::of(other).readMemrefs,
                              [&](Value read) { return mayWrite(op, read); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  bool isInLoop = isa<scf::ForOp>(phase->getParentOp());
  return llvm::all_of(effects, [&](const auto &effect) {
    Value memref = effect.getValue();
    if (!memref || !isa<MemRefType>(memref.getType()))
      return false;
    if (memref::AllocOp alloc = getGroupAllocation(memref, executor);
        alloc && isOfOneCluster(alloc, executor))
      return true;
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      return !mayWrite(executor, memref);
    return isa<MemoryEffects::Write>(effect.getEffect()) && !isInLoop &&
           !isRead(memref);
  });
}

LogicalResult PhaseOrder::visitInPhase(Operation *op, Operation *phase) {
  auto add = [&](Value ref, bool isWrite) {
    accesses.push_back({op, phase, getRefMemory(ref), isWrite});
    return success();
  };
  if (auto read = dyn_cast<ReadSliceOp>(op))
    return add(read.getSource(), /*isWrite=*/false);
  if (auto write = dyn_cast<WriteSliceOp>(op);
      write && !isa<BaseMemRefType>(write.getSource().getType()))
    return add(write.getDest(), /*isWrite=*/true);
  if (isa<FenceOp>(op))
    return success();
  bool isKnown = isa<GetMemrefOp>(op)             ? false
                 : isa<scf::ForOp, scf::IfOp>(op) ? true
                 : isMemoryEffectFree(op) ? true
                                          : isFreeOfOrder(op, phase, executor);
  if (isKnown)
    return success();
  return op->emitOpError("is not known to access only what slices of the "
                         "phase read and write; access memory by slices of "
                         "refs, and other memory behind the loop");
}

//===----------------------------------------------------------------------===//
// Boxes of accesses
//===----------------------------------------------------------------------===//

/// Returns whether a ref is an executor's name for an allocation of its
/// initializer.
static bool isWholeMemory(Value ref, Value memory) {
  auto argument = dyn_cast<BlockArgument>(ref);
  if (!argument)
    return false;
  auto executor =
      dyn_cast<SharedExecutorOp>(argument.getOwner()->getParentOp());
  return executor &&
         executor.getInitializer().front().getTerminator()->getOperand(
             argument.getArgNumber()) == memory;
}

RefBox PhaseOrder::getBox(const PhaseAccess &access) {
  Value ref = access.isWrite ? cast<WriteSliceOp>(access.op).getDest()
                             : cast<ReadSliceOp>(access.op).getSource();
  auto isMemory = [&](Value value) {
    return value == access.ref || isWholeMemory(value, access.ref);
  };
  return RefBox::in(cast<OffsetSizeAndStrideOpInterface>(access.op), ref,
                    cast<SRefType>(access.ref.getType()).getRank(), isMemory,
                    domain.getTerms());
}

/// Decides which barriers count for two accesses: those that fence the memory
/// of both.
namespace {
class BarrierCount {
public:
  BarrierCount(Value a, Value b) : a(a), b(b) {}

  bool counts(BarrierOp barrier) const {
    auto fences = [&](Value ref) {
      return llvm::any_of(barrier.getRefs(), [&](Value fenced) {
        return isa<SRefType>(fenced.getType()) && getRefMemory(fenced) == ref;
      });
    };
    return fences(a) && fences(b);
  }

private:
  Value a, b;
};
} // namespace

AffineExpr PhaseOrder::getTime(const PhaseAccess &access,
                               const PhaseAccess &other) {
  BarrierCount barriers(access.ref, other.ref);
  // Counts in an op with its regions; loops in loops have constant counts.
  auto countIn = [&](auto &self, Operation *op) -> AffineExpr {
    if (auto barrier = dyn_cast<BarrierOp>(op))
      return domain.getTerms().constant(barriers.counts(barrier));
    if (isPhase(op) || !hasBarriers(op))
      return domain.getTerms().constant(0);
    AffineExpr sum = domain.getTerms().constant(0);
    for (Operation &nested : op->getRegion(0).front())
      sum = sum + self(self, &nested);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return sum * domain.getTripCount(loop);
    return sum;
  };
  AffineExpr time = domain.getTerms().constant(0);
  for (Operation *op = access.phase; op != executor; op = op->getParentOp()) {
    for (Operation &before : *op->getBlock()) {
      if (&before == op)
        break;
      time = time + countIn(countIn, &before);
    }
    auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
    if (!loop || !hasBarriers(loop))
      continue;
    AffineExpr perIteration = domain.getTerms().constant(0);
    for (Operation &nested : *loop.getBody())
      perIteration = perIteration + countIn(countIn, &nested);
    time = time + perIteration * domain.getIteration(loop);
  }
  return time;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// Returns whether a variable's value may differ from one run of a phase to
/// another.
bool PhaseOrder::isPerIteration(unsigned variable) {
  Value value = domain.getTerms().getValueOf(variable);
  if (!value)
    return false;
  for (Operation *op = value.getParentRegion()->getParentOp();
       op && executor->isProperAncestor(op); op = op->getParentOp())
    if (isa<scf::ForOp>(op) || isPhase(op))
      return true;
  return false;
}

bool PhaseOrder::mayMeet(const PhaseAccess &a, const PhaseAccess &b,
                         const PhaseDistance &distance) {
  assert(distance.low <= distance.high && "bounds of a distance are in order");
  if ((!a.isWrite && !b.isWrite) || !mayAlias(a.ref, b.ref))
    return false;
  // All constraints of `a`, then all of `b`; b's variables become copies at the
  // end.
  SmallVector<IndexConstraint> constraints, constraintsOfB;
  domain.addConstraints(a.op, distance.pastEnd, constraints);
  domain.addConstraints(b.op, /*pastEnd=*/{}, constraintsOfB);
  RefBox boxA = getBox(a), boxB = getBox(b);
  AffineExpr timeA = getTime(a, b), timeB = getTime(b, a);
  auto rename = [&](AffineExpr term) {
    return domain.getTerms().withCopies(
        term, [&](unsigned variable) { return isPerIteration(variable); });
  };
  auto renameKnown = [&](AffineExpr &term) {
    if (term)
      term = rename(term);
  };
  for (IndexConstraint &constraint : constraintsOfB)
    constraints.push_back({rename(constraint.term), constraint.isEquality});
  if (a.ref == b.ref) {
    llvm::for_each(boxB.low, renameKnown);
    llvm::for_each(boxB.high, renameKnown);
    boxA.addOverlap(boxB, constraints);
  }
  AffineExpr difference = timeA - rename(timeB);
  constraints.push_back({difference - distance.low});
  constraints.push_back(
      {domain.getTerms().constant(distance.high) - difference});
  return !domain.getTerms().haveNoSolution(constraints, /*withCopies=*/true);
}

std::optional<std::pair<PhaseAccess, PhaseAccess>> PhaseOrder::findUnordered() {
  for (auto [i, a] : llvm::enumerate(accesses))
    for (const PhaseAccess &b : ArrayRef(accesses).drop_front(i + 1))
      if (!a.isOfSameGroup(b) && mayMeet(a, b, {}))
        return std::pair(a, b);
  return std::nullopt;
}

/// Returns whether a box is certain to lie in a ref's static extents.
bool PhaseOrder::isBoxInside(const RefBox &box, SRefType type, Operation *at,
                             scf::ForOp pastEnd) {
  SmallVector<IndexConstraint> around;
  domain.addConstraints(at, pastEnd, around);
  auto isPossible = [&](AffineExpr outside) {
    SmallVector<IndexConstraint> constraints(around);
    constraints.push_back({outside});
    return !domain.getTerms().haveNoSolution(constraints);
  };
  for (auto [dim, low, high] : llvm::enumerate(box.low, box.high)) {
    if (!low || type.isDynamicDim(dim) || isPossible(-low - 1) ||
        isPossible(high - type.getDimSize(dim) - 1))
      return false;
  }
  return true;
}

bool PhaseOrder::isInBounds(const PhaseAccess &access, scf::ForOp pastEnd) {
  return isBoxInside(getBox(access), cast<SRefType>(access.ref.getType()),
                     access.op, pastEnd);
}

bool PhaseOrder::isInBounds(SubviewOp view, scf::ForOp pastEnd) {
  return isBoxInside(RefBox::of(view, domain.getTerms()),
                     cast<SRefType>(view.getSource().getType()), view, pastEnd);
}

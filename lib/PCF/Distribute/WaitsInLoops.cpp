//===- WaitsInLoops.cpp - Barriers inside loops of phases -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WaitsInLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Uniform control flow
//===----------------------------------------------------------------------===//

/// Returns the numbers that control a loop or branch: bounds and step, or the
/// condition.
static SmallVector<Value> collectControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  return {cast<scf::IfOp>(op).getCondition()};
}

/// Collects the ops of a phase that compute a value from the group's numbers.
/// Returns false if the value depends on a member's ids, on payload, or on
/// memory.
static bool collectUniform(Value value, RunThreadOp phase,
                           llvm::SetVector<Operation *> &ops) {
  if (!phase->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op) || op->getNumRegions() != 0)
    return false;
  bool areUniform = llvm::all_of(op->getOperands(), [&](Value operand) {
    return collectUniform(operand, phase, ops);
  });
  if (areUniform)
    ops.insert(op);
  return areUniform;
}

static LogicalResult verifyControl(RunThreadOp phase, Operation *op) {
  if (!isa<scf::ForOp, scf::IfOp>(op))
    return op->emitError(
        "cannot distribute this phase: members of a cluster need what others "
        "hold in a region of it that is neither scf.for nor scf.if; end the "
        "phase before");
  llvm::SetVector<Operation *> ops;
  for (Value value : collectControl(op))
    if (!collectUniform(value, phase, ops))
      return op->emitError(
                 "cannot distribute this phase: members of a cluster need what "
                 "others hold in a ")
             << (isa<scf::ForOp>(op) ? "loop of it whose bounds"
                                     : "branch of it whose condition")
             << " may differ from member to member; compute "
             << (isa<scf::ForOp>(op) ? "them" : "it")
             << " of numbers from outside of the phase";
  return success();
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

namespace {
/// Converts a phase that is arithmetic, a loop or branch, and a yield.
class LoopOfGroup {
public:
  LoopOfGroup(RunThreadOp phase, Operation *op, ClusterBarrier barrier,
              RewriterBase &rewriter)
      : phase(phase), op(op), barrier(barrier),
        cluster(lookupCluster(phase,
                              cast<ClusterType>(phase.getGroupType()).getId())),
        rewriter(rewriter) {
    for (Operation &before : *op->getBlock()) {
      if (&before == op)
        break;
      prefix.push_back(&before);
    }
  }

  LogicalResult emit();

private:
  /// Returns the type of a handle with the phase's payload and further values.
  Type typeWith(TypeRange further);
  /// Creates a phase that takes a handle, or the cluster's own if that is null;
  /// its body begins with the phase's arithmetic, mapped in `mapping`.
  RunThreadOp begin(Value handle, Type result, IRMapping &mapping);
  void end(RunThreadOp made, ValueRange further);
  /// Creates a phase that runs a region of the op; its payload after that of
  /// the phase is the region's arguments.
  FailureOr<Value> emitRegion(Region &region, Value handle, Value iteration,
                              TypeRange results);
  LogicalResult emitLoop(scf::ForOp loop, Value handle, Value &last);
  LogicalResult emitBranch(scf::IfOp branch, Value handle, Value &last);
  Value remake(Value control);

  RunThreadOp phase;
  Operation *op;
  ClusterBarrier barrier;
  Value cluster;
  RewriterBase &rewriter;
  SmallVector<Operation *> prefix;
  IRMapping outside; // numbers that are rematerialized in the group's code
};
} // namespace

Type LoopOfGroup::typeWith(TypeRange further) {
  SmallVector<Type> types;
  for (BlockArgument argument : phase.getPayloadArgs())
    types.push_back(argument.getType());
  llvm::append_range(types, further);
  return types.empty() ? Type()
                       : withPayload(phase.getGroupType(), types,
                                     /*isPrivate=*/true);
}

RunThreadOp LoopOfGroup::begin(Value handle, Type result, IRMapping &mapping) {
  auto made = RunThreadOp::create(rewriter, phase.getLoc(), result,
                                  handle ? handle : cluster, phase.getRanges());
  made->setDiscardableAttrs(phase->getDiscardableAttrDictionary());
  rewriter.setInsertionPointToStart(&made.getBody().front());
  mapping.map(phase.getIds(), made.getIds());
  for (auto [old, own] :
       llvm::zip(phase.getPayloadArgs(), made.getPayloadArgs()))
    mapping.map(old, own);
  for (Operation *before : prefix)
    rewriter.clone(*before, mapping);
  return made;
}

/// Ends a phase with its payload and further values.
void LoopOfGroup::end(RunThreadOp made, ValueRange further) {
  SmallVector<Value> values;
  unsigned count = phase.getPayloadArgs().size();
  llvm::append_range(values, made.getPayloadArgs().take_front(count));
  llvm::append_range(values, further);
  ClusterYieldOp::create(rewriter, phase.getLoc(), values);
  rewriter.setInsertionPointAfter(made);
}

FailureOr<Value> LoopOfGroup::emitRegion(Region &region, Value handle,
                                         Value iteration, TypeRange results) {
  IRMapping mapping;
  RunThreadOp made = begin(handle, typeWith(results), mapping);
  Block &body = region.front();
  auto carried = ValueRange(made.getPayloadArgs())
                     .drop_front(phase.getPayloadArgs().size());
  unsigned numIterations = iteration ? 1 : 0;
  if (iteration)
    mapping.map(body.getArgument(0), iteration);
  for (auto [old, own] :
       llvm::zip(body.getArguments().drop_front(numIterations), carried))
    mapping.map(old, own);
  for (Operation &inner : body.without_terminator())
    rewriter.clone(inner, mapping);
  SmallVector<Value> yielded = llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
  end(made, yielded);
  FailureOr<RunThreadOp> last = splitAtWaits(made, barrier, rewriter);
  if (failed(last))
    return failure();
  rewriter.setInsertionPointAfter(*last);
  return last->getResult() ? Value(last->getResult()) : Value();
}

/// Rematerializes a number that a phase computes in the group's code.
Value LoopOfGroup::remake(Value control) {
  llvm::SetVector<Operation *> ops;
  [[maybe_unused]] bool isUniform = collectUniform(control, phase, ops);
  assert(isUniform && "this was verified");
  for (Operation *maker : ops)
    if (!outside.contains(maker->getResult(0)))
      rewriter.clone(*maker, outside);
  return outside.lookupOrDefault(control);
}

LogicalResult LoopOfGroup::emitLoop(scf::ForOp loop, Value handle,
                                    Value &last) {
  Value low = remake(loop.getLowerBound()), high = remake(loop.getUpperBound()),
        step = remake(loop.getStep());
  auto made = scf::ForOp::create(rewriter, loop.getLoc(), low, high, step,
                                 handle ? ValueRange(handle) : ValueRange());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!handle)
    rewriter.eraseOp(made.getBody()->getTerminator());
  rewriter.setInsertionPointToStart(made.getBody());
  FailureOr<Value> next =
      emitRegion(loop.getRegion(), handle ? made.getRegionIterArg(0) : Value(),
                 made.getInductionVar(), loop.getResultTypes());
  if (failed(next))
    return failure();
  scf::YieldOp::create(rewriter, loop.getLoc(),
                       *next ? ValueRange(*next) : ValueRange());
  rewriter.setInsertionPointAfter(made);
  last = handle ? made.getResult(0) : Value();
  return success();
}

LogicalResult LoopOfGroup::emitBranch(scf::IfOp branch, Value handle,
                                      Value &last) {
  Type type = typeWith(branch.getResultTypes());
  auto made = scf::IfOp::create(rewriter, branch.getLoc(),
                                type ? TypeRange(type) : TypeRange(),
                                remake(branch.getCondition()),
                                /*withElseRegion=*/true);
  for (auto [from, to] : llvm::zip(branch->getRegions(), made->getRegions())) {
    Block &block = to.front();
    if (!block.empty())
      rewriter.eraseOp(block.getTerminator());
    rewriter.setInsertionPointToStart(&block);
    Value end = handle;
    if (!from.empty()) {
      FailureOr<Value> yielded =
          emitRegion(from, handle, Value(), branch.getResultTypes());
      if (failed(yielded))
        return failure();
      end = *yielded;
    }
    rewriter.setInsertionPointToEnd(&block);
    scf::YieldOp::create(rewriter, branch.getLoc(),
                         type ? ValueRange(end) : ValueRange());
  }
  rewriter.setInsertionPointAfter(made);
  last = type ? made.getResult(0) : Value();
  return success();
}

LogicalResult LoopOfGroup::emit() {
  OpBuilder::InsertionGuard restore(rewriter);
  rewriter.setInsertionPoint(phase);
  auto loop = dyn_cast<scf::ForOp>(op);
  SmallVector<Value> inits;
  if (loop)
    llvm::append_range(inits, loop.getInitArgs());
  // This phase yields its payload and the initial values of the loop.
  Value handle;
  if (Type type = typeWith(TypeRange(inits))) {
    IRMapping mapping;
    auto head = RunThreadOp::create(rewriter, phase.getLoc(), type,
                                    phase.getSources(), phase.getRanges());
    head->setDiscardableAttrs(phase->getDiscardableAttrDictionary());
    rewriter.setInsertionPointToStart(&head.getBody().front());
    mapping.map(phase.getIds(), head.getIds());
    mapping.map(phase.getPayloadArgs(), head.getPayloadArgs());
    for (Operation *before : prefix)
      rewriter.clone(*before, mapping);
    for (Value &init : inits)
      init = mapping.lookupOrDefault(init);
    end(head, inits);
    handle = head.getResult();
  }
  Value last;
  if (failed(loop ? emitLoop(loop, handle, last)
                  : emitBranch(cast<scf::IfOp>(op), handle, last)))
    return failure();
  // This phase yields the results.
  if (phase.getResult()) {
    IRMapping mapping;
    RunThreadOp tail = begin(last, phase.getResult().getType(), mapping);
    for (auto [result, own] : llvm::zip(
             op->getResults(), ValueRange(tail.getPayloadArgs())
                                   .drop_front(phase.getPayloadArgs().size())))
      mapping.map(result, own);
    SmallVector<Value> values = llvm::map_to_vector(
        phase.getBody().front().getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
    ClusterYieldOp::create(rewriter, phase.getLoc(), values);
    rewriter.replaceAllUsesWith(phase.getResult(), tail.getResult());
  }
  rewriter.eraseOp(phase);
  return success();
}

FailureOr<RunThreadOp> pcf::splitAround(RunThreadOp phase, Operation *op,
                                        ClusterBarrier barrier,
                                        RewriterBase &rewriter) {
  if (failed(verifyControl(phase, op)))
    return failure();
  phase = splitBefore(phase, op, rewriter).tail;
  PhaseHalves halves = splitBefore(phase, op->getNextNode(), rewriter);
  assert(halves.head && "members wait in the op, so it is no arithmetic");
  if (failed(LoopOfGroup(halves.head, op, barrier, rewriter).emit()))
    return failure();
  return halves.tail;
}

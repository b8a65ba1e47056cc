//===- Peel.cpp - Peeling iterations of a loop of phases ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each peeled iteration is a copy of the loop's body under the condition that
// the loop has it, so the result is correct for any number of iterations:
//
//   iterations         0 1 2 3 4 5      front = 1, back = 2
//   copies before      0
//   the loop             1 2 3
//   copies after               4 5
//
// If a loop is too short, the copies before it are served first; the rest of
// its iterations run in those after it. Since the bounds of the copies and of
// the shorter loop are explicit, conditions such as "there is a next iteration"
// are decided in them, and fold.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Order/IndexDomain.h"
#include "FoldedClone.h"
#include "UniformBounds.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace distaff {
#define GEN_PASS_DEF_PCFPEEL
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether a loop of an executor, outside phases, contains phases.
static bool isPhaseLoop(scf::ForOp loop) {
  if (!loop->getParentOfType<SharedExecutorOp>() ||
      loop->getParentOfType<RunClusterOp>() ||
      loop->getParentOfType<RunThreadOp>())
    return false;
  return loop
      ->walk([](Operation *op) {
        return isa<RunClusterOp, RunThreadOp>(op) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

static LogicalResult verifyPeelable(scf::ForOp loop, int64_t front,
                                    int64_t back) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step <= 0 || loop.getUnsignedCmp() ||
      !loop.getInductionVar().getType().isIndex())
    return loop.emitOpError("must count up by a number, with signed values of "
                            "type index, to be peeled");
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound()})
    if (!isUniformBound(bound))
      return loop.emitOpError(
          "has a bound that is not known to be the same for "
          "all clusters; peeled barriers would stand under "
          "a condition that they may disagree on");
  std::optional<int64_t> count = getConstantTripCount(loop);
  if (count && *count < front + back)
    return loop.emitOpError("runs ")
           << *count << " times; " << front << " and " << back
           << " iterations cannot be peeled off";
  return success();
}

namespace {
class LoopPeeler {
public:
  LoopPeeler(scf::ForOp loop, int64_t front, int64_t back,
             RewriterBase &rewriter)
      : loop(loop), loc(loop.getLoc()), front(front), back(back),
        rewriter(rewriter), values(loop.getInitArgs()) {}
  void run();

private:
  Value add(Value value, int64_t iterations);
  Value getEnd();
  void peelIteration(Value variable, Value exists);
  void shorten(Value low, Value high);

  scf::ForOp loop;
  Location loc;
  int64_t front, back;
  RewriterBase &rewriter;
  /// The loop-carried values after the iterations emitted so far.
  SmallVector<Value> values;
};
} // namespace

/// Returns a value of the loop variable `iterations` iterations later.
Value LoopPeeler::add(Value value, int64_t iterations) {
  int64_t distance = iterations * *getConstantIntValue(loop.getStep());
  if (distance == 0)
    return value;
  Value offset =
      arith::ConstantIndexOp::create(rewriter, loc, std::abs(distance));
  return distance > 0
             ? rewriter.createOrFold<arith::AddIOp>(loc, value, offset)
             : rewriter.createOrFold<arith::SubIOp>(loc, value, offset);
}

/// Returns the value that the loop variable would have after the last
/// iteration, or a lower one if there is no iteration.
Value LoopPeeler::getEnd() {
  if (*getConstantIntValue(loop.getStep()) == 1)
    return loop.getUpperBound();
  auto span = rewriter.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(),
                                                   loop.getLowerBound());
  auto count =
      rewriter.createOrFold<arith::CeilDivSIOp>(loc, span, loop.getStep());
  auto length =
      rewriter.createOrFold<arith::MulIOp>(loc, count, loop.getStep());
  return rewriter.createOrFold<arith::AddIOp>(loc, loop.getLowerBound(),
                                              length);
}

/// Emits the body for one value of the variable, if that iteration exists.
void LoopPeeler::peelIteration(Value variable, Value exists) {
  OpBuilder::InsertionGuard restore(rewriter);
  std::optional<int64_t> known = getConstantIntValue(exists);
  bool isCertain = known && *known != 0;
  scf::IfOp branch;
  if (!isCertain) {
    branch = scf::IfOp::create(rewriter, loc, TypeRange(loop.getResultTypes()),
                               exists,
                               /*withElseRegion=*/!values.empty());
    if (!values.empty()) {
      rewriter.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(rewriter, loc, values);
    }
    rewriter.setInsertionPointToStart(branch.thenBlock());
  }
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), variable);
  mapping.map(loop.getRegionIterArgs(), values);
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumRegions() == 0)
      cloneFolded(rewriter, &op, mapping);
    else
      rewriter.clone(op, mapping);
  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(mapping.lookupOrDefault(value));
  if (branch && !values.empty())
    scf::YieldOp::create(rewriter, loc, yields);
  values = yields;
  if (branch)
    values = SmallVector<Value>(branch.getResults());
}

void LoopPeeler::shorten(Value low, Value high) {
  rewriter.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(low);
    loop.setUpperBound(high);
    loop.getInitArgsMutable().assign(values);
  });
}

void LoopPeeler::run() {
  rewriter.setInsertionPoint(loop);
  Value low = loop.getLowerBound(), end = getEnd();
  Value bound = loop.getUpperBound();
  for (int64_t i : llvm::seq(front)) {
    Value variable = add(low, i);
    peelIteration(variable,
                  rewriter.createOrFold<arith::CmpIOp>(
                      loc, arith::CmpIPredicate::slt, variable, bound));
  }
  Value rest = add(low, front);
  SmallVector<Value> behind;
  for (int64_t i : llvm::seq(back))
    behind.push_back(add(end, i - back));
  // Uses of the results finally become uses of the last copy's results.
  shorten(rest, back ? behind.front() : bound);
  if (!back) {
    return;
  }
  SmallVector<OpOperand *> uses;
  for (OpResult result : loop.getResults())
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
  values = SmallVector<Value>(loop.getResults());
  rewriter.setInsertionPointAfter(loop);
  for (Value variable : behind)
    peelIteration(variable,
                  rewriter.createOrFold<arith::CmpIOp>(
                      loc, arith::CmpIPredicate::sge, variable, rest));
  for (OpOperand *use : uses)
    rewriter.modifyOpInPlace(use->getOwner(), [&] {
      use->set(values[cast<OpResult>(use->get()).getResultNumber()]);
    });
}

/// Replaces a branch by the side that always runs; erases it if there is none.
static void takeSide(scf::IfOp branch, bool isThen, RewriterBase &rewriter) {
  Region &side = isThen ? branch.getThenRegion() : branch.getElseRegion();
  if (side.empty())
    return rewriter.eraseOp(branch);
  Block &block = side.front();
  auto yield = cast<scf::YieldOp>(block.getTerminator());
  rewriter.replaceAllUsesWith(branch.getResults(), yield.getResults());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&block, branch);
  rewriter.eraseOp(branch);
}

/// Folds conditions that the bounds around them decide.
static void foldConditions(SharedExecutorOp executor, RewriterBase &rewriter) {
  SmallVector<scf::IfOp> branches;
  executor.getExecute().walk(
      [&](scf::IfOp branch) { branches.push_back(branch); });
  // Inner branches come first; an outer one may erase them.
  IndexDomain domain(executor);
  for (scf::IfOp branch : branches) {
    bool isNever = domain.isNever(branch.getCondition(), branch);
    if (isNever || domain.isAlways(branch.getCondition(), branch))
      takeSide(branch, !isNever, rewriter);
  }
}

namespace {
struct Peel final : distaff::impl::PCFPeelBase<Peel> {
  using PCFPeelBase::PCFPeelBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    SharedExecutorOp executor;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto found = dyn_cast<SharedExecutorOp>(op); found && !executor)
        executor = found;
      if (auto found = dyn_cast<scf::ForOp>(op); found && isPhaseLoop(found))
        loops.push_back(found);
    });
    if (!executor)
      return;
    if (failed(verifyOptions(executor, loops)) ||
        failed(verifyPeelable(loops[loop], front, back)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    scf::ForOp chosen = loops[loop];
    executor = chosen->getParentOfType<SharedExecutorOp>();
    LoopPeeler(chosen, front, back, rewriter).run();
    foldConditions(executor, rewriter);
    simplifyIndices(rewriter, executor);
  }

  LogicalResult verifyOptions(SharedExecutorOp executor,
                              ArrayRef<scf::ForOp> loops) {
    if (front < 0 || back < 0 || front + back == 0)
      return executor.emitOpError("has no ")
             << front.getValue() << " and " << back.getValue()
             << " iterations to peel";
    if (loop < 0 || loop >= static_cast<int64_t>(loops.size()))
      return executor.emitOpError("has no loop ")
             << loop.getValue() << " to peel; there are " << loops.size()
             << " loops of phases";
    return success();
  }
};
} // namespace

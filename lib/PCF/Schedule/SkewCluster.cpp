//===- SkewCluster.cpp - Skewing a cluster's software pipeline ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the plan of SkewPlan.h: a prologue with the cluster's early phases,
// each followed by its barrier, and a loop in which they come after the late
// ones and belong to the next iteration.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "FoldedClone.h"
#include "SkewPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff {
#define GEN_PASS_DEF_PCFSKEWCLUSTER
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
class ClusterSkewer {
public:
  ClusterSkewer(SkewPlan &plan, RewriterBase &rewriter)
      : plan(plan), loop(plan.loop), rewriter(rewriter) {}
  void run();

private:
  void peel();
  void makeLoop();
  void fillLoop();
  void replaceResult(unsigned result);
  void cloneEarly(Operation *phase, IRMapping &mapping, Value hasIteration);
  Value makeHasIteration(Value variable);
  bool isCarried(Value value) const {
    return llvm::is_contained(plan.carried, value);
  }
  /// Returns whether the loop's argument is the cluster's, and is dropped
  /// unless late phases use it.
  bool isReplaced(unsigned argument) {
    Value value = loop.getRegionIterArg(argument);
    return plan.isOfCluster(value) && !isCarried(value);
  }

  SkewPlan &plan;
  scf::ForOp loop, skewed;
  RewriterBase &rewriter;
  /// Values of the first iteration, of the current one of the new loop, and of
  /// the next one.
  IRMapping first, now, next;
  /// Numbers, in the new loop, of its old arguments and of the carried handles.
  llvm::DenseMap<Value, unsigned> numbers;
  SmallVector<Value> inits;
};
} // namespace

/// Returns `variable < bound`, with the loop's comparison.
Value ClusterSkewer::makeHasIteration(Value variable) {
  return arith::CmpIOp::create(rewriter, loop.getLoc(),
                               arith::CmpIPredicate::slt, variable,
                               loop.getUpperBound());
}

void ClusterSkewer::cloneEarly(Operation *phase, IRMapping &mapping,
                               Value hasIteration) {
  auto it = plan.guarded.find(phase);
  IRMapping local(mapping);
  Operation *copy = rewriter.clone(*phase, local);
  mapping.map(phase->getResults(), copy->getResults());
  if (it == plan.guarded.end())
    return;
  auto lookup = [&](Operation *op) { return local.lookup(op); };
  guard({llvm::map_to_vector(it->second.writers, lookup),
         llvm::map_to_vector(it->second.reads, lookup)},
        hasIteration, rewriter);
}

/// Emits the early phases of the first iteration, and their barriers.
void ClusterSkewer::peel() {
  rewriter.setInsertionPoint(loop);
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    first.map(argument, init);
  for (Operation *op : plan.ahead)
    cloneFolded(rewriter, op, first);
  Value hasIteration;
  if (!plan.guarded.empty())
    hasIteration = makeHasIteration(loop.getLowerBound());
  for (int64_t slot : llvm::seq(plan.steps)) {
    for (Operation *phase : plan.phases[slot])
      cloneEarly(phase, first, hasIteration);
    rewriter.clone(*plan.barriers[slot].getOperation());
  }
}

/// Creates a loop with the arguments of the old one, except those that the
/// cluster's phases of the next iteration replace.
void ClusterSkewer::makeLoop() {
  auto addCarried = [&] {
    for (Value value : plan.carried)
      if (numbers.try_emplace(value, inits.size()).second)
        inits.push_back(first.lookup(value));
  };
  for (unsigned i : llvm::seq(loop.getNumRegionIterArgs())) {
    if (isReplaced(i)) {
      addCarried();
      continue;
    }
    if (numbers.try_emplace(loop.getRegionIterArg(i), inits.size()).second)
      inits.push_back(loop.getInitArgs()[i]);
  }
  addCarried();
  skewed = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                              loop.getUpperBound(), loop.getStep(), inits);
  skewed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (inits.empty())
    rewriter.eraseOp(skewed.getBody()->getTerminator());
}

void ClusterSkewer::fillLoop() {
  rewriter.setInsertionPointToStart(skewed.getBody());
  now.map(loop.getInductionVar(), skewed.getInductionVar());
  for (auto [value, number] : numbers)
    now.map(value, skewed.getRegionIterArg(number));
  for (Operation *op : plan.arithmetic)
    cloneFolded(rewriter, op, now);
  Value following = arith::AddIOp::create(
      rewriter, loop.getLoc(), skewed.getInductionVar(), loop.getStep());
  next.map(loop.getInductionVar(), following);
  for (Operation *op : plan.ahead)
    cloneFolded(rewriter, op, next);
  Value hasIteration;
  if (!plan.guarded.empty())
    hasIteration = makeHasIteration(following);

  int64_t numSlots = plan.barriers.size();
  bool isNextKnown = false;
  for (int64_t slot : llvm::seq(numSlots)) {
    int64_t source = slot + plan.steps;
    auto cloneOwn = [&] {
      if (source < numSlots) {
        for (Operation *phase : plan.phases[source])
          rewriter.clone(*phase, now);
        return;
      }
      for (auto [argument, yielded] :
           llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
        if (!isNextKnown && plan.isOfCluster(argument))
          next.map(argument, now.lookupOrDefault(yielded));
      isNextKnown = true;
      for (Operation *phase : plan.phases[source - numSlots])
        cloneEarly(phase, next, hasIteration);
    };
    if (plan.cluster.getArgNumber() == 0)
      cloneOwn();
    for (Operation *op : plan.others[slot])
      rewriter.clone(*op, now);
    if (plan.cluster.getArgNumber() != 0)
      cloneOwn();
    rewriter.clone(*plan.barriers[slot].getOperation(), now);
  }
  SmallVector<Value> yields(inits.size());
  for (auto [argument, yielded] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (auto it = numbers.find(argument); it != numbers.end())
      yields[it->second] = now.lookupOrDefault(yielded);
  for (Value value : plan.carried)
    if (value.getDefiningOp())
      yields[numbers[value]] = next.lookup(value);
  scf::YieldOp::create(rewriter, loop.getLoc(), yields);
}

/// Lets phases after the loop take the handle that has the payload after
/// skewing, and use the corresponding fields.
void ClusterSkewer::replaceResult(unsigned result) {
  Value old = loop.getResult(result);
  auto it = plan.ends.find(result);
  if (it == plan.ends.end()) {
    if (auto number = numbers.find(loop.getRegionIterArg(result));
        number != numbers.end())
      rewriter.replaceAllUsesWith(old, skewed.getResult(number->second));
    return;
  }
  const SkewEnd &end = it->second;
  Value handle = skewed.getResult(numbers[plan.carried[end.carried]]);
  ArrayRef<Type> types = getPayload(handle.getType());
  while (!old.use_empty()) {
    OpOperand &use = *old.use_begin();
    Operation *phase = use.getOwner();
    Block &body = phase->getRegion(0).front();
    unsigned start = 0;
    for (Value before : phase->getOperands().take_front(use.getOperandNumber()))
      start += getPayload(before.getType()).size();
    unsigned numOld = end.fields.size();
    for (auto [i, type] : llvm::enumerate(types))
      body.insertArgument(start + numOld + i, type, phase->getLoc());
    for (auto [i, field] : llvm::enumerate(end.fields))
      rewriter.replaceAllUsesWith(body.getArgument(start + i),
                                  body.getArgument(start + numOld + field));
    body.eraseArguments(start, numOld);
    rewriter.modifyOpInPlace(phase, [&] { use.set(handle); });
  }
}

void ClusterSkewer::run() {
  peel();
  makeLoop();
  fillLoop();
  for (unsigned result : llvm::seq(loop.getNumResults()))
    replaceResult(result);
  rewriter.eraseOp(loop);
  simplifyIndices(rewriter, skewed->getParentOp());
}

namespace {
struct SkewCluster final : distaff::impl::PCFSkewClusterBase<SkewCluster> {
  using PCFSkewClusterBase::PCFSkewClusterBase;

  void runOnOperation() override {
    SmallVector<BlockArgument> clusters;
    getOperation()->walk([&](TileGroupOp group) {
      for (auto &[id, argument] : group.getDefinedSymbols())
        if (id.str() == cluster)
          clusters.push_back(argument);
    });
    if (clusters.empty())
      return refuseUnknown();
    std::vector<SkewPlan> plans;
    for (BlockArgument argument : clusters) {
      FailureOr<SkewPlan> plan = planSkew(argument, steps);
      if (failed(plan))
        return signalPassFailure();
      plans.push_back(std::move(*plan));
    }
    IRRewriter rewriter(&getContext());
    for (SkewPlan &plan : plans)
      ClusterSkewer(plan, rewriter).run();
  }

  /// Reports an unknown cluster. Code without groups has no cluster to skew.
  void refuseUnknown() {
    bool refused = false;
    getOperation()->walk([&](TileGroupOp group) {
      if (refused)
        return;
      InFlightDiagnostic error = group.emitOpError("has no cluster '")
                                 << cluster << "'; it names";
      for (auto &[id, argument] : group.getDefinedSymbols())
        error << " " << argument.getType();
      refused = true;
    });
    if (refused)
      signalPassFailure();
  }
};
} // namespace

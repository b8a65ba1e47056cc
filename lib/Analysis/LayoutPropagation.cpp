//===- LayoutPropagation.cpp - Which layout each vector has ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/LayoutPropagation.h"
#include "distaff/Analysis/LayoutTransfer.h"
#include "distaff/Analysis/Notation.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>

using namespace distaff;
using namespace distaff::vector_ext;

bool LayoutMap::isLayoutFree(Value value) {
  Operation *op = value.getDefiningOp();
  return op && hasLayout(value.getType()) && isLayoutFreeOp(op);
}

namespace {

/// The fixpoint of both phases over one function.
class Propagation {
public:
  Propagation(FunctionOpInterface function, bool diagnose)
      : function(function), diagnose(diagnose) {}

  LogicalResult run();
  LayoutMap takeLayouts() { return std::move(layouts); }

private:
  void seedRankZero();
  void runStrongPhase();
  void runWeakPhase();
  void drain();

  void visit(Operation *op);
  void visitTies(Operation *op);
  void visitSlots(Operation *op);

  VectorLayoutInterface lookup(OpOperand &use) const {
    return layouts.getUse(use);
  }
  void assign(OpOperand &use, VectorLayoutInterface layout, ToLayoutOp origin);
  void assign(Value value, VectorLayoutInterface layout, ToLayoutOp origin);
  void enqueue(Operation *op);
  void enqueueAround(Value value);

  ToLayoutOp originOf(const OpLayouts &slots) const;
  void reportConflict(Operation *op, StringRef why,
                      ArrayRef<ToLayoutOp> origins);
  void checkDetermined();
  void checkUses(Operation *op);
  void reportUndetermined(Value value);

  FunctionOpInterface function;
  bool diagnose;
  bool failedAny = false;
  LayoutMap layouts;
  /// The to_layout that a value's or use's layout was derived from.
  llvm::DenseMap<void *, ToLayoutOp> origins;
  llvm::DenseMap<Operation *, std::string> stopReasons;
  llvm::DenseSet<Operation *> reported;
  std::deque<Operation *> worklist;
  llvm::DenseSet<Operation *> queued;
};

} // namespace

//===----------------------------------------------------------------------===//
// Worklist
//===----------------------------------------------------------------------===//

void Propagation::enqueue(Operation *op) {
  if (op && queued.insert(op).second)
    worklist.push_back(op);
}

void Propagation::enqueueAround(Value value) {
  if (Operation *op = value.getDefiningOp())
    enqueue(op);
  else
    enqueue(value.getParentBlock()->getParentOp());
  for (Operation *user : value.getUsers()) {
    enqueue(user);
    if (user->hasTrait<OpTrait::IsTerminator>())
      enqueue(user->getParentOp());
    if (auto mask = dyn_cast<vector::MaskOp>(user))
      enqueue(mask.getMaskableOp());
  }
}

void Propagation::assign(Value value, VectorLayoutInterface layout,
                         ToLayoutOp origin) {
  layouts.set(value, layout);
  origins[value.getAsOpaquePointer()] = origin;
  enqueueAround(value);
}

void Propagation::assign(OpOperand &use, VectorLayoutInterface layout,
                         ToLayoutOp origin) {
  if (!LayoutMap::isLayoutFree(use.get()))
    return assign(use.get(), layout, origin);
  layouts.setUse(use, layout);
  origins[&use] = origin;
  enqueue(use.getOwner());
  if (use.getOwner()->hasTrait<OpTrait::IsTerminator>())
    enqueue(use.getOwner()->getParentOp());
}

void Propagation::drain() {
  while (!worklist.empty()) {
    Operation *op = worklist.front();
    worklist.pop_front();
    queued.erase(op);
    visit(op);
  }
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

void Propagation::visit(Operation *op) {
  visitTies(op);
  visitSlots(op);
}

void Propagation::visitTies(Operation *op) {
  for (auto [source, target] : ties(op)) {
    VectorLayoutInterface from = lookup(*source);
    VectorLayoutInterface to = layouts.get(target);
    ToLayoutOp toOrigin = origins.lookup(target.getAsOpaquePointer());
    ToLayoutOp fromOrigin = origins.lookup(source->get().getAsOpaquePointer());
    if (!fromOrigin)
      fromOrigin = origins.lookup(source);
    if (from && !to)
      assign(target, from, fromOrigin);
    else if (to && !from)
      assign(*source, to, toOrigin);
    else if (from != to)
      reportConflict(op,
                     "value laid out as " + shortNotation(from) +
                         " enters a value laid out as " + shortNotation(to) +
                         " (DG1)",
                     {fromOrigin, toOrigin});
  }
}

ToLayoutOp Propagation::originOf(const OpLayouts &slots) const {
  for (auto [operand, layout] :
       llvm::zip_equal(slots.operands, slots.operandLayouts)) {
    if (!layout)
      continue;
    if (auto op = origins.lookup(operand->get().getAsOpaquePointer()))
      return op;
    if (auto op = origins.lookup(operand))
      return op;
  }
  for (auto [result, layout] :
       llvm::zip_equal(slots.results, slots.resultLayouts))
    if (layout)
      if (auto op = origins.lookup(Value(result).getAsOpaquePointer()))
        return op;
  return {};
}

void Propagation::visitSlots(Operation *op) {
  if (isa<ToLayoutOp>(op))
    return;
  OpLayouts slots = OpLayouts::get(op);
  for (auto [operand, layout] :
       llvm::zip_equal(slots.operands, slots.operandLayouts))
    layout = lookup(*operand);
  for (auto [result, layout] :
       llvm::zip_equal(slots.results, slots.resultLayouts))
    layout = layouts.get(result);

  ToLayoutOp origin = originOf(slots);
  std::string why;
  if (failed(inferLayouts(op, slots, why))) {
    SmallVector<ToLayoutOp> culprits;
    for (OpOperand *operand : slots.operands)
      culprits.push_back(origins.lookup(operand->get().getAsOpaquePointer()));
    for (OpResult result : slots.results)
      culprits.push_back(origins.lookup(Value(result).getAsOpaquePointer()));
    bool contraction = isa<vector::ContractionOp>(op);
    return reportConflict(op, why + (contraction ? " (DG3)" : " (DG1)"),
                          culprits);
  }
  if (!why.empty())
    stopReasons[op] = why;

  for (auto [operand, layout] :
       llvm::zip_equal(slots.operands, slots.operandLayouts))
    if (layout && !lookup(*operand))
      assign(*operand, layout, origin);
  for (auto [result, layout] :
       llvm::zip_equal(slots.results, slots.resultLayouts))
    if (layout && !layouts.get(result) && !LayoutMap::isLayoutFree(result))
      assign(result, layout, origin);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void Propagation::seedRankZero() {
  auto seed = [&](Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type || type.getRank() != 0)
      return;
    VectorLayoutInterface layout = rankZeroLayout(type.getContext());
    if (!LayoutMap::isLayoutFree(value))
      return assign(value, layout, {});
    for (OpOperand &use : value.getUses())
      assign(use, layout, {});
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), seed);
    llvm::for_each(op->getResults(), seed);
  });
}

void Propagation::runStrongPhase() {
  function->walk<WalkOrder::PreOrder>(
      [&](ToLayoutOp op) { assign(op.getOutput(), resultLayoutOf(op), op); });
  drain();
}

void Propagation::runWeakPhase() {
  function->walk<WalkOrder::PreOrder>([&](ToLayoutOp op) {
    OpOperand &input = op.getInputMutable();
    if (lookup(input) || !hasLayout(input.get().getType()))
      return;
    assign(input, resultLayoutOf(op), op);
    drain();
  });
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

void Propagation::reportConflict(Operation *op, StringRef why,
                                 ArrayRef<ToLayoutOp> culprits) {
  if (!reported.insert(op).second)
    return;
  failedAny = true;
  if (!diagnose)
    return;
  InFlightDiagnostic diagnostic = op->emitOpError() << why;
  llvm::SmallDenseSet<Operation *> noted;
  for (ToLayoutOp culprit : culprits)
    if (culprit && noted.insert(culprit).second)
      diagnostic.attachNote(culprit.getLoc())
          << "layout " << shortNotation(culprit.getLayout())
          << " comes from this 'iree_vector_ext.to_layout'";
}

void Propagation::reportUndetermined(Value value) {
  failedAny = true;
  if (!diagnose)
    return;
  SmallVector<Operation *> neighbours(value.getUsers());
  Operation *definition = value.getDefiningOp();
  if (definition)
    neighbours.insert(neighbours.begin(), definition);
  for (Operation *op : neighbours)
    if (auto reason = stopReasons.find(op); reason != stopReasons.end()) {
      op->emitOpError() << reason->second << " (DG2)";
      return;
    }
  if (definition)
    definition->emitOpError("result has no layout: no "
                            "'iree_vector_ext.to_layout' reaches it (DG4)");
  else
    emitError(value.getLoc())
        << "block argument of type " << value.getType()
        << " has no layout: no 'iree_vector_ext.to_layout' reaches it (DG4)";
}

/// Uses of layout-free values have layouts of their own.
void Propagation::checkUses(Operation *op) {
  if (!hasTransferRule(op)) {
    failedAny = true;
    if (diagnose)
      op->emitOpError("has vectors and no rule for their layouts (DG5)");
    return;
  }
  OpLayouts slots = OpLayouts::get(op);
  for (OpOperand *operand : slots.operands) {
    if (lookup(*operand) || !LayoutMap::isLayoutFree(operand->get()) ||
        isa<vector::YieldOp>(op))
      continue;
    failedAny = true;
    if (diagnose)
      op->emitOpError() << "operand #" << operand->getOperandNumber()
                        << " has no layout: no 'iree_vector_ext.to_layout' "
                           "reaches this use of a layout-free value (DG4)";
  }
}

void Propagation::checkDetermined() {
  auto check = [&](Value value) {
    if (hasLayout(value.getType()) && !layouts.get(value) &&
        !LayoutMap::isLayoutFree(value))
      reportUndetermined(value);
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), check);
    if (op == function)
      return;
    llvm::for_each(op->getResults(), check);
    checkUses(op);
  });
}

LogicalResult Propagation::run() {
  seedRankZero();
  runStrongPhase();
  runWeakPhase();
  if (diagnose && !failedAny)
    checkDetermined();
  return failure(failedAny);
}

FailureOr<LayoutMap> distaff::propagateLayouts(FunctionOpInterface function) {
  Propagation propagation(function, /*diagnose=*/true);
  if (failed(propagation.run()))
    return failure();
  return propagation.takeLayouts();
}

LayoutMap distaff::propagateWhatIsKnown(FunctionOpInterface function) {
  Propagation propagation(function, /*diagnose=*/false);
  (void)propagation.run();
  return propagation.takeLayouts();
}

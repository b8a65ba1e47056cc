//===- LayoutPropagation.cpp - Propagate vector layouts -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "distaff/Dialect/Distaff/Distaff.h"
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

/// The origin of a layout: a to_layout, or the boundary, which gives it for a
/// value or for an operand of the terminator; or none yet.
struct Origin {
  Operation *anchor = nullptr; // the to_layout or the terminator
  Value given;
  VectorLayoutInterface layout;

  explicit operator bool() const { return anchor || given; }
  const void *key() const {
    return anchor ? anchor : given.getAsOpaquePointer();
  }
};

/// The fixpoint of both phases over one region.
class Propagation {
public:
  Propagation(Region &region, const RegionBoundary &boundary, bool diagnose)
      : region(region), boundary(boundary), diagnose(diagnose) {}

  LogicalResult run();
  void runDemands();
  LayoutMap takeLayouts() { return std::move(layouts); }

private:
  void seedRankZero();
  void seedInputs();
  void seedOutputs();
  void runStrongPhase();
  void runWeakPhase();
  void drain();

  void visit(Operation *op);
  void visitTies(Operation *op);
  void visitSlots(Operation *op);
  bool isInside(Operation *op) const {
    Region *around = op->getParentRegion();
    return around && region.isAncestor(around);
  }
  /// Visits all ops inside and all values that they and the region define.
  void walkInside(llvm::function_ref<void(Value)> onValue,
                  llvm::function_ref<void(Operation *)> onOp);

  VectorLayoutInterface lookup(OpOperand &use) const {
    return layouts.getUse(use);
  }
  void assign(OpOperand &use, VectorLayoutInterface layout, Origin origin);
  void assign(Value value, VectorLayoutInterface layout, Origin origin);
  void enqueue(Operation *op);
  void enqueueAround(Value value);

  Origin originOf(const OpLayouts &slots) const;
  Origin originOf(OpOperand &use) const;
  void reportConflict(Operation *op, StringRef why, ArrayRef<Origin> origins);
  void checkDetermined();
  void checkUses(Operation *op);
  void reportUndetermined(Value value);

  Region &region;
  const RegionBoundary &boundary;
  bool diagnose;
  bool failedAny = false;
  LayoutMap layouts;
  /// The origin of the layout of each value or use.
  llvm::DenseMap<void *, Origin> origins;
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
  if (op && isInside(op) && queued.insert(op).second)
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
                         Origin origin) {
  layouts.set(value, layout, origin.anchor);
  origins[value.getAsOpaquePointer()] = origin;
  enqueueAround(value);
}

void Propagation::assign(OpOperand &use, VectorLayoutInterface layout,
                         Origin origin) {
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

/// Returns the error and its fix, with the code between them.
static std::string withCode(StringRef why, StringRef code) {
  auto [wrong, fix] = why.split("; ");
  return (wrong + " (" + code + ")" + (fix.empty() ? "" : "; ") + fix).str();
}

void Propagation::visit(Operation *op) {
  visitTies(op);
  visitSlots(op);
}

void Propagation::visitTies(Operation *op) {
  for (auto [source, target] : ties(op)) {
    VectorLayoutInterface from = lookup(*source);
    VectorLayoutInterface to = layouts.get(target);
    Origin toOrigin = origins.lookup(target.getAsOpaquePointer());
    Origin fromOrigin = originOf(*source);
    if (from && !to)
      assign(target, from, fromOrigin);
    else if (to && !from)
      assign(*source, to, toOrigin);
    else if (from != to)
      reportConflict(op,
                     "value laid out as " + shortNotation(from) +
                         " enters a value laid out as " + shortNotation(to) +
                         " (DG1); convert it by an "
                         "'iree_vector_ext.to_layout' before",
                     {fromOrigin, toOrigin});
  }
}

Origin Propagation::originOf(OpOperand &use) const {
  Origin origin = origins.lookup(use.get().getAsOpaquePointer());
  return origin ? origin : origins.lookup(&use);
}

Origin Propagation::originOf(const OpLayouts &slots) const {
  for (auto [operand, layout] :
       llvm::zip_equal(slots.operands, slots.operandLayouts))
    if (layout)
      if (Origin origin = originOf(*operand))
        return origin;
  for (auto [result, layout] :
       llvm::zip_equal(slots.results, slots.resultLayouts))
    if (layout)
      if (Origin origin = origins.lookup(Value(result).getAsOpaquePointer()))
        return origin;
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

  Origin origin = originOf(slots);
  std::string why;
  if (failed(inferLayouts(op, slots, why))) {
    SmallVector<Origin> culprits;
    for (OpOperand *operand : slots.operands)
      culprits.push_back(origins.lookup(operand->get().getAsOpaquePointer()));
    for (OpResult result : slots.results)
      culprits.push_back(origins.lookup(Value(result).getAsOpaquePointer()));
    bool contraction = isa<vector::ContractionOp, core::ContractOp>(op);
    return reportConflict(op, withCode(why, contraction ? "DG3" : "DG1"),
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

void Propagation::walkInside(llvm::function_ref<void(Value)> onValue,
                             llvm::function_ref<void(Operation *)> onOp) {
  auto visitArguments = [&](Region &inner) {
    for (Block &block : inner)
      llvm::for_each(block.getArguments(), onValue);
  };
  visitArguments(region);
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getRegions(), visitArguments);
    llvm::for_each(op->getResults(), onValue);
    onOp(op);
  });
}

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
  walkInside(seed, [](Operation *) {});
}

/// Returns the canonical layout of rank 0, or the layout itself.
static VectorLayoutInterface canonical(VectorLayoutInterface layout) {
  return layout.getRank() == 0 ? rankZeroLayout(layout.getContext()) : layout;
}

void Propagation::seedInputs() {
  for (auto [value, layout] : boundary.inputs)
    assign(value, canonical(layout), {nullptr, value, layout});
}

/// Gives the operands of the terminator the layouts of the boundary.
void Propagation::seedOutputs() {
  if (boundary.outputs.empty())
    return;
  Operation *terminator = region.front().getTerminator();
  for (auto [operand, layout] :
       llvm::zip_equal(terminator->getOpOperands(), boundary.outputs)) {
    if (!layout)
      continue;
    Origin origin{terminator, operand.get(), layout};
    VectorLayoutInterface known = lookup(operand);
    if (!known)
      assign(operand, canonical(layout), origin);
    else if (known != canonical(layout))
      reportConflict(terminator,
                     "hands on a value laid out as " + shortNotation(known) +
                         ", which must leave laid out as " +
                         shortNotation(layout) +
                         " (DG1); convert it by an "
                         "'iree_vector_ext.to_layout' before",
                     originOf(operand));
  }
}

static Origin originAt(ToLayoutOp op) { return {op, Value(), op.getLayout()}; }

void Propagation::runStrongPhase() {
  seedInputs();
  region.walk<WalkOrder::PreOrder>([&](ToLayoutOp op) {
    assign(op.getOutput(), resultLayoutOf(op), originAt(op));
  });
  drain();
  seedOutputs();
  drain();
}

void Propagation::runWeakPhase() {
  region.walk<WalkOrder::PreOrder>([&](ToLayoutOp op) {
    OpOperand &input = op.getInputMutable();
    if (lookup(input) || !hasLayout(input.get().getType()))
      return;
    assign(input, resultLayoutOf(op), originAt(op));
    drain();
  });
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static void attachOrigin(InFlightDiagnostic &diagnostic, const Origin &origin) {
  std::string layout = "layout " + shortNotation(origin.layout);
  if (isa_and_nonnull<ToLayoutOp>(origin.anchor))
    diagnostic.attachNote(origin.anchor->getLoc())
        << layout << " comes from this 'iree_vector_ext.to_layout'";
  else if (origin.anchor)
    diagnostic.attachNote(origin.anchor->getLoc())
        << layout << " is asked for by those who take what leaves here";
  else
    diagnostic.attachNote(origin.given.getLoc())
        << layout << " is given for this value";
}

void Propagation::reportConflict(Operation *op, StringRef why,
                                 ArrayRef<Origin> culprits) {
  if (!reported.insert(op).second)
    return;
  failedAny = true;
  if (!diagnose)
    return;
  InFlightDiagnostic diagnostic = op->emitOpError() << why;
  llvm::SmallDenseSet<const void *> noted;
  for (const Origin &culprit : culprits)
    if (culprit && noted.insert(culprit.key()).second)
      attachOrigin(diagnostic, culprit);
}

static constexpr StringLiteral howToAnchor =
    "; lay it out by one, or run distaff-assign-layouts, which chooses";

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
      op->emitOpError() << withCode(reason->second, "DG2");
      return;
    }
  if (definition)
    definition->emitOpError("result has no layout: no "
                            "'iree_vector_ext.to_layout' reaches it (DG4)")
        << howToAnchor;
  else
    emitError(value.getLoc())
        << "block argument of type " << value.getType()
        << " has no layout: no 'iree_vector_ext.to_layout' reaches it (DG4)"
        << howToAnchor;
}

/// Returns whether the op is a mask around an MMA. A mask has a bit per
/// product, and the products of an instruction's fragments have no lanes.
static bool masksInstruction(Operation *op) {
  auto mask = dyn_cast<vector::MaskOp>(op);
  auto masked = dyn_cast_or_null<vector::ContractionOp>(
      mask ? mask.getMaskableOp() : nullptr);
  return masked && isMmaContraction(masked);
}

/// Checks uses of layout-free values, which have layouts of their own.
void Propagation::checkUses(Operation *op) {
  if (!hasTransferRule(op)) {
    failedAny = true;
    Operation *culprit = withoutTransferRule(op);
    if (diagnose && (culprit == op || reported.insert(culprit).second))
      reportNoTransferRule(op);
    return;
  }
  OpLayouts slots = OpLayouts::get(op);
  for (OpOperand *operand : slots.operands) {
    // A masked op has the mask as an additional operand.
    if (lookup(*operand) || !LayoutMap::isLayoutFree(operand->get()) ||
        isa<vector::YieldOp>(op) || operand->getOwner() != op)
      continue;
    failedAny = true;
    if (!diagnose)
      continue;
    if (masksInstruction(op))
      op->emitOpError("masks the products of an MMA instruction, which no lane "
                      "has apart (DG4); mask its operands and its result by "
                      "arith.select, as distaff-assign-layouts does");
    else
      op->emitOpError() << "operand #" << operand->getOperandNumber()
                        << " has no layout: no 'iree_vector_ext.to_layout' "
                           "reaches this use of a layout-free value (DG4)"
                        << howToAnchor;
  }
}

void Propagation::checkDetermined() {
  auto check = [&](Value value) {
    if (hasLayout(value.getType()) && !layouts.get(value) &&
        !LayoutMap::isLayoutFree(value))
      reportUndetermined(value);
  };
  walkInside(check, [&](Operation *op) {
    // The boundary's outputs are the terminator's rule.
    bool handsOn = op->getParentRegion() == &region &&
                   op->hasTrait<OpTrait::IsTerminator>() &&
                   !boundary.outputs.empty();
    if (!handsOn)
      checkUses(op);
  });
}

void Propagation::runDemands() {
  seedRankZero();
  runStrongPhase();
}

LogicalResult Propagation::run() {
  runDemands();
  runWeakPhase();
  if (diagnose && !failedAny)
    checkDetermined();
  return failure(failedAny);
}

FailureOr<LayoutMap> distaff::propagateLayouts(Region &region,
                                               const RegionBoundary &boundary) {
  Propagation propagation(region, boundary, /*diagnose=*/true);
  if (failed(propagation.run()))
    return failure();
  return propagation.takeLayouts();
}

LayoutMap distaff::propagateWhatIsKnown(Region &region,
                                        const RegionBoundary &boundary) {
  Propagation propagation(region, boundary, /*diagnose=*/false);
  (void)propagation.run();
  return propagation.takeLayouts();
}

LayoutMap distaff::propagateDemands(Region &region,
                                    const RegionBoundary &boundary) {
  Propagation propagation(region, boundary, /*diagnose=*/false);
  propagation.runDemands();
  return propagation.takeLayouts();
}

FailureOr<LayoutMap> distaff::propagateLayouts(FunctionOpInterface function) {
  return propagateLayouts(function.getFunctionBody(), {});
}

LayoutMap distaff::propagateWhatIsKnown(FunctionOpInterface function) {
  return propagateWhatIsKnown(function.getFunctionBody(), {});
}

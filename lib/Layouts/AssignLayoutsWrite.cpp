//===- AssignLayoutsWrite.cpp - Insertion of to_layout ops ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssignLayouts.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "distaff/Analysis/Legality/TargetOps.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace distaff;
using namespace distaff::vector_ext;

namespace {

/// Partitions a function into parts between which no layout propagates: ops,
/// with their operands, results and block arguments. Propagation treats each
/// part as a function of its own.
class Parts {
public:
  explicit Parts(FunctionOpInterface function);

  bool isTaken(Operation *op) { return taken.contains(leader(op)); }
  bool isTaken(Value value) { return taken.contains(leader(value)); }
  void take(Operation *op) { taken.insert(leader(op)); }
  void take(Value value) { taken.insert(leader(value)); }

private:
  const void *leader(Operation *op) {
    return classes.getOrInsertLeaderValue(op);
  }
  const void *leader(Value value) {
    return classes.getOrInsertLeaderValue(value.getAsOpaquePointer());
  }
  void join(Operation *op, Value value);

  llvm::EquivalenceClasses<const void *> classes;
  llvm::DenseSet<const void *> taken;
};

class LayoutWriter {
public:
  LayoutWriter(FunctionOpInterface function, LayoutChoice &choice,
               DecisionLog *log)
      : function(function), choice(choice), log(log),
        builder(function.getContext()) {}

  void writeChanges();
  /// Erases originals without users after cloning and conversion.
  void eraseDeadOps();
  void writeContractions();
  void writeTargetOps();
  void dropUnusedKinds();
  void writeAnchors();

private:
  using OpenValue = std::pair<Value, VectorLayoutInterface>;
  using OpenUse = std::pair<OpOperand *, VectorLayoutInterface>;

  void convert(const LayoutChange &change);
  void clone(const LayoutChange &change);
  /// The clones of one chain, by the original value and the layout.
  using Copies = llvm::DenseMap<std::pair<Value, Attribute>, Value>;
  Value cloneChain(Value value, VectorLayoutInterface layout, Copies &copies);
  void record(const LayoutChange &change, ToLayoutOp op);
  ToLayoutOp insertToLayout(Value value, VectorLayoutInterface layout);
  bool anchorFirstOpen();
  SmallVector<OpenValue> takeFirstOpenValues(LayoutMap &known, Parts &parts);
  SmallVector<OpenUse> takeFirstOpenUses(LayoutMap &known, Parts &parts);

  FunctionOpInterface function;
  LayoutChoice &choice;
  DecisionLog *log;
  OpBuilder builder;
  /// Values after which a to_layout was inserted to fix their layout.
  llvm::DenseSet<Value> anchored;
};

} // namespace

/// Sets the insertion point to the op in the block of `value` that is, or
/// contains, the first of the `uses`: there a conversion is outside of as many
/// loops as possible.
static void setInsertionPointBeforeFirst(OpBuilder &builder, Value value,
                                         ArrayRef<OpOperand *> uses) {
  Block *block = value.getParentBlock();
  Operation *first = nullptr;
  for (OpOperand *use : uses) {
    Operation *ancestor = block->findAncestorOpInBlock(*use->getOwner());
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  builder.setInsertionPoint(first);
}

ToLayoutOp LayoutWriter::insertToLayout(Value value,
                                        VectorLayoutInterface layout) {
  auto op = ToLayoutOp::create(builder, value.getLoc(), value, layout);
  if (log) {
    SourceOp source;
    source.isChosen = true;
    op->setLoc(withProvenance(op.getLoc(), {log->addOp(source), {}}));
  }
  choice.values[op.getOutput()] = layout;
  return op;
}

//===----------------------------------------------------------------------===//
// Conversions and clones
//===----------------------------------------------------------------------===//

/// Records the reason for the conversion's tier, which only this stage has;
/// later the op is only marked.
void LayoutWriter::record(const LayoutChange &change, ToLayoutOp op) {
  if (!log)
    return;
  if (provenanceOf(op.getLoc()).source < 0)
    op->setLoc(withProvenance(op.getLoc(), {log->addOp({}), {}}));
  ConversionDecision decision;
  decision.source = provenanceOf(op.getLoc()).source;
  decision.demanded = bool(op.getSharedMemoryConversionAttr());
  decision.promotion =
      change.plan->tier == Tier::SharedMemory &&
      isa_and_nonnull<vector::TransferReadOp>(change.value.getDefiningOp());
  decision.tier = stringifyTier(change.plan->tier).str();
  decision.losers = losersOf(*change.plan);
  if (change.targetOp) {
    decision.tier = stringifyTier(Tier::LaneShuffle).str();
    decision.losers.push_back(
        {stringifyTier(change.plan->tier).str(), change.plan->cost,
         "costs more than " + change.targetOp->name.str() + ": " +
             std::to_string(change.plan->cost) + " against " +
             std::to_string(change.cost)});
  }
  log->conversions.push_back(std::move(decision));
}

void LayoutWriter::convert(const LayoutChange &change) {
  ToLayoutOp op = change.existing;
  if (!op) {
    setInsertionPointBeforeFirst(builder, change.value, change.uses);
    op = insertToLayout(change.value, change.layout);
    for (OpOperand *use : change.uses)
      use->set(op.getOutput());
  }
  record(change, op);
  if (targetOpOf(op)) // as the user requires
    return;
  if (change.targetOp) {
    builder.setInsertionPoint(op);
    ToLayoutOp named = insertToLayout(op.getInput(), change.source);
    named.setMmaKindAttr(
        core::TargetOpAttr::get(op.getContext(), change.targetOp->name));
    op.getInputMutable().assign(named.getOutput());
    return;
  }
  if (change.plan->tier == Tier::SharedMemory &&
      !op.getSharedMemoryConversionAttr())
    op.setSharedMemoryConversionAttr(builder.getUnitAttr());
}

/// Clones the chain that ends in `value`, up to layout-free values, which get a
/// to_layout for the clone: else the clone would equal the original, and CSE
/// would merge two layouts. No op of a chain is a to_layout: those were
/// inserted for its other users.
Value LayoutWriter::cloneChain(Value value, VectorLayoutInterface layout,
                               Copies &copies) {
  while (auto change = value.getDefiningOp<ToLayoutOp>())
    value = change.getInput();
  if (!hasLayout(value.getType()) || matchPattern(value, m_Constant()))
    return value;
  if (Value known = copies.lookup({value, layout}))
    return known;
  if (LayoutMap::isLayoutFree(value))
    return copies[{value, layout}] = insertToLayout(value, layout);
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands(op->getOperands());
  OpLayouts slots = OpLayouts::get(op);
  for (auto [i, operand] : llvm::enumerate(slots.operands))
    operands[operand->getOperandNumber()] =
        cloneChain(operand->get(), operandLayout(op, i, layout), copies);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  choice.values[copy->getResult(0)] = layout;
  copies[{value, layout}] = copy->getResult(0);
  return copy->getResult(0);
}

void LayoutWriter::clone(const LayoutChange &change) {
  setInsertionPointBeforeFirst(builder, change.value, change.uses);
  Copies copies;
  Value copy = cloneChain(change.value, change.layout, copies);
  for (OpOperand *use : change.uses)
    use->set(copy);
  if (log)
    log->clones.push_back(
        {function.getName().str(), shortNotation(change.layout),
         llvm::count_if(copies, [](const auto &copied) {
           return !copied.second.template getDefiningOp<ToLayoutOp>();
         })});
}

void LayoutWriter::writeChanges() {
  for (const LayoutChange &change : choice.changes)
    change.clone ? clone(change) : convert(change);
}

void LayoutWriter::eraseDeadOps() {
  llvm::DenseSet<OpOperand *> deadUses;
  llvm::DenseSet<Value> deadValues;
  auto forget = [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      deadUses.insert(&operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        deadValues.insert(block.args_begin(), block.args_end());
    deadValues.insert(op->result_begin(), op->result_end());
  };
  SmallVector<Operation *> ops;
  function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops)) {
    if (op == function || !isOpTriviallyDead(op))
      continue;
    op->walk(forget);
    choice.targetOps.erase(op);
    op->erase();
  }
  choice.uses.remove_if(
      [&](const auto &entry) { return deadUses.contains(entry.first); });
  choice.values.remove_if(
      [&](const auto &entry) { return deadValues.contains(entry.first); });
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Removes the `mma_kind` of contractions that run on no instruction; else they
/// would be distributed for it.
void LayoutWriter::dropUnusedKinds() {
  function->walk([&](vector::ContractionOp op) {
    if (choice.contractions.contains(op))
      return;
    for (Value operand : {op.getLhs(), op.getRhs()})
      if (ToLayoutOp anchor = mmaAnchorOf(operand))
        anchor.removeMmaKindAttr();
  });
}

void LayoutWriter::writeContractions() {
  dropUnusedKinds();
  for (auto &[op, candidate] : choice.contractions) {
    iree::MmaLayoutAttr kind = candidate.getKind(op->getContext());
    for (OpOperand &operand : op->getOpOperands()) {
      auto found = choice.uses.find(&operand);
      if (found == choice.uses.end())
        continue;
      auto toLayout = operand.get().getDefiningOp<ToLayoutOp>();
      bool reuse =
          toLayout && toLayout.getLayout() == found->second &&
          toLayout->getBlock() == op->getBlock() &&
          (!toLayout.getMmaKindAttr() || toLayout.getMmaKindAttr() == kind);
      if (!reuse) {
        builder.setInsertionPoint(op);
        toLayout = insertToLayout(operand.get(), found->second);
        operand.set(toLayout.getOutput());
      }
      toLayout.setMmaKindAttr(kind);
    }
  }
}

/// Marks each operand of an op with its instruction by a to_layout of its own,
/// since other ops may read the same values in the same layout.
void LayoutWriter::writeTargetOps() {
  for (auto &[op, row] : choice.targetOps)
    for (OpOperand &operand : op->getOpOperands()) {
      auto kind = core::TargetOpAttr::get(op->getContext(), row->name);
      auto demanded = operand.get().getDefiningOp<ToLayoutOp>();
      if (demanded && demanded.getMmaKindAttr() == kind)
        continue;
      builder.setInsertionPoint(op);
      ToLayoutOp toLayout =
          insertToLayout(operand.get(), choice.uses.lookup(&operand));
      toLayout.setMmaKindAttr(kind);
      operand.set(toLayout.getOutput());
    }
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

void Parts::join(Operation *op, Value value) {
  if (isa<VectorType>(value.getType()) && !LayoutMap::isLayoutFree(value))
    classes.unionSets(op, value.getAsOpaquePointer());
}

Parts::Parts(FunctionOpInterface function) {
  function->walk([&](Operation *op) {
    if (op == function)
      return;
    for (Value operand : op->getOperands())
      join(op, operand);
    for (Value result : op->getResults())
      join(op, result);
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        join(op, argument);
    for (Block *successor : op->getSuccessors())
      for (Value argument : successor->getArguments())
        join(op, argument);
    Operation *parent = op->getParentOp();
    if (parent != function &&
        (op->hasTrait<OpTrait::IsTerminator>() || isa<vector::MaskOp>(parent)))
      classes.unionSets(op, parent);
  });
}

/// Returns, for each part, the first value whose propagated layout is not the
/// chosen one.
SmallVector<LayoutWriter::OpenValue>
LayoutWriter::takeFirstOpenValues(LayoutMap &known, Parts &parts) {
  SmallVector<OpenValue> open;
  for (auto &[value, layout] : choice.values) {
    if (known.get(value) == layout || value.getDefiningOp<ToLayoutOp>() ||
        parts.isTaken(value))
      continue;
    // No op can be inserted inside a mask; the layout of the mask's result
    // decides.
    if (isa<vector::MaskOp>(value.getParentBlock()->getParentOp()))
      continue;
    // The value has the chosen placement, but propagation derives it in another
    // notation: the to_layout after the value moves nothing.
    if (!anchored.insert(value).second) {
      if (VectorLayoutInterface found = known.get(value))
        layout = found;
      continue;
    }
    parts.take(value);
    open.push_back({value, layout});
  }
  return open;
}

/// Returns, for each part that is not taken, the first use of a layout-free
/// value that needs a to_layout of its own, since its op has no other layout.
SmallVector<LayoutWriter::OpenUse>
LayoutWriter::takeFirstOpenUses(LayoutMap &known, Parts &parts) {
  SmallVector<OpenUse> open;
  for (auto &[operand, layout] : choice.uses) {
    Operation *owner = operand->getOwner();
    if (!LayoutMap::isLayoutFree(operand->get()) ||
        known.getUse(*operand) == layout || isa<ToLayoutOp>(owner) ||
        parts.isTaken(owner))
      continue;
    parts.take(owner);
    open.push_back({operand, layout});
  }
  return open;
}

/// Anchors the first open value or use of each part of the function; returns
/// whether there was one.
bool LayoutWriter::anchorFirstOpen() {
  LayoutMap known = propagateWhatIsKnown(function);
  Parts parts(function);
  SmallVector<OpenValue> values = takeFirstOpenValues(known, parts);
  SmallVector<OpenUse> uses = takeFirstOpenUses(known, parts);
  for (auto [value, layout] : values) {
    builder.setInsertionPointAfterValue(value);
    ToLayoutOp op = insertToLayout(value, layout);
    value.replaceAllUsesExcept(op.getOutput(), op);
  }
  for (auto [operand, layout] : uses) {
    // No op can be inserted inside a mask.
    Operation *owner = operand->getOwner();
    if (auto mask = dyn_cast<vector::MaskOp>(owner->getParentOp()))
      owner = mask;
    builder.setInsertionPoint(owner);
    operand->set(insertToLayout(operand->get(), layout).getOutput());
  }
  return !values.empty() || !uses.empty();
}

void LayoutWriter::writeAnchors() {
  // Every round fixes one value or use of each part.
  while (anchorFirstOpen())
    ;
}

void distaff::writeLayouts(FunctionOpInterface function, LayoutChoice &choice,
                           DecisionLog *log) {
  LayoutWriter writer(function, choice, log);
  writer.writeChanges();
  writer.eraseDeadOps();
  writer.writeContractions();
  writer.writeTargetOps();
  writer.writeAnchors();
}

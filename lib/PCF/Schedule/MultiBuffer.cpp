//===- MultiBuffer.cpp - Multi-buffering of panels ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This pass software-pipelines the phases that fill panels (7.1 of the pcf
// specification). With depth d, iteration n reads slot n mod d and fills slot
// (n + d - 1) mod d for iteration n + d - 1, if there is one; the first d - 1
// fills are in the prologue. The two slots differ, so no barrier is needed
// between a fill and the reads of one iteration. The one at the end orders a
// fill before the reads of the slot, and these before its next fill.
//
// Phases access a slot through a view with the shape of the panel, so they use
// slots as they use panels.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Order/MovedOps.h"
#include "MultiBufferPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace distaff {
#define GEN_PASS_DEF_PCFMULTIBUFFER
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// The largest depth: the prologue has code of its own for each slot but one.
static constexpr int64_t maxDepth = 64;

namespace {
class RingEmitter {
public:
  RingEmitter(RingPlan &plan, int64_t depth, RewriterBase &rewriter)
      : plan(plan), depth(depth), rewriter(rewriter), loc(plan.loop.getLoc()) {}

  void emit();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  Value add(Value a, int64_t b);
  Value slotOf(Value number);
  Value isIteration(Value position);
  void addSlots();
  void fenceRings();
  void sinkViews(RunClusterOp phase);
  void readSlot(RunClusterOp reader, Value slot);
  void emitFill(const PanelFiller &filler, Value position, OpFoldResult slot,
                Value guard);
  void emitFirstFills();
  void emitLoop();
  Value makeSlotView(Value panel, OpFoldResult slot);
  void emitBarrier();

  RingPlan &plan;
  int64_t depth;
  RewriterBase &rewriter;
  Location loc;
  /// The types of the panels before they got slots.
  llvm::DenseMap<Value, SRefType> panelTypes;
};
} // namespace

Value RingEmitter::add(Value a, int64_t b) {
  return b ? rewriter.createOrFold<arith::AddIOp>(loc, a, constant(b)) : a;
}

Value RingEmitter::slotOf(Value number) {
  return rewriter.createOrFold<arith::RemUIOp>(loc, number, constant(depth));
}

/// Returns whether the loop has an iteration at a position after its lower
/// bound.
Value RingEmitter::isIteration(Value position) {
  auto predicate = plan.loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                              : arith::CmpIPredicate::slt;
  return rewriter.createOrFold<arith::CmpIOp>(loc, predicate, position,
                                              plan.loop.getUpperBound());
}

/// Adds a leading dimension of slots to the panels.
void RingEmitter::addSlots() {
  for (BlockArgument panel : plan.panels) {
    auto type = cast<SRefType>(panel.getType());
    panelTypes[panel] = type;
    SmallVector<int64_t> shape{depth};
    llvm::append_range(shape, type.getShape());
    Type ring = ShapedType(type).clone(ArrayRef<int64_t>(shape));
    Block &initializer = plan.executor.getInitializer().front();
    Value alloc = initializer.getTerminator()->getOperand(panel.getArgNumber());
    alloc.setType(ring);
    panel.setType(ring);
  }
}

/// Replaces views in barriers and fences by the ring buffers.
void RingEmitter::fenceRings() {
  plan.executor.getExecute().walk([&](Operation *op) {
    if (!isa<BarrierOp, FenceOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (Value ref = getViewedRef(operand.get()); panelTypes.contains(ref))
        operand.set(ref);
  });
}

/// Creates a view of a slot with the shape of the panel.
Value RingEmitter::makeSlotView(Value panel, OpFoldResult slot) {
  SRefType type = panelTypes.at(panel);
  SmallVector<OpFoldResult> offsets{slot}, sizes{rewriter.getIndexAttr(1)};
  offsets.append(type.getRank(), rewriter.getIndexAttr(0));
  llvm::append_range(
      sizes, getAsIndexOpFoldResult(rewriter.getContext(), type.getShape()));
  SmallVector<OpFoldResult> strides(offsets.size(), rewriter.getIndexAttr(1));
  return SubviewOp::create(rewriter, loc, type, panel, offsets, sizes, strides);
}

/// Sinks captured views of panels into a phase.
void RingEmitter::sinkViews(RunClusterOp phase) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(phase.getBody(), captured);
  for (Value value : captured) {
    SmallVector<Operation *> views;
    Value ref = value;
    for (; isa_and_nonnull<SubviewOp, ExpandShapeOp>(ref.getDefiningOp());
         ref = ref.getDefiningOp()->getOperand(0))
      views.push_back(ref.getDefiningOp());
    if (views.empty() || !panelTypes.contains(ref))
      continue;
    rewriter.setInsertionPointToStart(&phase.getBody().front());
    IRMapping mapping;
    for (Operation *view : llvm::reverse(views))
      rewriter.clone(*view, mapping);
    rewriter.replaceUsesWithIf(
        value, mapping.lookup(value),
        [&](OpOperand &use) { return phase->isAncestor(use.getOwner()); });
  }
}

/// Replaces each panel that the phase reads by a slot.
void RingEmitter::readSlot(RunClusterOp reader, Value slot) {
  for (BlockArgument panel : llvm::reverse(plan.panels)) {
    auto isUse = [&](OpOperand &use) {
      return reader->isAncestor(use.getOwner());
    };
    if (llvm::none_of(panel.getUses(), isUse))
      continue;
    rewriter.setInsertionPointToStart(&reader.getBody().front());
    Value view = makeSlotView(panel, slot);
    rewriter.replaceUsesWithIf(panel, view, [&](OpOperand &use) {
      return isUse(use) && use.getOwner() != view.getDefiningOp();
    });
  }
}

/// Emits a copy of the phase that fills a slot for the iteration at `position`,
/// if `guard` holds; a constant guard needs no branch.
void RingEmitter::emitFill(const PanelFiller &filler, Value position,
                           OpFoldResult slot, Value guard) {
  if (matchPattern(guard, m_Zero()))
    return;
  RunClusterOp old = filler.phase;
  auto phase = RunClusterOp::create(rewriter, old.getLoc(), Type(),
                                    old.getSources(), old.getRanges());
  phase->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard insertion(rewriter);
  Block *block = &phase.getBody().front();
  rewriter.setInsertionPointToEnd(block);
  ClusterYieldOp::create(rewriter, old.getYield().getLoc());
  rewriter.setInsertionPointToStart(block);
  if (!matchPattern(guard, m_One())) {
    auto branch = scf::IfOp::create(rewriter, old.getLoc(), guard);
    rewriter.setInsertionPointToStart(branch.thenBlock());
  }
  IRMapping mapping;
  mapping.map(plan.loop.getInductionVar(), position);
  for (Operation *op : filler.needed)
    rewriter.clone(*op, mapping);
  for (BlockArgument panel : plan.panels)
    if (llvm::any_of(panel.getUsers(),
                     [&](Operation *user) { return old->isAncestor(user); }))
      mapping.map(panel, makeSlotView(panel, slot));
  for (Operation &op : old.getBody().front().without_terminator())
    rewriter.clone(op, mapping);
}

void RingEmitter::emitBarrier() {
  BarrierOp::create(rewriter, loc, plan.executor.getScope(),
                    /*clusters=*/ValueRange(), /*ranges=*/ValueRange(),
                    llvm::to_vector_of<Value>(plan.panels));
}

/// Emits the prologue: it fills the panels that the first iterations read.
void RingEmitter::emitFirstFills() {
  rewriter.setInsertionPoint(plan.loop);
  if (plan.waitsBefore)
    emitBarrier();
  for (int64_t slot : llvm::seq(depth - 1)) {
    Value distance = rewriter.createOrFold<arith::MulIOp>(
        loc, plan.loop.getStep(), constant(slot));
    Value position = rewriter.createOrFold<arith::AddIOp>(
        loc, plan.loop.getLowerBound(), distance);
    Value guard = isIteration(position);
    for (const PanelFiller &filler : plan.fillers)
      emitFill(filler, position, rewriter.getIndexAttr(slot), guard);
  }
  emitBarrier();
}

/// Rewrites the loop: iterations read their slot, and fill the one that was
/// read last.
void RingEmitter::emitLoop() {
  scf::ForOp loop = plan.loop;
  rewriter.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  Value number = position;
  if (!matchPattern(loop.getLowerBound(), m_Zero()))
    number = arith::SubIOp::create(rewriter, loc, number, loop.getLowerBound());
  bool countsByOne = matchPattern(loop.getStep(), m_One());
  if (!countsByOne)
    number = arith::DivUIOp::create(rewriter, loc, number, loop.getStep());
  Value current = slotOf(number);
  Value distance = rewriter.createOrFold<arith::MulIOp>(loc, loop.getStep(),
                                                        constant(depth - 1));
  Value later = arith::AddIOp::create(rewriter, loc, position, distance);
  Value next = slotOf(number == position ? later : add(number, depth - 1));
  Value more = isIteration(later);
  for (const PanelFiller &filler : plan.fillers) {
    rewriter.setInsertionPoint(filler.phase);
    emitFill(filler, later, next, more);
  }
  for (RunClusterOp reader : plan.readers)
    readSlot(reader, current);
}

/// Erases views, and views of them, without uses.
static void eraseDeadViews(Value ref, RewriterBase &rewriter) {
  for (Operation *user : llvm::make_early_inc_range(ref.getUsers())) {
    if (!isa<SubviewOp, ExpandShapeOp>(user))
      continue;
    eraseDeadViews(user->getResult(0), rewriter);
    if (isOpTriviallyDead(user))
      rewriter.eraseOp(user);
  }
}

void RingEmitter::emit() {
  addSlots();
  fenceRings();
  for (const PanelFiller &filler : plan.fillers)
    sinkViews(filler.phase);
  for (RunClusterOp reader : plan.readers)
    sinkViews(reader);
  emitFirstFills();
  emitLoop();
  for (const PanelFiller &filler : plan.fillers)
    rewriter.eraseOp(filler.phase);
  for (BarrierOp barrier : plan.redundant)
    rewriter.eraseOp(barrier);
  // Phases do not capture views any more.
  for (BlockArgument panel : plan.panels)
    eraseDeadViews(panel, rewriter);
  // Simplify arithmetic that folded, and erase ops that only the fills used.
  simplifyBetween(rewriter, nullptr, plan.loop);
  simplifyBetween(rewriter, nullptr, plan.loop.getBody()->getTerminator());
}

namespace {
struct MultiBuffer final : distaff::impl::PCFMultiBufferBase<MultiBuffer> {
  using PCFMultiBufferBase::PCFMultiBufferBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (depth >= 2 && depth <= maxDepth)
      return success();
    return emitError(UnknownLoc::get(context))
           << "'depth' must be from 2 to " << maxDepth << ", got "
           << depth.getValue();
  }

  void runOnOperation() override {
    SmallVector<RingPlan> plans;
    WalkResult result = getOperation()->walk([&](SharedExecutorOp executor) {
      FailureOr<SmallVector<RingPlan>> rings = planRings(executor);
      if (failed(rings))
        return WalkResult::interrupt();
      llvm::append_range(plans, std::move(*rings));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (RingPlan &plan : plans)
      RingEmitter(plan, depth, rewriter).emit();
  }
};
} // namespace

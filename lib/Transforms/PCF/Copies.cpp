//===- Copies.cpp - Operands that go through shared memory ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage copies of the lower road (stage 5 of chapter 8 of the pcf
// specification): the operands of a contraction that `promote_operands` lists
// are copied to panels that all subgroups share, in a phase of their own. A
// barrier before the contraction reads them publishes them, and one after it
// keeps the next step from overwriting what is still read.
//
//===----------------------------------------------------------------------===//
#include "distaff/Transforms/PCF/Passes.h"

#include "Panels.h"
#include "PhaseSlices.h"
#include "RefAccess.h"
#include "distaff/Analysis/PayloadClasses.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_COPIES
#include "distaff/Transforms/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Operands of the contraction of one phase, and what makes them there.
struct CopyPlan {
  RunClusterOp phase;
  SmallVector<OpOperand *> operands;
  llvm::SetVector<Operation *> makers;
};
} // namespace

/// The operands of a contraction that its configuration promotes.
static FailureOr<SmallVector<OpOperand *>>
getPromoted(linalg::LinalgOp contraction) {
  SmallVector<OpOperand *> operands;
  auto config = contraction->getAttrOfType<compat::LoweringConfigAttr>(
      compat::LoweringConfigAttr::attributeName);
  if (!config)
    return operands;
  for (int64_t number : config.getPromotedOperands()) {
    if (number < 0 || number >= contraction.getNumDpsInputs())
      return contraction.emitOpError("has no input ")
             << number << ", which its lowering_config promotes";
    operands.push_back(contraction.getDpsInputOperand(number));
  }
  return operands;
}

/// Whether a value comes from a panel already.
static bool isOfPanel(Value value, SharedExecutorOp executor) {
  auto read = value.getDefiningOp<ReadSliceOp>();
  auto panel = read ? dyn_cast<BlockArgument>(getViewedRef(read.getSource()))
                    : BlockArgument();
  return panel && llvm::is_contained(executor.getLeadingArgs(), panel);
}

/// Whether a payload is what phases before read of panels, where
/// pcf-separate-reads put the reads.
static bool isReadBefore(Value value, SharedExecutorOp executor) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !isa<RunClusterOp>(argument.getOwner()->getParentOp()))
    return false;
  FailureOr<PayloadClasses> classes = PayloadClasses::compute(executor);
  if (failed(classes))
    return false;
  unsigned field = classes->of(argument);
  bool isRead = false;
  for (OpOperand *yield : classes->yields(field)) {
    auto passed = dyn_cast<BlockArgument>(yield->get());
    if (passed && isa<RunClusterOp>(passed.getOwner()->getParentOp()) &&
        classes->of(passed) == field)
      continue;
    if (!isOfPanel(yield->get(), executor))
      return false;
    isRead = true;
  }
  return isRead;
}

/// Whether an op writes one slice, which shares no element with what is read.
static bool isElsewhere(Operation *op, ReadSliceOp read) {
  auto write = dyn_cast<WriteSliceOp>(op);
  return write &&
         getViewedRef(write.getDest()) == getViewedRef(read.getSource()) &&
         areDisjoint(read, write);
}

/// Fails if the ops may not run in a phase of their own, before the rest of
/// theirs.
static LogicalResult verifyMovable(const CopyPlan &plan,
                                   linalg::LinalgOp contraction) {
  auto note = [&](InFlightDiagnostic error, Operation *op, StringRef what) {
    error.attachNote(op->getLoc()) << what;
    return error;
  };
  for (Operation *maker : plan.makers) {
    SmallVector<ReadSliceOp> reads;
    Operation *unknown = nullptr;
    maker->walk([&](Operation *op) {
      if (auto read = dyn_cast<ReadSliceOp>(op))
        reads.push_back(read);
      else if (!op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>() &&
               !isMemoryEffectFree(op))
        unknown = op;
    });
    if (unknown)
      return note(contraction.emitOpError(
                      "promotes an operand that is made by more than slices "
                      "that are read, and would be made twice; make it in a "
                      "phase before"),
                  unknown, "this may access memory");
    for (Operation *before = maker->getPrevNode(); before;
         before = before->getPrevNode())
      for (ReadSliceOp read : reads)
        if (mayWrite(before, read.getSource()) && !isElsewhere(before, read))
          return note(contraction.emitOpError(
                          "promotes an operand that is read after its phase "
                          "may have written it; end the phase before the read "
                          "and put a pcf.barrier that fences the memory there"),
                      before, "this may write what is read");
  }
  return success();
}

/// What the phase of a contraction copies; nothing if that is nothing.
static FailureOr<std::optional<CopyPlan>> plan(linalg::LinalgOp contraction,
                                               SharedExecutorOp executor) {
  std::optional<CopyPlan> none;
  auto phase = contraction->getParentOfType<RunClusterOp>();
  FailureOr<SmallVector<OpOperand *>> operands = getPromoted(contraction);
  if (failed(operands))
    return failure();
  if (!phase || phase->getParentOfType<SharedExecutorOp>() != executor)
    return none;
  llvm::erase_if(*operands, [&](OpOperand *operand) {
    return isOfPanel(operand->get(), executor) ||
           isReadBefore(operand->get(), executor);
  });
  if (operands->empty())
    return none;
  auto refusePayload = [&] {
    return contraction.emitOpError(
        "promotes an operand that is computed from its phase's payload");
  };
  CopyPlan plan{phase, std::move(*operands), {}};
  for (OpOperand *operand : plan.operands) {
    auto type = cast<RankedTensorType>(operand->get().getType());
    if (!type.hasStaticShape())
      return contraction.emitOpError("promotes operand ")
             << operand->getOperandNumber()
             << ", whose size is not static; form-flow pads it";
    Block *body = &phase.getBody().front();
    if (auto argument = dyn_cast<BlockArgument>(operand->get());
        argument && argument.getOwner() == body)
      return refusePayload();
    if (operand->get().getParentBlock() != body)
      return contraction.emitOpError("promotes operand ")
             << operand->getOperandNumber()
             << ", which is not made in its phase's block";
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.omitUsesFromAbove = false;
    options.filter = [&](Operation *op) {
      return op->getBlock() == &phase.getBody().front();
    };
    if (failed(getBackwardSlice(operand->get(), &plan.makers, options)))
      return failure();
  }
  for (Operation *op : plan.makers)
    for (Value used : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(used);
          argument && argument.getOwner() == &phase.getBody().front())
        return refusePayload();
  if (failed(verifyMovable(plan, contraction)))
    return failure();
  return std::optional(std::move(plan));
}

/// The refs that are copied from and that the phase may write: its members must
/// not write what others still copy.
static SmallVector<Value> findOverwritten(const CopyPlan &plan) {
  llvm::SetVector<Value> refs;
  PhaseSlices memory = PhaseSlices::of(plan.phase);
  for (Operation *maker : plan.makers)
    maker->walk([&](ReadSliceOp read) {
      for (WriteSliceOp write : memory.writes)
        if (mayAlias(read.getSource(), write.getDest())) {
          refs.insert(getViewedRef(read.getSource()));
          refs.insert(getViewedRef(write.getDest()));
        }
    });
  return refs.takeVector();
}

static void addBarrier(OpBuilder &builder, SharedExecutorOp executor,
                       ValueRange panels) {
  BarrierOp::create(builder, executor.getLoc(), executor.getScope(),
                    /*clusters=*/ValueRange(), /*ranges=*/ValueRange(), panels);
}

static void emit(CopyPlan &plan, SharedExecutorOp executor,
                 IRRewriter &rewriter) {
  Location loc = plan.phase.getLoc();
  SmallVector<Value> panels;
  for (OpOperand *operand : plan.operands)
    panels.push_back(addPanel(
        executor, cast<RankedTensorType>(operand->get().getType()), rewriter));

  rewriter.setInsertionPoint(plan.phase);
  // A phase of a cluster copies by that cluster, one of all workers by all.
  auto copy = RunClusterOp::create(
      rewriter, loc, Type(),
      isa<ThreadgroupType>(plan.phase.getGroupType())
          ? Value(executor.getThreadgroup())
          : Value(lookupCluster(
                plan.phase,
                cast<ClusterType>(plan.phase.getGroupType()).getId())),
      plan.phase.getRanges());
  SmallVector<Value> published(panels);
  llvm::append_range(published, findOverwritten(plan));
  addBarrier(rewriter, executor, published);
  rewriter.setInsertionPointToStart(&copy.getBody().front());
  IRMapping mapping;
  for (Operation &op : plan.phase.getBody().front())
    if (plan.makers.contains(&op))
      rewriter.clone(op, mapping);
  for (auto [operand, panel] : llvm::zip_equal(plan.operands, panels)) {
    WholeSlice whole(panel);
    WriteSliceOp::create(rewriter, loc, mapping.lookup(operand->get()), panel,
                         whole.offsets, whole.sizes, whole.strides);
  }
  ClusterYieldOp::create(rewriter, loc);

  rewriter.setInsertionPoint(plan.operands.front()->getOwner());
  for (auto [operand, panel] : llvm::zip_equal(plan.operands, panels)) {
    WholeSlice whole(panel);
    Value read =
        ReadSliceOp::create(rewriter, loc, operand->get().getType(), panel,
                            whole.offsets, whole.sizes, whole.strides);
    rewriter.modifyOpInPlace(operand->getOwner(), [&] { operand->set(read); });
  }
  SmallVector<Operation *> rest;
  for (Operation &op : plan.phase.getBody().front())
    rest.push_back(&op);
  for (Operation *op : llvm::reverse(rest))
    if (plan.makers.contains(op) && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  rewriter.setInsertionPointAfter(plan.phase);
  addBarrier(rewriter, executor, panels);
}

namespace {
struct Copies final : distaff::impl::CopiesBase<Copies> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op) && op.hasPureTensorSemantics())
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp contraction : contractions) {
      auto executor = contraction->getParentOfType<SharedExecutorOp>();
      if (!executor || !isa<compat::SubgroupScopeAttr>(executor.getScope()))
        continue;
      FailureOr<std::optional<CopyPlan>> copies = plan(contraction, executor);
      if (failed(copies))
        return signalPassFailure();
      if (*copies)
        emit(**copies, executor, rewriter);
    }
  }
};
} // namespace

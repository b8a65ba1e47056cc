//===- PromoteToSharedMemory.cpp - Operands in shared memory --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage promote-to-shared-memory of the run-cluster pipeline (stage 5 of
// chapter 8 of the pcf specification) copies the operands of a contraction that
// `promote_operands` lists to panels that all subgroups share, in a phase of
// their own. A barrier before the contraction reads them publishes them, and
// one after it keeps the next step from overwriting panels that are still read.
//
// A lane packs several neighbors along the reduction into one word of a matrix
// instruction. If they are not adjacent in memory, and the target has no loads
// that transpose matrices, the panel is the transposed operand (PCF-208). The
// copying lanes then pack the words, once for all subgroups that read them:
//
//   %b = read_slice %B                     %b = read_slice %B
//          : tensor<64x256xf16>      =>    %t = linalg.transpose %b [1, 0]
//   write_slice %b into %panel             write_slice %t into %panel
//                                                 : tensor<256x64xf16>
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Order/PhaseSlices.h"
#include "../Order/RefAccess.h"
#include "Panels.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Target/Target.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_PROMOTETOSHAREDMEMORY
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Describes an operand that a panel holds, and the order of its dims there.
struct PanelOperand {
  OpOperand *operand;
  SmallVector<int64_t> order;

  bool isTransposed() const { return !llvm::is_sorted(order); }
  RankedTensorType getPanelType() const;
};

/// Plans the copies of the promoted operands of one phase's contraction, with
/// the ops that compute them there.
struct CopyPlan {
  RunClusterOp phase;
  SmallVector<PanelOperand> operands;
  llvm::SetVector<Operation *> makers;
};
} // namespace

RankedTensorType PanelOperand::getPanelType() const {
  auto type = cast<RankedTensorType>(operand->get().getType());
  return RankedTensorType::get(
      applyPermutation(type.getShape(), ArrayRef(order)),
      type.getElementType());
}

/// Returns whether a lane has neighbors along the reduction in one word of the
/// instruction that computes a contraction.
static bool packsReduction(linalg::LinalgOp contraction, unsigned number,
                           const Target &target) {
  auto config = contraction->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  iree::MmaLayoutAttr kind = config.getMmaKind();
  const MmaRow *row = kind ? target.findMma(kind.getName()) : nullptr;
  if (!row)
    return false;
  return number == 0 ? row->fragmentA.element[1] > 1
                     : row->fragmentB.element[0] > 1;
}

/// Returns the order of an operand's dims in its panel: its own, or the one
/// with the reduction innermost. `target` may be null.
static SmallVector<int64_t> orderInPanel(OpOperand &operand,
                                         const Target *target) {
  auto contraction = cast<linalg::LinalgOp>(operand.getOwner());
  AffineMap map = contraction.getMatchingIndexingMap(&operand);
  auto order = llvm::to_vector(llvm::seq<int64_t>(map.getNumResults()));
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  if (!target || target->banks.loadsMatrices || reductions.size() != 1 ||
      !packsReduction(contraction, operand.getOperandNumber(), *target))
    return order;
  std::optional<unsigned> at = map.getResultPosition(
      getAffineDimExpr(reductions.front(), map.getContext()));
  if (at)
    std::rotate(order.begin() + *at, order.begin() + *at + 1, order.end());
  return order;
}

/// Returns the operands of a contraction that its configuration promotes.
static FailureOr<SmallVector<OpOperand *>>
getPromoted(linalg::LinalgOp contraction) {
  SmallVector<OpOperand *> operands;
  auto config = contraction->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
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

/// Returns whether a value is already read from a panel.
static bool isOfPanel(Value value, SharedExecutorOp executor) {
  auto read = value.getDefiningOp<ReadSliceOp>();
  auto panel = read ? dyn_cast<BlockArgument>(getViewedRef(read.getSource()))
                    : BlockArgument();
  return panel && llvm::is_contained(executor.getLeadingArgs(), panel);
}

/// Returns whether a payload is what earlier phases read from panels, where
/// pcf-prefetch-panel-reads put the reads.
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

/// Returns whether an op writes one slice that shares no element with the slice
/// that is read.
static bool isElsewhere(Operation *op, ReadSliceOp read) {
  auto write = dyn_cast<WriteSliceOp>(op);
  return write &&
         getViewedRef(write.getDest()) == getViewedRef(read.getSource()) &&
         areDisjoint(read, write);
}

/// Fails if the ops may not run in a phase of their own, before the rest of
/// their phase.
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

/// Plans the copies of a contraction's phase; none if there is nothing to copy.
static FailureOr<std::optional<CopyPlan>> plan(linalg::LinalgOp contraction,
                                               SharedExecutorOp executor,
                                               const Target *target) {
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
  CopyPlan plan{phase, {}, {}};
  for (OpOperand *operand : *operands) {
    plan.operands.push_back({operand, orderInPanel(*operand, target)});
    auto type = cast<RankedTensorType>(operand->get().getType());
    if (!type.hasStaticShape())
      return contraction.emitOpError("promotes operand ")
             << operand->getOperandNumber()
             << ", whose size is not static; form-matmul-phases pads it";
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

/// Returns the refs that are copied from and that the phase may write: its
/// members must not write elements that other members still copy.
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

/// Converts a value of an operand to the order of its panel.
static Value transposed(const PanelOperand &operand, Value value,
                        OpBuilder &builder) {
  if (!operand.isTransposed())
    return value;
  RankedTensorType type = operand.getPanelType();
  Location loc = value.getLoc();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, empty, operand.order)
      ->getResult(0);
}

/// Replaces the contraction's operands by reads of panels, in the order of dims
/// there.
static void readPanels(const CopyPlan &plan, ValueRange panels,
                       IRRewriter &rewriter) {
  auto contraction =
      cast<linalg::LinalgOp>(plan.operands.front().operand->getOwner());
  SmallVector<AffineMap> maps = contraction.getIndexingMapsArray();
  rewriter.setInsertionPoint(contraction);
  SmallVector<Value> operands(contraction->getOperands());
  bool isTransposed = false;
  for (auto [operand, panel] : llvm::zip_equal(plan.operands, panels)) {
    WholeSlice whole(panel);
    unsigned number = operand.operand->getOperandNumber();
    operands[number] =
        ReadSliceOp::create(rewriter, panel.getLoc(), operand.getPanelType(),
                            panel, whole.offsets, whole.sizes, whole.strides);
    maps[number] = AffineMap::get(
        maps[number].getNumDims(), 0,
        applyPermutation(maps[number].getResults(), ArrayRef(operand.order)),
        rewriter.getContext());
    isTransposed |= operand.isTransposed();
  }
  if (isTransposed && !isa<linalg::GenericOp>(contraction)) {
    Attribute config =
        contraction->getAttr(iree::LoweringConfigAttr::attributeName);
    contraction = *linalg::generalizeNamedOp(rewriter, contraction);
    contraction->setAttr(iree::LoweringConfigAttr::attributeName, config);
  }
  rewriter.modifyOpInPlace(contraction, [&] {
    contraction->setOperands(operands);
    if (isTransposed)
      cast<linalg::GenericOp>(*contraction)
          .setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

static void emit(CopyPlan &plan, SharedExecutorOp executor,
                 IRRewriter &rewriter) {
  Location loc = plan.phase.getLoc();
  SmallVector<Value> panels;
  for (const PanelOperand &operand : plan.operands)
    panels.push_back(addPanel(executor, operand.getPanelType(), rewriter));

  rewriter.setInsertionPoint(plan.phase);
  // The same cluster, or all workers, that run the phase run its copy.
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
    WriteSliceOp::create(
        rewriter, loc,
        transposed(operand, mapping.lookup(operand.operand->get()), rewriter),
        panel, whole.offsets, whole.sizes, whole.strides);
  }
  ClusterYieldOp::create(rewriter, loc);

  readPanels(plan, panels, rewriter);
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
struct PromoteToSharedMemory final
    : distaff::impl::PromoteToSharedMemoryBase<PromoteToSharedMemory> {
  using PromoteToSharedMemoryBase::PromoteToSharedMemoryBase;

  void runOnOperation() override {
    const Target *machine = nullptr;
    if (!target.empty() &&
        !(machine = requireTarget(getOperation()->getLoc(), target)))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> contractions;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op) && op.hasPureTensorSemantics())
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp contraction : contractions) {
      auto executor = contraction->getParentOfType<SharedExecutorOp>();
      if (!executor || !isa<iree::SubgroupScopeAttr>(executor.getScope()))
        continue;
      FailureOr<std::optional<CopyPlan>> copies =
          plan(contraction, executor, machine);
      if (failed(copies))
        return signalPassFailure();
      if (*copies)
        emit(**copies, executor, rewriter);
    }
  }
};
} // namespace

//===- AssignLayouts.cpp - Layout assignment ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements distaff-assign-layouts: Analysis chooses a layout for every
// vector, and this pass inserts the to_layout ops from which propagation
// derives it.
//
//===----------------------------------------------------------------------===//

#include "AssignLayouts.h"
#include "PadSharedMemory.h"
#include "RaiseLaneCode.h"
#include "SeparateMasks.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "distaff/Analysis/Registers/UnrolledCode.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Layouts/Passes.h"
#include "distaff/Rewrite/CopyByVectors.h"
#include "distaff/Rewrite/DeadOps.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "distaff/Layouts/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// Folds vector.mask ops whose masked op has been folded.
static void foldEmptyMasks(FunctionOpInterface function) {
  RewritePatternSet patterns(function.getContext());
  vector::MaskOp::getCanonicalizationPatterns(patterns, function.getContext());
  walkAndApplyPatterns(function, guarded(std::move(patterns)));
  // Masks without a passthru have a fold, which is no pattern.
  function->walk([](vector::MaskOp mask) {
    SmallVector<Value> same;
    SmallVector<OpFoldResult> folded;
    if (!mask.isEmpty() || failed(mask->fold(folded)))
      return;
    for (OpFoldResult value : folded)
      same.push_back(cast<Value>(value));
    mask->replaceAllUsesWith(same);
    mask.erase();
  });
}

static bool hasVectors(FunctionOpInterface function) {
  return function
      ->walk([](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), hasLayout) ||
                       llvm::any_of(op->getResultTypes(), hasLayout)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the accesses of one lane for `op`, as wide as memory allows.
static int64_t accessesOf(Operation *op, const LayoutMap &layouts,
                          HardwareShape hardware, const Target &target,
                          IndexFacts &facts) {
  int64_t elements = 0;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    elements = std::max(elements, laneElementsOf(layouts.get(value), hardware));
  if (isa<vector_ext::TransferGatherOp, vector_ext::TransferScatterOp>(op))
    return elements;
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  return transfer
             ? llvm::divideCeil(elements, widestAccess(transfer, facts, target))
             : 0;
}

/// Returns the registers that one lane computes for `op`, or its accesses of
/// memory: about the number of its operations.
static int64_t operationsOf(Operation *op, const LayoutMap &layouts,
                            HardwareShape hardware, const Target &target,
                            IndexFacts &facts) {
  // These ops rename registers, or fold into their users as immediates.
  if (isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp,
          arith::ConstantOp>(op) ||
      op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  if (auto toLayout = dyn_cast<vector_ext::ToLayoutOp>(op);
      toLayout &&
      layouts.get(toLayout.getInput()) == layouts.get(toLayout.getResult()))
    return 0;
  int64_t most = accessesOf(op, layouts, hardware, target, facts);
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    most = std::max(most, registersOf(value, layouts.get(value), hardware));
  return most;
}

/// Warns of kernels that unroll to too many operations; for linalg ops the
/// configuration warns, from their tiles.
static void warnOfUnrolledVectors(FunctionOpInterface function,
                                  const LayoutMap &layouts,
                                  const Target &target,
                                  HardwareShape hardware) {
  int64_t total = 0, most = 0;
  Operation *largest = nullptr;
  IndexFacts facts;
  function->walk([&](Operation *op) {
    int64_t operations = operationsOf(op, layouts, hardware, target, facts);
    total += operations;
    if (operations > most) {
      most = operations;
      largest = op;
    }
  });
  if (total <= mostUnrolled)
    return;
  largest->emitWarning()
      << "the kernel's vectors unroll to about " << total
      << " operations per lane, of which " << most
      << " are this op's, more than the " << mostUnrolled
      << " that compile in seconds; smaller vectors in a loop, or more lanes, "
         "make fewer";
}

/// Refuses layouts that need more registers than can be spilled. The conversion
/// warns of smaller excesses: it counts lane by lane, in the order in which
/// values are computed.
static LogicalResult checkRegisters(FunctionOpInterface function,
                                    const LayoutMap &layouts,
                                    const Target &target,
                                    HardwareShape hardware) {
  LiveRegisters live = mostLiveRegisters(function, layouts, hardware);
  if (live.vectors > target.spillableRegisters)
    return refuseRegisters(live.op, live.vectors, target);
  warnOfUnrolledVectors(function, layouts, target, hardware);
  return success();
}

/// Checks the contract of the stage, that propagation derives exactly the
/// chosen layouts, and then pads the kernel's shared-memory buffers, whose
/// accesses are known now.
static LogicalResult finishAssignment(FunctionOpInterface function,
                                      const LayoutChoice &choice,
                                      const Target &target,
                                      HardwareShape hardware) {
  FailureOr<LayoutMap> found = propagateLayouts(function);
  if (failed(found))
    return failure();
  for (auto &[value, layout] : choice.values)
    if (found->get(value) != layout)
      return emitError(value.getLoc())
             << "chosen layout " << shortNotation(layout)
             << " is not what propagation finds: "
             << shortNotation(found->get(value));
  if (failed(checkRegisters(function, *found, target, hardware)))
    return failure();
  // The memory of exchanges is reserved before rows are padded.
  int64_t exchanged = 0;
  for (const LayoutChange &change : choice.changes)
    if (!change.clone)
      exchanged += change.plan->counts.sharedBytes;
  padSharedMemory(function, *found, hardware, target, exchanged);
  return success();
}

/// Refuses conversions through shared memory where none is left for them.
static LogicalResult checkSharedMemory(FunctionOpInterface function,
                                       const LayoutChoice &choice,
                                       const Target &target) {
  int64_t alignment = target.workgroupAlignment();
  int64_t left =
      workgroupMemoryLeft(function, target.dynamicSharedMemoryBytes, alignment);
  for (const LayoutChange &change : choice.changes)
    if (!change.clone && !change.targetOp &&
        change.plan->counts.sharedBytes > 0 && left < alignment)
      return emitError(change.value.getLoc())
             << "changing " << change.value.getType() << " from "
             << shortNotation(change.source) << " to "
             << shortNotation(change.layout) << " needs " << alignment
             << " bytes of workgroup memory at least, and of " << target.name
             << "'s " << target.dynamicSharedMemoryBytes
             << " the kernel's own buffers take "
             << workgroupMemoryOf(function, alignment)
             << " (DG7); make those smaller, or give both sides one layout";
  return success();
}

/// Hoists loop-invariant conversions of the user (VX-64). Conversions for
/// instructions stay next to their contraction, and layout-free values need no
/// conversion.
static void hoistConversions(FunctionOpInterface function) {
  function->walk([](LoopLikeOpInterface loop) {
    // No workgroup exists outside of a forall.
    if (!isa<scf::ForOp, scf::WhileOp>(loop))
      return;
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        [](Operation *op, Region *) {
          auto toLayout = dyn_cast<vector_ext::ToLayoutOp>(op);
          return toLayout && !toLayout.getMmaKindAttr() &&
                 !LayoutMap::isLayoutFree(toLayout.getInput());
        },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
}

static LogicalResult assignLayouts(FunctionOpInterface function,
                                   const Target &target, bool requireAnchors,
                                   bool stagesOperands, DecisionLog *log) {
  if (failed(verifyAnchors(function, &target)))
    return failure();
  foldEmptyMasks(function);
  expandCopies(function);
  if (failed(raiseLaneCode(function)) || failed(separateMasks(function)))
    return failure();
  eraseDeadOps(function);
  if (failed(verifyNoLaneCode(function)))
    return failure();
  hoistConversions(function);
  if (hasVectors(function)) {
    FailureOr<HardwareShape> hardware = hardwareShapeOf(function);
    if (failed(hardware))
      return failure();
    // Tables have a row per lane.
    if (int64_t lanes = hardware->subgroups * hardware->lanes;
        lanes > target.maxWorkgroupSize)
      return function.emitOpError("has workgroups of ")
             << lanes << " lanes, " << target.name << " has up to "
             << target.maxWorkgroupSize;
    if (failed(applyPromotions(function, target,
                               hardware->subgroups * hardware->lanes,
                               hardware->lanes)))
      return failure();
    if (requireAnchors && failed(checkAnchored(function, target, *hardware)))
      return failure();
    FailureOr<LayoutChoice> choice =
        chooseLayouts(function, target, *hardware, log, stagesOperands);
    if (failed(choice))
      return failure();
    if (failed(checkSharedMemory(function, *choice, target)))
      return failure();
    writeLayouts(function, *choice, log);
    if (failed(finishAssignment(function, *choice, target, *hardware)))
      return failure();
  }
  function->walk([](Operation *op) {
    op->removeDiscardableAttr(iree::LoweringConfigAttr::attributeName);
  });
  return success();
}

namespace {
struct AssignLayoutsPass final
    : distaff::impl::AssignLayoutsBase<AssignLayoutsPass> {
  using AssignLayoutsBase::AssignLayoutsBase;
  AssignLayoutsPass(AssignLayoutsOptions options, DecisionLog *log)
      : AssignLayoutsBase(std::move(options)), log(log) {}

  void runOnOperation() override {
    const Target *found = requireTarget(getOperation()->getLoc(), target);
    if (!found)
      return signalPassFailure();
    Target machine = strictFp ? keepingFloatOrder(*found) : *found;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          failed(assignLayouts(function, machine, requireAnchors,
                               stagesOperands, log)))
        return signalPassFailure();
  }

  DecisionLog *log = nullptr;
};
} // namespace

std::unique_ptr<Pass> distaff::createAssignLayouts(AssignLayoutsOptions options,
                                                   DecisionLog *log) {
  return std::make_unique<AssignLayoutsPass>(std::move(options), log);
}

//===- PingPongBarriers.cpp - Barriers of a ping-pong schedule ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For ping-pong on vectors (PCF-143), before phases are formed: in the steps of
// a loop a barrier is inserted before and after every product of matrices, so
// that phases which use the matrix unit and phases which do not alternate.
//
//   for { k = read; s = contract q, k     for { k = read        | barrier |
//         p = exp s                  =>         s = contract    | barrier |
//         o = contract p, v }                   p = exp s       | barrier |
//                                               o = contract    | barrier | }
//
// If one cluster is a barrier ahead of another one, they never multiply at the
// same time.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Distribute/CollectiveOps.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_PCFPINGPONGBARRIERS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether a step computes a value elementwise from vectors that it
/// reads. The phase that reads runs an iteration ahead, on memory that may be
/// unwritten after the last one, so it may only move such vectors.
static bool isComputedFromReads(Operation *op) {
  if (!isPure(op) || !mlir::OpTrait::hasElementwiseMappableTraits(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    return !maker || maker->getBlock() != op->getBlock() ||
           isa<vector::TransferReadOp>(maker) || isComputedFromReads(maker);
  });
}

/// Returns the ops around a product that compute its operands from the step's
/// reads, or define how it takes them, in order: they are in one phase with it.
static SmallVector<Operation *> collectOperandForms(vector::ContractionOp op) {
  llvm::SetVector<Operation *> forms;
  SmallVector<Value> pending(op->getOperands());
  while (!pending.empty()) {
    Operation *form = pending.pop_back_val().getDefiningOp();
    if (!form || form->getBlock() != op->getBlock() || forms.contains(form))
      continue;
    auto anchor = dyn_cast<vector_ext::ToLayoutOp>(form);
    bool isForm = anchor ? bool(anchor.getMmaKindAttr())
                         : isExactExtension(form) || isComputedFromReads(form);
    bool isOfThis = llvm::all_of(form->getUsers(), [&](Operation *user) {
      return user == op || forms.contains(user);
    });
    if (!isForm || !isOfThis)
      continue;
    forms.insert(form);
    llvm::append_range(pending, form->getOperands());
  }
  SmallVector<Operation *> ordered(forms.begin(), forms.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// Moves layout conversions that follow a product, but convert values from
/// before it, to the place before the product: no phase follows the last
/// barrier.
static void convertBefore(vector::ContractionOp op, IRRewriter &rewriter) {
  SmallVector<Operation *> conversions;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (auto conversion = dyn_cast<vector_ext::ToLayoutOp>(next)) {
      Operation *maker = conversion.getInput().getDefiningOp();
      if (!maker || maker->getBlock() != op->getBlock() ||
          maker->isBeforeInBlock(op))
        conversions.push_back(conversion);
    } else if (isa<vector::ContractionOp>(next)) {
      return;
    }
  for (Operation *conversion : conversions)
    rewriter.moveOpBefore(conversion, op);
}

/// Returns whether an op is in a step of a loop inside the loop along tiles.
static bool isInStepOfTile(Operation *op, SharedExecutorOp executor) {
  auto steps = dyn_cast<scf::ForOp>(op->getParentOp());
  auto around = steps ? steps->getParentOfType<scf::ForOp>() : scf::ForOp();
  return around && executor->isProperAncestor(around);
}

/// Returns whether an op outside of phases has tensors.
static bool isOnTensors(SharedExecutorOp executor) {
  bool found = false;
  walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
    found |= llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  });
  return found;
}

static void addTurn(Operation *at, SharedExecutorOp executor,
                    IRRewriter &rewriter) {
  if (isa_and_nonnull<BarrierOp>(at->getPrevNode()))
    return;
  rewriter.setInsertionPoint(at);
  BarrierOp::create(rewriter, at->getLoc(), executor.getScope(),
                    /*clusters=*/ValueRange(), /*ranges=*/ValueRange(),
                    /*refs=*/ValueRange());
}

/// Reports the reason why an executor has no ping-pong schedule.
static LogicalResult refuse(SharedExecutorOp executor) {
  if (isOnTensors(executor))
    return executor.emitError(
        "cannot take turns: its ops on tensors are in no phases, so that no "
        "phase reads a panel while another one computes; write phases that "
        "fill panels and phases that read them, as "
        "examples/specialization/panels.mlir does");
  return executor.emitError(
      "cannot take turns: a tile has no loop with a product of matrices in its "
      "steps, so that one cluster could multiply while another one does not");
}

/// Returns whether ops after the last barrier of a loop's body compute or write
/// data in a phase: those of the next step have to wait for it (PCF-188).
static bool hasWorkBehindTurns(Block &body) {
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (isa<BarrierOp>(op))
      return false;
    if (isCollectiveOp(&op) && !isa<vector_ext::ToLayoutOp>(op))
      return true;
  }
  return false;
}

namespace {
struct PingPongBarriers final
    : distaff::impl::PCFPingPongBarriersBase<PingPongBarriers> {
  void runOnOperation() override {
    auto scope = iree::SubgroupScopeAttr::get(&getContext());
    for (SharedExecutorOp executor : collectUnformed(getOperation(), scope))
      if (failed(separate(executor)))
        return signalPassFailure();
  }

  LogicalResult separate(SharedExecutorOp executor) {
    SmallVector<vector::ContractionOp> products;
    executor.getExecute().walk([&](vector::ContractionOp op) {
      if (isInStepOfTile(op, executor) && isa<VectorType>(op.getType()))
        products.push_back(op);
    });
    // Ops around phases that an author wrote join them, and those phases are
    // split.
    if (isOnTensors(executor) && !collectPhases(executor).empty())
      return success();
    if (products.empty())
      return refuse(executor);
    IRRewriter rewriter(&getContext());
    for (vector::ContractionOp op : products) {
      convertBefore(op, rewriter);
      SmallVector<Operation *> forms = collectOperandForms(op);
      for (Operation *form : forms)
        rewriter.moveOpBefore(form, op);
      addTurn(forms.empty() ? op.getOperation() : forms.front(), executor,
              rewriter);
      addTurn(op->getNextNode(), executor, rewriter);
    }
    for (vector::ContractionOp op : products)
      if (hasWorkBehindTurns(*op->getBlock()))
        addTurn(op->getBlock()->getTerminator(), executor, rewriter);
    return success();
  }
};
} // namespace

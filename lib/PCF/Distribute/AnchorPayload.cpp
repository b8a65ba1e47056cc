//===- AnchorPayload.cpp - Layout anchors at phase boundaries -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phases are formed at control flow (FormCollectivePhases.cpp), and the
// distribution of one phase does not see the layouts of others. So a vector
// that crosses control flow gets its layout before, from propagation through
// the whole program:
//
//   %q = transfer_read                   %q = transfer_read
//   scf.for iter_args(%m = %m0)    =>    %p = to_layout %q to L
//     %n = f(%m, %q)                     scf.for iter_args(%m = %m0)
//     yield %n                             %n = f(%m, %p)
//                                          %o = to_layout %n to M
//                                          yield %o
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "CarriedValues.h"
#include "CollectiveOps.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_ANCHORPAYLOAD
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

/// Returns whether `user` is between the same two ops of control flow or
/// barriers as `op`, so that one phase has both.
static bool isBesideUse(Operation *op, Operation *user) {
  if (op->getBlock() != user->getBlock())
    return false;
  for (; op != user; op = op->getNextNode())
    if (isa<BarrierOp>(op) || (!isCollectiveOp(op) && op->getNumRegions() != 0))
      return false;
  return !handsOnValues(user) && !user->hasTrait<mlir::OpTrait::IsTerminator>();
}

//===----------------------------------------------------------------------===//
// Rematerialization
//===----------------------------------------------------------------------===//

/// Returns whether a vector is rematerialized where it is used: constants,
/// masks and the like, which hold no data, and extensions of numbers.
static bool isMadeAgain(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isa<VectorType>(op->getResult(0).getType()) || !isPure(op))
    return false;
  return isExactExtension(op) || LayoutMap::isLayoutFree(op->getResult(0));
}

static void rematerialize(SharedExecutorOp executor, IRRewriter &rewriter) {
  SmallVector<Operation *> made;
  executor.getExecute().walk([&](Operation *op) {
    if (isMadeAgain(op))
      made.push_back(op);
  });
  // Users are handled first: an op's copies add uses to its operands.
  for (Operation *op : llvm::reverse(made)) {
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
    for (OpOperand *use : uses) {
      Operation *user = use->getOwner();
      if (isBesideUse(op, user))
        continue;
      rewriter.setInsertionPoint(user);
      Value copy = rewriter.clone(*op)->getResult(0);
      rewriter.modifyOpInPlace(user, [&] { use->set(copy); });
    }
    if (op->use_empty())
      rewriter.eraseOp(op);
  }
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Anchors the layout of the operand of a reshape if it does not follow from
/// the result's layout, which spells the same registers in another way.
static void anchorReshapes(SharedExecutorOp executor, const LayoutMap &layouts,
                           IRRewriter &rewriter) {
  executor.getExecute().walk([&](vector::ShapeCastOp op) {
    VectorLayoutInterface layout = layouts.get(op.getSource()),
                          reshaped = layouts.get(op.getResult());
    if (!layout || !reshaped ||
        reshaped.reshape(op.getSourceVectorType().getShape()) == layout)
      return;
    rewriter.setInsertionPoint(op);
    Value anchored =
        ToLayoutOp::create(rewriter, op.getLoc(), op.getSource(), layout);
    rewriter.modifyOpInPlace(op,
                             [&] { op.getSourceMutable().assign(anchored); });
  });
}

/// Anchors the layout at every use of a vector after, in or by an op of control
/// flow.
static void anchorCrossings(SharedExecutorOp executor, const LayoutMap &layouts,
                            IRRewriter &rewriter) {
  SmallVector<OpOperand *> crossing;
  executor.getExecute().walk([&](Operation *user) {
    for (OpOperand &operand : user->getOpOperands()) {
      Operation *definition = operand.get().getDefiningOp();
      bool isMade = definition && executor->isProperAncestor(definition);
      if (isa<VectorType>(operand.get().getType()) && isMade &&
          !isBesideUse(definition, user))
        crossing.push_back(&operand);
    }
  });
  DenseMap<Value, Value> anchored;
  for (OpOperand *use : crossing) {
    Value value = use->get();
    VectorLayoutInterface layout = layouts.getUse(*use);
    if (!layout)
      continue;
    Value &again = anchored[value];
    if (!again ||
        cast<ToLayoutOp>(again.getDefiningOp()).getLayout() != layout) {
      rewriter.setInsertionPointAfter(value.getDefiningOp());
      again = ToLayoutOp::create(rewriter, value.getLoc(), value, layout);
    }
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(again); });
  }
}

static bool hasPhases(SharedExecutorOp executor) {
  return executor.getExecute()
      .walk([](Operation *op) {
        return isa<RunClusterOp, RunThreadOp, TileGroupOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct AnchorPayload final : distaff::impl::AnchorPayloadBase<AnchorPayload> {
  void runOnOperation() override {
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk([&](SharedExecutorOp executor) {
      if (!hasPhases(executor))
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : executors) {
      rematerialize(executor, rewriter);
      LayoutMap layouts = propagateWhatIsKnown(executor.getExecute(), {});
      anchorReshapes(executor, layouts, rewriter);
      anchorCrossings(executor, layouts, rewriter);
    }
  }
};
} // namespace

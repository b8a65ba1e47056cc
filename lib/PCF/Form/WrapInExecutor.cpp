//===- WrapInExecutor.cpp - Wrapping workgroup code in an executor --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage wrap-in-executor of the run-cluster pipeline (stage 3 of chapter 8 of
// the pcf specification) converts the tensor ops of a loop over workgroups to
// collective code of the workgroup's subgroups. Arithmetic on positions, which
// every subgroup can compute redundantly, stays before the executor.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_WRAPINEXECUTOR
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether every subgroup may run the op redundantly: it computes
/// numbers from numbers.
static bool isPosition(Operation *op) {
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperandTypes(), isNumber) &&
         llvm::all_of(op->getResultTypes(), isNumber);
}

/// Returns the ops to wrap, in program order: those that are no arithmetic on
/// positions, or depend on an op that is not.
static SmallVector<Operation *> collectWork(LoopOp loop) {
  SmallVector<Operation *> work;
  llvm::SmallPtrSet<Operation *, 16> inWork;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool depends = llvm::any_of(op.getOperands(), [&](Value operand) {
      return inWork.contains(operand.getDefiningOp());
    });
    if (isPosition(&op) && !depends)
      continue;
    work.push_back(&op);
    inWork.insert(&op);
  }
  return work;
}

static void wrap(LoopOp loop, IRRewriter &rewriter) {
  SmallVector<Operation *> work = collectWork(loop);
  if (work.empty() || isa<SharedExecutorOp, GenericOp>(work.front()))
    return;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  auto executor = SharedExecutorOp::create(
      rewriter, loc,
      RefOwnerParts{iree::SubgroupScopeAttr::get(rewriter.getContext()),
                    /*syncOnReturn=*/false,
                    {}});
  rewriter.setInsertionPointToEnd(executor.getBody());
  Operation *end = ReturnOp::create(rewriter, loc);
  for (Operation *op : work)
    rewriter.moveOpBefore(op, end);
}

namespace {
struct WrapInExecutor final
    : distaff::impl::WrapInExecutorBase<WrapInExecutor> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](LoopOp loop) {
      if (isa<iree::WorkgroupScopeAttr>(loop.getScope()))
        wrap(loop, rewriter);
    });
  }
};
} // namespace

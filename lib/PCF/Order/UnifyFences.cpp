//===- UnifyFences.cpp - Unifying the fences of barriers ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster that runs some barriers ahead has its phases between other barriers
// than before, which must order the same memory. Adjacent barriers are merged,
// and all barriers of one loop get the union of their fences: that only orders
// more.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "BarriersBetween.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_PCFUNIFYFENCES
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether a phase only forwards payload.
static bool handsOnOnly(Operation *op) {
  auto phase = dyn_cast<RunClusterOp>(op);
  return phase && llvm::hasSingleElement(phase.getBody().front());
}

/// Returns the barrier of all workers in a loop's body that follows another one
/// without work in between; null without such a pair.
static BarrierOp findSecondInRow(scf::ForOp loop) {
  for (BarrierOp barrier : loop.getBody()->getOps<BarrierOp>()) {
    Operation *before = barrier->getPrevNode();
    while (before && handsOnOnly(before))
      before = before->getPrevNode();
    if (auto first = dyn_cast_or_null<BarrierOp>(before);
        first && isOfEverybody(first) && isOfEverybody(barrier))
      return barrier;
  }
  return {};
}

namespace {
struct UnifyFences final : distaff::impl::PCFUnifyFencesBase<UnifyFences> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](TileGroupOp group) {
      group.getBody().walk([&](scf::ForOp loop) { unify(loop, rewriter); });
    });
  }

  void unify(scf::ForOp loop, IRRewriter &rewriter) {
    llvm::SetVector<Value> refs;
    for (BarrierOp barrier : loop.getBody()->getOps<BarrierOp>())
      if (isOfEverybody(barrier))
        refs.insert_range(barrier.getRefs());
    while (BarrierOp second = findSecondInRow(loop))
      rewriter.eraseOp(second);
    for (BarrierOp barrier : loop.getBody()->getOps<BarrierOp>())
      if (isOfEverybody(barrier))
        rewriter.modifyOpInPlace(barrier, [&] {
          barrier.getRefsMutable().assign(refs.getArrayRef());
        });
  }
};
} // namespace

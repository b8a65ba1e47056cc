//===- ElectWriters.cpp - Electing one lane for a worker's writes ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All lanes of a subgroup run the code of the subgroup. Numbers that they
// compute redundantly do no harm; writes to memory do: they race, and an atomic
// update happens once for each lane (PCF-125).
//
//   pcf.generic scope(#sg) ... {         pcf.generic scope(#sg) ... {
//     memref.store %y, %o[%id]    =>       pcf.generic scope(#ln) sync true
//   }                                          execute[%lane, %n] {
//                                            scf.if %lane == 0 { store } } }
//
// A lane must not write what another one has still to read, and must not read
// ahead of the write: lanes wait for each other before the write and after it.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Form/ScopeOption.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_PCFELECTWRITERS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether an op writes memory by itself.
static bool isWriter(Operation *op) {
  if (isa<WriteSliceOp>(op))
    return true;
  return isa<memref::StoreOp, memref::AtomicRMWOp, memref::GenericAtomicRMWOp,
             vector::StoreOp, vector::MaskedStoreOp, vector::ScatterOp,
             vector::CompressStoreOp>(op) ||
         (isa<vector::TransferWriteOp>(op) && op->getNumResults() == 0);
}

/// Returns whether the workers that run an op consist of those of the finer
/// scope.
static bool isRunByWorkersOf(Operation *op, ScopeAttrInterface finer) {
  auto owner = op->getParentOfType<RefOwnerOpInterface>();
  return owner && isa<GenericOp, LoopOp>(owner) &&
         cast<ScopeAttrInterface>(owner.getScope()).getNestingLevel() + 1 ==
             finer.getNestingLevel();
}

static void elect(Operation *writer, Attribute finer, RewriterBase &rewriter) {
  Location loc = writer->getLoc();
  rewriter.setInsertionPoint(writer);
  BarrierOp::create(rewriter, loc, finer, ValueRange(), ValueRange(),
                    ValueRange());
  auto members = GenericOp::create(
      rewriter, loc, RefOwnerParts{finer, /*syncOnReturn=*/true, {}},
      /*numIds=*/1);
  rewriter.setInsertionPointToEnd(&members.getExecute().front());
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        members.getIds().front(), zero);
  auto guard = scf::IfOp::create(rewriter, loc, isFirst,
                                 /*withElseRegion=*/false);
  ReturnOp::create(rewriter, loc);
  rewriter.moveOpBefore(writer, guard.thenYield());
}

namespace {
struct ElectWriters final : distaff::impl::PCFElectWritersBase<ElectWriters> {
  using PCFElectWritersBase::PCFElectWritersBase;

  void runOnOperation() override {
    FailureOr<ScopeAttrInterface> finer = parseScope(to, &getContext());
    if (failed(finer))
      return signalPassFailure();
    SmallVector<Operation *> writers;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isWriter(op) || !isRunByWorkersOf(op, *finer))
        return WalkResult::advance();
      writers.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *op : writers)
      if (!op->use_empty()) {
        op->emitOpError("updates memory once for all workers of ")
            << *finer
            << ", which cannot all have its result; update it in a "
               "pcf.generic of that scope";
        return signalPassFailure();
      }
    IRRewriter rewriter(&getContext());
    for (Operation *op : writers)
      elect(op, *finer, rewriter);
  }
};
} // namespace

//===- ForallToLoops.cpp - Converting scf.forall to pcf.loop --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ForallPlan.h"
#include "ScopeOption.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_PCFCONVERTFORALLTOLOOPS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

FailureOr<LoopOp> pcf::convertForallToPCFLoop(RewriterBase &rewriter,
                                              scf::ForallOp forall,
                                              ScopeAttrInterface scope,
                                              int64_t numIds) {
  FailureOr<ForallPlan> plan =
      planForall(forall, [&] { return forall.emitError(); });
  if (failed(plan))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(forall);
  Location loc = forall.getLoc();
  SmallVector<OpFoldResult> counts = getCounts(rewriter, *plan),
                            folded = counts;
  if (numIds > 0 && size_t(numIds) < counts.size()) {
    ArrayRef<OpFoldResult> slowest = ArrayRef(counts).drop_front(numIds - 1);
    folded.truncate(numIds);
    folded.back() = getProduct(rewriter, loc, slowest);
  }
  auto loop =
      LoopOp::create(rewriter, loc, getSharedOutputs(forall, scope),
                     getValueOrCreateConstantIndexOp(rewriter, loc, folded));
  rewriter.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> ids(loop.getIds().drop_back());
  llvm::append_range(ids, delinearize(rewriter, loc, loop.getIds().back(),
                                      ArrayRef(counts).drop_front(ids.size())));
  auto end = ReturnOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  SmallVector<Value> variables = getInductionVars(rewriter, *plan, ids);
  moveBody(rewriter, *plan, variables, ValueRange(loop.getRefArgs()));
  rewriter.replaceOp(forall, loop);
  return loop;
}

namespace {
struct ForallToLoops final
    : distaff::impl::PCFConvertForallToLoopsBase<ForallToLoops> {
  using PCFConvertForallToLoopsBase::PCFConvertForallToLoopsBase;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<ScopeAttrInterface> parsed = parseScope(scope, context);
    if (failed(parsed))
      return failure();
    workers = *parsed;
    return success();
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> foralls;
    getOperation()->walk([&](scf::ForallOp forall) {
      if (isUnmappedOrLocal(forall))
        foralls.push_back(forall);
    });
    for (scf::ForallOp forall : foralls)
      if (failed(convertForallToPCFLoop(rewriter, forall, workers, numIds)))
        return signalPassFailure();
  }

private:
  ScopeAttrInterface workers;
};
} // namespace

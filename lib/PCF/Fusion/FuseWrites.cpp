//===- FuseWrites.cpp - Fusing writes of a loop's result into it ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a loop's result is written to a ref, each iteration can write its insert
// there directly: as a slice of a slice.
//
//===----------------------------------------------------------------------===//
#include "../Order/MovedOps.h"
#include "../Order/RefAccess.h"
#include "Covering.h"
#include "MixedSlice.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_PCFFUSEWRITES
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
struct SinkPlan {
  scf::ForallOp forall;
  OpResult result;
  tensor::ParallelInsertSliceOp insert;
  /// Ops that compute the write's operands and are hoisted, in order.
  SmallVector<Operation *> hoisted;
};
} // namespace

/// Returns the only insert into a result of the loop.
static tensor::ParallelInsertSliceOp getOnlyInsert(scf::ForallOp forall,
                                                   OpResult result) {
  SmallVector<Operation *> inserts =
      forall.getCombiningOps(forall.getTiedBlockArgument(result));
  return inserts.size() == 1
             ? dyn_cast<tensor::ParallelInsertSliceOp>(inserts.front())
             : nullptr;
}

static FailureOr<SinkPlan> planSink(WriteSliceOp write, bool assumeCovering) {
  auto forall = write.getSource().getDefiningOp<scf::ForallOp>();
  // In another block, the write may run under other conditions than the loop.
  if (!forall || forall->getBlock() != write->getBlock())
    return failure();
  auto result = cast<OpResult>(write.getSource());
  tensor::ParallelInsertSliceOp insert = getOnlyInsert(forall, result);
  if (!insert || !fillsDestination(forall, insert, assumeCovering))
    return failure();
  for (Operation &op :
       llvm::make_range(forall->getIterator(), write->getIterator()))
    if (mayAccess(&op, write.getDest()))
      return failure();
  auto isInFront = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return value.getParentBlock() != forall->getBlock() || !op ||
           op->isBeforeInBlock(forall);
  };
  SetVector<Operation *> hoisted;
  for (OpOperand &operand : write->getOpOperands())
    if (&operand != &write.getSourceMutable() &&
        !collectOps(operand.get(), isInFront, hoisted))
      return failure();
  return SinkPlan{forall, result, insert, hoisted.takeVector()};
}

/// Removes an unused result with its insert; other uses of the shared output
/// read its initial value.
static void dropResult(RewriterBase &rewriter, SinkPlan &plan) {
  scf::ForallOp forall = plan.forall;
  unsigned dropped = plan.result.getResultNumber();
  SmallVector<Value> outputs(forall.getOutputs()), arguments;
  outputs.erase(outputs.begin() + dropped);
  SmallVector<Value> operands(plan.insert->getOperands());
  rewriter.eraseOp(plan.insert);
  eraseIfDead(rewriter, operands);
  rewriter.setInsertionPoint(forall);
  auto smaller = scf::ForallOp::create(
      rewriter, forall.getLoc(), forall.getMixedLowerBound(),
      forall.getMixedUpperBound(), forall.getMixedStep(), outputs,
      forall.getMapping());
  smaller->setDiscardableAttrs(forall->getDiscardableAttrDictionary());
  rewriter.eraseOp(smaller.getTerminator());
  arguments.assign(smaller.getBody()->args_begin(),
                   smaller.getBody()->args_end());
  arguments.insert(arguments.begin() + forall.getRank() + dropped,
                   forall.getOutputs()[dropped]);
  rewriter.mergeBlocks(forall.getBody(), smaller.getBody(), arguments);
  SmallVector<Value> results(smaller->getResults());
  results.insert(results.begin() + dropped, Value());
  for (auto [from, to] : llvm::zip_equal(forall->getResults(), results))
    if (to)
      rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(forall);
}

FailureOr<WriteSliceOp> pcf::composeWriteSliceWithParallelInsert(
    RewriterBase &rewriter, WriteSliceOp write, bool assumeCovering) {
  FailureOr<SinkPlan> plan = planSink(write, assumeCovering);
  if (failed(plan))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  for (Operation *op : plan->hoisted)
    rewriter.moveOpBefore(op, plan->forall);
  rewriter.setInsertionPoint(plan->forall.getTerminator());
  tensor::ParallelInsertSliceOp insert = plan->insert;
  Location loc = write.getLoc();
  MixedSlice slice =
      MixedSlice::of(write).compose(rewriter, loc, MixedSlice::of(insert));
  Value source = expandToSlice(rewriter, loc, insert.getSource(), slice.sizes,
                               insert.getDroppedDims());
  auto sunk = WriteSliceOp::create(rewriter, loc, source, write.getDest(),
                                   slice.offsets, slice.sizes, slice.strides);
  rewriter.eraseOp(write);
  if (plan->result.use_empty())
    dropResult(rewriter, *plan);
  return sunk;
}

namespace {
struct FuseWrites final : distaff::impl::PCFFuseWritesBase<FuseWrites> {
  using PCFFuseWritesBase::PCFFuseWritesBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<WriteSliceOp> writes;
    getOperation()->walk([&](WriteSliceOp write) { writes.push_back(write); });
    // A write that was sunk may sink further.
    for (size_t next = 0; next < writes.size(); ++next) {
      FailureOr<WriteSliceOp> sunk = composeWriteSliceWithParallelInsert(
          rewriter, writes[next], assumeCovering);
      if (succeeded(sunk))
        writes.push_back(*sunk);
    }
  }
};
} // namespace

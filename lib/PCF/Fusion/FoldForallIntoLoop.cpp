//===- FoldForallIntoLoop.cpp - Folding two loops into one scope ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop around a `pcf.loop` (split-K) becomes one `pcf.generic`. Workers are
// given to the inner loop first: with cnt workers and n inner iterations,
// groups of ci = max(1, min(cnt, n)) workers run one outer iteration each, and
// there are co = max(1, cnt / ci) groups. A worker after the last group is
// idle.
//
//===----------------------------------------------------------------------===//
#include "../Form/ForallPlan.h"
#include "../Order/MovedOps.h"
#include "Covering.h"
#include "MixedSlice.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_PCFFOLDFORALLINTOLOOP
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {
struct FoldPlan {
  ForallPlan outer;
  LoopOp loop;
  /// The insert of each result of the loop.
  SmallVector<ForallPlan::Insert> inserts;
  /// Ops that compute the loop's count and are hoisted, in order.
  SmallVector<Operation *> hoisted;
};
} // namespace

/// Returns the loop at the end of the body, if all ops before it are pure.
static LoopOp getInnerLoop(scf::ForallOp forall) {
  auto body = forall.getBody()->without_terminator();
  if (body.empty())
    return nullptr;
  auto loop = dyn_cast<LoopOp>(*std::prev(body.end()));
  for (Operation &op : llvm::make_range(body.begin(), std::prev(body.end())))
    if (!isPure(&op))
      return nullptr;
  return loop && loop.getCounts().size() == 1 ? loop : nullptr;
}

/// Matches exactly one insert per result of the loop.
static FailureOr<SmallVector<ForallPlan::Insert>>
matchInserts(const ForallPlan &plan, LoopOp loop) {
  SmallVector<ForallPlan::Insert> inserts(loop->getNumResults());
  if (plan.inserts.size() != inserts.size())
    return failure();
  for (const ForallPlan::Insert &insert : plan.inserts) {
    tensor::ParallelInsertSliceOp op = insert.op;
    auto result = dyn_cast<OpResult>(op.getSource());
    if (!result || result.getOwner() != loop ||
        inserts[result.getResultNumber()].op)
      return failure();
    inserts[result.getResultNumber()] = insert;
  }
  return inserts;
}

/// Returns whether elements of a result that the loop does not write have the
/// same values before and after the insert.
static bool keepsUnwritten(RefOwnerOpInterface loop, unsigned result,
                           tensor::ParallelInsertSliceOp insert,
                           bool assumeCovering) {
  OpOperand *init = loop.getTiedInit(result);
  if (!init)
    return true;
  auto slice = init->get().getDefiningOp<tensor::ExtractSliceOp>();
  if (slice && slice.getSource() == insert.getDest() &&
      slice.getDroppedDims() == insert.getDroppedDims() &&
      MixedSlice::of(slice) == MixedSlice::of(insert))
    return true;
  return isCovered(loop, loop.getRefOfResult(result), assumeCovering);
}

/// Returns whether the body only writes the ref.
static bool isOnlyWritten(BlockArgument ref) {
  return cast<SRefType>(ref.getType()).isReturnOnlySync() &&
         llvm::all_of(ref.getUses(), [](OpOperand &use) {
           auto write = dyn_cast<WriteSliceOp>(use.getOwner());
           return write && &use == &write.getDestMutable();
         });
}

static FailureOr<FoldPlan> planFold(scf::ForallOp forall, bool assumeCovering) {
  if (!isUnmappedOrLocal(forall))
    return failure();
  FailureOr<ForallPlan> outer = planForall(forall);
  LoopOp loop = getInnerLoop(forall);
  if (failed(outer) || !loop)
    return failure();
  FailureOr<SmallVector<ForallPlan::Insert>> inserts =
      matchInserts(*outer, loop);
  if (failed(inserts))
    return failure();
  auto owner = cast<RefOwnerOpInterface>(*loop);
  if (llvm::is_contained(loop.getIsReadonly(), true) ||
      !llvm::all_of(owner.getRefArgs(), isOnlyWritten))
    return failure();
  for (auto [result, insert] : llvm::enumerate(*inserts))
    if (!keepsUnwritten(owner, result, insert.op, assumeCovering))
      return failure();
  // Shared outputs can be replaced by their inits there.
  auto isInFront = [&](Value value) {
    return value.getParentBlock() != forall.getBody() ||
           llvm::is_contained(forall.getRegionIterArgs(), value);
  };
  SetVector<Operation *> hoisted;
  if (!collectOps(loop.getCounts().front(), isInFront, hoisted))
    return failure();
  return FoldPlan{*outer, loop, *inserts, hoisted.takeVector()};
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Holds the first iterations and steps of one worker.
struct Shares {
  Value outerFirst, outerStep, innerFirst, innerStep;
};

/// Computes the shares. `beyond` is an outer iteration past the last one.
static Shares createShares(OpBuilder &builder, Location loc, GenericOp generic,
                           Value count, Value one, Value beyond) {
  Value id = generic.getIds().front(), workers = generic.getCounts().front();
  Shares shares;
  Value fewer = arith::MinUIOp::create(builder, loc, workers, count);
  shares.innerStep = arith::MaxUIOp::create(builder, loc, fewer, one);
  Value group = arith::DivUIOp::create(builder, loc, id, shares.innerStep);
  shares.innerFirst =
      arith::RemUIOp::create(builder, loc, id, shares.innerStep);
  Value groups =
      arith::DivUIOp::create(builder, loc, workers, shares.innerStep);
  shares.outerStep = arith::MaxUIOp::create(builder, loc, groups, one);
  Value isInGroup = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, group, shares.outerStep);
  shares.outerFirst =
      arith::SelectOp::create(builder, loc, isInGroup, group, beyond);
  return shares;
}

/// Replaces writes to the loop's refs by writes to those of the shared outputs.
static void composeWrites(RewriterBase &rewriter, const FoldPlan &plan,
                          GenericOp generic) {
  auto owner = cast<RefOwnerOpInterface>(*plan.loop);
  auto outputs = cast<RefOwnerOpInterface>(*generic).getRefArgs();
  for (auto [result, insert] : llvm::enumerate(plan.inserts)) {
    tensor::ParallelInsertSliceOp op = insert.op;
    MixedSlice outer = MixedSlice::of(op);
    BlockArgument ref = owner.getRefOfResult(result);
    for (Operation *user : llvm::make_early_inc_range(ref.getUsers())) {
      auto write = cast<WriteSliceOp>(user);
      rewriter.setInsertionPoint(write);
      Location loc = write.getLoc();
      MixedSlice slice = outer.compose(
          rewriter, loc,
          MixedSlice::of(write).withUnitDims(rewriter, op.getDroppedDims()));
      Value source = expandToSlice(rewriter, loc, write.getSource(),
                                   slice.sizes, op.getDroppedDims());
      rewriter.replaceOpWithNewOp<WriteSliceOp>(
          write, source, outputs[insert.output], slice.offsets, slice.sizes,
          slice.strides);
    }
  }
}

/// Replaces the `pcf.loop` by a loop over one worker's iterations, and erases
/// the inserts and the ops that only these or the inits used.
static void replaceInnerLoop(RewriterBase &rewriter, FoldPlan &plan,
                             const Shares &shares) {
  LoopOp loop = plan.loop;
  SmallVector<Value> unused(loop.getInits());
  for (const ForallPlan::Insert &insert : plan.inserts) {
    llvm::append_range(unused, insert.op->getOperands().drop_front(2));
    rewriter.eraseOp(insert.op);
  }
  plan.outer.inserts.clear();
  Block *body = loop.getBody();
  rewriter.eraseOp(body->getTerminator());
  body->eraseArguments(0, loop.getIsReadonly().size());
  rewriter.setInsertionPoint(loop);
  auto share = scf::ForallOp::create(
      rewriter, loop.getLoc(), ArrayRef<OpFoldResult>{shares.innerFirst},
      ArrayRef<OpFoldResult>{Value(loop.getCounts().front())},
      ArrayRef<OpFoldResult>{shares.innerStep}, ValueRange(), std::nullopt);
  rewriter.inlineBlockBefore(body, share.getTerminator(),
                             ValueRange(share.getInductionVars()));
  rewriter.eraseOp(loop);
  eraseIfDead(rewriter, unused);
}

static GenericOp emitFold(RewriterBase &rewriter, FoldPlan &plan) {
  OpBuilder::InsertionGuard guard(rewriter);
  scf::ForallOp forall = plan.outer.forall;
  Location loc = forall.getLoc();
  for (Operation *op : plan.hoisted) {
    rewriter.moveOpBefore(op, forall);
    for (auto [argument, output] :
         llvm::zip_equal(forall.getRegionIterArgs(), forall.getOutputs()))
      op->replaceUsesOfWith(argument, output);
  }
  rewriter.setInsertionPoint(forall);
  SmallVector<OpFoldResult> counts = getCounts(rewriter, plan.outer);
  OpFoldResult outerCount = getProduct(rewriter, loc, counts);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value beyond = getValueOrCreateConstantIndexOp(rewriter, loc, outerCount);
  RefOwnerParts parts =
      getSharedOutputs(forall, cast<ScopeAttrInterface>(plan.loop.getScope()));
  parts.syncOnReturn = plan.loop.getSyncOnReturn();
  auto generic = GenericOp::create(rewriter, loc, parts, /*numIds=*/1);
  rewriter.setInsertionPointToEnd(&generic.getExecute().front());
  Shares shares = createShares(rewriter, loc, generic,
                               plan.loop.getCounts().front(), one, beyond);
  auto share = scf::ForallOp::create(
      rewriter, loc, ArrayRef<OpFoldResult>{shares.outerFirst},
      ArrayRef<OpFoldResult>{outerCount},
      ArrayRef<OpFoldResult>{shares.outerStep}, ValueRange(), std::nullopt);
  ReturnOp::create(rewriter, loc);

  composeWrites(rewriter, plan, generic);
  replaceInnerLoop(rewriter, plan, shares);
  rewriter.setInsertionPoint(share.getTerminator());
  SmallVector<Value> ids =
      delinearize(rewriter, loc, share.getInductionVar(0), counts);
  SmallVector<Value> variables = getInductionVars(rewriter, plan.outer, ids);
  moveBody(rewriter, plan.outer, variables, {});
  rewriter.replaceOp(forall, generic);
  return generic;
}

FailureOr<GenericOp> pcf::foldForallIntoPCFLoop(RewriterBase &rewriter,
                                                scf::ForallOp forall,
                                                bool assumeCovering) {
  FailureOr<FoldPlan> plan = planFold(forall, assumeCovering);
  if (failed(plan))
    return failure();
  return emitFold(rewriter, *plan);
}

namespace {
struct FoldForallIntoLoop final
    : distaff::impl::PCFFoldForallIntoLoopBase<FoldForallIntoLoop> {
  using PCFFoldForallIntoLoopBase::PCFFoldForallIntoLoopBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> foralls;
    getOperation()->walk(
        [&](scf::ForallOp forall) { foralls.push_back(forall); });
    for (scf::ForallOp forall : foralls)
      (void)foldForallIntoPCFLoop(rewriter, forall, assumeCovering);
  }
};
} // namespace

//===- ForallToGenericNest.cpp - Distributing a forall over scopes --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every worker of the innermost scope takes one contiguous share of the
// iterations, so that a worker is idle or busy at every level at once. A
// `pcf.loop` per scope would distribute anew at each.
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
#define GEN_PASS_DEF_PCFCONVERTFORALLTOGENERICNEST
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Creates one op per scope, nested; the refs are the outermost op's. The
/// builder is then in the innermost op, before its terminator.
static SmallVector<GenericOp> createNest(RewriterBase &rewriter, Location loc,
                                         RefOwnerParts parts,
                                         ArrayRef<ScopeAttrInterface> scopes) {
  SmallVector<GenericOp> nest;
  for (ScopeAttrInterface scope : scopes) {
    parts.scope = scope;
    nest.push_back(GenericOp::create(rewriter, loc, parts, /*numIds=*/1));
    parts.refs.clear();
    rewriter.setInsertionPointToEnd(&nest.back().getExecute().front());
    rewriter.setInsertionPoint(ReturnOp::create(rewriter, loc));
  }
  return nest;
}

namespace {
/// Collects the operands of an affine op, all as symbols. The ops that compute
/// them are not composed: each composed map would repeat the products of ids
/// and counts.
struct Symbols {
  Symbols(OpBuilder &builder) : builder(builder) {}

  AffineExpr add(OpFoldResult operand) {
    if (std::optional<int64_t> constant = getConstantIntValue(operand))
      return builder.getAffineConstantExpr(*constant);
    values.push_back(cast<Value>(operand));
    return builder.getAffineSymbolExpr(values.size() - 1);
  }
  AffineMap map(ArrayRef<AffineExpr> results) {
    return AffineMap::get(0, values.size(), results, builder.getContext());
  }

  OpBuilder &builder;
  SmallVector<Value> values;
};
} // namespace

/// Returns the linear id of a worker over all levels, (w * nl + l) for two.
static Value createLinearId(OpBuilder &builder, Location loc,
                            MutableArrayRef<GenericOp> nest) {
  if (nest.size() == 1)
    return nest.front().getIds().front();
  Symbols symbols(builder);
  AffineExpr id = symbols.add(nest.front().getIds().front());
  for (GenericOp inner : nest.drop_front()) {
    id = id * symbols.add(inner.getCounts().front());
    id = id + symbols.add(inner.getIds().front());
  }
  return affine::AffineApplyOp::create(builder, loc, symbols.map(id),
                                       symbols.values);
}

/// Returns the iterations per worker, rounded up.
static Value createChunk(OpBuilder &builder, Location loc,
                         MutableArrayRef<GenericOp> nest, OpFoldResult count) {
  Symbols symbols(builder);
  AffineExpr total = symbols.add(count);
  AffineExpr workers = builder.getAffineConstantExpr(1);
  for (GenericOp generic : nest)
    workers = workers * symbols.add(generic.getCounts().front());
  return affine::AffineApplyOp::create(
      builder, loc, symbols.map(total.ceilDiv(workers)), symbols.values);
}

/// Creates the loop over one worker's share of `count` iterations.
static scf::ForallOp createShare(OpBuilder &builder, Location loc,
                                 MutableArrayRef<GenericOp> nest,
                                 OpFoldResult count) {
  Value id = createLinearId(builder, loc, nest);
  Value chunk = createChunk(builder, loc, nest, count);
  Symbols product(builder);
  AffineExpr start = product.add(id) * product.add(chunk);
  Value lower = affine::AffineApplyOp::create(builder, loc, product.map(start),
                                              product.values);
  Symbols ends(builder);
  AffineExpr end = ends.add(lower) + ends.add(chunk), last = ends.add(count);
  Value upper = affine::AffineMinOp::create(builder, loc, ends.map({end, last}),
                                            ends.values);
  return scf::ForallOp::create(builder, loc, ArrayRef<OpFoldResult>{lower},
                               ArrayRef<OpFoldResult>{upper},
                               ArrayRef<OpFoldResult>{builder.getIndexAttr(1)},
                               ValueRange(), std::nullopt);
}

FailureOr<GenericOp>
pcf::convertForallToGenericNest(RewriterBase &rewriter, scf::ForallOp forall,
                                ArrayRef<ScopeAttrInterface> scopes) {
  assert(!scopes.empty() && "a nest has at least one level");
  FailureOr<ForallPlan> plan =
      planForall(forall, [&] { return forall.emitError(); });
  if (failed(plan))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(forall);
  Location loc = forall.getLoc();
  SmallVector<OpFoldResult> counts = getCounts(rewriter, *plan);
  OpFoldResult count = getProduct(rewriter, loc, counts);
  SmallVector<GenericOp> nest = createNest(
      rewriter, loc, getSharedOutputs(forall, scopes.front()), scopes);
  scf::ForallOp share = createShare(rewriter, loc, nest, count);
  rewriter.setInsertionPoint(share.getTerminator());
  SmallVector<Value> ids =
      delinearize(rewriter, loc, share.getInductionVar(0), counts);
  SmallVector<Value> variables = getInductionVars(rewriter, *plan, ids);
  moveBody(rewriter, *plan, variables, ValueRange(nest.front().getRefArgs()));
  rewriter.replaceOp(forall, nest.front());
  return nest.front();
}

namespace {
struct ForallToGenericNest final
    : distaff::impl::PCFConvertForallToGenericNestBase<ForallToGenericNest> {
  using PCFConvertForallToGenericNestBase::PCFConvertForallToGenericNestBase;

  LogicalResult initialize(MLIRContext *context) override {
    levels.clear();
    for (const std::string &scope : scopes) {
      FailureOr<ScopeAttrInterface> parsed = parseScope(scope, context);
      if (failed(parsed))
        return failure();
      levels.push_back(*parsed);
    }
    if (levels.empty())
      levels.push_back(SequentialAttr::get(context));
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
      if (failed(convertForallToGenericNest(rewriter, forall, levels)))
        return signalPassFailure();
  }

private:
  SmallVector<ScopeAttrInterface> levels;
};
} // namespace

//===- ForallPlan.cpp - Plan of an scf.forall's conversion to pcf ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ForallPlan.h"

#include "../Fusion/MixedSlice.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace distaff;
using namespace distaff::pcf;

bool pcf::isUnmappedOrLocal(scf::ForallOp forall) {
  std::optional<ArrayAttr> mapping = forall.getMapping();
  return !mapping || llvm::all_of(*mapping, [](Attribute attribute) {
    return isa<iree::LocalMappingAttr>(attribute);
  });
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Reports the reason why a loop is not converted.
static LogicalResult refuse(function_ref<InFlightDiagnostic()> emitError,
                            StringRef why) {
  if (emitError)
    emitError() << "cannot convert forall: " << why;
  return failure();
}

/// Returns the dimensions of the loop, the fastest varying first.
static FailureOr<SmallVector<unsigned>>
getOrder(scf::ForallOp forall, function_ref<InFlightDiagnostic()> emitError) {
  unsigned rank = forall.getRank();
  std::optional<ArrayAttr> mapping = forall.getMapping();
  if (!mapping)
    return llvm::to_vector(llvm::reverse(llvm::seq(0u, rank)));
  if (mapping->empty())
    return refuse(emitError, "its mapping is empty");
  SmallVector<int64_t> ids =
      llvm::map_to_vector(*mapping, [](Attribute attribute) {
        return cast<DeviceMappingAttrInterface>(attribute).getMappingId();
      });
  int64_t smallest = *llvm::min_element(ids);
  SmallVector<unsigned> order(rank, rank);
  for (auto [dim, id] : llvm::enumerate(ids)) {
    // Unsigned, as ids may lie anywhere in their type.
    uint64_t place = uint64_t(id) - uint64_t(smallest);
    if (place >= rank || order[place] != rank)
      return refuse(emitError, "its mapping is no permutation");
    order[place] = dim;
  }
  return order;
}

FailureOr<ForallPlan>
pcf::planForall(scf::ForallOp forall,
                function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<SmallVector<unsigned>> order = getOrder(forall, emitError);
  if (failed(order))
    return failure();
  ForallPlan plan{forall, *order, {}};
  Block::BlockArgListType outputs = forall.getRegionIterArgs();
  for (Operation &op : *forall.getTerminator().getBody()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    auto output = llvm::find(outputs, insert ? insert.getDest() : Value());
    if (output == outputs.end())
      return refuse(emitError, "'in_parallel' holds something else than a "
                               "'tensor.parallel_insert_slice' into a shared "
                               "output");
    if (llvm::is_contained(outputs, insert.getSource()))
      return refuse(emitError, "'in_parallel' inserts a shared output");
    plan.inserts.push_back(
        {insert, unsigned(std::distance(outputs.begin(), output))});
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

RefOwnerParts pcf::getSharedOutputs(scf::ForallOp forall,
                                    ScopeAttrInterface scope) {
  RefOwnerParts parts{scope, /*syncOnReturn=*/false, {}};
  auto sync = SyncOnReturnAttr::get(forall.getContext());
  for (Value output : forall.getOutputs()) {
    RefOwnerParts::Ref &ref = parts.refs.emplace_back();
    auto type = cast<RankedTensorType>(output.getType());
    ref.type =
        SRefType::get(type.getShape(), type.getElementType(), scope, sync);
    ref.result = type;
    ref.source = output;
  }
  return parts;
}

SmallVector<OpFoldResult> pcf::getCounts(OpBuilder &builder,
                                         const ForallPlan &plan) {
  scf::ForallOp forall = plan.forall;
  SmallVector<OpFoldResult> lower = forall.getMixedLowerBound(),
                            upper = forall.getMixedUpperBound(),
                            step = forall.getMixedStep();
  AffineExpr s0, s1, s2;
  bindSymbols(builder.getContext(), s0, s1, s2);
  return llvm::map_to_vector(plan.order, [&](unsigned dim) {
    return affine::makeComposedFoldedAffineApply(
        builder, forall.getLoc(), (s0 - s1).ceilDiv(s2),
        {upper[dim], lower[dim], step[dim]});
  });
}

OpFoldResult pcf::getProduct(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> counts) {
  // One count may stay negative: the product is then not positive either.
  bool clamps = llvm::count_if(counts, [](OpFoldResult count) {
                  return !getConstantIntValue(count);
                }) > 1;
  SmallVector<OpFoldResult> factors;
  AffineExpr product = builder.getAffineConstantExpr(1);
  for (OpFoldResult count : llvm::reverse(counts)) {
    std::optional<int64_t> constant = getConstantIntValue(count);
    if (constant)
      count = builder.getIndexAttr(std::max<int64_t>(0, *constant));
    else if (clamps)
      count = affine::makeComposedFoldedAffineMax(
          builder, loc,
          AffineMap::get(0, 1,
                         {builder.getAffineSymbolExpr(0),
                          builder.getAffineConstantExpr(0)},
                         builder.getContext()),
          {count});
    product = product * builder.getAffineSymbolExpr(factors.size());
    factors.push_back(count);
  }
  return affine::makeComposedFoldedAffineApply(builder, loc, product, factors);
}

SmallVector<Value> pcf::delinearize(OpBuilder &builder, Location loc,
                                    Value linear,
                                    ArrayRef<OpFoldResult> counts) {
  if (counts.size() == 1)
    return {linear};
  // The op takes the slowest dimension first.
  SmallVector<OpFoldResult> basis(llvm::reverse(counts));
  auto ids =
      affine::AffineDelinearizeIndexOp::create(builder, loc, linear, basis);
  return llvm::to_vector_of<Value>(llvm::reverse(ids.getResults()));
}

SmallVector<Value> pcf::getInductionVars(OpBuilder &builder,
                                         const ForallPlan &plan,
                                         ValueRange ids) {
  scf::ForallOp forall = plan.forall;
  SmallVector<OpFoldResult> lower = forall.getMixedLowerBound(),
                            step = forall.getMixedStep();
  assert(forall.getRank() == int64_t(ids.size()) && "each loop has an id");
  SmallVector<Value> variables(ids.size());
  AffineExpr d0, s0, s1;
  bindDims(builder.getContext(), d0);
  bindSymbols(builder.getContext(), s0, s1);
  for (auto [dim, id] : llvm::zip_equal(plan.order, ids)) {
    OpFoldResult variable = affine::makeComposedFoldedAffineApply(
        builder, forall.getLoc(), s0 + d0 * s1, {id, lower[dim], step[dim]});
    variables[dim] =
        getValueOrCreateConstantIndexOp(builder, forall.getLoc(), variable);
  }
  return variables;
}

void pcf::moveBody(RewriterBase &rewriter, const ForallPlan &plan,
                   ValueRange inductionVars, ValueRange refs) {
  scf::ForallOp forall = plan.forall;
  SmallVector<Value> arguments(inductionVars);
  llvm::append_range(arguments, forall.getOutputs());
  scf::InParallelOp terminator = forall.getTerminator();
  rewriter.inlineBlockBefore(forall.getBody(), rewriter.getInsertionBlock(),
                             rewriter.getInsertionPoint(), arguments);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(terminator);
  for (const ForallPlan::Insert &insert : plan.inserts) {
    tensor::ParallelInsertSliceOp op = insert.op;
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    Value source = expandToSlice(rewriter, op.getLoc(), op.getSource(), sizes,
                                 op.getDroppedDims());
    WriteSliceOp::create(rewriter, op.getLoc(), source, refs[insert.output],
                         op.getMixedOffsets(), sizes, op.getMixedStrides());
  }
  rewriter.eraseOp(terminator);
}

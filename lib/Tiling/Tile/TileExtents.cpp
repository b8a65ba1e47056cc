//===- TileExtents.cpp - Extents of axes ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TileExtents.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;

/// Returns the tensor and dim that a slice or an expanded dim is a part of;
/// none for other tensors.
static std::optional<AxisPlace> wholeOf(AxisPlace at) {
  if (auto slice = at.tensor.getDefiningOp<tensor::ExtractSliceOp>();
      slice && slice.getType().getRank() == slice.getSourceType().getRank())
    return AxisPlace{slice.getSource(), at.dim, at.op};
  if (auto expand = at.tensor.getDefiningOp<tensor::ExpandShapeOp>())
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      if (llvm::is_contained(group, at.dim))
        return AxisPlace{expand.getSrc(), unsigned(dim), at.op};
  return std::nullopt;
}

/// Returns for example "dimension 1 of arg0" or "a part of dimension 0 of
/// arg1".
static std::string describe(AxisPlace at) {
  // The size of an empty tensor may be a tensor.dim, whose tensor is described.
  while (auto empty = at.tensor.getDefiningOp<tensor::EmptyOp>()) {
    auto size = dyn_cast<Value>(empty.getMixedSizes()[at.dim]);
    auto asked = size ? size.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    std::optional<int64_t> dim =
        asked ? asked.getConstantIndex() : std::nullopt;
    if (!dim)
      break;
    at.tensor = asked.getSource();
    at.dim = *dim;
  }
  std::string text;
  while (std::optional<AxisPlace> whole = wholeOf(at)) {
    at = *whole;
    text = "a part of ";
  }
  text += "dimension " + std::to_string(at.dim) + " of ";
  if (auto argument = dyn_cast<BlockArgument>(at.tensor))
    return text + "arg" + std::to_string(argument.getArgNumber());
  return text + "the result";
}

bool distaff::isReadFill(const GroupOp &groupOp) {
  return isa<linalg::FillOp>(groupOp.op) &&
         llvm::none_of(groupOp.op->getUsers(), llvm::IsaPred<func::ReturnOp>);
}

AxisPlaces::AxisPlaces(func::FuncOp kernel, const FusedGroup &group)
    : kernel(kernel) {
  places.resize(group.axes().size());
  for (const GroupOp &groupOp : group.ops()) {
    if (isReadFill(groupOp))
      continue;
    for (auto [operand, map] :
         llvm::zip_equal(groupOp.op->getOperands(), groupOp.operandMaps)) {
      auto isMadeByGroup = [&](Operation *op) {
        return group.find(op) && !isa<linalg::FillOp>(op);
      };
      if (!isa<RankedTensorType>(operand.getType()) ||
          isMadeByGroup(operand.getDefiningOp()))
        continue;
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr))
          places[groupOp.axes[loop.getPosition()]].push_back(
              {operand, unsigned(dim), groupOp.op});
    }
  }
  for (SmallVector<AxisPlace> &ofAxis : places) {
    auto isPassed = [](const AxisPlace &at) {
      return isa<BlockArgument>(at.tensor);
    };
    SmallVector<AxisPlace> sorted;
    llvm::copy_if(ofAxis, std::back_inserter(sorted), isPassed);
    llvm::copy_if(ofAxis, std::back_inserter(sorted), std::not_fn(isPassed));
    ofAxis = sorted;
  }
}

Value distaff::sizeOf(RewriterBase &rewriter, AxisPlace at) {
  Value sized = at.tensor;
  while (auto fill = sized.getDefiningOp<linalg::FillOp>())
    sized = fill.getDpsInits().front();
  if (auto empty = sized.getDefiningOp<tensor::EmptyOp>())
    return empty.getDynamicSize(at.dim);
  if (auto expand = sized.getDefiningOp<tensor::ExpandShapeOp>())
    return cast<Value>(expand.getMixedOutputShape()[at.dim]);
  auto collapse = sized.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return {};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(collapse);
  AffineExpr product = rewriter.getAffineConstantExpr(1);
  SmallVector<OpFoldResult> extents;
  for (int64_t dim : collapse.getReassociationIndices()[at.dim]) {
    product = product * rewriter.getAffineSymbolExpr(extents.size());
    extents.push_back(tensor::getMixedSize(rewriter, collapse.getLoc(),
                                           collapse.getSrc(), dim));
  }
  return getValueOrCreateConstantIndexOp(
      rewriter, collapse.getLoc(),
      affine::makeComposedFoldedAffineApply(
          rewriter, collapse.getLoc(),
          AffineMap::get(0, extents.size(), product), extents));
}

/// Adds requirements that a split dim has the product of its parts' extents.
static void requireProducts(func::FuncOp kernel, const ExtentFormulas &formulas,
                            SmallVectorImpl<ExtentRequirement> &requirements) {
  MLIRContext *context = kernel.getContext();
  kernel.walk([&](tensor::ExpandShapeOp expand) {
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      AffineExpr product = getAffineConstantExpr(1, context);
      for (int64_t part : group) {
        AffineExpr extent = formulas.extentOf(expand.getResult(), part);
        product = product && extent ? product * extent : AffineExpr();
      }
      AffineExpr whole = formulas.extentOf(expand.getSrc(), dim);
      if (product && whole && product != whole)
        requirements.push_back(
            {whole, product,
             describe({expand.getSrc(), unsigned(dim), expand}) +
                 " is split by tensor.expand_shape into extents of another "
                 "product"});
    }
  });
}

FailureOr<SmallVector<ExtentRequirement>>
AxisPlaces::findRequirements(ArrayRef<int64_t> axisExtents) const {
  SmallVector<ExtentRequirement> requirements;
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return failure();
  for (auto [axis, ofAxis] : llvm::enumerate(places)) {
    SmallVector<AffineExpr> seen;
    if (!ShapedType::isDynamic(axisExtents[axis]))
      seen.push_back(
          getAffineConstantExpr(axisExtents[axis], kernel.getContext()));
    for (const AxisPlace &at : ofAxis) {
      AffineExpr formula = formulas->extentOf(at.tensor, at.dim);
      if (!formula) {
        InFlightDiagnostic diagnostic = at.op->emitOpError("has an extent, ")
                                        << describe(at)
                                        << ", that is no sum, product or "
                                           "quotient of its arguments' extents";
        diagnostic.attachNote(at.tensor.getLoc()) << "the tensor";
        return diagnostic;
      }
      if (llvm::is_contained(seen, formula))
        continue;
      if (!seen.empty())
        requirements.push_back({seen.front(), formula,
                                describe(ofAxis.front()) + " and " +
                                    describe(at) + " are one loop of " +
                                    at.op->getName().getStringRef().str() +
                                    ", their extents differ"});
      seen.push_back(formula);
    }
  }
  requireProducts(kernel, *formulas, requirements);
  return requirements;
}

//===- NeutralPadding.cpp - Masking with neutral elements -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/NeutralPadding.h"

#include "distaff/Analysis/Access/ComputedReads.h"
#include "distaff/Analysis/Linalg/ArgReduction.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether the positions along loops are before their ends; null if all
/// are.
static Value isInside(OpBuilder &builder, Location loc,
                      ArrayRef<OpFoldResult> ends) {
  Value inside;
  for (auto [loop, end] : llvm::enumerate(ends)) {
    if (!end)
      continue;
    Value isBefore = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt,
        linalg::IndexOp::create(builder, loc, loop),
        getValueOrCreateConstantIndexOp(builder, loc, end));
    inside = inside ? arith::AndIOp::create(builder, loc, inside, isBefore)
                    : isBefore;
  }
  return inside;
}

Value pcf::maskTensor(RewriterBase &rewriter, Location loc, Value tensor,
                      ArrayRef<OpFoldResult> ends, Value outside) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  AffineMap all = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange elements) {
    Value element = elements.front();
    if (Value inside = isInside(builder, loc, ends))
      element = arith::SelectOp::create(builder, loc, inside, element, outside);
    linalg::YieldOp::create(builder, loc, element);
  };
  return linalg::GenericOp::create(rewriter, loc, type, tensor, empty,
                                   ArrayRef{all, all}, loops, body)
      .getResult(0);
}

/// Returns whether a tensor is zero past the ends, since it was padded there.
static bool isZeroBehind(Value tensor) {
  auto pad = tensor.getDefiningOp<tensor::PadOp>();
  Value value = pad ? pad.getConstantPaddingValue() : Value();
  return value && (matchPattern(value, m_AnyZeroFloat()) ||
                   matchPattern(value, m_Zero()));
}

/// Returns the ends of a tensor's dimensions along reduced loops.
static Ends getReducedEnds(linalg::LinalgOp op, OpOperand &operand,
                           ArrayRef<OpFoldResult> ends) {
  Ends own;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bool isReduced =
        op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
    own.push_back(isReduced ? ends[loop] : OpFoldResult());
  }
  return own;
}

static bool hasEnd(ArrayRef<OpFoldResult> ends) {
  return llvm::any_of(ends, [](OpFoldResult end) { return bool(end); });
}

/// Replaces operands of a product past the ends of reduced loops by zero, since
/// a product of zeros is zero.
static void maskProduct(RewriterBase &rewriter, linalg::LinalgOp op,
                        ArrayRef<OpFoldResult> ends) {
  rewriter.setInsertionPoint(op);
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType()))
      continue;
    Ends own = getReducedEnds(op, *input, ends);
    if (!hasEnd(own) || isZeroBehind(input->get()))
      continue;
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        rewriter.getZeroAttr(getElementTypeOrSelf(input->get().getType())));
    Value masked = maskTensor(rewriter, op.getLoc(), input->get(), own, zero);
    rewriter.modifyOpInPlace(op, [&] { input->set(masked); });
  }
}

void pcf::maskReducedTerms(OpBuilder &builder, linalg::LinalgOp op,
                           Value inside, const llvm::SmallBitVector &neutral) {
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  Operation *yield = op.getBlock()->getTerminator();
  // An argmin/argmax has one condition for its value and its position.
  bool findsPlace = matchArgReduction(op).has_value();
  for (auto [number, soFar] : llvm::enumerate(op.getRegionOutputArgs())) {
    if (number < neutral.size() && neutral.test(number))
      continue;
    SmallVector<Operation *> combiners;
    Value term = matchReduction(op.getRegionOutputArgs(), number, combiners);
    std::optional<TypedAttr> element;
    if (term && combiners.size() == 1 && !findsPlace)
      element = neutralOfCombiner(combiners.front());
    if (element) {
      builder.setInsertionPoint(combiners.front());
      Value none = arith::ConstantOp::create(builder, loc, *element);
      Value masked = arith::SelectOp::create(builder, loc, inside, term, none);
      combiners.front()->replaceUsesOfWith(term, masked);
      continue;
    }
    builder.setInsertionPoint(yield);
    yield->setOperand(number, arith::SelectOp::create(builder, loc, inside,
                                                      yield->getOperand(number),
                                                      soFar));
  }
}

/// Masks the terms past the ends, so that they change no result.
static void maskReduction(linalg::LinalgOp op, ArrayRef<OpFoldResult> ends) {
  OpBuilder builder = OpBuilder::atBlockBegin(op.getBlock());
  maskReducedTerms(builder, op, isInside(builder, op.getLoc(), ends));
}

void pcf::maskDivisors(OpBuilder &builder, ArrayRef<Operation *> divisions,
                       Value inside) {
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *division : divisions) {
    builder.setInsertionPoint(division);
    Location loc = division->getLoc();
    Value divisor = division->getOperand(1);
    Value one = arith::ConstantOp::create(
        builder, loc, builder.getOneAttr(divisor.getType()));
    division->setOperand(
        1, arith::SelectOp::create(builder, loc, inside, divisor, one));
  }
}

static void maskDivisorsBehind(linalg::LinalgOp op,
                               ArrayRef<OpFoldResult> ends) {
  SmallVector<Operation *> divisions;
  for (Operation &inner : *op.getBlock())
    if (dividesIntegers(&inner))
      divisions.push_back(&inner);
  if (divisions.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(op.getBlock());
  Value inside = isInside(builder, op.getLoc(), ends);
  pcf::maskDivisors(builder, divisions, inside);
}

linalg::LinalgOp pcf::maskLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                                ArrayRef<OpFoldResult> ends) {
  Ends reduced(ends);
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator != utils::IteratorType::reduction)
      reduced[loop] = OpFoldResult();
  bool divides =
      hasEnd(ends) && llvm::any_of(*op.getBlock(), [](Operation &inner) {
        return dividesIntegers(&inner);
      });
  if (std::optional<ContractionBody> body = matchContraction(op);
      body && hasEnd(reduced) && llvm::all_of(body->lhsChain, keepsZero) &&
      llvm::all_of(body->rhsChain, keepsZero)) {
    maskProduct(rewriter, op, ends);
    return op;
  }
  if (!hasEnd(reduced) && !divides)
    return op;
  // Only generic ops have bodies that can be changed.
  if (!isa<linalg::GenericOp>(op)) {
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    assert(succeeded(generic) && "every named op has a generic form");
    op = *generic;
  }
  rewriter.modifyOpInPlace(op, [&] {
    if (hasEnd(reduced))
      maskReduction(op, reduced);
    maskDivisorsBehind(op, ends);
  });
  return op;
}

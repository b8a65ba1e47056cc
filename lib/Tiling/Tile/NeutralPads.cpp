//===- NeutralPads.cpp - Neutral padding of reductions --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NeutralPads.h"

#include "distaff/Analysis/Linalg/ArgReduction.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {
/// A combination is the term that a reduction by one op combines with its
/// result so far, and the neutral element of the op.
struct Combination {
  Value term;
  TypedAttr neutral;
};
} // namespace

static bool isZero(Attribute number) {
  if (auto real = dyn_cast_or_null<FloatAttr>(number))
    return real.getValue().isZero();
  auto integer = dyn_cast_or_null<IntegerAttr>(number);
  return integer && integer.getValue().isZero();
}

static std::optional<Combination> matchCombination(linalg::LinalgOp op,
                                                   unsigned number) {
  SmallVector<Operation *> combiners;
  Value term = matchReduction(op.getRegionOutputArgs(), number, combiners);
  // An argmin/argmax has one condition for its value and its position.
  if (!term || combiners.size() != 1 || matchArgReduction(op))
    return std::nullopt;
  std::optional<TypedAttr> neutral = neutralOfCombiner(combiners.front());
  if (!neutral)
    return std::nullopt;
  return Combination{term, *neutral};
}

/// Returns whether zeros of both signs are neutral: a sum that starts from +0.0
/// is never -0.0.
static bool combinesZeros(linalg::LinalgOp op, unsigned number,
                          const Combination &combination) {
  if (!isZero(combination.neutral))
    return false;
  if (!isa<FloatType>(combination.term.getType()))
    return true;
  auto fill = op.getDpsInits()[number].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_PosZeroFloat());
}

/// Returns the padding of the input that a block argument stands for, if it is
/// padded along all clipped loops; null for a result so far.
static tensor::PadOp padOf(const PaddedReduction &reduction, Value argument) {
  auto arg = dyn_cast<BlockArgument>(argument);
  linalg::LinalgOp op = reduction.op;
  if (!arg || arg.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getOpOperandsMatchingBBargs()[arg.getArgNumber()];
  auto pad = operand->get().getDefiningOp<tensor::PadOp>();
  if (!pad || op.isDpsInit(operand) || !pad.getConstantPaddingValue())
    return nullptr;
  AffineMap map = op.getMatchingIndexingMap(operand);
  for (unsigned loop : reduction.loops)
    if (!map.getResultPosition(getAffineDimExpr(loop, map.getContext())))
      return nullptr;
  return pad;
}

static Attribute paddingOf(tensor::PadOp pad) {
  Attribute padding;
  matchPattern(pad.getConstantPaddingValue(), m_Constant(&padding));
  return padding;
}

/// Returns whether an op with zeros as operands returns zero, of either sign.
static bool makesZeroOfZeros(Operation *op) {
  return keepsZero(op) ||
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::AddIOp,
             arith::SubIOp, arith::MulIOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, math::AbsFOp, math::AbsIOp,
             math::SqrtOp, math::TanhOp, math::SinOp, math::ErfOp>(op);
}

/// Returns whether a value of the body is zero past the ends.
static bool isZeroBehind(const PaddedReduction &reduction, Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return isZero(constant);
  if (tensor::PadOp pad = padOf(reduction, value))
    return isZero(paddingOf(pad));
  Operation *op = value.getDefiningOp();
  linalg::LinalgOp body = reduction.op;
  return op && op->getBlock() == body.getBlock() && makesZeroOfZeros(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isZeroBehind(reduction, operand);
         });
}

/// Returns the padded input that a term is, or is extended from.
static tensor::PadOp widenedPad(const PaddedReduction &reduction, Value term) {
  while (auto widening = term.getDefiningOp<arith::ExtFOp>())
    term = widening.getIn();
  return padOf(reduction, term);
}

/// Returns a number of `type` that extends to `number`; null where there is
/// none.
static TypedAttr narrowed(TypedAttr number, Type type) {
  if (number.getType() == type)
    return number;
  auto real = dyn_cast<FloatAttr>(number);
  auto narrow = dyn_cast<FloatType>(type);
  if (!real || !narrow)
    return nullptr;
  const llvm::fltSemantics &format = narrow.getFloatSemantics();
  APFloat value = real.getValue();
  if ((value.isInfinity() && !APFloat::semanticsHasInf(format)) ||
      (value.isNegZero() && !APFloat::semanticsHasSignedRepr(format)))
    return nullptr;
  bool losesInfo = false;
  value.convert(format, APFloat::rmNearestTiesToEven, &losesInfo);
  APFloat again = value;
  again.convert(real.getValue().getSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return again.bitwiseIsEqual(real.getValue()) ? FloatAttr::get(type, value)
                                               : FloatAttr();
}

bool PaddedReduction::isNeutralBehind(unsigned number) const {
  std::optional<Combination> combination = matchCombination(op, number);
  if (!combination)
    return false;
  if (tensor::PadOp pad = widenedPad(*this, combination->term)) {
    Type type = pad.getResultType().getElementType();
    TypedAttr neutral = narrowed(combination->neutral, type);
    if (neutral && neutral == paddingOf(pad))
      return true;
  }
  return combinesZeros(op, number, *combination) &&
         isZeroBehind(*this, combination->term);
}

/// Counts the terms that need no mask with the current paddings.
static int64_t countSpared(ArrayRef<PaddedReduction> reductions) {
  int64_t spared = 0;
  for (const PaddedReduction &reduction : reductions) {
    linalg::LinalgOp op = reduction.op;
    for (unsigned number = 0; number < op.getNumDpsInits(); ++number)
      spared += reduction.isNeutralBehind(number);
  }
  return spared;
}

static void setPadding(RewriterBase &rewriter, tensor::PadOp pad,
                       TypedAttr padding) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(pad);
  Value value = arith::ConstantOp::create(rewriter, pad.getLoc(), padding);
  rewriter.modifyOpInPlace(
      pad, [&] { pad.getBody()->getTerminator()->setOperand(0, value); });
}

void distaff::padNeutrally(RewriterBase &rewriter,
                           ArrayRef<PaddedReduction> reductions) {
  for (const PaddedReduction &reduction : reductions) {
    linalg::LinalgOp op = reduction.op;
    for (unsigned number = 0; number < op.getNumDpsInits(); ++number) {
      std::optional<Combination> combination = matchCombination(op, number);
      tensor::PadOp pad = combination && !reduction.isNeutralBehind(number)
                              ? widenedPad(reduction, combination->term)
                              : tensor::PadOp();
      if (!pad || llvm::any_of(pad->getUsers(), [](Operation *user) {
            return matchProduct(user).has_value();
          }))
        continue;
      auto old = cast<TypedAttr>(paddingOf(pad));
      TypedAttr neutral = narrowed(combination->neutral, old.getType());
      if (!neutral)
        continue;
      int64_t spared = countSpared(reductions);
      setPadding(rewriter, pad, neutral);
      if (countSpared(reductions) <= spared)
        setPadding(rewriter, pad, old);
    }
  }
}

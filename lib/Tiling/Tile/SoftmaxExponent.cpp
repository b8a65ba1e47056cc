//===- SoftmaxExponent.cpp - Exponents by one multiply-add ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SoftmaxExponent.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace distaff;

namespace {
constexpr double kLog2OfE = 1.442695040888963407359924681001892137;
/// The least product of a row's maximum and the factor from which products are
/// rounded too coarsely.
constexpr double kFirstCoarse = 0x1p28;
/// A factor outside of these limits is no scale of a softmax, and its bounds
/// would not be finite numbers.
constexpr double kLeastFactor = 0x1p-64, kLargestFactor = 0x1p64;

bool isMinusInfinity(Value value) {
  APFloat number(0.0f);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity() &&
         number.isNegative();
}

/// A scaled value is another value times a constant, possibly selected against
/// -inf.
struct ScaledValue {
  Operation *product; ///< by the constant, or the quotient by its inverse
  Value unscaled;     ///< what that multiplies
  double scale;       ///< the constant
};

/// Matches x * c, c * x, x / c, and a selection of one of these or -inf.
std::optional<ScaledValue> matchScaled(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasOneUse())
    return std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool isSecond = isMinusInfinity(select.getTrueValue());
    if (!isSecond && !isMinusInfinity(select.getFalseValue()))
      return std::nullopt;
    return matchScaled(op->getOperand(isSecond ? 2 : 1));
  }
  if (!isa<arith::MulFOp, arith::DivFOp>(op))
    return std::nullopt;
  APFloat constant(0.0f);
  bool isFirst = isa<arith::MulFOp>(op) &&
                 matchPattern(op->getOperand(0), m_ConstantFloat(&constant));
  if (!isFirst && !matchPattern(op->getOperand(1), m_ConstantFloat(&constant)))
    return std::nullopt;
  double scale = constant.convertToDouble();
  if (isa<arith::DivFOp>(op))
    scale = 1 / scale;
  return ScaledValue{op, op->getOperand(isFirst ? 1 : 0), scale};
}

bool isOfSingles(const OnlineSoftmax &online) {
  auto isSingle = [](Value value) {
    return getElementTypeOrSelf(value.getType()).isF32();
  };
  linalg::LinalgOp maximum = online.maximum, powers = online.powers.back(),
                   sum = online.sum;
  return isSingle(online.scores) && isSingle(maximum->getResult(0)) &&
         isSingle(powers->getResult(0)) && isSingle(sum->getResult(0));
}

/// Returns whether a factor is within 2^-64 to 2^64.
bool isUsable(double factor) {
  return factor >= kLeastFactor && factor <= kLargestFactor;
}
} // namespace

std::optional<SoftmaxExponent> SoftmaxExponent::take(RewriterBase &rewriter,
                                                     OnlineSoftmax &online) {
  if (!isOfSingles(online))
    return std::nullopt;
  double base = online.isBaseTwo ? 1 : kLog2OfE;
  auto makers = online.scores.getDefiningOp<linalg::GenericOp>();
  bool isReadElsewhere =
      llvm::any_of(online.scores.getUsers(),
                   [&](Operation *user) { return !online.contains(user); });
  if (makers && !isReadElsewhere && makers->getNumResults() == 1 &&
      makers.getNumReductionLoops() == 0) {
    std::optional<ScaledValue> scaled =
        matchScaled(makers.getBlock()->getTerminator()->getOperand(0));
    // The maximum of scaled scores is the scaled maximum only if the scale is
    // positive; a NaN is not.
    if (scaled && scaled->scale > 0 && isUsable(scaled->scale * base)) {
      rewriter.replaceOp(scaled->product, scaled->unscaled);
      return SoftmaxExponent(float(scaled->scale * base));
    }
  }
  return SoftmaxExponent(float(base));
}

double SoftmaxExponent::coarseFactor() const {
  return std::exp2(std::floor(std::log2(ofScores)));
}

double SoftmaxExponent::firstCoarse() const {
  return float(kFirstCoarse / ofScores);
}

double SoftmaxExponent::leastMaximum() const {
  double largest = std::numeric_limits<float>::max();
  return -largest / std::max(1.0, coarseFactor());
}

//===- ApproximateMath.cpp - Approximate exponentials and reciprocals -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPUs have instructions for exp2 and for the reciprocal of an f32, within one
// or two units in the last place, which flush subnormal operands and results to
// zero. An exponential that keeps subnormal numbers is four instructions, and a
// quotient that is rounded correctly some twenty. This pass replaces the
// definition by what the instructions compute; docs/ScalarOps.md has the
// bounds, as departures.
//
// An exponential is marked `afn`; the conversion lowers it to the instruction.
//
// A quotient x / d becomes a product with a reciprocal, which is computed where
// d is: once for all quotients of one divisor, and outside of a loop in which d
// is loop-invariant.
//
//   s = 2^24 where |d| < 2^-126, 2^-24 where |d| > 2^126, else 1
//   r = 1 / (d * s)
//   x / d = (x * s) * r
//
// The product d * s is a normal number with a normal reciprocal, so that
// neither is flushed: without s a subnormal d would give 0 * inf for 0 / d. No
// s is needed for a divisor whose type or whose op keeps it in that range, nor
// with the flag `arcp`, which allows the plain reciprocal.
//
// A constant has a constant reciprocal. A reciprocal in the source stays: one
// instruction and few others round it correctly.
//
//===----------------------------------------------------------------------===//
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace distaff {
#define GEN_PASS_DEF_APPROXIMATEMATH
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// The least normal number of f32, and the largest number with a normal
/// reciprocal.
constexpr double kLeastDivisor = 0x1p-126, kLargestDivisor = 0x1p126;
/// A divisor outside of this range is inside after a multiplication by this
/// factor, or a division.
constexpr double kDivisorScale = 0x1p24;

bool hasFlag(arith::FastMathFlagsAttr flags, arith::FastMathFlags flag) {
  return flags && arith::bitEnumContainsAll(flags.getValue(), flag);
}

void addFlag(Operation *op, arith::FastMathFlags flag) {
  auto flagged = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = flag;
  if (arith::FastMathFlagsAttr before = flagged.getFastMathFlagsAttr())
    flags = flags | before.getValue();
  op->setAttr(flagged.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

/// Returns whether a divisor is zero, infinite, NaN, or in the range whose
/// reciprocals are normal.
bool hasNormalReciprocal(Value divisor) {
  Operation *op = divisor.getDefiningOp();
  if (!op)
    return false;
  // The least root is that of 2^-149, the largest 2^64.
  if (isa<math::SqrtOp>(op))
    return true;
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() <=
           64;
  if (auto wide = dyn_cast<arith::ExtFOp>(op)) {
    const llvm::fltSemantics &format =
        cast<FloatType>(getElementTypeOrSelf(wide.getIn())).getFloatSemantics();
    return APFloat::getSmallest(format).convertToDouble() >= kLeastDivisor &&
           APFloat::getLargest(format).convertToDouble() <= kLargestDivisor;
  }
  return false;
}

/// The reciprocal of a divisor, and the factor of the dividend; no scale means
/// 1.
struct Reciprocal {
  Value scale, inverse;
};

class DivisionRewriter {
public:
  explicit DivisionRewriter(MLIRContext *context) : context(context) {}

  void rewrite(arith::DivFOp op);

private:
  const Reciprocal &reciprocalOf(Value divisor, bool isPlain);
  Value inverseOf(ImplicitLocOpBuilder &b, Value divisor);
  Value constantLike(ImplicitLocOpBuilder &b, Type type, double number);

  MLIRContext *context;
  /// Reciprocals by divisor: of the divisor itself, and of it times its scale.
  DenseMap<Value, Reciprocal> plain, scaled;
};

Value DivisionRewriter::constantLike(ImplicitLocOpBuilder &b, Type type,
                                     double number) {
  TypedAttr value = b.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(b, value);
}

/// Returns 1 / d, for the instruction.
Value DivisionRewriter::inverseOf(ImplicitLocOpBuilder &b, Value divisor) {
  return arith::DivFOp::create(
      b, constantLike(b, divisor.getType(), 1), divisor,
      arith::FastMathFlagsAttr::get(context, arith::FastMathFlags::afn |
                                                 arith::FastMathFlags::arcp));
}

const Reciprocal &DivisionRewriter::reciprocalOf(Value divisor, bool isPlain) {
  auto [it, isNew] = (isPlain ? plain : scaled).try_emplace(divisor);
  Reciprocal &made = it->second;
  if (!isNew)
    return made;
  ImplicitLocOpBuilder b(divisor.getLoc(), context);
  b.setInsertionPointAfterValue(divisor);
  if (isPlain) {
    made.inverse = inverseOf(b, divisor);
    return made;
  }
  Type type = divisor.getType();
  Value size = math::AbsFOp::create(b, divisor);
  auto isBeyond = [&](arith::CmpFPredicate predicate, double end) -> Value {
    return arith::CmpFOp::create(b, predicate, size,
                                 constantLike(b, type, end));
  };
  Value isSmall = isBeyond(arith::CmpFPredicate::OLT, kLeastDivisor);
  Value isLarge = isBeyond(arith::CmpFPredicate::OGT, kLargestDivisor);
  made.scale = arith::SelectOp::create(b, isLarge,
                                       constantLike(b, type, 1 / kDivisorScale),
                                       constantLike(b, type, 1));
  made.scale = arith::SelectOp::create(
      b, isSmall, constantLike(b, type, kDivisorScale), made.scale);
  made.inverse = inverseOf(b, arith::MulFOp::create(b, divisor, made.scale));
  return made;
}

/// Returns the reciprocal of a constant that has a normal one.
std::optional<double> inverseOfConstant(Value divisor) {
  APFloat number(0.0f);
  if (!matchPattern(divisor, m_ConstantFloat(&number)))
    return std::nullopt;
  double value = number.convertToDouble(), size = std::abs(value);
  if (!(size >= kLeastDivisor && size <= kLargestDivisor))
    return std::nullopt;
  return double(float(1 / value));
}

bool isReciprocal(arith::DivFOp op) {
  APFloat dividend(0.0f);
  return matchPattern(op.getLhs(), m_ConstantFloat(&dividend)) &&
         dividend.isExactlyValue(1);
}

void DivisionRewriter::rewrite(arith::DivFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value x = op.getLhs(), divisor = op.getRhs();
  Value quotient;
  if (std::optional<double> inverse = inverseOfConstant(divisor)) {
    quotient = arith::MulFOp::create(
        b, x, constantLike(b, op.getType(), *inverse), op.getFastmathAttr());
  } else if (APFloat value(0.0f);
             matchPattern(divisor, m_ConstantFloat(&value))) {
    return; // zeros, infinities, NaN and the ends of the range
  } else {
    bool isPlain = hasFlag(op.getFastmathAttr(), arith::FastMathFlags::arcp) ||
                   hasNormalReciprocal(divisor);
    Reciprocal reciprocal = reciprocalOf(divisor, isPlain);
    if (reciprocal.scale)
      x = arith::MulFOp::create(b, x, reciprocal.scale);
    quotient = arith::MulFOp::create(b, x, reciprocal.inverse);
  }
  op.replaceAllUsesWith(quotient);
  op.erase();
}

struct ApproximateMath final
    : distaff::impl::ApproximateMathBase<ApproximateMath> {
  void runOnOperation() override {
    SmallVector<arith::DivFOp> divisions;
    getOperation().walk([&](Operation *op) {
      if (isa<math::ExpOp, math::Exp2Op>(op)) {
        if (getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth() <=
            32)
          addFlag(op, arith::FastMathFlags::afn);
      } else if (auto division = dyn_cast<arith::DivFOp>(op)) {
        divisions.push_back(division);
      }
    });
    DivisionRewriter rewriter(&getContext());
    for (arith::DivFOp op : divisions)
      if (getElementTypeOrSelf(op.getType()).isF32() && !isReciprocal(op))
        rewriter.rewrite(op);
  }
};

} // namespace

//===- LogSumExp.cpp - Match spellings of log(exp x + exp y) --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/LogSumExp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

namespace {
/// The two combined values, in either order.
struct Pair {
  Value first, second;

  bool isOf(Value a, Value b) const {
    return (a == first && b == second) || (a == second && b == first);
  }
  bool isSumOf(Value value) const {
    auto sum = value.getDefiningOp<arith::AddFOp>();
    return sum && isOf(sum.getLhs(), sum.getRhs());
  }
  bool isDifferenceOf(Value value) const {
    auto difference = value.getDefiningOp<arith::SubFOp>();
    return difference && isOf(difference.getLhs(), difference.getRhs());
  }
};
} // namespace

/// Returns the operand of an op of that type; null for other ops.
template <typename Op> static Value operandOf(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op ? op->getOperand(0) : Value();
}

template <typename... Ops> static bool combinesBy(Value value, Pair pair) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<Ops...>(op) &&
         pair.isOf(op->getOperand(0), op->getOperand(1));
}

static bool isConstant(Value value, double number) {
  APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         constant.convertToDouble() == number;
}

//===----------------------------------------------------------------------===//
// Parts of the spellings
//===----------------------------------------------------------------------===//

/// Returns the two operands of a sum; nullopt for other ops.
static std::optional<Pair> summandsOf(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  return sum ? std::optional(Pair{sum.getLhs(), sum.getRhs()}) : std::nullopt;
}

/// Returns the value that is chosen where m is finite, with 0 elsewhere; null
/// for other values.
static Value chosenIfFinite(Value value, Value largest) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  auto compare = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  bool asksForFinite = compare &&
                       compare.getPredicate() == arith::CmpFPredicate::OLT &&
                       operandOf<math::AbsFOp>(compare.getLhs()) == largest &&
                       matchPattern(compare.getRhs(), m_PosInfFloat());
  return asksForFinite && isConstant(choice.getFalseValue(), 0)
             ? choice.getTrueValue()
             : Value();
}

/// Returns x for x - m, with that m.
static Value shiftedBy(Value value, Value shift) {
  auto difference = value.getDefiningOp<arith::SubFOp>();
  return difference && difference.getRhs() == shift ? difference.getLhs()
                                                    : Value();
}

/// Returns y for -y; 0 - y and y * -1 differ only in the sign of a zero.
static Value negatedOf(Value value) {
  if (Value negated = operandOf<arith::NegFOp>(value))
    return negated;
  if (auto difference = value.getDefiningOp<arith::SubFOp>();
      difference && isConstant(difference.getLhs(), 0))
    return difference.getRhs();
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (product && isConstant(product.getLhs(), -1))
    return product.getRhs();
  return product && isConstant(product.getRhs(), -1) ? product.getLhs()
                                                     : Value();
}

/// Returns whether it is -|x - y|, or min(x, y) - m.
static bool isDistanceBelow(Value value, Pair pair, Value largest) {
  if (Value chosen = chosenIfFinite(value, largest))
    value = chosen;
  if (Value smallest = shiftedBy(value, largest))
    return combinesBy<arith::MinimumFOp, arith::MinNumFOp>(smallest, pair);
  Value magnitude = negatedOf(value);
  Value difference = magnitude ? operandOf<math::AbsFOp>(magnitude) : Value();
  return difference && pair.isDifferenceOf(difference);
}

/// Returns z for log1p(z), log(1 + z) or log(z + 1).
static Value log1pOf(Value value) {
  if (Value operand = operandOf<math::Log1pOp>(value))
    return operand;
  Value log = operandOf<math::LogOp>(value);
  std::optional<Pair> sum = log ? summandsOf(log) : std::nullopt;
  if (sum && isConstant(sum->first, 1))
    return sum->second;
  return sum && isConstant(sum->second, 1) ? sum->first : Value();
}

/// Returns the exponents of log(exp a + exp b).
static std::optional<Pair> exponentsOf(Value value) {
  Value log = operandOf<math::LogOp>(value);
  std::optional<Pair> powers = log ? summandsOf(log) : std::nullopt;
  if (!powers)
    return std::nullopt;
  Pair exponents{operandOf<math::ExpOp>(powers->first),
                 operandOf<math::ExpOp>(powers->second)};
  return exponents.first && exponents.second ? std::optional(exponents)
                                             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Spellings
//===----------------------------------------------------------------------===//

/// Returns the other value if one of the pair is `soFar`; else null.
static Value besides(Pair pair, Value soFar) {
  if (pair.first == soFar)
    return pair.second;
  return pair.second == soFar ? pair.first : Value();
}

/// Returns the term of m + log(...), for an m among the summands.
static Value termBesideLargest(Value value, Value soFar) {
  std::optional<Pair> sum = summandsOf(value);
  if (!sum)
    return nullptr;
  for (auto [shift, log] : {std::pair(sum->first, sum->second),
                            std::pair(sum->second, sum->first)}) {
    Value largest = shift;
    if (auto choice = shift.getDefiningOp<arith::SelectOp>())
      largest = choice.getTrueValue();
    Operation *maker = largest.getDefiningOp();
    if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(maker) ||
        (shift != largest && chosenIfFinite(shift, largest) != largest))
      continue;
    Pair pair{maker->getOperand(0), maker->getOperand(1)};
    Value term = besides(pair, soFar);
    if (!term)
      continue;
    if (std::optional<Pair> exponents = exponentsOf(log)) {
      Value first = shiftedBy(exponents->first, shift),
            second = shiftedBy(exponents->second, shift);
      if (first && second && pair.isOf(first, second))
        return term;
    }
    Value power = log1pOf(log);
    Value exponent = power ? operandOf<math::ExpOp>(power) : Value();
    if (exponent && shift == largest &&
        isDistanceBelow(exponent, pair, largest))
      return term;
  }
  return nullptr;
}

/// Returns whether a condition tests the difference of the pair for a NaN.
static bool asksForNaN(Value condition, Pair pair) {
  if (Value number = operandOf<math::IsNaNOp>(condition))
    return pair.isDifferenceOf(number);
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  using Predicate = arith::CmpFPredicate;
  return compare && compare.getLhs() == compare.getRhs() &&
         (compare.getPredicate() == Predicate::UNO ||
          compare.getPredicate() == Predicate::UNE) &&
         pair.isDifferenceOf(compare.getLhs());
}

static bool isInfinity(Value value) {
  return matchPattern(value, m_PosInfFloat());
}

/// Returns whether a condition tests a number for infinity.
static bool asksForInfinity(Value condition, Value number) {
  if (Value tested = operandOf<math::IsInfOp>(condition))
    return tested == number;
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
         operandOf<math::AbsFOp>(compare.getLhs()) == number &&
         isInfinity(compare.getRhs());
}

/// Returns whether a condition tests that both are the same infinity.
static bool asksForSameInfinity(Value condition, Pair pair, Value number) {
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return false;
  auto areEqual = [&](Value value) {
    auto compare = value.getDefiningOp<arith::CmpFOp>();
    return compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
           pair.isOf(compare.getLhs(), compare.getRhs());
  };
  return (asksForInfinity(both.getLhs(), number) && areEqual(both.getRhs())) ||
         (asksForInfinity(both.getRhs(), number) && areEqual(both.getLhs()));
}

static Value termOf(Value value, Value soFar) {
  if (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    Value term = termBesideLargest(choice.getFalseValue(), soFar);
    if (!term)
      return nullptr;
    Pair pair{soFar, term};
    Value taken = choice.getTrueValue(), condition = choice.getCondition();
    bool isOfFrameworks =
        (pair.isSumOf(taken) && asksForNaN(condition, pair)) ||
        ((taken == soFar || taken == term) &&
         asksForSameInfinity(condition, pair, taken));
    return isOfFrameworks ? term : Value();
  }
  if (std::optional<Pair> exponents = exponentsOf(value))
    return besides(*exponents, soFar);
  return termBesideLargest(value, soFar);
}

std::optional<LogSumExpStep> distaff::matchLogSumExp(Value value, Value soFar) {
  Value term = termOf(value, soFar);
  if (!term || term == soFar)
    return std::nullopt;
  llvm::SetVector<Operation *> ops;
  ops.insert(value.getDefiningOp());
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && operand != soFar && operand != term &&
          !maker->hasTrait<OpTrait::ConstantLike>())
        ops.insert(maker);
  return LogSumExpStep{term, llvm::to_vector(ops)};
}

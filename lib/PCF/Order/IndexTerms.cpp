//===- IndexTerms.cpp - Index arithmetic as linear terms ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "IndexTerms.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::pcf;

AffineExpr IndexTerms::addVariable(bool isNonNegative) {
  nonNegative.push_back(isNonNegative);
  values.push_back(Value());
  limits.push_back(std::nullopt);
  return getAffineDimExpr(nonNegative.size() - 1, context);
}

/// Returns an affine map's results for these operands.
static SmallVector<AffineExpr> applyMap(AffineMap map,
                                        ArrayRef<AffineExpr> operands) {
  ArrayRef<AffineExpr> dims = operands.take_front(map.getNumDims()),
                       symbols = operands.drop_front(map.getNumDims());
  SmallVector<AffineExpr> terms;
  for (AffineExpr result : map.getResults())
    terms.push_back(result.replaceDimsAndSymbols(dims, symbols));
  return terms;
}

static bool isMin(Operation *op) {
  return isa_and_nonnull<affine::AffineMinOp, arith::MinSIOp>(op);
}

static bool isMax(Operation *op) {
  return isa_and_nonnull<affine::AffineMaxOp, arith::MaxSIOp>(op);
}

/// Returns the operands of a minimum or maximum.
SmallVector<AffineExpr> IndexTerms::getChoices(Operation *op) {
  SmallVector<AffineExpr> terms;
  for (Value operand : op->getOperands())
    terms.push_back(of(operand));
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return applyMap(min.getAffineMap(), terms);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return applyMap(max.getAffineMap(), terms);
  return terms;
}

/// Returns whether a value that is no term is not negative: proved for loop
/// variables and unsigned results, assumed for arguments, extents and loaded
/// values.
bool IndexTerms::isCount(Value value) {
  if (scf::ForOp loop = scf::getForInductionVarOwner(value))
    return isNonNegative(of(loop.getLowerBound()));
  Operation *op = value.getDefiningOp();
  auto isOne = [&](AffineExpr term) { return isNonNegative(term); };
  if (isMin(op))
    return llvm::all_of(getChoices(op), isOne);
  if (isMax(op))
    return llvm::any_of(getChoices(op), isOne);
  return !op ||
         !isa_and_nonnull<arith::ArithDialect, affine::AffineDialect>(
             op->getDialect()) ||
         isa<arith::RemUIOp, arith::DivUIOp, arith::MinUIOp, arith::MaxUIOp,
             arith::IndexCastUIOp>(op);
}

AffineExpr IndexTerms::addVariableFor(Value value) {
  bool isOne = isCount(value);
  std::optional<int64_t> limit;
  if (Operation *op = value.getDefiningOp(); isMin(op))
    for (AffineExpr choice : getChoices(op))
      if (auto number = dyn_cast<AffineConstantExpr>(choice))
        limit = std::min(limit.value_or(number.getValue()), number.getValue());
  AffineExpr variable = addVariable(isOne);
  values.back() = value;
  limits.back() = limit;
  return variable;
}

AffineExpr IndexTerms::of(OpFoldResult value) {
  if (auto number = getConstantIntValue(value))
    return constant(*number);
  return of(cast<Value>(value));
}

AffineExpr IndexTerms::of(Value value) {
  if (AffineExpr term = known.lookup(value))
    return term;
  AffineExpr term = compute(value);
  if (!term || !term.isPureAffine())
    term = addVariableFor(value);
  known[value] = term;
  return term;
}

bool IndexTerms::isNonNegative(AffineExpr term) const {
  if (auto number = dyn_cast<AffineConstantExpr>(term))
    return number.getValue() >= 0;
  if (auto variable = dyn_cast<AffineDimExpr>(term))
    return nonNegative[variable.getPosition()];
  auto pair = dyn_cast<AffineBinaryOpExpr>(term);
  if (!pair)
    return false;
  if (term.getKind() == AffineExprKind::Mod)
    return true;
  return isNonNegative(pair.getLHS()) && isNonNegative(pair.getRHS());
}

/// Returns null if the op that computes the value has no form as a term.
AffineExpr IndexTerms::compute(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSignificantBits() <= 62 ? constant(number.getSExtValue())
                                             : AffineExpr();
  Operation *op = value.getDefiningOp();
  if (!op || !value.getType().isIndex())
    return {};
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(of(operand));
    return applyMap(apply.getAffineMap(), operands).front();
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::RemUIOp,
           arith::DivUIOp, arith::ShRUIOp>(op))
    return {};
  AffineExpr left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (isa<arith::AddIOp>(op))
    return left + right;
  if (isa<arith::SubIOp>(op))
    return left - right;
  if (isa<arith::MulIOp>(op))
    return isa<AffineConstantExpr>(left) || isa<AffineConstantExpr>(right)
               ? left * right
               : AffineExpr();
  auto divisor = dyn_cast<AffineConstantExpr>(right);
  constexpr int64_t maxShift = 30;
  if (isa<arith::ShRUIOp>(op))
    return divisor && divisor.getValue() >= 0 &&
                   divisor.getValue() <= maxShift && isNonNegative(left)
               ? left.floorDiv(int64_t(1) << divisor.getValue())
               : AffineExpr();
  if (!divisor || divisor.getValue() <= 0 || !isNonNegative(left))
    return {};
  return isa<arith::RemUIOp>(op) ? left % right : left.floorDiv(right);
}

/// Returns the constraint `a < b` or `a <= b`.
static IndexConstraint makeLess(AffineExpr a, AffineExpr b, bool isStrict) {
  return {isStrict ? b - a - 1 : b - a, /*isEquality=*/false};
}

bool IndexTerms::addCondition(Value condition, bool isTrue,
                              SmallVectorImpl<IndexConstraint> &constraints) {
  using Predicate = arith::CmpIPredicate;
  APInt number;
  if (matchPattern(condition, m_ConstantInt(&number))) {
    if (number.isZero() == isTrue)
      constraints.push_back({constant(-1)});
    return true;
  }
  Operation *op = condition.getDefiningOp();
  if (op && (isTrue ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op))) {
    bool isLeft = addCondition(op->getOperand(0), isTrue, constraints);
    return addCondition(op->getOperand(1), isTrue, constraints) && isLeft;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  AffineExpr a = of(compare.getLhs()), b = of(compare.getRhs());
  Predicate predicate = isTrue ? compare.getPredicate()
                               : arith::invertPredicate(compare.getPredicate());
  bool isSigned = isNonNegative(a) && isNonNegative(b);
  switch (predicate) {
  case Predicate::eq:
    constraints.push_back({a - b, /*isEquality=*/true});
    return true;
  case Predicate::ne:
    return false;
  case Predicate::ult:
  case Predicate::ule:
  case Predicate::ugt:
  case Predicate::uge:
    if (!isSigned)
      return false;
    break;
  default:
    break;
  }
  switch (predicate) {
  case Predicate::slt:
  case Predicate::ult:
    constraints.push_back(makeLess(a, b, /*isStrict=*/true));
    return true;
  case Predicate::sle:
  case Predicate::ule:
    constraints.push_back(makeLess(a, b, /*isStrict=*/false));
    return true;
  case Predicate::sgt:
  case Predicate::ugt:
    constraints.push_back(makeLess(b, a, /*isStrict=*/true));
    return true;
  default:
    constraints.push_back(makeLess(b, a, /*isStrict=*/false));
    return true;
  }
}

AffineExpr IndexTerms::withCopies(AffineExpr term,
                                  function_ref<bool(unsigned)> isCopied) const {
  SmallVector<AffineExpr> replacements;
  for (unsigned i : llvm::seq(getNumVariables()))
    replacements.push_back(
        getAffineDimExpr(isCopied(i) ? getNumVariables() + i : i, context));
  return term.replaceDims(replacements);
}

bool IndexTerms::haveNoSolution(ArrayRef<IndexConstraint> constraints,
                                bool withCopies) const {
  SmallVector<AffineExpr> terms;
  SmallVector<bool> equalities;
  llvm::SmallBitVector used(getNumVariables() * 2);
  for (const IndexConstraint &constraint : constraints) {
    terms.push_back(constraint.term);
    equalities.push_back(constraint.isEquality);
    constraint.term.walk([&](AffineExpr part) {
      if (auto variable = dyn_cast<AffineDimExpr>(part))
        used.set(variable.getPosition());
    });
  }
  assert((withCopies || used.find_last() < int(getNumVariables())) &&
         "variables have copies where these are asked for");
  for (unsigned i : used.set_bits()) {
    AffineExpr variable = getAffineDimExpr(i, context);
    if (nonNegative[i % getNumVariables()])
      terms.push_back(variable);
    if (auto limit = limits[i % getNumVariables()])
      terms.push_back(*limit - variable);
  }
  equalities.resize(terms.size(), false);
  if (terms.empty())
    return false;
  unsigned numDims = getNumVariables() * (withCopies ? 2 : 1);
  return FlatLinearValueConstraints(
             IntegerSet::get(numDims, 0, terms, equalities))
      .isIntegerEmpty();
}

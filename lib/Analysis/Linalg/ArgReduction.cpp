//===- ArgReduction.cpp - Match argmin and argmax -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/ArgReduction.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

arith::CmpFPredicate ArgPredicate::ofFloats() const {
  using P = arith::CmpFPredicate;
  if (isUnordered)
    return isLarger ? (isStrict ? P::UGT : P::UGE)
                    : (isStrict ? P::ULT : P::ULE);
  return isLarger ? (isStrict ? P::OGT : P::OGE) : (isStrict ? P::OLT : P::OLE);
}

arith::CmpIPredicate ArgPredicate::ofIntegers() const {
  using P = arith::CmpIPredicate;
  if (isUnsigned)
    return isLarger ? (isStrict ? P::ugt : P::uge)
                    : (isStrict ? P::ult : P::ule);
  return isLarger ? (isStrict ? P::sgt : P::sge) : (isStrict ? P::slt : P::sle);
}

/// Returns the predicate of a comparison of two values in this order.
static std::optional<ArgPredicate> predicateOf(Operation *compare) {
  for (bool isLarger : {true, false})
    for (bool isStrict : {true, false})
      for (bool flag : {true, false}) {
        if (auto floats = dyn_cast<arith::CmpFOp>(compare)) {
          ArgPredicate predicate{isLarger, isStrict, flag, false};
          if (floats.getPredicate() == predicate.ofFloats())
            return predicate;
        } else if (auto integers = dyn_cast<arith::CmpIOp>(compare)) {
          ArgPredicate predicate{isLarger, isStrict, false, flag};
          if (integers.getPredicate() == predicate.ofIntegers())
            return predicate;
        }
      }
  return std::nullopt;
}

/// Returns the predicate for the values in the other order.
static ArgPredicate swapped(ArgPredicate predicate) {
  predicate.isLarger = !predicate.isLarger;
  return predicate;
}

/// Returns the predicate that is true where `predicate` is false.
static ArgPredicate negated(ArgPredicate predicate, bool isFloat) {
  predicate.isLarger = !predicate.isLarger;
  predicate.isStrict = !predicate.isStrict;
  predicate.isUnordered = isFloat && !predicate.isUnordered;
  return predicate;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Returns whether a value of the body does not depend on the partial results.
static bool isIndependent(linalg::LinalgOp op, Value value) {
  llvm::SmallSetVector<Value, 8> makers;
  makers.insert(value);
  for (size_t i = 0; i < makers.size(); ++i) {
    Value from = makers[i];
    if (from.getParentBlock() != op.getBlock())
      continue;
    if (auto argument = dyn_cast<BlockArgument>(from)) {
      if (op.isDpsInit(op.getMatchingOpOperand(argument)))
        return false;
      continue;
    }
    makers.insert_range(from.getDefiningOp()->getOperands());
  }
  return true;
}

namespace {
/// An `arith.select` of a new value and the partial result.
struct Choice {
  Value taken;
  Operation *compare = nullptr;
  /// Whether the new value is taken where the comparison is true.
  bool isTrue = true;
  SmallVector<Value, 2> conditions;
};
} // namespace

/// Matches a choice between `soFar` and another value.
static std::optional<Choice> matchChoice(linalg::LinalgOp op, Value value,
                                         Value soFar) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || select->getBlock() != op.getBlock() ||
      (select.getTrueValue() == soFar) == (select.getFalseValue() == soFar))
    return std::nullopt;
  Choice choice;
  choice.isTrue = select.getFalseValue() == soFar;
  choice.taken = choice.isTrue ? select.getTrueValue() : select.getFalseValue();
  SmallVector<Value> terms = {select.getCondition()};
  while (!terms.empty()) {
    Value term = terms.pop_back_val();
    Operation *maker = term.getDefiningOp();
    if (isIndependent(op, term))
      choice.conditions.push_back(term);
    else if (isa_and_nonnull<arith::AndIOp>(maker) && choice.isTrue)
      llvm::append_range(terms, maker->getOperands());
    else if (isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(maker) &&
             !choice.compare)
      choice.compare = maker;
    else
      return std::nullopt;
  }
  // A choice whose new value is itself a choice, e.g. of elements within an
  // extent.
  if (!choice.compare && choice.isTrue)
    if (std::optional<Choice> inner = matchChoice(op, choice.taken, soFar)) {
      llvm::append_range(inner->conditions, choice.conditions);
      choice = std::move(*inner);
    }
  llvm::sort(choice.conditions, [](Value one, Value other) {
    return one.getAsOpaquePointer() < other.getAsOpaquePointer();
  });
  return choice;
}

/// Returns when a choice takes `candidate` over `best`, besides its conditions.
static std::optional<ArgPredicate> predicateOf(const Choice &choice,
                                               Value candidate, Value best) {
  if (!choice.compare)
    return std::nullopt;
  std::optional<ArgPredicate> predicate = predicateOf(choice.compare);
  Value lhs = choice.compare->getOperand(0),
        rhs = choice.compare->getOperand(1);
  if (!predicate || candidate == best)
    return std::nullopt;
  if (lhs == best && rhs == candidate)
    predicate = swapped(*predicate);
  else if (lhs != candidate || rhs != best)
    return std::nullopt;
  bool isFloat = isa<FloatType>(candidate.getType());
  return choice.isTrue ? *predicate : negated(*predicate, isFloat);
}

/// Returns whether an op combines two values in the order of a comparison.
static bool agrees(Operation *combiner, const ArgPredicate &predicate) {
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner))
    return predicate.isLarger;
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(combiner))
    return !predicate.isLarger;
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(combiner))
    return predicate.isLarger &&
           predicate.isUnsigned == isa<arith::MaxUIOp>(combiner);
  return isa<arith::MinSIOp, arith::MinUIOp>(combiner) && !predicate.isLarger &&
         predicate.isUnsigned == isa<arith::MinUIOp>(combiner);
}

/// Completes the match of an op whose value is combined by an op, if the new
/// element counts.
static bool matchCombined(linalg::LinalgOp op, Value value, const Choice &place,
                          ArgReduction &reduction) {
  Value best = op.getRegionOutputArgs()[0];
  SmallVector<Value, 2> conditions;
  if (std::optional<Choice> kept = matchChoice(op, value, best);
      kept && !kept->compare && kept->isTrue) {
    value = kept->taken;
    conditions = kept->conditions;
  }
  Operation *combiner = value.getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 ||
      conditions != place.conditions)
    return false;
  reduction.candidate = combiner->getOperand(combiner->getOperand(0) == best);
  std::optional<ArgPredicate> predicate =
      predicateOf(place, reduction.candidate, best);
  if (!llvm::is_contained(combiner->getOperands(), best) || !predicate ||
      !agrees(combiner, *predicate))
    return false;
  reduction.predicate = *predicate;
  // For integers the op equals the choice by the comparison.
  if (isa<FloatType>(best.getType()))
    reduction.combiner = combiner;
  return true;
}

/// Completes the match of an op whose value is chosen like its place.
static bool matchChosen(linalg::LinalgOp op, Value value, const Choice &place,
                        ArgReduction &reduction) {
  Value best = op.getRegionOutputArgs()[0];
  std::optional<Choice> choice = matchChoice(op, value, best);
  if (!choice || !choice->compare || choice->conditions != place.conditions)
    return false;
  std::optional<ArgPredicate> ofValue =
      predicateOf(*choice, choice->taken, best);
  if (!ofValue || ofValue != predicateOf(place, choice->taken, best))
    return false;
  reduction.candidate = choice->taken;
  reduction.predicate = *ofValue;
  return true;
}

std::optional<ArgReduction> distaff::matchArgReduction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInits() != 2 ||
      linalgOp.getNumReductionLoops() != 1)
    return std::nullopt;
  Operation *yield = linalgOp.getBlock()->getTerminator();
  std::optional<Choice> place = matchChoice(linalgOp, yield->getOperand(1),
                                            linalgOp.getRegionOutputArgs()[1]);
  ArgReduction reduction;
  if (!place ||
      (!matchChosen(linalgOp, yield->getOperand(0), *place, reduction) &&
       !matchCombined(linalgOp, yield->getOperand(0), *place, reduction)))
    return std::nullopt;
  reduction.place = place->taken;
  reduction.conditions = place->conditions;
  if (!isIndependent(linalgOp, reduction.candidate) ||
      !isIndependent(linalgOp, reduction.place))
    return std::nullopt;
  for (auto [loop, type] : llvm::enumerate(linalgOp.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction)
      reduction.loop = loop;
  return reduction;
}

std::optional<TypedAttr> distaff::neverBest(const ArgReduction &reduction) {
  const ArgPredicate &predicate = reduction.predicate;
  Type type = reduction.candidate.getType();
  Builder builder(type.getContext());
  if (auto floats = dyn_cast<FloatType>(type)) {
    if (predicate.isUnordered)
      return std::nullopt;
    return builder.getFloatAttr(type,
                                APFloat::getNaN(floats.getFloatSemantics()));
  }
  if (!predicate.isStrict)
    return std::nullopt;
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt worst = predicate.isLarger
                    ? (predicate.isUnsigned ? APInt::getMinValue(bits)
                                            : APInt::getSignedMinValue(bits))
                    : (predicate.isUnsigned ? APInt::getMaxValue(bits)
                                            : APInt::getSignedMaxValue(bits));
  return builder.getIntegerAttr(type, worst);
}

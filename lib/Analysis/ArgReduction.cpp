//===- ArgReduction.cpp - Where the largest element is --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/ArgReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

/// Whether a value of the body is made without the results so far.
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

/// Whether a comparison says that one side is larger or smaller, never of NaN,
/// and of equal integers that neither is.
static bool ranks(Operation *compare) {
  if (auto floats = dyn_cast_or_null<arith::CmpFOp>(compare))
    return llvm::is_contained(
        {arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE,
         arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE},
        floats.getPredicate());
  if (auto integers = dyn_cast_or_null<arith::CmpIOp>(compare))
    return llvm::is_contained(
        {arith::CmpIPredicate::sgt, arith::CmpIPredicate::slt,
         arith::CmpIPredicate::ugt, arith::CmpIPredicate::ult},
        integers.getPredicate());
  return false;
}

std::optional<ArgReduction> distaff::matchArgReduction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInits() != 2 ||
      linalgOp.getNumReductionLoops() != 1)
    return std::nullopt;
  Block *body = linalgOp.getBlock();
  auto soFar = linalgOp.getRegionOutputArgs();
  auto select = [&](unsigned result) {
    return body->getTerminator()
        ->getOperand(result)
        .getDefiningOp<arith::SelectOp>();
  };
  arith::SelectOp best = select(0), place = select(1);
  if (!best || !place || best.getCondition() != place.getCondition() ||
      best.getFalseValue() != soFar[0] || place.getFalseValue() != soFar[1])
    return std::nullopt;
  ArgReduction reduction;
  reduction.compare = best.getCondition().getDefiningOp();
  reduction.candidate = best.getTrueValue();
  reduction.place = place.getTrueValue();
  if (!ranks(reduction.compare))
    return std::nullopt;
  auto sides = reduction.compare->getOperands();
  reduction.candidateIsLhs = sides[0] == reduction.candidate;
  unsigned other = reduction.candidateIsLhs ? 1 : 0;
  if (sides[1 - other] != reduction.candidate || sides[other] != soFar[0] ||
      !isIndependent(linalgOp, reduction.candidate) ||
      !isIndependent(linalgOp, reduction.place))
    return std::nullopt;
  for (auto [loop, type] : llvm::enumerate(linalgOp.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction)
      reduction.loop = loop;
  return reduction;
}

TypedAttr distaff::neverBest(const ArgReduction &reduction) {
  Builder builder(reduction.compare->getContext());
  Type type = reduction.candidate.getType();
  if (auto floats = dyn_cast<FloatType>(type))
    return builder.getFloatAttr(type,
                                APFloat::getNaN(floats.getFloatSemantics()));
  auto predicate = cast<arith::CmpIOp>(reduction.compare).getPredicate();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  bool isLarger = predicate == arith::CmpIPredicate::sgt ||
                  predicate == arith::CmpIPredicate::ugt;
  bool isSigned = predicate == arith::CmpIPredicate::sgt ||
                  predicate == arith::CmpIPredicate::slt;
  if (!reduction.candidateIsLhs)
    isLarger = !isLarger;
  APInt worst = isLarger ? (isSigned ? APInt::getSignedMinValue(bits)
                                     : APInt::getMinValue(bits))
                         : (isSigned ? APInt::getSignedMaxValue(bits)
                                     : APInt::getMaxValue(bits));
  return builder.getIntegerAttr(type, worst);
}

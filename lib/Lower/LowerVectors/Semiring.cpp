//===- Semiring.cpp - Semiring contractions inside one lane ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are combined along ascending k from the accumulator, like those of
// vector.contract. logsumexp first collects all terms of a result, and adds
// their exponentials relative to the largest.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "Pieces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace distaff;
using namespace distaff::registers;
using vector::CombiningKind;

namespace {
class SemiringLowering {
public:
  SemiringLowering(core::ContractOp op, Lowering &lowering)
      : op(op), lowering(lowering), b(lowering.builder), loc(op.getLoc()) {}

  /// Returns the products of each element of the result.
  SmallVector<SmallVector<Term>> products();
  Value combineAll(ArrayRef<Term> terms, Value accumulator);

private:
  core::ContractOp op;
  Lowering &lowering;
  OpBuilder &b;
  Location loc;
};
} // namespace

SmallVector<SmallVector<Term>> SemiringLowering::products() {
  SmallVector<AffineMap> maps = op.getMaps();
  SmallVector<Value> lhs(lowering.elements(op.getLhs()));
  SmallVector<Value> rhs(lowering.elements(op.getRhs()));
  SmallVector<Value> mask;
  if (op.getMask())
    mask.assign(SmallVector<Value>(lowering.elements(op.getMask())));
  auto elementAt = [&](Value operand, AffineMap map, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at =
        llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
          return index[cast<AffineDimExpr>(expr).getPosition()];
        });
    return linearIndex(shapeOf(operand), at);
  };
  SmallVector<SmallVector<Term>> terms(
      ShapedType::getNumElements(shapeOf(op.getResult())));
  forEachIndex(op.getBounds(), [&](int64_t point, ArrayRef<int64_t> index) {
    Value product =
        op.emitProduct(b, lhs[elementAt(op.getLhs(), maps[0], index)],
                       rhs[elementAt(op.getRhs(), maps[1], index)]);
    terms[elementAt(op.getResult(), maps[2], index)].push_back(
        {product, mask.empty() ? Value() : mask[point]});
  });
  return terms;
}

static Value reduceTree(OpBuilder &b, Location loc, CombiningKind kind,
                        ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  size_t half = llvm::divideCeil(values.size(), 2);
  Value lower = reduceTree(b, loc, kind, values.take_front(half));
  return vector::makeArithReduction(
      b, loc, kind, lower, reduceTree(b, loc, kind, values.drop_front(half)));
}

Value registers::logSumExp(ArrayRef<Term> terms, Value accumulator,
                           Location loc, Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  auto type = cast<FloatType>(getElementTypeOrSelf(accumulator));
  auto constant = [&](const APFloat &value) {
    auto vector = dyn_cast<VectorType>(accumulator.getType());
    return splat(lowering.constant(FloatAttr::get(type, value)),
                 vector ? vector.getNumElements() : 1, lowering);
  };
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  SmallVector<Value> all = {accumulator};
  for (const Term &term : terms)
    all.push_back(term.bit ? arith::SelectOp::create(
                                 b, loc, term.bit, term.product,
                                 constant(APFloat::getInf(semantics, true)))
                           : term.product);
  Value largest = reduceTree(b, loc, CombiningKind::MAXIMUMF, all);
  // An infinite maximum leaves nothing to scale.
  Value isFinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                         math::AbsFOp::create(b, loc, largest),
                                         constant(APFloat::getInf(semantics)));
  Value shift = arith::SelectOp::create(b, loc, isFinite, largest,
                                        constant(APFloat::getZero(semantics)));
  for (Value &term : all)
    term =
        math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, term, shift));
  Value sum = reduceTree(b, loc, CombiningKind::ADD, all);
  return arith::AddFOp::create(b, loc, shift, math::LogOp::create(b, loc, sum));
}

Value SemiringLowering::combineAll(ArrayRef<Term> terms, Value accumulator) {
  std::optional<CombiningKind> kind = op.getCombiningKind();
  if (!kind)
    return logSumExp(terms, accumulator, loc, lowering);
  for (const Term &term : terms) {
    Value both =
        vector::makeArithReduction(b, loc, *kind, accumulator, term.product);
    accumulator =
        term.bit ? arith::SelectOp::create(b, loc, term.bit, both, accumulator)
                 : both;
  }
  return accumulator;
}

LogicalResult registers::lowerContractByElements(core::ContractOp op,
                                                 Lowering &lowering) {
  SemiringLowering semiring(op, lowering);
  SmallVector<Value> results(lowering.elements(op.getAcc()));
  for (auto [terms, result] : llvm::zip_equal(semiring.products(), results))
    result = semiring.combineAll(terms, result);
  lowering.setElements(op.getResult(), results);
  return success();
}

void registers::addSemiringRules(RuleSet &rules) {
  rules.add<core::ContractOp>(lowerContractByElements);
}

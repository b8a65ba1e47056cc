//===- OnlineSoftmax.cpp - Match a softmax before a contraction -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/CheckedSize.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;

bool OnlineSoftmax::contains(Operation *op) const {
  auto is = [&](linalg::LinalgOp other) { return other.getOperation() == op; };
  return is(maximum) || is(sum) || is(division) || is(contraction) ||
         llvm::any_of(powers, is) || llvm::any_of(casts, is);
}

static bool isPureElementwise(linalg::LinalgOp op) {
  return op && op.getNumDpsInits() == 1 && op.getNumReductionLoops() == 0 &&
         op.hasPureTensorSemantics() &&
         op.getIndexingMapsArray().back().isIdentity();
}

/// Returns the linalg op that defines an operand of `op`, or null.
static linalg::LinalgOp makerOf(linalg::LinalgOp op, unsigned operand) {
  return op->getOperand(operand).getDefiningOp<linalg::LinalgOp>();
}

/// Returns the only op of a body, if it is of that kind.
template <typename Op> static Op onlyOp(linalg::LinalgOp op) {
  auto found = dyn_cast<Op>(op.getBlock()->front());
  if (!found ||
      op.getBlock()->getTerminator()->getOperand(0) != found->getResult(0))
    return {};
  return found;
}

/// Returns whether an input has a value per row: it has every dim but the last,
/// which is that of the keys.
static bool readsRows(linalg::LinalgOp op, unsigned operand) {
  AffineMap map = op.getIndexingMapsArray()[operand];
  return map.isProjectedPermutation() &&
         map.getNumResults() + 1 == map.getNumDims() &&
         !map.isFunctionOfDim(map.getNumDims() - 1);
}

/// Returns whether an op divides its first input by a value per row.
static bool isDivision(linalg::LinalgOp op) {
  if (!isPureElementwise(op) || op.getNumDpsInputs() != 2)
    return false;
  auto division = onlyOp<arith::DivFOp>(op);
  return division && division.getLhs() == op.getBlock()->getArgument(0) &&
         division.getRhs() == op.getBlock()->getArgument(1) &&
         op.getIndexingMapsArray()[0].isIdentity() && readsRows(op, 1);
}

/// Returns whether a value is the difference of an element and a value per row.
static bool isShift(Value value, Block *body) {
  auto shift = value.getDefiningOp<arith::SubFOp>();
  return shift && shift.getLhs() == body->getArgument(0) &&
         shift.getRhs() == body->getArgument(1);
}

/// Matches `exp(x - m)`, in one op or in two.
static bool matchPowers(linalg::LinalgOp op, OnlineSoftmax &online,
                        Value &rows) {
  if (!isPureElementwise(op))
    return false;
  Block *body = op.getBlock();
  Operation *last = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(last))
    return false;
  online.isBaseTwo = isa<math::Exp2Op>(last);
  online.powers = {op};
  linalg::LinalgOp shift = op;
  if (op.getNumDpsInputs() == 1) {
    if (last->getOperand(0) != body->getArgument(0) ||
        !op.getIndexingMapsArray()[0].isIdentity())
      return false;
    shift = makerOf(op, 0);
    if (!isPureElementwise(shift) || !shift->hasOneUse() ||
        shift.getNumDpsInputs() != 2 ||
        !isShift(shift.getBlock()->getTerminator()->getOperand(0),
                 shift.getBlock()))
      return false;
    online.powers = {shift, op};
  } else if (op.getNumDpsInputs() != 2 || !isShift(last->getOperand(0), body)) {
    return false;
  }
  if (!shift.getIndexingMapsArray()[0].isIdentity() || !readsRows(shift, 1))
    return false;
  online.scores = shift->getOperand(0);
  rows = shift->getOperand(1);
  return true;
}

/// Returns whether an op reduces all of `input` by an op of that kind; a mask
/// of positions may be applied before.
template <typename... Combiners>
static bool reduces(linalg::LinalgOp op, Value input) {
  if (!op || op.getNumDpsInits() != 1 || op.getNumDpsInputs() != 1 ||
      op->getOperand(0) != input || op.getNumReductionLoops() != 1 ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction ||
      !op.getIndexingMapsArray()[0].isIdentity())
    return false;
  SmallVector<Operation *> combiners;
  Value term = matchReduction(op.getRegionOutputArgs(), 0, combiners);
  if (!term || combiners.size() != 1 || !isa<Combiners...>(combiners.front()))
    return false;
  if (auto mask = term.getDefiningOp<arith::SelectOp>())
    term = mask.getTrueValue();
  return term == op.getBlock()->getArgument(0);
}

static bool startsFromZero(linalg::LinalgOp op) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_AnyZeroFloat());
}

/// Returns whether a maximum starts from its identity: a NaN, which maxnumf
/// ignores, or the least number.
static bool startsFromNothing(linalg::LinalgOp op) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  FloatAttr value;
  return fill && matchPattern(fill.value(), m_Constant(&value)) &&
         (value.getValue().isNaN() ||
          (value.getValue().isInfinity() && value.getValue().isNegative()));
}

std::optional<OnlineSoftmax> distaff::matchOnlineSoftmax(Operation *op) {
  std::optional<ContractionBody> body = matchContraction(op);
  auto contraction = dyn_cast<linalg::LinalgOp>(op);
  if (!body || body->k.size() != 1 || !startsFromZero(contraction))
    return std::nullopt;
  // Partial sums are scaled at every step: a narrower type would round each
  // time.
  if (getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() <
      32)
    return std::nullopt;
  OnlineSoftmax online;
  online.contraction = contraction;
  linalg::LinalgOp at = makerOf(contraction, 0);
  while (at && !isDivision(at)) {
    if (!isPureElementwise(at) || at.getNumDpsInputs() != 1 ||
        !at->hasOneUse() || !at.getIndexingMapsArray()[0].isIdentity())
      return std::nullopt;
    online.casts.insert(online.casts.begin(), at);
    at = makerOf(at, 0);
  }
  if (!at || !at->hasOneUse())
    return std::nullopt;
  online.division = at;
  linalg::LinalgOp powers = makerOf(at, 0);
  online.sum = makerOf(at, 1);
  Value rows;
  if (!powers || !matchPowers(powers, online, rows) ||
      !reduces<arith::AddFOp>(online.sum, powers->getResult(0)) ||
      !startsFromZero(online.sum) || !online.sum->hasOneUse())
    return std::nullopt;
  online.maximum = rows.getDefiningOp<linalg::LinalgOp>();
  if (!reduces<arith::MaximumFOp, arith::MaxNumFOp>(online.maximum,
                                                    online.scores) ||
      !startsFromNothing(online.maximum) || !online.maximum->hasOneUse())
    return std::nullopt;
  // Only the sum and the division may read the exponentials.
  for (Operation *user : powers->getUsers())
    if (user != online.sum && user != online.division)
      return std::nullopt;
  // Rows of the scores are rows of the result, and K is the dim along them.
  unsigned k = body->k.front();
  AffineMap factor = contraction.getIndexingMapsArray()[0];
  if (!factor.getNumResults() ||
      factor.getDimPosition(factor.getNumResults() - 1) != k)
    return std::nullopt;
  return online;
}

/// Returns the ops that compute the scores: elementwise ops after one
/// contraction. Returns an empty list if there are others.
static SmallVector<Operation *> findScores(Value scores,
                                           ArrayRef<Operation *> readers) {
  SmallVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 8> known(readers.begin(), readers.end());
  Value value = scores;
  while (auto maker = value.getDefiningOp<linalg::LinalgOp>()) {
    if (!llvm::all_of(value.getUsers(),
                      [&](Operation *user) { return known.contains(user); }))
      return {};
    ops.insert(ops.begin(), maker);
    known.insert(maker);
    if (matchContraction(maker))
      return ops;
    if (!isPureElementwise(maker))
      return {};
    // Continue with the computed input that has the scores' shape.
    Value next;
    for (Value input : maker.getDpsInputs())
      if (input.getType() == value.getType() &&
          input.getDefiningOp<linalg::LinalgOp>() && !next)
        next = input;
    if (!next)
      return {};
    value = next;
  }
  return {};
}

SmallVector<Operation *> distaff::findAttention(Operation *op) {
  SmallVector<Operation *> chain;
  Value scores;
  if (std::optional<OnlineSoftmax> online = matchOnlineSoftmax(op)) {
    chain = {online->maximum, online->sum, online->division};
    chain.append(online->powers.begin(), online->powers.end());
    chain.append(online->casts.begin(), online->casts.end());
    scores = online->scores;
  } else {
    std::optional<ContractionBody> body = matchContraction(op);
    if (!body || body->k.size() != 1)
      return {};
    Operation *at = op->getOperand(0).getDefiningOp();
    while (auto cast = dyn_cast_or_null<linalg::LinalgOp>(at)) {
      if (!isPureElementwise(cast) || cast.getNumDpsInputs() != 1 ||
          !cast->hasOneUse())
        return {};
      chain.push_back(cast);
      at = cast->getOperand(0).getDefiningOp();
    }
    auto softmax = dyn_cast_or_null<linalg::SoftmaxOp>(at);
    AffineMap factor = cast<linalg::LinalgOp>(op).getIndexingMapsArray()[0];
    if (!softmax || !softmax->hasOneUse() ||
        softmax.getDimension() + 1 != factor.getNumResults() ||
        factor.getDimPosition(factor.getNumResults() - 1) != body->k.front())
      return {};
    chain.push_back(softmax);
    scores = softmax.getInput();
  }
  SmallVector<Operation *> makers = findScores(scores, chain);
  if (makers.empty())
    return {};
  chain.append(makers);
  chain.push_back(op);
  llvm::sort(chain,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return chain;
}

std::optional<int64_t> distaff::featuresOfAttention(Operation *root) {
  SmallVector<Operation *> chain = findAttention(root);
  if (chain.empty())
    return std::nullopt;
  int64_t features = 0;
  for (Operation *op : chain) {
    std::optional<ContractionBody> body = matchProduct(op);
    if (!body)
      continue;
    SmallVector<int64_t> extents =
        cast<linalg::LinalgOp>(op).getStaticLoopRanges();
    for (unsigned loop : op == root ? body->n : body->k) {
      if (ShapedType::isDynamic(extents[loop]))
        return std::nullopt;
      features = saturatingSum(features, extents[loop]);
    }
  }
  return features;
}

//===- TileOnlineSoftmax.cpp - Online softmax -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %r:3 = scf.for %t = 0 to %keys step 64
//       iter_args(%m = -inf, %l = 0, %o = 0) {
//     %x = ... scores of 64 keys ...
//     %max = max(%x) outs(%m)
//     %base = %max, or 0 where that is -inf
//     %e = exp(%x - %base)
//     %c = exp(%m - %base)
//     %sum = sum(%e) outs(%l * %c)
//     %out = (%e * v) outs(%o * %c)
//     yield %max, %sum, %out
//   }
//   %r#2 / %r#1
//
// A row whose keys so far are all masked has a maximum of -inf; without the
// base the exponent would be -inf - -inf from then on.
//
// Where exponents may be folded (SoftmaxExponent.h), the maximum is of unscaled
// scores, starts from a finite number, and needs no base:
//
//     %k = the factor of %max, %n = -(%max * %k)
//     %e = exp2(fma(%x, %k, %n))
//     %j = the factor of %m, %d = fma(%m, %j, -(%m * %j))
//     %c = exp2(fma(%m, %k, %n) - %d)
//
// The product in %n is rounded, so that %e is off by a power of two per row,
// whose exponent in the sums so far is %d: %c removes it from the sums, also
// where the factor of a row changes, and is 1 where the maximum stays.
//
//===----------------------------------------------------------------------===//
#include "TileOnlineSoftmax.h"
#include "../BodyParts.h"
#include "SoftmaxExponent.h"
#include "TileFuse.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {
class OnlineTiler {
public:
  OnlineTiler(RewriterBase &rewriter, const OnlineSoftmax &online,
              const FusedGroup &group, unsigned axis, int64_t tile,
              bool foldsExponents)
      : rewriter(rewriter), online(online), group(group), axis(axis),
        tile(tile), loc(online.contraction->getLoc()) {
    if (foldsExponents)
      exponent = SoftmaxExponent::take(rewriter, this->online);
  }

  FailureOr<scf::ForOp> run();

private:
  FailureOr<linalg::LinalgOp> tileOp(linalg::LinalgOp op, Value position);
  Value baseOf(Value maximum);
  Value correction(Value before, Value base);
  FailureOr<Value> exponentials(Value before, Value maximum, Value position);
  Value factorOf(Value maximum);
  Value foldedOffset(Value maximum, Value factor);
  Value foldedExponentials(Value of, Value factor, Value offset,
                           AffineMap ofRows);
  Value foldedCorrection(Value before, Value factor, Value offset);
  APFloat startOfMaximum(const llvm::fltSemantics &format);
  Value scale(Value value, Value factor, AffineMap ofRows);
  LogicalResult buildBody(scf::ForOp loop);
  Value divide(Value out, Value sum);

  RewriterBase &rewriter;
  OnlineSoftmax online;
  std::optional<SoftmaxExponent> exponent; // none: exponents stay unfolded
  const FusedGroup &group;
  unsigned axis;
  int64_t tile;
  Location loc;
  DenseMap<Value, Value> tiles; // of the chain's values, in this step
  SmallVector<Operation *> made;
};
} // namespace

/// Creates the part of an op for this step's keys, which reads the results of
/// the chain so far.
FailureOr<linalg::LinalgOp> OnlineTiler::tileOp(linalg::LinalgOp op,
                                                Value position) {
  SmallVector<OpFoldResult> offsets, sizes;
  for (unsigned of : group.find(op)->axes) {
    bool isWalked = of == axis;
    offsets.push_back(isWalked ? OpFoldResult(position)
                               : OpFoldResult(rewriter.getIndexAttr(0)));
    sizes.push_back(
        rewriter.getIndexAttr(isWalked ? tile : group.axes()[of].extent));
  }
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(op.getOperation())
          .getTiledImplementation(rewriter, offsets, sizes);
  if (failed(tiled) || tiled->tiledOps.size() != 1)
    return op->emitOpError("cannot be computed for some keys at a time");
  auto part = cast<linalg::LinalgOp>(tiled->tiledOps.front());
  for (auto [operand, value] :
       llvm::zip_equal(part->getOpOperands(), op->getOperands()))
    if (auto it = tiles.find(value); it != tiles.end())
      operand.set(it->second);
  for (auto [init, value] :
       llvm::zip_equal(part.getDpsInitsMutable(), part->getResults()))
    value.setType(init.get().getType());
  tiles[op->getResult(0)] = part->getResult(0);
  made.push_back(part);
  return part;
}

static linalg::GenericOp
createElementwise(RewriterBase &rewriter, Location loc, ValueRange inputs,
                  Value init, ArrayRef<AffineMap> maps,
                  function_ref<Value(OpBuilder &, ValueRange)> body) {
  unsigned rank = maps.back().getNumDims();
  return linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location, ValueRange args) {
        linalg::YieldOp::create(b, loc, body(b, args));
      });
}

static Value emptyLike(RewriterBase &rewriter, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                 type.getElementType());
}

Value OnlineTiler::baseOf(Value maximum) {
  auto type = cast<RankedTensorType>(maximum.getType());
  AffineMap same = rewriter.getMultiDimIdentityMap(type.getRank());
  auto element = cast<FloatType>(type.getElementType());
  return createElementwise(
             rewriter, loc, maximum, emptyLike(rewriter, loc, maximum),
             {same, same},
             [&](OpBuilder &b, ValueRange args) -> Value {
               Value least = arith::ConstantOp::create(
                   b, loc,
                   b.getFloatAttr(element,
                                  APFloat::getInf(element.getFloatSemantics(),
                                                  /*Negative=*/true)));
               Value zero =
                   arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
               Value isLeast = arith::CmpFOp::create(
                   b, loc, arith::CmpFPredicate::OEQ, args[0], least);
               return arith::SelectOp::create(b, loc, isLeast, zero, args[0]);
             })
      .getResult(0);
}

Value OnlineTiler::correction(Value before, Value base) {
  auto rank = cast<RankedTensorType>(before.getType()).getRank();
  AffineMap same = rewriter.getMultiDimIdentityMap(rank);
  return createElementwise(rewriter, loc, {before, base},
                           emptyLike(rewriter, loc, before), {same, same, same},
                           [&](OpBuilder &b, ValueRange args) -> Value {
                             Value shift = arith::SubFOp::create(
                                 b, loc, args[0], args[1]);
                             if (online.isBaseTwo)
                               return math::Exp2Op::create(b, loc, shift);
                             return math::ExpOp::create(b, loc, shift);
                           })
      .getResult(0);
}

/// Returns the factor of the scores of each row.
Value OnlineTiler::factorOf(Value maximum) {
  AffineMap same = rewriter.getMultiDimIdentityMap(
      cast<RankedTensorType>(maximum.getType()).getRank());
  return createElementwise(
             rewriter, loc, maximum, emptyLike(rewriter, loc, maximum),
             {same, same},
             [&](OpBuilder &b, ValueRange args) -> Value {
               auto number = [&](double value) -> Value {
                 return arith::ConstantOp::create(b, loc,
                                                  b.getF32FloatAttr(value));
               };
               Value isFine =
                   arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                         math::AbsFOp::create(b, loc, args[0]),
                                         number(exponent->firstCoarse()));
               return arith::SelectOp::create(b, loc, isFine,
                                              number(exponent->factor()),
                                              number(exponent->coarseFactor()));
             })
      .getResult(0);
}

/// Returns the offset that is added to the products of scores and their factor.
Value OnlineTiler::foldedOffset(Value maximum, Value factor) {
  AffineMap same = rewriter.getMultiDimIdentityMap(
      cast<RankedTensorType>(maximum.getType()).getRank());
  return createElementwise(
             rewriter, loc, {maximum, factor},
             emptyLike(rewriter, loc, maximum), {same, same, same},
             [&](OpBuilder &b, ValueRange args) -> Value {
               return arith::NegFOp::create(
                   b, loc, arith::MulFOp::create(b, loc, args[0], args[1]));
             })
      .getResult(0);
}

/// Returns exp2(of * factor + offset); `ofRows` maps rows to their factors.
Value OnlineTiler::foldedExponentials(Value of, Value factor, Value offset,
                                      AffineMap ofRows) {
  AffineMap same = rewriter.getMultiDimIdentityMap(
      cast<RankedTensorType>(of.getType()).getRank());
  return createElementwise(
             rewriter, loc, {of, factor, offset}, emptyLike(rewriter, loc, of),
             {same, ofRows, ofRows, same},
             [&](OpBuilder &b, ValueRange args) -> Value {
               return math::Exp2Op::create(
                   b, loc,
                   math::FmaOp::create(b, loc, args[0], args[1], args[2]));
             })
      .getResult(0);
}

/// Returns the correction factor for sums of exponentials with the maximum
/// `before`, after `factor` and `offset` have changed.
Value OnlineTiler::foldedCorrection(Value before, Value factor, Value offset) {
  Value factorBefore = factorOf(before);
  AffineMap same = rewriter.getMultiDimIdentityMap(
      cast<RankedTensorType>(before.getType()).getRank());
  return createElementwise(
             rewriter, loc, {before, factorBefore, factor, offset},
             emptyLike(rewriter, loc, before), {same, same, same, same, same},
             [&](OpBuilder &b, ValueRange args) -> Value {
               Value product = arith::MulFOp::create(b, loc, args[0], args[1]);
               Value isOff =
                   math::FmaOp::create(b, loc, args[0], args[1],
                                       arith::NegFOp::create(b, loc, product));
               Value power =
                   math::FmaOp::create(b, loc, args[0], args[2], args[3]);
               return math::Exp2Op::create(
                   b, loc, arith::SubFOp::create(b, loc, power, isOff));
             })
      .getResult(0);
}

/// Creates the exponentials of this step, and returns the correction factor of
/// the sums so far.
FailureOr<Value> OnlineTiler::exponentials(Value before, Value maximum,
                                           Value position) {
  if (exponent) {
    Value factor = factorOf(maximum), offset = foldedOffset(maximum, factor);
    AffineMap ofRows = online.powers.front().getIndexingMapsArray()[1];
    Value powers =
        foldedExponentials(tiles.lookup(online.scores), factor, offset, ofRows);
    tiles[online.powers.back()->getResult(0)] = powers;
    made.push_back(powers.getDefiningOp());
    return foldedCorrection(before, factor, offset);
  }
  Value base = baseOf(maximum);
  tiles[online.maximum->getResult(0)] = base;
  for (linalg::LinalgOp op : online.powers)
    if (failed(tileOp(op, position)))
      return failure();
  return correction(before, base);
}

/// Multiplies `value` by a factor per row, in place.
Value OnlineTiler::scale(Value value, Value factor, AffineMap ofRows) {
  unsigned rank = cast<RankedTensorType>(value.getType()).getRank();
  Type element = getElementTypeOrSelf(value.getType());
  return createElementwise(
             rewriter, loc, factor, value,
             {ofRows, rewriter.getMultiDimIdentityMap(rank)},
             [&](OpBuilder &b, ValueRange args) -> Value {
               Value times = convertScalarToDtype(b, loc, args[0], element,
                                                  /*isUnsignedCast=*/false);
               return arith::MulFOp::create(b, loc, args[1], times);
             })
      .getResult(0);
}

/// Returns the map from the dims of the contraction's result to rows of the
/// scores.
static AffineMap rowsOfResult(const OnlineSoftmax &online) {
  linalg::LinalgOp contraction = online.contraction;
  AffineMap result = contraction.getIndexingMapsArray().back();
  AffineMap factor = contraction.getIndexingMapsArray()[0];
  // The map of the division's second input selects the row dims of a quotient.
  linalg::LinalgOp division = online.division;
  AffineMap rows = division.getIndexingMapsArray()[1];
  SmallVector<AffineExpr> places;
  for (AffineExpr row : rows.getResults()) {
    unsigned dim = cast<AffineDimExpr>(row).getPosition();
    AffineExpr loop = factor.getResult(dim);
    places.push_back(
        getAffineDimExpr(*result.getResultPosition(loop), result.getContext()));
  }
  return AffineMap::get(result.getNumResults(), 0, places, result.getContext());
}

LogicalResult OnlineTiler::buildBody(scf::ForOp loop) {
  Value position = loop.getInductionVar();
  Value before = loop.getRegionIterArg(0), sumBefore = loop.getRegionIterArg(1),
        outBefore = loop.getRegionIterArg(2);
  rewriter.setInsertionPointToEnd(loop.getBody());
  tiles[online.maximum.getDpsInits()[0]] = before;
  FailureOr<linalg::LinalgOp> maximum = tileOp(online.maximum, position);
  if (failed(maximum))
    return failure();
  // All readers of the scores share one value.
  tiles[online.scores] = (*maximum)->getOperand(0);
  Value newMaximum = (*maximum)->getResult(0);
  FailureOr<Value> correct = exponentials(before, newMaximum, position);
  if (failed(correct))
    return failure();
  unsigned rank = cast<RankedTensorType>(sumBefore.getType()).getRank();
  tiles.erase(online.sum.getDpsInits()[0]);
  FailureOr<linalg::LinalgOp> sum = tileOp(online.sum, position);
  if (failed(sum))
    return failure();
  rewriter.setInsertionPoint(*sum);
  Value scaledSum =
      scale(sumBefore, *correct, rewriter.getMultiDimIdentityMap(rank));
  (*sum).getDpsInitsMutable()[0].set(scaledSum);
  rewriter.setInsertionPointAfter(*sum);
  Value newSum = (*sum)->getResult(0);
  // The division moves after the loop.
  tiles[online.division->getResult(0)] =
      tiles.lookup(online.powers.back()->getResult(0));
  for (linalg::LinalgOp op : online.casts)
    if (failed(tileOp(op, position)))
      return failure();
  Value scaled = scale(outBefore, *correct, rowsOfResult(online));
  FailureOr<linalg::LinalgOp> product = tileOp(online.contraction, position);
  if (failed(product))
    return failure();
  (*product).getDpsInitsMutable()[0].set(scaled);
  if (DictionaryAttr attributes =
          online.contraction->getDiscardableAttrDictionary())
    (*product)->setDiscardableAttrs(attributes);
  scf::YieldOp::create(
      rewriter, loc, ValueRange{newMaximum, newSum, (*product)->getResult(0)});
  return success();
}

/// Divides the product by the sums of the weights, which are not normalized
/// yet.
Value OnlineTiler::divide(Value out, Value sum) {
  AffineMap same = rewriter.getMultiDimIdentityMap(
      cast<RankedTensorType>(out.getType()).getRank());
  Type outElement = getElementTypeOrSelf(out.getType());
  return createElementwise(
             rewriter, loc, {out, sum}, emptyLike(rewriter, loc, out),
             {same, rowsOfResult(online), same},
             [&](OpBuilder &b, ValueRange args) -> Value {
               Value by = convertScalarToDtype(b, loc, args[1], outElement,
                                               /*isUnsignedCast=*/false);
               auto quotient = arith::DivFOp::create(b, loc, args[0], by);
               // Sums are about 1 or larger, or zero or NaN.
               if (exponent)
                 quotient.setFastmath(arith::FastMathFlags::arcp);
               return quotient;
             })
      .getResult(0);
}

APFloat OnlineTiler::startOfMaximum(const llvm::fltSemantics &format) {
  if (exponent)
    return APFloat(float(exponent->leastMaximum()));
  return APFloat::getInf(format, /*Negative=*/true);
}

FailureOr<scf::ForOp> OnlineTiler::run() {
  rewriter.setInsertionPoint(online.contraction);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  linalg::LinalgOp maximum = online.maximum, sum = online.sum,
                   contraction = online.contraction;
  auto element = cast<FloatType>(getElementTypeOrSelf(maximum->getResult(0)));
  auto least = rewriter.getFloatAttr(
      element, startOfMaximum(element.getFloatSemantics()));
  auto filled = [&](Value like, TypedAttr with) {
    Value value = arith::ConstantOp::create(rewriter, loc, with);
    return linalg::FillOp::create(rewriter, loc, value,
                                  emptyLike(rewriter, loc, like))
        .getResult(0);
  };
  // The correction of the first keys, which is 0, removes the sum's initial
  // value; without keys the product's initial value is divided by it. From a
  // finite maximum the correction is 1 where all keys so far are masked, and
  // the sum of such a row has to be 0.
  Value startOfSum = sum.getDpsInits()[0];
  bool startsFromZero = exponent && group.axes()[axis].extent != 0;
  auto one = rewriter.getFloatAttr(getElementTypeOrSelf(startOfSum),
                                   startsFromZero ? 0 : 1);
  SmallVector<Value> starts = {filled(maximum->getResult(0), least),
                               filled(startOfSum, one),
                               contraction.getDpsInits()[0]};
  auto loop = scf::ForOp::create(rewriter, loc, constant(0),
                                 constant(group.axes()[axis].extent),
                                 constant(tile), starts);
  if (failed(buildBody(loop)))
    return failure();
  rewriter.setInsertionPointAfter(loop);
  Value out = loop.getResult(2);
  Value quotient = divide(out, loop.getResult(1));
  rewriter.replaceOp(contraction, quotient);
  // Other producers are computed for these keys only.
  auto mayPull = [&](OpOperand &, Operation *producer) {
    return group.find(producer) != nullptr;
  };
  if (failed(pullProducers(rewriter, made, mayPull)))
    return failure();
  return loop;
}

void distaff::divideByOneWithoutKeys(RewriterBase &rewriter, scf::ForOp loop) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(loop);
  Location loc = loop.getLoc();
  Value sum = loop.getResult(1);
  SmallVector<OpOperand *> uses =
      llvm::map_to_vector(sum.getUses(), [](OpOperand &use) { return &use; });
  Value isEmpty =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                            loop.getLowerBound(), loop.getUpperBound());
  AffineMap same = rewriter.getMultiDimIdentityMap(
      cast<RankedTensorType>(sum.getType()).getRank());
  auto divisor = createElementwise(
      rewriter, loc, sum, emptyLike(rewriter, loc, sum), {same, same},
      [&](OpBuilder &b, ValueRange args) -> Value {
        Value one = arith::ConstantOp::create(
            b, loc, b.getFloatAttr(args[0].getType(), 1));
        return arith::SelectOp::create(b, loc, isEmpty, one, args[0]);
      });
  for (OpOperand *use : uses)
    use->set(divisor.getResult(0));
}

FailureOr<scf::ForOp> distaff::tileOnlineSoftmax(RewriterBase &rewriter,
                                                 const OnlineSoftmax &online,
                                                 const FusedGroup &group,
                                                 unsigned axis, int64_t tile,
                                                 bool foldsExponents) {
  assert(axis < group.axes().size() && tile > 0 &&
         "keys are an axis that is walked in tiles");
  return OnlineTiler(rewriter, online, group, axis, tile, foldsExponents).run();
}

//===----------------------------------------------------------------------===//
// Causal masks
//===----------------------------------------------------------------------===//

static bool isLeast(Value value) {
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity() &&
         number.isNegative();
}

/// Returns whether a comparison of a key's position with a row's, or
/// (`isSwapped`) of a row's with a key's, holds for no key after the row's own.
static bool endsAtRow(arith::CmpIPredicate predicate, bool isSwapped) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return true;
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::slt:
    return !isSwapped;
  case arith::CmpIPredicate::uge:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::sgt:
    return isSwapped;
  case arith::CmpIPredicate::ne:
    return false;
  }
  llvm_unreachable("unknown predicate");
}

Value distaff::endOfKeys(RewriterBase &rewriter, const OnlineSoftmax &online,
                         const FusedGroup &group, unsigned axis, int64_t tile) {
  auto op = online.scores.getDefiningOp<linalg::LinalgOp>();
  const GroupOp *scores = op ? group.find(op) : nullptr;
  auto select = scores ? op.getBlock()
                             ->getTerminator()
                             ->getOperand(0)
                             .getDefiningOp<arith::SelectOp>()
                       : arith::SelectOp();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  if (!compare)
    return {};
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (isLeast(select.getTrueValue()))
    predicate = arith::invertPredicate(predicate);
  else if (!isLeast(select.getFalseValue()))
    return {};
  std::optional<LoopPosition> key = matchLoopPosition(rewriter, op,
                                                      compare.getLhs()),
                              row = matchLoopPosition(rewriter, op,
                                                      compare.getRhs());
  auto isKey = [&](LoopPosition it) {
    return scores->axes[it.index.getDim()] == axis;
  };
  if (!key || !row || isKey(*key) == isKey(*row))
    return {};
  bool isSwapped = isKey(*row);
  if (isSwapped)
    std::swap(key, row);
  int64_t rows = op.getStaticLoopRanges()[row->index.getDim()];
  if (!endsAtRow(predicate, isSwapped) || !isConstantIntValue(key->offset, 0) ||
      ShapedType::isDynamic(rows))
    return {};
  // The end is rounded up to whole steps, so that no remainder is left.
  rewriter.setInsertionPoint(online.contraction);
  AffineExpr first = rewriter.getAffineSymbolExpr(0);
  AffineExpr end = (first + rows).ceilDiv(tile) * tile;
  return getValueOrCreateConstantIndexOp(
      rewriter, op.getLoc(),
      affine::makeComposedFoldedAffineApply(
          rewriter, op.getLoc(), AffineMap::get(0, 1, end), row->offset));
}

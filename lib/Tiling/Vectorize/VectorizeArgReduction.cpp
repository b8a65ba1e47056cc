//===- VectorizeArgReduction.cpp - Vectorization of argmin/argmax ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An arg_compare whose comparator is a weak order is distributed as a tree. A
// loop over elements with a NaN, or with conditions where no number is worse
// than all, has no such order; it becomes an arg_compare over a subset of the
// elements, which reductions over their numbers find. `first` and `last` are
// the numbers of the first and the last NaN, none where there is no NaN:
//
//   value             comparison   the place is that of
//   maximumf          ordered      the best before `first`
//   maximumf          unordered    the last element, if any is a NaN
//   select            unordered    the best after `last`, for any start
//   maxnumf           ordered      the best; of a NaN at the start, the best
//                                  after the first number
//   maxnumf           unordered    the best or `last`, whichever is later
//   select, integers  not strict   the last that equals the largest
//
//===----------------------------------------------------------------------===//
#include "VectorizeArgReduction.h"
#include "../BodyParts.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Rewrite/WholeTensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector::CombiningKind;

namespace {
/// Holds a value and its place, as vectors without the reduced dim.
struct Best {
  Value value, place;
};

/// Emits the vectors of one op; the reduced dim is their last one.
class ArgReductionVectors {
public:
  ArgReductionVectors(RewriterBase &b, linalg::LinalgOp op,
                      const ArgReduction &reduction)
      : b(b), op(op), loc(op.getLoc()), predicate(reduction.predicate),
        reduction(reduction), parts(b, op) {
    AffineMap results = op.getIndexingMapsArray().back();
    for (AffineExpr expr : results.getResults())
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    loops.push_back(reduction.loop);
  }

  Best write();
  SmallVector<linalg::LinalgOp> made;

private:
  void readParts();
  Best compareAll();
  Best lastOfIntegers();
  Best byMaximum();
  Best byMaxNum();
  Best byUnordered();

  bool isFloat() const { return isa<FloatType>(element); }
  Value constant(Type type, TypedAttr value);
  Value number(Type like, int64_t value) {
    return constant(like, b.getI32IntegerAttr(value));
  }
  Value floatOf(Type like, const APFloat &value) {
    return constant(like, b.getFloatAttr(element, value));
  }
  Value nan(Type like) { return floatOf(like, APFloat::getNaN(semantics())); }
  /// Returns the infinity that is worse than every other number.
  Value worst(Type like) {
    return floatOf(like, APFloat::getInf(semantics(), predicate.isLarger));
  }
  const llvm::fltSemantics &semantics() const {
    return cast<FloatType>(element).getFloatSemantics();
  }
  Value spread(Value kept);
  Value reduce(CombiningKind kind, Value elements, Value start);
  Value select(Value condition, Value yes, Value no) {
    return condition
               ? arith::SelectOp::create(b, loc, condition, yes, no).getResult()
               : yes;
  }
  Value both(Value one, Value other) {
    return one ? arith::AndIOp::create(b, loc, one, other).getResult() : other;
  }
  Value compare(arith::CmpIPredicate kind, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, kind, lhs, rhs);
  }
  Value isNaN(Value value) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value,
                                 value);
  }
  Value isNumber(Value value) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, value,
                                 value);
  }
  Best argCompare(Value values, Value indices, Best start,
                  const ArgPredicate &by);
  /// Returns the number of the first or the last marked element within the
  /// tile: `none` or -1 where there is no such element.
  Value firstOf(Value isOne) {
    return reduce(CombiningKind::MINSI,
                  select(isOne, positions, number(positions.getType(), none)),
                  number(keptNumbers(), none));
  }
  Value lastOf(Value isOne) {
    return reduce(CombiningKind::MAXSI,
                  select(isOne, positions, number(positions.getType(), -1)),
                  number(keptNumbers(), -1));
  }
  Value exists(Value found, int64_t missing) {
    return compare(arith::CmpIPredicate::ne, found,
                   number(found.getType(), missing));
  }
  Value placeAt(Value position);
  /// Returns the best of `counts` by an ordered comparison with `start`, and
  /// its number; -1 if no element is better.
  Best bestNumber(Value counts, Value start) {
    ArgPredicate ordered = predicate;
    ordered.isUnordered = false;
    return argCompare(select(counts, values, nan(values.getType())), positions,
                      {start, number(keptNumbers(), -1)}, ordered);
  }
  Value combined(CombiningKind larger, CombiningKind smaller, Value neutral);
  VectorType keptNumbers() {
    return cast<VectorType>(start.value.getType()).clone(b.getI32Type());
  }

  /// A number that is larger than that of every element of a tile.
  static constexpr int64_t none = std::numeric_limits<int32_t>::max();

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  ArgPredicate predicate;
  const ArgReduction &reduction;
  BodyParts parts;
  SmallVector<unsigned> loops;
  Type element;
  Value values, places, valid, positions; // `valid`: null where all are
  Best start;
};
} // namespace

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value ArgReductionVectors::constant(Type type, TypedAttr value) {
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(cast<ShapedType>(type), value));
}

/// Broadcasts a vector without the reduced dim along it.
Value ArgReductionVectors::spread(Value kept) {
  auto type = cast<VectorType>(kept.getType());
  auto all = cast<VectorType>(values.getType());
  SmallVector<int64_t> shape = {all.getShape().back()}, order;
  llvm::append_range(shape, type.getShape());
  Value wide = vector::BroadcastOp::create(
      b, loc, VectorType::get(shape, type.getElementType()), kept);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    order.push_back(dim + 1);
  order.push_back(0);
  return order.size() == 1
             ? wide
             : vector::TransposeOp::create(b, loc, wide, order).getResult();
}

/// Reduces `elements` along the reduced dim, from `start`.
Value ArgReductionVectors::reduce(CombiningKind kind, Value elements,
                                  Value start) {
  auto type = cast<VectorType>(start.getType());
  SmallVector<bool> isReduced(type.getRank() + 1, false);
  isReduced.back() = true;
  if (type.getRank() > 0)
    return vector::MultiDimReductionOp::create(b, loc, elements, start,
                                               isReduced, kind);
  Value scalar = vector::ExtractOp::create(b, loc, start);
  Value sum = vector::MultiDimReductionOp::create(b, loc, elements, scalar,
                                                  isReduced, kind);
  return vector::BroadcastOp::create(b, loc, type, sum);
}

Best ArgReductionVectors::argCompare(Value values, Value indices, Best start,
                                     const ArgPredicate &by) {
  auto compare = vector_ext::ArgCompareOp::create(
      b, loc, TypeRange{start.value.getType(), start.place.getType()}, values,
      indices, start.value, start.place, /*index_base=*/Value(),
      b.getI64IntegerAttr(loops.size() - 1));
  Type type = cast<VectorType>(values.getType()).getElementType();
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&compare.getRegion(), {}, {type, type}, {loc, loc});
  Value candidate = block->getArgument(0), best = block->getArgument(1);
  Value wins =
      isa<FloatType>(type)
          ? arith::CmpFOp::create(b, loc, by.ofFloats(), candidate, best)
                .getResult()
          : arith::CmpIOp::create(b, loc, by.ofIntegers(), candidate, best)
                .getResult();
  vector_ext::YieldOp::create(b, loc, wins);
  return {compare.getResultValue(), compare.getResultIndex()};
}

/// Returns the place that the op yields for the element at `position`; the
/// start's place if there is no such element.
Value ArgReductionVectors::placeAt(Value position) {
  Value isIt = compare(arith::CmpIPredicate::eq, positions, spread(position));
  Value keys = select(isIt, number(positions.getType(), 1),
                      number(positions.getType(), 0));
  return argCompare(keys, places, {number(keptNumbers(), 0), start.place},
                    ArgPredicate())
      .place;
}

/// Combines the start and all valid elements by one of two kinds.
Value ArgReductionVectors::combined(CombiningKind larger, CombiningKind smaller,
                                    Value neutral) {
  return reduce(predicate.isLarger ? larger : smaller,
                select(valid, values, neutral), start.value);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Handles comparisons that order all elements; invalid elements are replaced
/// by one that is worse than all.
Best ArgReductionVectors::compareAll() {
  Value candidates = values;
  if (valid)
    candidates = select(valid, values,
                        constant(values.getType(), *neverBest(reduction)));
  return argCompare(candidates, places, start, predicate);
}

Best ArgReductionVectors::lastOfIntegers() {
  Type type = values.getType();
  ArgReduction strict = reduction;
  strict.predicate.isStrict = true;
  Value best = predicate.isUnsigned
                   ? combined(CombiningKind::MAXUI, CombiningKind::MINUI,
                              constant(type, *neverBest(strict)))
                   : combined(CombiningKind::MAXSI, CombiningKind::MINSI,
                              constant(type, *neverBest(strict)));
  Value equals = compare(arith::CmpIPredicate::eq, values, spread(best));
  return {best, placeAt(lastOf(both(valid, equals)))};
}

Best ArgReductionVectors::byMaximum() {
  Value largest = combined(CombiningKind::MAXIMUMF, CombiningKind::MINIMUMF,
                           worst(values.getType()));
  Value first = firstOf(both(valid, isNaN(values)));
  if (!predicate.isUnordered) {
    Value isBefore =
        compare(arith::CmpIPredicate::slt, positions, spread(first));
    Value counts = both(valid, isBefore);
    Best before = argCompare(select(counts, values, nan(values.getType())),
                             places, start, predicate);
    return {largest, before.place};
  }
  Value any =
      arith::OrIOp::create(b, loc, exists(first, none), isNaN(start.value));
  Value all = valid ? valid
                    : compare(arith::CmpIPredicate::sge, positions,
                              number(positions.getType(), 0));
  Value found = select(any, lastOf(all), bestNumber(valid, start.value).place);
  return {largest, placeAt(found)};
}

Best ArgReductionVectors::byMaxNum() {
  Type kept = start.value.getType();
  Value numbers = both(valid, isNumber(values));
  Value largest = combined(CombiningKind::MAXNUMF, CombiningKind::MINNUMF,
                           nan(values.getType()));
  Value first = firstOf(numbers), startsEmpty = isNaN(start.value);
  if (!predicate.isUnordered) {
    // From a NaN, the loop takes the first number without comparing it.
    Value isFirst = compare(arith::CmpIPredicate::eq, positions, spread(first));
    Value firstNumber = reduce(
        predicate.isLarger ? CombiningKind::MAXNUMF : CombiningKind::MINNUMF,
        select(both(numbers, isFirst), values, nan(values.getType())),
        nan(kept));
    Value from = select(startsEmpty, first, number(keptNumbers(), -1));
    Value isBehind =
        compare(arith::CmpIPredicate::sgt, positions, spread(from));
    Best best = bestNumber(both(numbers, isBehind),
                           select(startsEmpty, firstNumber, start.value));
    return {largest, placeAt(best.place)};
  }
  Value found =
      bestNumber(numbers, select(startsEmpty, worst(kept), start.value)).place;
  // No element compares better than the worst infinity, also if it is equal to
  // it.
  Value isMissed =
      both(both(startsEmpty, exists(first, none)),
           compare(arith::CmpIPredicate::eq, found, number(keptNumbers(), -1)));
  found = select(isMissed, first, found);
  Value last = lastOf(both(valid, isNaN(values)));
  return {largest, placeAt(arith::MaxSIOp::create(b, loc, found, last))};
}

Best ArgReductionVectors::byUnordered() {
  Type kept = start.value.getType();
  Value last = lastOf(both(valid, isNaN(values)));
  Value counts =
      both(both(valid, isNumber(values)),
           compare(arith::CmpIPredicate::sgt, positions, spread(last)));
  Value restarts =
      arith::OrIOp::create(b, loc, exists(last, -1), isNaN(start.value));
  Best best = bestNumber(counts, select(restarts, worst(kept), start.value));
  // No element compares better than the worst infinity, also if it is equal to
  // it.
  Value isMissed = both(restarts, compare(arith::CmpIPredicate::eq, best.place,
                                          number(keptNumbers(), -1)));
  Value first = firstOf(counts), isThere = exists(first, none);
  Value found = select(isMissed, select(isThere, first, last), best.place);
  Value value =
      select(isMissed, select(isThere, worst(kept), nan(kept)), best.value);
  return {value, placeAt(found)};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Reads the values, places and conditions of the body as vectors.
void ArgReductionVectors::readParts() {
  values = parts.vectorOf(reduction.candidate, loops, made);
  places = parts.vectorOf(reduction.place, loops, made);
  for (Value condition : reduction.conditions)
    valid = both(valid, parts.vectorOf(condition, loops, made));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBlock());
  Value position = arith::IndexCastOp::create(
      b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, reduction.loop));
  b.setInsertionPoint(op);
  positions = parts.vectorOf(position, loops, made);
}

Best ArgReductionVectors::write() {
  element = reduction.candidate.getType();
  readParts();
  start = {readWholeTensor(b, loc, op.getDpsInits()[0]),
           readWholeTensor(b, loc, op.getDpsInits()[1])};
  if (isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(reduction.combiner))
    return byMaximum();
  if (reduction.combiner)
    return byMaxNum();
  if (isFloat() && predicate.isUnordered)
    return byUnordered();
  if (!isFloat() && !predicate.isStrict && valid)
    return lastOfIntegers();
  return compareAll();
}

FailureOr<SmallVector<linalg::LinalgOp>>
distaff::vectorizeArgReduction(RewriterBase &rewriter, linalg::LinalgOp op,
                               const ArgReduction &reduction) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap results = maps[op.getNumDpsInputs()];
  if (maps.back() != results || !results.isProjectedPermutation())
    return op.emitOpError("finds the best element and its place by different "
                          "maps, ")
           << AffineMapAttr::get(results) << " and "
           << AffineMapAttr::get(maps.back());
  rewriter.setInsertionPoint(op);
  ArgReductionVectors vectors(rewriter, op, reduction);
  Best best = vectors.write();
  Location loc = op.getLoc();
  Value value =
      writeWholeTensor(rewriter, loc, best.value, op.getDpsInits()[0]);
  Value place =
      writeWholeTensor(rewriter, loc, best.place, op.getDpsInits()[1]);
  rewriter.replaceOp(op, {value, place});
  return vectors.made;
}

//===- SplitResults.cpp - Results of one op that are walked apart ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %sums, %exps = linalg.generic ins(%x : 13x5003)      // exp, and its sums
//
// A walk along what is reduced carries one result and writes the other piece by
// piece. As two ops, of which either may be walked, fused or given a launch,
// nothing has to do both.
//
// Where the largest element is, as exporters say it:
//
//   %m = arith.maximumf %x, %best          %m = arith.select %c, %x, %best
//   %c = arith.cmpf ogt, %x, %best    ->   %c = arith.cmpf ogt, %x, %best
//   %p = arith.select %c, %i, %place       %p = arith.select %c, %i, %place
//
// and the largest, which a NaN is too, is reduced by itself. A reduction has no
// order: with a NaN in it, the place is that of one in which it comes last.
//
//===----------------------------------------------------------------------===//
#include "Form.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;

/// Numbers of the results that have a place for each point of the loops, and of
/// the others.
static std::pair<SmallVector<unsigned>, SmallVector<unsigned>>
partResults(linalg::GenericOp op) {
  SmallVector<unsigned> apart, rest;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    bool isApart = op.getMatchingIndexingMap(&init).isPermutation();
    (isApart ? apart : rest)
        .push_back(init.getOperandNumber() - op.getNumDpsInputs());
  }
  return {apart, rest};
}

/// The ops of a body that make what it yields for `results`.
static SetVector<Operation *> makersOf(linalg::GenericOp op,
                                       ArrayRef<unsigned> results) {
  SetVector<Operation *> makers;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *inner) {
    return inner->getBlock() == op.getBody();
  };
  for (unsigned result : results)
    if (Value value = op.getBody()->getTerminator()->getOperand(result);
        value.getDefiningOp())
      (void)getBackwardSlice(value, &makers, options);
  return makers;
}

/// Whether a result is along no loop that is reduced.
static bool isReduced(linalg::GenericOp op, unsigned result) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  return llvm::none_of(
      llvm::seq<unsigned>(0, iterators.size()), [&](unsigned loop) {
        return iterators[loop] == utils::IteratorType::reduction &&
               map.isFunctionOfDim(loop);
      });
}

/// Whether what is yielded for `results` needs nothing of `others` so far.
static bool areApart(linalg::GenericOp op, ArrayRef<unsigned> results,
                     ArrayRef<unsigned> others) {
  auto isOthers = [&](Value value) {
    return llvm::any_of(others, [&](unsigned other) {
      return value == op.getRegionOutputArgs()[other];
    });
  };
  return llvm::none_of(results,
                       [&](unsigned result) {
                         return isOthers(
                             op.getBody()->getTerminator()->getOperand(result));
                       }) &&
         llvm::none_of(makersOf(op, results), [&](Operation *maker) {
           return llvm::any_of(maker->getOperands(), isOthers);
         });
}

/// The op with only some of its results.
static linalg::GenericOp withResults(RewriterBase &rewriter,
                                     linalg::GenericOp op,
                                     ArrayRef<unsigned> results,
                                     bool isParallel) {
  SmallVector<Value> inits;
  SmallVector<AffineMap> maps =
      llvm::map_to_vector(op.getDpsInputOperands(), [&](OpOperand *input) {
        return op.getMatchingIndexingMap(input);
      });
  for (unsigned result : results) {
    inits.push_back(op.getDpsInits()[result]);
    maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(result)));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (isParallel)
    iterators.assign(iterators.size(), utils::IteratorType::parallel);
  unsigned numInputs = op.getNumDpsInputs();
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), TypeRange(ValueRange(inits)), op.getDpsInputs(),
      inits, maps, iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping mapping;
        Block *body = op.getBody();
        for (unsigned input = 0; input < numInputs; ++input)
          mapping.map(body->getArgument(input), args[input]);
        for (auto [at, result] : llvm::enumerate(results))
          mapping.map(body->getArgument(numInputs + result),
                      args[numInputs + at]);
        SetVector<Operation *> needed = makersOf(op, results);
        for (Operation &inner : body->without_terminator())
          if (needed.contains(&inner))
            b.clone(inner, mapping);
        SmallVector<Value> yielded;
        for (unsigned result : results)
          yielded.push_back(mapping.lookupOrDefault(
              body->getTerminator()->getOperand(result)));
        linalg::YieldOp::create(b, loc, yielded);
      });
}

/// Whether a comparison of `candidate` with `best` is true where an op that
/// takes the one or the other takes the candidate.
static bool agrees(Operation *compare, Operation *combiner, Value candidate,
                   Value best) {
  bool isLarger =
      isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>(
          combiner);
  bool isLess = false, isRanked = false, isUnsigned = false;
  if (auto floats = dyn_cast<arith::CmpFOp>(compare)) {
    using P = arith::CmpFPredicate;
    isLess = llvm::is_contained({P::OLT, P::OLE}, floats.getPredicate());
    isRanked =
        isLess || llvm::is_contained({P::OGT, P::OGE}, floats.getPredicate());
  } else if (auto integers = dyn_cast<arith::CmpIOp>(compare)) {
    using P = arith::CmpIPredicate;
    isUnsigned = llvm::is_contained({P::ugt, P::ult}, integers.getPredicate());
    isLess = llvm::is_contained({P::slt, P::ult}, integers.getPredicate());
    isRanked =
        isLess || llvm::is_contained({P::sgt, P::ugt}, integers.getPredicate());
  }
  if (!isRanked || isUnsigned != isa<arith::MaxUIOp, arith::MinUIOp>(combiner))
    return false;
  if (compare->getOperand(0) == best && compare->getOperand(1) == candidate)
    isLess = !isLess;
  else if (compare->getOperand(0) != candidate ||
           compare->getOperand(1) != best)
    return false;
  return isLess != isLarger;
}

/// Lets the comparison that says where choose the element as well.
static void chooseByComparison(RewriterBase &rewriter, linalg::GenericOp op) {
  Operation *yield = op.getBody()->getTerminator();
  if (op.getNumDpsInits() != 2 || op.getNumReductionLoops() != 1)
    return;
  Operation *combiner = yield->getOperand(0).getDefiningOp();
  auto place = yield->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!combiner || !place ||
      place.getFalseValue() != op.getRegionOutputArgs()[1] ||
      !isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
           arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
           arith::MinUIOp>(combiner))
    return;
  Value best = op.getRegionOutputArgs()[0];
  Value candidate = combiner->getOperand(combiner->getOperand(0) == best);
  Operation *compare = place.getCondition().getDefiningOp();
  if (!llvm::is_contained(combiner->getOperands(), best) || !compare ||
      !agrees(compare, combiner, candidate, best))
    return;
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(combiner) &&
      !op.getResult(0).use_empty()) {
    rewriter.setInsertionPoint(op);
    Value largest =
        withResults(rewriter, op, {0}, /*isParallel=*/false).getResult(0);
    rewriter.replaceAllUsesWith(op.getResult(0), largest);
  }
  rewriter.setInsertionPoint(yield);
  Value chosen = arith::SelectOp::create(rewriter, combiner->getLoc(),
                                         place.getCondition(), candidate, best);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, chosen); });
}

void distaff::splitResults(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>()))
    if (op.hasPureTensorSemantics())
      chooseByComparison(rewriter, op);
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>())) {
    if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0)
      continue;
    // What regions inside of the body capture is not looked for.
    if (llvm::any_of(*op.getBody(), [](Operation &inner) {
          return inner.getNumRegions() > 0;
        }))
      continue;
    auto [apart, rest] = partResults(op);
    if (apart.empty() || rest.empty() || !areApart(op, apart, rest) ||
        !areApart(op, rest, apart) ||
        !llvm::all_of(rest, [&, op = op](unsigned result) {
          return isReduced(op, result);
        }))
      continue;
    rewriter.setInsertionPoint(op);
    linalg::GenericOp elements =
        withResults(rewriter, op, apart, /*isParallel=*/true);
    linalg::GenericOp reduced =
        withResults(rewriter, op, rest, /*isParallel=*/false);
    reduced->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    SmallVector<Value> results(op.getNumResults());
    for (auto [at, result] : llvm::enumerate(apart))
      results[result] = elements.getResult(at);
    for (auto [at, result] : llvm::enumerate(rest))
      results[result] = reduced.getResult(at);
    rewriter.replaceOp(op, results);
  }
}

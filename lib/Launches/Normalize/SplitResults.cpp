//===- SplitResults.cpp - Reduced and other results as two ops ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %sums, %exps = linalg.generic ins(%x : 13x5003)      // exp, and its sums
//
// A loop along the reduced dim carries one result and writes the other slice by
// slice. As two ops, each may be fused or have a loop or a launch of its own,
// and no loop has to do both.
//
// In an argmax, the comparison chooses the same number as `maxnumf`
// (Analysis/Linalg/ArgReduction.h).
//
//===----------------------------------------------------------------------===//
#include "InputLegality.h"
#include "distaff/Analysis/Linalg/ArgReduction.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

/// Returns the numbers of the results that have an element for each point of
/// the loops, and of the others.
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

/// Returns the ops of a body that compute the yielded values of `results`.
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

/// Returns whether a result has no reduced loop.
static bool isReduced(linalg::GenericOp op, unsigned result) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  return llvm::none_of(
      llvm::seq<unsigned>(0, iterators.size()), [&](unsigned loop) {
        return iterators[loop] == utils::IteratorType::reduction &&
               map.isFunctionOfDim(loop);
      });
}

/// Returns whether the yielded values of `results` need no partial result of
/// `others`.
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

/// Creates the op with only some of its results.
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

/// Returns whether the init of a result is known, and no NaN.
static bool startsFromNumber(Value start) {
  auto fill = start.getDefiningOp<linalg::FillOp>();
  FloatAttr value;
  return fill && matchPattern(fill.value(), m_Constant(&value)) &&
         !value.getValue().isNaN();
}

/// Reduces the best element alone where its position is not read. Where
/// `maxnumf` never sees two NaNs, the comparison chooses the element.
static void simplifyArgReduction(RewriterBase &rewriter, linalg::GenericOp op) {
  std::optional<ArgReduction> best = matchArgReduction(op);
  Operation *yield = op.getBody()->getTerminator();
  if (!best || yield->getOperand(0).getDefiningOp<arith::SelectOp>())
    return;
  if (op.getResult(1).use_empty()) {
    rewriter.setInsertionPoint(op);
    Value largest =
        withResults(rewriter, op, {0}, /*isParallel=*/false).getResult(0);
    rewriter.replaceAllUsesWith(op.getResult(0), largest);
    return;
  }
  if (!isa_and_nonnull<arith::MaxNumFOp, arith::MinNumFOp>(best->combiner) ||
      best->predicate.isUnordered || !startsFromNumber(op.getDpsInits()[0]))
    return;
  rewriter.setInsertionPoint(yield);
  Location loc = best->combiner->getLoc();
  Value soFar = op.getRegionOutputArgs()[0];
  Value wins = arith::CmpFOp::create(rewriter, loc, best->predicate.ofFloats(),
                                     best->candidate, soFar);
  Value chosen =
      arith::SelectOp::create(rewriter, loc, wins, best->candidate, soFar);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, chosen); });
}

void distaff::splitResults(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>()))
    if (op.hasPureTensorSemantics())
      simplifyArgReduction(rewriter, op);
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>())) {
    if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0)
      continue;
    // Values captured by inner regions are not searched.
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

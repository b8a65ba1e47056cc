//===- ZeroPoints.cpp - Separation of quantization zero points ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantized numbers are integers of which one, the zero point, stands for 0. No
// instruction subtracts it from its operands, but it need not be subtracted
// there: integers wrap, so sums may be split,
//
//   sum (a - z)(b - w)  =  sum a b  -  w sum a  -  z sum (b - w)
//
// where the sums are over loops that z and w do not depend on. The first is a
// plain contraction, for which each target has instructions; the others read
// one operand once. Zero points that are known to be 0 are dropped. Products
// whose tiles their author has chosen are left as they are.
//
//===----------------------------------------------------------------------===//
#include "InputLegality.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

namespace {
/// A factor: the value computed from one operand's element, and its zero
/// point.
struct Factor {
  Value whole, element; // of the same type; `element` before the zero point
  Value zero;           // null: none, or 0
  unsigned operand;     // operand of the op

  bool hasZero() const { return bool(zero); }
  bool isDifference() const { return whole != element; }
};

class ZeroPointProduct {
public:
  static std::optional<ZeroPointProduct> match(linalg::LinalgOp op);

  void separate(RewriterBase &rewriter);

private:
  explicit ZeroPointProduct(linalg::LinalgOp op)
      : op(op), maps(op.getIndexingMapsArray()) {}

  bool isReduced(unsigned loop) {
    return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
  }
  bool isOfLoop(unsigned operand, unsigned loop) {
    return maps[operand].isFunctionOfDim(loop);
  }
  AffineMap sums() { return maps.back(); }
  std::optional<llvm::SmallSetVector<unsigned, 4>> operandsOf(Value value);
  bool isConstantOverSteps(Value value);
  bool isZero(Value value);
  std::optional<Factor> factorOf(Value value);
  bool hasLoopsOfAContraction();

  Value clone(OpBuilder &b, Value value, IRMapping &map);
  Value multiply(RewriterBase &rewriter);
  /// A zero point times a sum of the other factor, by dims of the result.
  struct Term {
    Value zero, sums;
    AffineMap map;
  };
  SmallVector<Term, 2> termsOf(RewriterBase &rewriter);
  Value sumOf(RewriterBase &rewriter, const Factor &factor, Value what);

  linalg::LinalgOp op;
  SmallVector<AffineMap> maps;
  Factor lhs, rhs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Returns the operands from which ops on elements compute a value of the body;
/// none where it is computed otherwise.
std::optional<llvm::SmallSetVector<unsigned, 4>>
ZeroPointProduct::operandsOf(Value value) {
  llvm::SmallSetVector<unsigned, 4> operands;
  SmallVector<Value> left = {value};
  while (!left.empty()) {
    Value next = left.pop_back_val();
    if (!op->getRegion(0).isAncestor(next.getParentRegion()))
      continue; // the same everywhere
    if (auto argument = dyn_cast<BlockArgument>(next);
        argument && argument.getOwner() == op.getBlock()) {
      operands.insert(argument.getArgNumber());
      continue;
    }
    Operation *maker = next.getDefiningOp();
    if (!maker || maker->getBlock() != op.getBlock() ||
        maker->getNumRegions() != 0 || maker->getNumResults() != 1 ||
        !isPure(maker) || isa<linalg::IndexOp>(maker))
      return std::nullopt;
    llvm::append_range(left, maker->getOperands());
  }
  return operands;
}

/// Returns whether a value is the same in all steps of the sum.
bool ZeroPointProduct::isConstantOverSteps(Value value) {
  auto operands = operandsOf(value);
  return operands && llvm::all_of(*operands, [&](unsigned operand) {
           if (operand >= unsigned(op.getNumDpsInputs()))
             return false;
           for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
             if (isReduced(loop) && isOfLoop(operand, loop))
               return false;
           return true;
         });
}

/// Returns whether a value is known to be 0, as an operand or in the body.
bool ZeroPointProduct::isZero(Value value) {
  while (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock())
    value = op->getOperand(argument.getArgNumber());
  return matchPattern(value, m_Zero());
}

std::optional<Factor> ZeroPointProduct::factorOf(Value value) {
  Factor factor{value, value, {}, 0};
  if (auto difference = value.getDefiningOp<arith::SubIOp>();
      difference && isConstantOverSteps(difference.getRhs())) {
    factor.element = difference.getLhs();
    if (!isZero(difference.getRhs()))
      factor.zero = difference.getRhs();
  }
  auto operands = operandsOf(factor.element);
  if (!operands || operands->size() != 1 ||
      isConstantOverSteps(factor.element) ||
      operands->front() >= unsigned(op.getNumDpsInputs()))
    return std::nullopt;
  factor.operand = operands->front();
  return factor;
}

/// Returns whether one factor has rows of its own and the other columns of its
/// own, enough that reading an operand again costs little, and both have every
/// step.
bool ZeroPointProduct::hasLoopsOfAContraction() {
  constexpr int64_t fewest = 8;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t rows = 1, columns = 1;
  bool hasSteps = false;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool ofLhs = isOfLoop(lhs.operand, loop),
         ofRhs = isOfLoop(rhs.operand, loop);
    int64_t extent =
        ShapedType::isDynamic(extents[loop]) ? fewest : extents[loop];
    if (isReduced(loop)) {
      hasSteps = true;
      if (!ofLhs || !ofRhs)
        return false;
    } else if (ofLhs != ofRhs) {
      (ofLhs ? rows : columns) *= std::min(extent, fewest);
    }
  }
  return hasSteps && rows >= fewest && columns >= fewest;
}

std::optional<ZeroPointProduct> ZeroPointProduct::match(linalg::LinalgOp op) {
  ZeroPointProduct product(op);
  if (op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      !llvm::all_of(product.maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  Value result = op.getBlock()->getTerminator()->getOperand(0);
  auto sum = result.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  Value carried = op.getBlock()->getArguments().back();
  Value term = sum.getLhs() == carried ? sum.getRhs() : sum.getLhs();
  auto factors = term.getDefiningOp<arith::MulIOp>();
  if (!factors || (sum.getLhs() != carried && sum.getRhs() != carried) ||
      term == carried || !carried.hasOneUse())
    return std::nullopt;
  std::optional<Factor> lhs = product.factorOf(factors.getLhs()),
                        rhs = product.factorOf(factors.getRhs());
  if (!lhs || !rhs || lhs->operand == rhs->operand ||
      (!lhs->isDifference() && !rhs->isDifference()))
    return std::nullopt;
  product.lhs = *lhs;
  product.rhs = *rhs;
  if (!product.hasLoopsOfAContraction())
    return std::nullopt;
  // The right side's zero point is subtracted where its own loops are.
  if (product.rhs.hasZero() && product.lhs.hasZero())
    for (auto operands = *product.operandsOf(product.rhs.zero);
         unsigned operand : operands)
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (product.isOfLoop(operand, loop) &&
            !product.isOfLoop(product.rhs.operand, loop))
          return std::nullopt;
  return product;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Computes a value of the body from the values of `map` for its arguments.
Value ZeroPointProduct::clone(OpBuilder &b, Value value, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  if (!op->getRegion(0).isAncestor(value.getParentRegion()))
    return value;
  Operation *maker = value.getDefiningOp();
  for (Value operand : maker->getOperands())
    clone(b, operand, map);
  b.clone(*maker, map);
  return map.lookup(value);
}

/// Emits the product without zero points.
Value ZeroPointProduct::multiply(RewriterBase &rewriter) {
  linalg::LinalgOp from = op;
  Value init = from.getDpsInits()[0];
  auto product = linalg::GenericOp::create(
      rewriter, from.getLoc(), init.getType(),
      ValueRange{from->getOperand(lhs.operand), from->getOperand(rhs.operand)},
      init, ArrayRef<AffineMap>{maps[lhs.operand], maps[rhs.operand], sums()},
      from.getIteratorTypesArray(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping map;
        Block *block = from.getBlock();
        map.map(block->getArgument(lhs.operand), args[0]);
        map.map(block->getArgument(rhs.operand), args[1]);
        Value term = arith::MulIOp::create(b, loc, clone(b, lhs.element, map),
                                           clone(b, rhs.element, map));
        linalg::YieldOp::create(
            b, loc, arith::AddIOp::create(b, loc, args[2], term).getResult());
      });
  return product.getResult(0);
}

namespace {
/// Rewrites maps to a subset of the op's loops.
struct LoopsOf {
  SmallVector<unsigned> loops;
  MLIRContext *context;

  AffineMap rename(AffineMap map) const {
    SmallVector<AffineExpr> places;
    for (AffineExpr expr : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      places.push_back(
          getAffineDimExpr(llvm::find(loops, loop) - loops.begin(), context));
    }
    return AffineMap::get(loops.size(), 0, places, context);
  }
};
} // namespace

/// Emits the sums, over all steps, of a value computed from a factor's element,
/// for each of the operand's loops that is not reduced.
Value ZeroPointProduct::sumOf(RewriterBase &rewriter, const Factor &factor,
                              Value what) {
  linalg::LinalgOp from = op;
  Location loc = from.getLoc();
  MLIRContext *context = rewriter.getContext();
  LoopsOf own{{}, context};
  SmallVector<utils::IteratorType> iterators;
  AffineMap map = maps[factor.operand];
  for (unsigned loop = 0; loop < from.getNumLoops(); ++loop)
    if (map.isFunctionOfDim(loop)) {
      own.loops.push_back(loop);
      iterators.push_back(from.getIteratorTypesArray()[loop]);
    }
  SmallVector<AffineExpr> kept;
  SmallVector<OpFoldResult> sizes;
  Value operand = from->getOperand(factor.operand);
  for (AffineExpr expr : sums().getResults())
    if (std::optional<unsigned> dim = map.getResultPosition(expr)) {
      kept.push_back(expr);
      sizes.push_back(tensor::getMixedSize(rewriter, loc, operand, *dim));
    }
  auto numbers = *operandsOf(what);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> renamed;
  for (unsigned number : numbers) {
    inputs.push_back(from->getOperand(number));
    renamed.push_back(own.rename(maps[number]));
  }
  renamed.push_back(
      own.rename(AffineMap::get(from.getNumLoops(), 0, kept, context)));
  Type element = what.getType();
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  Value none =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value start = linalg::FillOp::create(rewriter, loc, none, empty).getResult(0);
  return linalg::GenericOp::create(
             rewriter, loc, start.getType(), inputs, start, renamed, iterators,
             [&](OpBuilder &b, Location, ValueRange args) {
               IRMapping values;
               for (auto [number, arg] :
                    llvm::zip_equal(numbers, args.drop_back()))
                 values.map(from.getBlock()->getArgument(number), arg);
               linalg::YieldOp::create(
                   b, loc,
                   arith::AddIOp::create(b, loc, args.back(),
                                         clone(b, what, values))
                       .getResult());
             })
      .getResult(0);
}

/// Returns the correction terms of a product of the elements.
SmallVector<ZeroPointProduct::Term, 2>
ZeroPointProduct::termsOf(RewriterBase &rewriter) {
  SmallVector<Term, 2> terms;
  auto add = [&](const Factor &factor, const Factor &other, Value what) {
    if (!factor.hasZero())
      return;
    SmallVector<AffineExpr> kept;
    for (AffineExpr expr : sums().getResults())
      if (maps[other.operand].getResultPosition(expr))
        kept.push_back(expr);
    terms.push_back(
        {factor.zero, sumOf(rewriter, other, what),
         AffineMap::get(op.getNumLoops(), 0, kept, rewriter.getContext())});
  };
  add(rhs, lhs, lhs.element);
  add(lhs, rhs, rhs.hasZero() ? rhs.whole : rhs.element);
  return terms;
}

void ZeroPointProduct::separate(RewriterBase &rewriter) {
  linalg::LinalgOp from = op;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(from);
  Location loc = from.getLoc();
  SmallVector<Term, 2> terms = termsOf(rewriter);
  Value product = multiply(rewriter);
  if (terms.empty())
    return rewriter.replaceOp(from, product);

  LoopsOf own{{}, rewriter.getContext()};
  for (AffineExpr expr : sums().getResults())
    own.loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  SmallVector<Value> inputs = {product};
  SmallVector<AffineMap> renamed = {own.rename(sums())};
  llvm::SmallSetVector<unsigned, 4> zeros;
  for (const Term &term : terms) {
    inputs.push_back(term.sums);
    renamed.push_back(own.rename(term.map));
    zeros.insert_range(*operandsOf(term.zero));
  }
  for (unsigned number : zeros) {
    inputs.push_back(from->getOperand(number));
    renamed.push_back(own.rename(maps[number]));
  }
  renamed.push_back(own.rename(sums()));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, product),
      getElementTypeOrSelf(product.getType()));
  if (empty.getType() != product.getType())
    empty = tensor::CastOp::create(rewriter, loc, product.getType(), empty);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      from, product.getType(), inputs, empty, renamed,
      SmallVector<utils::IteratorType>(own.loops.size(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &b, Location, ValueRange args) {
        IRMapping values;
        for (auto [number, arg] : llvm::zip_equal(
                 zeros, args.drop_front(1 + terms.size()).drop_back()))
          values.map(from.getBlock()->getArgument(number), arg);
        Value result = args[0];
        for (auto [i, term] : llvm::enumerate(terms)) {
          Value less = arith::MulIOp::create(
              b, loc, clone(b, term.zero, values), args[1 + i]);
          result = arith::SubIOp::create(b, loc, result, less);
        }
        linalg::YieldOp::create(b, loc, result);
      });
}

void distaff::separateZeroPoints(func::FuncOp kernel) {
  constexpr StringRef config = iree::LoweringConfigAttr::attributeName;
  if (kernel->hasAttr(config))
    return;
  IRRewriter rewriter(kernel.getContext());
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>()))
    if (std::optional<ZeroPointProduct> product = ZeroPointProduct::match(op);
        product && !op->hasAttr(config))
      product->separate(rewriter);
}

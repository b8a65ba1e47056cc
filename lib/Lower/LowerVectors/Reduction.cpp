//===- Reduction.cpp - Reductions and products inside one lane ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every result combines its elements in a fixed order, so that all lanes that
// hold copies get the same bits: reductions as a balanced tree (short
// dependence chains) and the accumulator last; contractions along ascending k
// from the accumulator, with fused multiply-add for the sum of float products.
// A reduction of products on a GPU fuses them, too: its tree has chains of four
// for leaves. Strict floats are combined one by one from the accumulator on,
// products rounded first (VX-87).
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace distaff;
using namespace distaff::registers;

/// Returns the product that defines a value, if a sum may fuse it.
arith::MulFOp Combiner::fusedProduct(Value value) const {
  bool fuses = fusesProducts && !strictFp &&
               kind == vector::CombiningKind::ADD &&
               (value.getType().isF32() || value.getType().isF64());
  return fuses ? value.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
}

Value Combiner::combine(Value lhs, Value rhs) const {
  if (fusedProduct(lhs) && !fusedProduct(rhs))
    std::swap(lhs, rhs);
  if (arith::MulFOp product = fusedProduct(rhs))
    return math::FmaOp::create(builder, loc, product.getLhs(), product.getRhs(),
                               lhs);
  return vector::makeArithReduction(builder, loc, kind, lhs, rhs, fastmath);
}

Value Combiner::tree(ArrayRef<Value> values) const {
  if (values.size() == 1)
    return values.front();
  constexpr size_t longestChain = 4;
  if (values.size() <= longestChain &&
      llvm::all_of(values, [&](Value value) { return fusedProduct(value); }))
    return std::accumulate(
        values.begin() + 1, values.end(), values.front(),
        [&](Value sum, Value value) { return combine(sum, value); });
  size_t half = llvm::divideCeil(values.size(), 2);
  Value lower = tree(values.take_front(half));
  return combine(lower, tree(values.drop_front(half)));
}

/// Combines every second value by one tree and the others by another, whose ops
/// are pairs on neighbours.
Value Combiner::pairedTree(ArrayRef<Value> values) const {
  bool isPaired = packsSingles && values.size() >= 4 &&
                  values.size() % 2 == 0 && values.front().getType().isF32() &&
                  (kind == vector::CombiningKind::ADD ||
                   kind == vector::CombiningKind::MUL);
  if (!isPaired)
    return tree(values);
  SmallVector<Value> halves[2];
  for (auto [at, value] : llvm::enumerate(values))
    halves[at % 2].push_back(value);
  Value even = tree(halves[0]);
  return combine(even, tree(halves[1]));
}

Value Combiner::reduce(ArrayRef<Value> values, Value accumulator) const {
  if (!keepsOrder(kind, getElementTypeOrSelf(values.front()), strictFp)) {
    Value result = pairedTree(values);
    return accumulator ? combine(result, accumulator) : result;
  }
  for (Value value : values)
    accumulator = accumulator ? combine(accumulator, value) : value;
  return accumulator;
}

static LogicalResult lowerReduction(vector::ReductionOp op,
                                    Lowering &lowering) {
  Combiner combiner{lowering.builder,
                    op.getLoc(),
                    op.getKind(),
                    op.getFastmathAttr(),
                    lowering.strictFp,
                    /*fusesProducts=*/!lowering.target.isHost(),
                    lowering.target.packsSingles};
  Value result =
      combiner.reduce(lowering.elements(op.getVector()), op.getAcc());
  lowering.setElements(op.getDest(), {result});
  return success();
}

LogicalResult
registers::lowerMultiReductionByElements(vector::MultiDimReductionOp op,
                                         Lowering &lowering) {
  VectorType type = op.getSourceVectorType();
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<bool> reduced = op.getReductionMask();
  SmallVector<int64_t> keptShape;
  for (auto [extent, isReduced] : llvm::zip_equal(shape, reduced))
    if (!isReduced)
      keptShape.push_back(extent);

  SmallVector<Value> accumulators(lowering.elements(op.getAcc()));
  SmallVector<SmallVector<Value>> groups(accumulators.size());
  ArrayRef<Value> source = lowering.elements(op.getSource());
  forEachIndex(shape, [&](int64_t position, ArrayRef<int64_t> index) {
    SmallVector<int64_t> kept;
    for (auto [digit, isReduced] : llvm::zip_equal(index, reduced))
      if (!isReduced)
        kept.push_back(digit);
    groups[linearIndex(keptShape, kept)].push_back(source[position]);
  });

  Combiner combiner{lowering.builder,
                    op.getLoc(),
                    op.getKind(),
                    nullptr,
                    lowering.strictFp,
                    /*fusesProducts=*/!lowering.target.isHost(),
                    lowering.target.packsSingles};
  SmallVector<Value> elements;
  for (auto [group, accumulator] : llvm::zip_equal(groups, accumulators))
    elements.push_back(combiner.reduce(group, accumulator));
  lowering.setElements(op.getDest(), elements);
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Widens an operand of a contraction to the accumulator's element type; both
/// steps of the product happen there.
static Value widen(Value value, Type element, OpBuilder &builder) {
  if (getElementTypeOrSelf(value) == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  if (isa<FloatType>(element))
    return builder.createOrFold<arith::ExtFOp>(value.getLoc(), type, value);
  return builder.createOrFold<arith::ExtSIOp>(value.getLoc(), type, value);
}

Value registers::multiply(const Combiner &combiner, Value lhs, Value rhs,
                          Type element) {
  OpBuilder &builder = combiner.builder;
  lhs = widen(lhs, element, builder);
  rhs = widen(rhs, element, builder);
  if (isa<FloatType>(element))
    return arith::MulFOp::create(builder, combiner.loc, lhs, rhs);
  return arith::MulIOp::create(builder, combiner.loc, lhs, rhs);
}

Value registers::accumulate(const Combiner &combiner, Value lhs, Value rhs,
                            Value accumulator) {
  OpBuilder &builder = combiner.builder;
  Type element = getElementTypeOrSelf(accumulator);
  if (isa<FloatType>(element) && combiner.kind == vector::CombiningKind::ADD &&
      !combiner.strictFp)
    return math::FmaOp::create(builder, combiner.loc,
                               widen(lhs, element, builder),
                               widen(rhs, element, builder), accumulator);
  return combiner.combine(accumulator, multiply(combiner, lhs, rhs, element));
}

static SmallVector<int64_t> applyMap(AffineMap map, ArrayRef<int64_t> index) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return index[cast<AffineDimExpr>(expr).getPosition()];
  });
}

LogicalResult registers::lowerContractByElements(vector::ContractionOp op,
                                                 Lowering &lowering) {
  SmallVector<AffineMap, 4> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  auto resultType = dyn_cast<VectorType>(op.getResultType());
  ArrayRef<int64_t> resultShape =
      resultType ? resultType.getShape() : ArrayRef<int64_t>();

  SmallVector<Value> lhs(lowering.elements(op.getLhs()));
  SmallVector<Value> rhs(lowering.elements(op.getRhs()));
  SmallVector<Value> results(lowering.elements(op.getAcc()));
  Combiner combiner{lowering.builder, op.getLoc(), op.getKind(), nullptr,
                    lowering.strictFp};
  forEachIndex(bounds, [&](int64_t, ArrayRef<int64_t> index) {
    Value &result = results[linearIndex(resultShape, applyMap(maps[2], index))];
    result = accumulate(
        combiner,
        lhs[linearIndex(op.getLhsType().getShape(), applyMap(maps[0], index))],
        rhs[linearIndex(op.getRhsType().getShape(), applyMap(maps[1], index))],
        result);
  });
  lowering.setElements(op.getResult(), results);
  return success();
}

static LogicalResult lowerOuterProduct(vector::OuterProductOp op,
                                       Lowering &lowering) {
  SmallVector<Value> lhs(lowering.elements(op.getLhs()));
  SmallVector<Value> rhs(lowering.elements(op.getRhs()));
  SmallVector<Value> accumulators;
  if (op.getAcc())
    accumulators.assign(SmallVector<Value>(lowering.elements(op.getAcc())));
  Combiner combiner{lowering.builder, op.getLoc(), op.getKind(), nullptr,
                    lowering.strictFp};
  OpBuilder &builder = lowering.builder;
  SmallVector<Value> elements;
  for (Value row : lhs)
    for (Value column : rhs) {
      if (!accumulators.empty())
        elements.push_back(
            accumulate(combiner, row, column, accumulators[elements.size()]));
      else if (isa<FloatType>(row.getType()))
        elements.push_back(
            arith::MulFOp::create(builder, op.getLoc(), row, column));
      else
        elements.push_back(
            arith::MulIOp::create(builder, op.getLoc(), row, column));
    }
  lowering.setElements(op.getResult(), elements);
  return success();
}

static LogicalResult lowerFma(vector::FMAOp op, Lowering &lowering) {
  SmallVector<Value> lhs(lowering.pieces(op.getLhs()));
  SmallVector<Value> rhs(lowering.pieces(op.getRhs()));
  SmallVector<Value> acc(lowering.pieces(op.getAcc()));
  SmallVector<Value> pieces;
  for (auto [a, b, c] : llvm::zip_equal(lhs, rhs, acc))
    pieces.push_back(
        math::FmaOp::create(lowering.builder, op.getLoc(), a, b, c));
  lowering.setPieces(op.getResult(), pieces);
  return success();
}

static LogicalResult lowerScan(vector::ScanOp op, Lowering &lowering) {
  int64_t dim = op.getReductionDim();
  // Elements are scanned along a row, registers along another dim.
  SmallVector<int64_t> shape(op.getSourceType().getShape());
  bool isAlongRow = dim + 1 == int64_t(shape.size());
  if (!isAlongRow)
    shape.back() = lowering.widthsOf(shape.back()).size();
  auto list = [&](Value value) {
    return isAlongRow ? lowering.elements(value) : lowering.pieces(value);
  };
  SmallVector<int64_t> carriedShape(shape);
  carriedShape.erase(carriedShape.begin() + dim);

  SmallVector<Value> source(list(op.getSource()));
  SmallVector<Value> carried(list(op.getInitialValue()));
  SmallVector<Value> results = source;
  Combiner combiner{lowering.builder, op.getLoc(), op.getKind(), nullptr};
  // Row-major order visits the scanned dim in ascending order in every column.
  forEachIndex(shape, [&](int64_t position, ArrayRef<int64_t> index) {
    SmallVector<int64_t> column(index);
    column.erase(column.begin() + dim);
    Value &last = carried[linearIndex(carriedShape, column)];
    int64_t previous = position - ShapedType::getNumElements(
                                      ArrayRef(shape).drop_front(dim + 1));
    // Upstream: an inclusive scan ignores the initial value, an exclusive one
    // starts with it, and either way the last result is carried out.
    if (index[dim] == 0)
      last = op.getInclusive() ? source[position] : last;
    else
      last = combiner.combine(last,
                              source[op.getInclusive() ? position : previous]);
    results[position] = last;
  });
  for (auto [result, registers] :
       {std::pair(op.getDest(), results),
        std::pair(op.getAccumulatedValue(), carried)}) {
    if (isAlongRow)
      lowering.setElements(result, registers);
    else
      lowering.setPieces(result, registers);
  }
  return success();
}

void registers::addReductionRules(RuleSet &rules) {
  rules.add(lowerReduction);
  rules.add(lowerMultiReductionByElements);
  rules.add<vector::ContractionOp>(lowerContractByElements);
  rules.add(lowerOuterProduct);
  rules.add(lowerFma);
  rules.add(lowerScan);
}

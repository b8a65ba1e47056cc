//===- PieceReduction.cpp - Reductions and products of pieces -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a CPU. What reduces rows to rows combines pieces; what reduces a row
// combines its pieces first and the halves of the last one then. Strict floats
// along a row are combined element by element (Reduction.cpp).
//
// A contraction along k is, for each piece of its result, a sum of products of
// an element that is repeated and a piece (an outer product), or, where the
// result has no row, of pieces along k whose sum is reduced at the end.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "Pieces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::registers;

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// The combination of a piece's elements: of as many as are a power of two
/// halves by halves, and what is behind these by itself.
static Value reducePiece(Value piece, const Combiner &combiner,
                         Lowering &lowering) {
  auto type = dyn_cast<VectorType>(piece.getType());
  if (!type)
    return piece;
  int64_t width = type.getNumElements();
  int64_t lower = llvm::PowerOf2Ceil(width) / 2;
  Value first = takeElements(piece, Value(), 0, lower, lowering),
        second = takeElements(piece, Value(), lower, width - lower, lowering);
  if (width == 2 * lower)
    return reducePiece(combiner.combine(first, second), combiner, lowering);
  first = reducePiece(first, combiner, lowering);
  return combiner.combine(first, reducePiece(second, combiner, lowering));
}

/// The combination of all elements of pieces.
static Value reduceAll(ArrayRef<Value> pieces, const Combiner &combiner,
                       Lowering &lowering) {
  llvm::MapVector<Type, SmallVector<Value>> byType;
  for (Value piece : pieces)
    byType[piece.getType()].push_back(piece);
  SmallVector<Value> scalars;
  for (auto &[type, list] : byType)
    scalars.push_back(reducePiece(combiner.tree(list), combiner, lowering));
  return combiner.tree(scalars);
}

/// Whether the order of a row's elements is the result's.
template <typename Op> static bool keepsOrder(Op op, const Lowering &lowering) {
  return lowering.strictFp &&
         isa<FloatType>(getElementTypeOrSelf(op.getSourceVectorType())) &&
         (op.getKind() == vector::CombiningKind::ADD ||
          op.getKind() == vector::CombiningKind::MUL);
}

static LogicalResult lowerMultiReduction(vector::MultiDimReductionOp op,
                                         Lowering &lowering) {
  ArrayRef<int64_t> shape = op.getSourceVectorType().getShape();
  SmallVector<bool> reduced = op.getReductionMask();
  if (shape.empty() || (reduced.back() && keepsOrder(op, lowering)))
    return lowerMultiReductionByElements(op, lowering);
  SmallVector<int64_t> kept;
  for (auto [extent, isReduced] : llvm::zip(shape.drop_back(), reduced))
    if (!isReduced)
      kept.push_back(extent);
  int64_t perRow = lowering.widthsOf(shape.back()).size();
  bool alongRow = reduced.back();
  SmallVector<Value> source(lowering.pieces(op.getSource()));
  SmallVector<Value> accumulators(alongRow ? lowering.elements(op.getAcc())
                                           : lowering.pieces(op.getAcc()));
  SmallVector<SmallVector<Value>> groups(accumulators.size());
  forEachIndex(shape.drop_back(), [&](int64_t row, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at;
    for (auto [digit, isReduced] : llvm::zip(index, reduced))
      if (!isReduced)
        at.push_back(digit);
    int64_t group = linearize(kept, at) * (alongRow ? 1 : perRow);
    for (int64_t i = 0; i < perRow; ++i)
      groups[group + (alongRow ? 0 : i)].push_back(source[row * perRow + i]);
  });
  Combiner combiner{lowering.builder, op.getLoc(), op.getKind(), nullptr,
                    lowering.strictFp};
  SmallVector<Value> results;
  for (auto [group, accumulator] : llvm::zip_equal(groups, accumulators))
    results.push_back(
        alongRow ? combiner.combine(reduceAll(group, combiner, lowering),
                                    accumulator)
                 : combiner.reduce(group, accumulator));
  if (alongRow)
    lowering.setElements(op.getDest(), results);
  else
    lowering.setPieces(op.getDest(), results);
  return success();
}

static LogicalResult lowerReduction(vector::ReductionOp op,
                                    Lowering &lowering) {
  Combiner combiner{lowering.builder, op.getLoc(), op.getKind(),
                    op.getFastmathAttr(), lowering.strictFp};
  Value result;
  if (keepsOrder(op, lowering)) {
    result = combiner.reduce(lowering.elements(op.getVector()), op.getAcc());
  } else {
    result = reduceAll(SmallVector<Value>(lowering.pieces(op.getVector())),
                       combiner, lowering);
    if (op.getAcc())
      result = combiner.combine(result, op.getAcc());
  }
  lowering.setElements(op.getDest(), {result});
  return success();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

static SmallVector<unsigned> dimsOf(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  });
}

namespace {
/// A contraction whose pieces lie along one of its dims, `row`: the result's
/// innermost one, or one that is reduced, where partial sums are a piece.
class PieceContraction {
public:
  PieceContraction(vector::ContractionOp op, unsigned row, Lowering &lowering)
      : op(op), row(row), lowering(lowering),
        combiner{lowering.builder, op.getLoc(), op.getKind(), nullptr,
                 lowering.strictFp} {
    op.getIterationBounds(bounds);
    widths = lowering.widthsOf(bounds[row]);
    auto maps = op.getIndexingMapsArray();
    lhs = operandOf(op.getLhs(), maps[0]);
    rhs = operandOf(op.getRhs(), maps[1]);
    resultDims = dimsOf(maps[2]);
  }

  LogicalResult lower();

private:
  /// What one operand has for each point and each piece of the row.
  struct Operand {
    SmallVector<unsigned> dims; // but the row
    SmallVector<int64_t> shape;
    bool hasRow = false;
    SmallVector<Value> values; // pieces, or elements to repeat
  };
  Operand operandOf(Value value, AffineMap map);
  Value at(Operand &operand, ArrayRef<int64_t> index, int64_t piece);
  Value repeated(Value element, int64_t width);
  SmallVector<Value> sums(SmallVector<Value> results, bool isOfRow);

  vector::ContractionOp op;
  unsigned row;
  Lowering &lowering;
  Combiner combiner;
  SmallVector<int64_t> bounds, widths;
  Operand lhs, rhs;
  SmallVector<unsigned> resultDims;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> splats;
};
} // namespace

PieceContraction::Operand PieceContraction::operandOf(Value value,
                                                      AffineMap map) {
  Operand operand;
  SmallVector<unsigned> dims = dimsOf(map);
  SmallVector<int64_t> permutation;
  int64_t at = -1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim == row) {
      at = i;
      continue;
    }
    permutation.push_back(i);
    operand.dims.push_back(dim);
    operand.shape.push_back(bounds[dim]);
  }
  operand.hasRow = at >= 0;
  if (!operand.hasRow) {
    operand.values.assign(SmallVector<Value>(lowering.elements(value)));
    return operand;
  }
  permutation.push_back(at);
  operand.values = transpose(SmallVector<Value>(lowering.pieces(value)),
                             shapeOf(value), permutation, lowering);
  return operand;
}

Value PieceContraction::repeated(Value element, int64_t width) {
  Value &known = splats[{element, width}];
  if (!known)
    known = splat(element, width, lowering);
  return known;
}

Value PieceContraction::at(Operand &operand, ArrayRef<int64_t> index,
                           int64_t piece) {
  SmallVector<int64_t> point = llvm::map_to_vector(
      operand.dims, [&](unsigned dim) { return index[dim]; });
  int64_t place = linearize(operand.shape, point);
  if (operand.hasRow)
    return operand.values[place * widths.size() + piece];
  return repeated(operand.values[place], widths[piece]);
}

/// Adds the products of each point to `results`: the pieces of the result, or,
/// where it has no row, two for each of its points, a whole piece and the short
/// one behind it.
SmallVector<Value> PieceContraction::sums(SmallVector<Value> results,
                                          bool isOfRow) {
  SmallVector<int64_t> shape;
  SmallVector<unsigned> dims;
  for (unsigned dim : resultDims)
    if (dim != row) {
      dims.push_back(dim);
      shape.push_back(bounds[dim]);
    }
  SmallVector<int64_t> points = bounds;
  points[row] = widths.size();
  forEachIndex(points, [&](int64_t, ArrayRef<int64_t> index) {
    int64_t piece = index[row];
    int64_t place = linearize(
        shape,
        llvm::map_to_vector(dims, [&](unsigned dim) { return index[dim]; }));
    Value &result = results[isOfRow ? place * widths.size() + piece
                                    : 2 * place + (widths[piece] < widths[0])];
    Value a = at(lhs, index, piece), b = at(rhs, index, piece);
    result = result ? accumulate(combiner, a, b, result)
                    : multiply(combiner, a, b,
                               getElementTypeOrSelf(op.getResultType()));
  });
  return results;
}

LogicalResult PieceContraction::lower() {
  bool isOfRow = llvm::is_contained(resultDims, row);
  if (isOfRow) {
    SmallVector<int64_t> permutation, back(resultDims.size());
    for (auto [i, dim] : llvm::enumerate(resultDims))
      if (dim != row)
        permutation.push_back(i);
    permutation.push_back(llvm::find(resultDims, row) - resultDims.begin());
    for (auto [i, dim] : llvm::enumerate(permutation))
      back[dim] = i;
    ArrayRef<int64_t> shape = shapeOf(op.getAcc());
    SmallVector<int64_t> moved = llvm::map_to_vector(
        permutation, [&](int64_t dim) { return shape[dim]; });
    SmallVector<Value> start =
        transpose(SmallVector<Value>(lowering.pieces(op.getAcc())), shape,
                  permutation, lowering);
    lowering.setPieces(op.getResult(),
                       transpose(sums(start, true), moved, back, lowering));
    return success();
  }
  SmallVector<Value> results(lowering.elements(op.getAcc()));
  SmallVector<Value> partial =
      sums(SmallVector<Value>(2 * results.size()), false);
  for (auto [i, result] : llvm::enumerate(results))
    for (Value part : {partial[2 * i], partial[2 * i + 1]})
      if (part)
        result =
            combiner.combine(reducePiece(part, combiner, lowering), result);
  lowering.setElements(op.getResult(), results);
  return success();
}

/// The dim along which a contraction's pieces lie; none where it is done
/// element by element.
static std::optional<unsigned> rowOf(vector::ContractionOp op, bool strictFp) {
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  auto maps = op.getIndexingMapsArray();
  SmallVector<unsigned> result = dimsOf(maps[2]);
  // The innermost one of the result needs no transposition there.
  if (!result.empty() && bounds[result.back()] > 1)
    return result.back();
  bool keepsOrder =
      strictFp && isa<FloatType>(getElementTypeOrSelf(op.getResultType()));
  for (AffineMap map : {maps[1], maps[0]})
    if (unsigned dim = map.getNumResults() ? dimsOf(map).back() : 0;
        map.getNumResults() && bounds[dim] > 1 &&
        (llvm::is_contained(result, dim) || !keepsOrder))
      return dim;
  return std::nullopt;
}

bool registers::isRepeated(Value vector) {
  return !vector.use_empty() &&
         llvm::all_of(vector.getUses(), [](OpOperand &use) {
           auto product = dyn_cast<vector::ContractionOp>(use.getOwner());
           if (!product || use.getOperandNumber() > 1)
             return false;
           std::optional<unsigned> row = rowOf(product, /*strictFp=*/false);
           AffineMap map =
               product.getIndexingMapsArray()[use.getOperandNumber()];
           return row && !map.isFunctionOfDim(*row);
         });
}

static LogicalResult lowerContract(vector::ContractionOp op,
                                   Lowering &lowering) {
  if (std::optional<unsigned> row = rowOf(op, lowering.strictFp))
    return PieceContraction(op, *row, lowering).lower();
  return lowerContractByElements(op, lowering);
}

void registers::addPieceReductionRules(RuleSet &rules) {
  rules.add(lowerReduction);
  rules.add(lowerMultiReduction);
  rules.add(lowerContract);
}

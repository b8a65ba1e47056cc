//===- ChunkReduction.cpp - Reductions of native vectors ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These rules are for CPUs. A reduction of rows to rows combines native vector
// chunks. A reduction of a row has two strategies: its chunks are combined
// first and then the halves of the last one; or, where there are several rows,
// they are transposed, so that whole registers are combined again, even in the
// order of the source.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "Pieces.h"
#include "Prices.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::registers;

Value registers::reducePiece(Value piece, const Combiner &combiner,
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

/// Returns the combination of all elements of chunks.
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

/// Returns whether the result must combine a row's elements in order.
template <typename Op> static bool keepsOrder(Op op, const Lowering &lowering) {
  return keepsOrder(op.getKind(), op.getSourceVectorType().getElementType(),
                    lowering.strictFp);
}

namespace {
/// A reduction of a vector in chunks, whose dims may be permuted first.
struct Rows {
  SmallVector<Value> pieces;
  SmallVector<int64_t> shape;
  SmallVector<bool> reduced;
};
} // namespace

/// Returns the registers that each register of the result combines, in
/// row-major order: elements of the result where the innermost dim is reduced,
/// chunks of it otherwise.
static SmallVector<SmallVector<Value>> groupsOf(const Rows &rows,
                                                const Lowering &lowering) {
  ArrayRef<int64_t> outer = ArrayRef(rows.shape).drop_back();
  SmallVector<int64_t> kept;
  for (auto [extent, isReduced] : llvm::zip(outer, rows.reduced))
    if (!isReduced)
      kept.push_back(extent);
  int64_t perRow = lowering.widthsOf(rows.shape.back()).size();
  int64_t perGroup = rows.reduced.back() ? 1 : perRow;
  SmallVector<SmallVector<Value>> groups(ShapedType::getNumElements(kept) *
                                         perGroup);
  forEachIndex(outer, [&](int64_t row, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at;
    for (auto [digit, isReduced] : llvm::zip(index, rows.reduced))
      if (!isReduced)
        at.push_back(digit);
    int64_t group = registers::linearIndex(kept, at) * perGroup;
    for (int64_t i = 0; i < perRow; ++i)
      groups[group + (perGroup == 1 ? 0 : i)].push_back(
          rows.pieces[row * perRow + i]);
  });
  return groups;
}

/// Returns the dims, with the innermost kept one as the last; none where all
/// kept ones have one element.
static std::optional<SmallVector<int64_t>> keptLast(ArrayRef<int64_t> shape,
                                                    ArrayRef<bool> reduced) {
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    if (reduced[dim] || shape[dim] == 1)
      continue;
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
    std::rotate(order.begin() + dim, order.begin() + dim + 1, order.end());
    // Kept dims of one element stay between, and change no order.
    return order;
  }
  return std::nullopt;
}

/// Returns the strategies for reducing rows along themselves.
static SmallVector<Candidate>
reductionCandidates(vector::MultiDimReductionOp op, const Lowering &lowering) {
  Prices prices(lowering.target);
  const SimdCosts &costs = prices.costs;
  ArrayRef<int64_t> shape = op.getSourceVectorType().getShape();
  Type element = op.getSourceVectorType().getElementType();
  int64_t step = prices.combine(op.getKind(), element);
  int64_t elements = ShapedType::getNumElements(shape);
  auto acc = dyn_cast<VectorType>(op.getAcc().getType());
  int64_t results = acc ? acc.getNumElements() : 1;
  int64_t pieces =
      elements / shape.back() * int64_t(lowering.widthsOf(shape.back()).size());
  int64_t perResult = std::min(lowering.width, shape.back());
  SmallVector<Candidate> candidates;
  if (!keepsOrder(op, lowering))
    candidates.push_back(
        {"halves",
         (pieces - results) * step +
             results * (llvm::Log2_64_Ceil(perResult) * (costs.shuffle + step) +
                        2 * costs.element + step)});
  if (auto order = keptLast(shape, op.getReductionMask())) {
    int64_t row = shape[order->back()];
    candidates.push_back(
        {"transposed",
         prices.transpose(shape, *order, element, lowering.width) +
             elements / row * int64_t(lowering.widthsOf(row).size()) * step});
  }
  candidates.push_back({"elements", elements * (costs.element + step) +
                                        results * costs.element});
  return candidates;
}

static LogicalResult lowerMultiReduction(vector::MultiDimReductionOp op,
                                         Lowering &lowering) {
  ArrayRef<int64_t> shape = op.getSourceVectorType().getShape();
  if (shape.empty())
    return lowerMultiReductionByElements(op, lowering);
  Rows rows{{}, SmallVector<int64_t>(shape), op.getReductionMask()};
  StringRef strategy = "transposed"; // the rows are transposed
  if (rows.reduced.back())
    strategy = lowering
                   .choose(op, core::reductionStrategies,
                           reductionCandidates(op, lowering))
                   .name;
  if (strategy == "elements")
    return lowerMultiReductionByElements(op, lowering);
  rows.pieces = SmallVector<Value>(lowering.pieces(op.getSource()));
  if (strategy == "transposed" && rows.reduced.back()) {
    SmallVector<int64_t> order = *keptLast(shape, rows.reduced);
    rows.pieces = transpose(rows.pieces, shape, order, lowering);
    rows.shape = applyPermutation(shape, order);
    rows.reduced = applyPermutation(rows.reduced, order);
  }
  Combiner combiner{lowering.builder, op.getLoc(), op.getKind(), nullptr,
                    lowering.strictFp};
  SmallVector<SmallVector<Value>> groups = groupsOf(rows, lowering);
  SmallVector<Value> results;
  if (rows.reduced.back()) {
    for (auto [group, accumulator] : llvm::zip_equal(
             groups, SmallVector<Value>(lowering.elements(op.getAcc()))))
      results.push_back(
          combiner.combine(reduceAll(group, combiner, lowering), accumulator));
    lowering.setElements(op.getDest(), results);
    return success();
  }
  // Dims of one element after the row change no order, but change the chunks.
  SmallVector<Type> types;
  for (const SmallVector<Value> &group : groups)
    types.push_back(group.front().getType());
  for (auto [group, accumulator] : llvm::zip_equal(
           groups, regroup(SmallVector<Value>(lowering.pieces(op.getAcc())),
                           types, lowering.builder)))
    results.push_back(combiner.reduce(group, accumulator));
  lowering.setPieces(op.getDest(),
                     regroup(results,
                             lowering.pieceTypes(op.getDest().getType()),
                             lowering.builder));
  return success();
}

static LogicalResult lowerReductionInPieces(vector::ReductionOp op,
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

void registers::addChunkReductionRules(RuleSet &rules) {
  rules.add(lowerReductionInPieces);
  rules.add(lowerMultiReduction);
}

//===- ScanLoop.cpp - Loops that write each partial result ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScanLoop.h"
#include "../Normalize/CountedPlaces.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

/// Returns the only dim along which a slice of `whole` is a single position,
/// that of the loop; the slice has all positions of the other dims.
static std::optional<CountedDim> dimOf(OffsetSizeAndStrideOpInterface piece,
                                       Value whole, Value position,
                                       const ExtentFormulas &formulas) {
  SmallVector<OpFoldResult> offsets = piece.getMixedOffsets(),
                            sizes = piece.getMixedSizes(),
                            strides = piece.getMixedStrides();
  std::optional<CountedDim> found;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    if (!isConstantIntValue(strides[dim], 1))
      return std::nullopt;
    AffineExpr extent = formulas.extentOf(whole, dim);
    std::optional<bool> counts =
        isBackwards(offsets[dim], position, extent, formulas);
    if (counts && isConstantIntValue(sizes[dim], 1) && !found) {
      found = CountedDim{dim, *counts};
      continue;
    }
    if (!isConstantIntValue(offsets[dim], 0) || !extent ||
        formulas.indexOf(sizes[dim]) != extent)
      return std::nullopt;
  }
  return found;
}

/// Returns the dim at which an op reads or writes its slice of a tensor; none
/// where the slice is not at the loop's position.
static std::optional<CountedDim> dimOfPiece(Operation *op, Value position,
                                            const ExtentFormulas &formulas) {
  // The slice has the other dims' extents, with or without a 1 at the position.
  auto ofSlice = [&](OffsetSizeAndStrideOpInterface slice, Value whole,
                     RankedTensorType piece) -> std::optional<CountedDim> {
    auto dim = dimOf(slice, whole, position, formulas);
    if (!dim)
      return std::nullopt;
    SmallVector<int64_t> kept(cast<ShapedType>(whole.getType()).getShape()),
        dropped = kept;
    kept[dim->dim] = 1;
    dropped.erase(dropped.begin() + dim->dim);
    return piece.getShape() == ArrayRef(kept) ||
                   piece.getShape() == ArrayRef(dropped)
               ? dim
               : std::nullopt;
  };
  auto ofElement = [&](Value whole,
                       ValueRange indices) -> std::optional<CountedDim> {
    if (indices.size() != 1)
      return std::nullopt;
    std::optional<bool> counts = isBackwards(
        indices.front(), position, formulas.extentOf(whole, 0), formulas);
    return counts ? std::optional(CountedDim{0, *counts}) : std::nullopt;
  };
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return ofSlice(slice, slice.getSource(), slice.getType());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return ofSlice(slice, slice.getDest(), slice.getSourceType());
  if (auto element = dyn_cast<tensor::ExtractOp>(op))
    return ofElement(element.getTensor(), element.getIndices());
  if (auto element = dyn_cast<tensor::InsertOp>(op))
    return ofElement(element.getDest(), element.getIndices());
  return std::nullopt;
}

/// Returns the op on elements that `op` applies to two values of the same
/// shape; null for another.
static Operation *combinerOf(Operation *op) {
  if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumOperands() == 2)
    return op;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInputs() != 2 ||
      linalgOp.getNumDpsInits() != 1 ||
      !llvm::all_of(linalgOp.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  Block *body = linalgOp.getBlock();
  Operation *inner = body->getTerminator()->getOperand(0).getDefiningOp();
  bool isAll =
      inner && &body->front() == inner && inner->getNumOperands() == 2 &&
      llvm::equal(inner->getOperands(), body->getArguments().take_front(2));
  return isAll ? inner : nullptr;
}

/// Returns the neutral element of an op, on elements if it is on tensors.
static std::optional<TypedAttr> neutralOf(Operation *op) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(getElementTypeOrSelf(op->getResult(0).getType()));
  Operation *onElements = Operation::create(state);
  std::optional<TypedAttr> neutral = neutralOfCombiner(onElements);
  onElements->destroy();
  return neutral;
}

static SmallVector<Value> inputsOf(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return llvm::to_vector(linalgOp.getDpsInputs());
  return SmallVector<Value>(op->getOperands());
}

/// Returns the number of the operand of `op` other than `sum`.
static int64_t otherNumber(Operation *op, Value sum) {
  return inputsOf(op).front() == sum ? 1 : 0;
}

/// Returns the operand of `op` other than `sum`; null if there are more.
static Value otherOperand(Operation *op, Value sum) {
  SmallVector<Value> inputs = inputsOf(op);
  if (inputs.size() != 2 || (inputs[0] == sum) == (inputs[1] == sum))
    return nullptr;
  return inputs[otherNumber(op, sum)];
}

/// Returns whether two tensors have the same extents in every launch.
static bool areAlike(Value one, Value other, const ExtentFormulas &formulas) {
  auto type = dyn_cast<RankedTensorType>(one.getType());
  if (!type || type != other.getType())
    return false;
  return llvm::all_of(llvm::seq<int64_t>(type.getRank()), [&](int64_t dim) {
    AffineExpr extent = formulas.extentOf(one, dim);
    return extent && extent == formulas.extentOf(other, dim);
  });
}

static bool computesPlace(Operation *op) {
  return op->getNumResults() == 1 && op->getResult(0).getType().isIndex() &&
         isPure(op) &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<IndexType>);
}

namespace {
/// Describes how the next partial result is combined.
struct Combination {
  Operation *combiner; // null for log(exp + exp)
  Value piece;         // value that is combined
  TypedAttr neutral;
  int64_t term;                 // the number of the operand that is combined
  SmallVector<Operation *> ops; // ops of the loop's body

  static std::optional<Combination> get(Operation *made, Value soFar);
  static std::optional<Combination> ofLogSumExp(Operation *made, Value soFar);
};
} // namespace

/// Matches ops on elements, on tensors, or in the body of an op on tensors.
std::optional<Combination> Combination::ofLogSumExp(Operation *made,
                                                    Value soFar) {
  auto element =
      dyn_cast<FloatType>(getElementTypeOrSelf(made->getResult(0).getType()));
  if (!element)
    return std::nullopt;
  TypedAttr neutral = FloatAttr::get(
      element, APFloat::getInf(element.getFloatSemantics(), /*Negative=*/true));
  if (auto step = matchLogSumExp(made->getResult(0), soFar))
    return Combination{nullptr, step->term, neutral, 0, step->ops};
  auto linalgOp = dyn_cast<linalg::LinalgOp>(made);
  Value piece = linalgOp ? otherOperand(made, soFar) : Value();
  if (!piece || linalgOp.getNumDpsInits() != 1 ||
      !llvm::all_of(linalgOp.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return std::nullopt;
  Block *body = linalgOp.getBlock();
  int64_t term = otherNumber(made, soFar);
  auto step = matchLogSumExp(body->getTerminator()->getOperand(0),
                             body->getArgument(1 - term));
  if (!step || step->term != body->getArgument(term))
    return std::nullopt;
  return Combination{nullptr, piece, neutral, term, {made}};
}

std::optional<Combination> Combination::get(Operation *made, Value soFar) {
  Operation *combiner = combinerOf(made);
  Value piece = combiner ? otherOperand(made, soFar) : Value();
  std::optional<TypedAttr> neutral = piece ? neutralOf(combiner) : std::nullopt;
  if (!neutral)
    return ofLogSumExp(made, soFar);
  return Combination{
      combiner, piece, *neutral, otherNumber(made, soFar), {made}};
}

std::optional<ScanLoop> ScanLoop::match(scf::ForOp loop,
                                        const ExtentFormulas &formulas) {
  if (loop.getNumRegionIterArgs() != 2 ||
      !isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1))
    return std::nullopt;
  Operation *yield = loop.getBody()->getTerminator();
  for (unsigned out : {0u, 1u}) {
    unsigned sum = 1 - out;
    Value soFar = loop.getRegionIterArg(sum);
    Operation *put = yield->getOperand(out).getDefiningOp();
    Operation *made = yield->getOperand(sum).getDefiningOp();
    if (!put || !made || !isa<tensor::InsertSliceOp, tensor::InsertOp>(put) ||
        put->getOperand(1) != loop.getRegionIterArg(out))
      continue;
    std::optional<Combination> step = Combination::get(made, soFar);
    Operation *taken = step ? step->piece.getDefiningOp() : nullptr;
    if (!isa_and_nonnull<tensor::ExtractSliceOp, tensor::ExtractOp>(taken))
      continue;
    Value source = taken->getOperand(0);
    auto type = dyn_cast<RankedTensorType>(source.getType());
    bool isExclusive = put->getOperand(0) == soFar;
    Value place = loop.getInductionVar();
    std::optional<CountedDim> dim = dimOfPiece(taken, place, formulas),
                              to = dimOfPiece(put, place, formulas);
    if (!type || !loop.isDefinedOutsideOfLoop(source) ||
        (!isExclusive && put->getOperand(0) != made->getResult(0)) || !dim ||
        !to || dim->dim != to->dim ||
        !areAlike(source, loop.getInitArgs()[out], formulas) ||
        formulas.indexOf(loop.getUpperBound()) !=
            formulas.extentOf(source, dim->dim))
      continue;
    // The last sum of scalars would be a scalar of the launch.
    if (!isa<RankedTensorType>(step->piece.getType()) &&
        !loop.getResult(sum).use_empty())
      continue;
    bool isAll =
        llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) {
          return &op == put || &op == taken ||
                 llvm::is_contained(step->ops, &op) ||
                 isa<tensor::EmptyOp, tensor::DimOp, arith::ConstantOp>(op) ||
                 computesPlace(&op);
        });
    if (isAll)
      return ScanLoop{loop,
                      sum,
                      out,
                      source,
                      dim->dim,
                      dim->isBackwards,
                      to->isBackwards,
                      isExclusive,
                      step->combiner,
                      step->neutral,
                      step->term};
  }
  return std::nullopt;
}
